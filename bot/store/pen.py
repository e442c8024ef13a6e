"""Writes marks and settlements of sent mail the shortest way: statements built once, a connection kept open.

Every mail needs one of each, and SQLAlchemy's way to a statement would cost more than the mail itself.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from operator import itemgetter
from typing import Any, Self

from sqlalchemy import Dialect, PoolProxiedConnection, Select, Update, bindparam, func, select, update

from bot.models import DeliveryState, aware
from bot.store.engine import Store
from bot.store.ledger import Settlement
from bot.store.tables import deliveries


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement in a driver's own words."""

    words: str
    fixed: dict[str, Any]
    """The values that are the same every time."""
    placed: Callable[[dict[str, Any]], Any]
    """The values as the driver takes them: in order, or by name."""

    @classmethod
    def built(cls, statement: Update | Select[Any], dialect: Dialect) -> Self:
        """Build it once; a value that the dialect must turn into its own is for the caller to turn."""
        compiled = statement.compile(dialect=dialect)
        placed = itemgetter(*compiled.positiontup) if compiled.positiontup else dict
        return cls(str(compiled), dict(compiled.params), placed)

    def row(self, **values: Any) -> Any:
        """The values of one execution."""
        return self.placed(self.fixed | values)


class Pen:
    """Settles what was sent and marks what is next, in one relaxed commit; for one thread at a time."""

    def __init__(self, store: Store, connection: PoolProxiedConnection, worker: int) -> None:
        self._store, self._connection, self._worker = store, connection, worker
        dialect = store.engine.dialect
        self._sent, self._mark, self._marked = (
            Statement.built(one, dialect) for one in (_SENT, _MARK, _MARKED)
        )
        kind = deliveries.c.settled_at.type.dialect_impl(dialect)
        in_its_way: Callable[[datetime], Any] | None = kind.bind_processor(dialect)
        self._instant: Callable[[datetime], Any] = in_its_way or aware

    @classmethod
    @contextmanager
    def held(cls, store: Store, worker: int) -> Iterator[Self]:
        """Hold the pen for a worker: its connection is open as long as this lasts."""
        with store.kept() as connection:
            yield cls(store, connection, worker)

    def write(self, sent: Iterable[Settlement], wanted: Sequence[int]) -> set[int]:
        """Settle what was sent, and mark deliveries as being sent; the ids that were still ours to send."""
        settled = [
            self._sent.row(b_id=one.delivery, b_receipt=one.receipt, b_at=self._instant(one.at))
            for one in sent
        ]
        with self._store.transaction(self._connection) as cursor:
            if settled:
                cursor.executemany(self._sent.words, settled)
            return self._marked_of(cursor, wanted) if wanted else set()

    def _marked_of(self, cursor: Any, wanted: Sequence[int]) -> set[int]:
        rows = [self._mark.row(b_id=one, b_worker=self._worker) for one in wanted]
        cursor.executemany(self._mark.words, rows)
        if cursor.rowcount == len(wanted):
            return set(wanted)
        return {one for one in wanted if self._is_marked(cursor, one)}

    def _is_marked(self, cursor: Any, delivery: int) -> bool:
        cursor.execute(self._marked.words, self._marked.row(b_id=delivery, b_worker=self._worker))
        return cursor.fetchone() is not None


_OURS = (deliveries.c.id == bindparam("b_id"), deliveries.c.worker_id == bindparam("b_worker"))
_MARK = (
    update(deliveries)
    .where(*_OURS, deliveries.c.state == DeliveryState.QUEUED)
    .values(state=DeliveryState.SENDING)
)
_MARKED = select(deliveries.c.id).where(*_OURS, deliveries.c.state == DeliveryState.SENDING)
# Whoever says that a mail was taken is right, even a worker that was taken for dead meanwhile.
_SENT = (
    update(deliveries)
    .where(deliveries.c.id == bindparam("b_id"))
    .values(
        state=DeliveryState.SENT,
        reason=None,
        receipt=bindparam("b_receipt"),
        settled_at=bindparam("b_at"),
        first_tried_at=func.coalesce(deliveries.c.first_tried_at, bindparam("b_at")),
        attempts=deliveries.c.attempts + 1,
        worker_id=None,
    )
)
