"""Writes down what couriers have to say: once a turn, in one commit for all of them.

courier ─ settled the last, about to send the next ─▶ desk ─▶ between two turns, one commit ─▶ go on
"""

import logging
from collections.abc import Callable
from contextlib import ExitStack
from datetime import datetime
from types import TracebackType
from typing import Self

from bot.models import DeliveryState
from bot.steps import NEXT_TURN, Steps
from bot.store import Store, ledger, workers
from bot.store.ledger import Settlement
from bot.store.pen import Pen

log = logging.getLogger(__name__)


class Clerk:
    """The couriers' way into the ledger."""

    def __init__(self, store: Store, worker: int, counted: Callable[[list[Settlement]], None]) -> None:
        self._store, self._worker, self._counted = store, worker, counted
        self._done: list[Settlement] = []
        self._wanted: list[int] = []
        self._granted: set[int] = set()
        self._failure: Exception | None = None
        self._beaten: datetime | None = None
        self._open = ExitStack()

    def __enter__(self) -> Self:
        self._pen = self._open.enter_context(Pen.held(self._store, self._worker))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.close()

    def settle(self, done: Settlement) -> None:
        """Hand in what became of a delivery; it is written before the next turn."""
        self._done.append(done)

    def mark(self, delivery: int) -> Steps[bool]:
        """Mark a delivery as being sent; False where it is no longer ours to send."""
        self._wanted.append(delivery)
        yield NEXT_TURN
        granted = delivery in self._granted
        self._granted.discard(delivery)
        if self._failure and not granted:
            raise self._failure
        return granted

    def between(self) -> None:
        """Write; where that fails nothing is marked, and what is done is tried again in the next turn."""
        try:
            self.write()
        except Exception as error:  # noqa: BLE001 (raised by each courier that waits for its mark)
            self._failure = error
            self._wanted = []

    def write(self) -> None:
        """Write down all that was handed in."""
        if not (self._done or self._wanted):
            return
        self._granted |= self._written(self._done, self._wanted)
        done, self._done, self._wanted, self._failure = self._done, [], [], None
        self._tell(done)

    def _written(self, settlements: list[Settlement], wanted: list[int]) -> set[int]:
        """Settle and mark; the ids that may be sent."""
        others = [one for one in settlements if one.state is not DeliveryState.SENT]
        now = self._time_to_beat(settlements)
        if others or now:
            with self._store.relaxed() as connection:
                if now:
                    workers.beat(connection, self._worker, now)
                ledger.settle(connection, self._worker, others)
        return self._pen.write((one for one in settlements if one.state is DeliveryState.SENT), wanted)

    def _time_to_beat(self, settlements: list[Settlement]) -> datetime | None:
        """The time, where the ledger was not told lately: a slow batch must not look like a dead worker."""
        now = max((one.at for one in settlements), default=None)
        if now is None or (self._beaten and now - self._beaten < workers.BEAT):
            return None
        self._beaten = now
        return now

    def _tell(self, settlements: list[Settlement]) -> None:
        """Tell whoever watches; that nobody can see it is no reason to send nothing."""
        try:
            self._counted(settlements)
        except Exception:
            log.exception("progress cannot be shown", extra={"action": "report_failed"})
