"""Writes down what couriers have to say, for all of them in one commit: a commit costs as much for ten rows.

courier ─ settled the last, about to send the next ─▶ ticket ─▶ clerk ─ one relaxed commit ─▶ go on
"""

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from queue import Empty, SimpleQueue
from types import TracebackType
from typing import Self

from bot.store import Store, ledger, workers
from bot.store.ledger import Settlement

log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Ticket:
    """What became of a courier's last delivery, and which is next."""

    done: Settlement | None
    next: int | None
    granted: bool = False
    failure: Exception | None = None
    _written: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self._written.acquire()

    def wait(self) -> None:
        """Wait until the clerk has written it down."""
        self._written.acquire()

    def settle(self) -> None:
        """Let the courier go on."""
        self._written.release()


class Clerk:
    """One thread that commits for all couriers of a run."""

    def __init__(self, store: Store, worker: int, counted: Callable[[list[Settlement]], None]) -> None:
        self._store, self._worker, self._counted = store, worker, counted
        self._tickets: SimpleQueue[_Ticket | None] = SimpleQueue()
        self._beaten: datetime | None = None
        self._thread = threading.Thread(target=self._work, name="clerk")

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._tickets.put(None)
        self._thread.join()

    def write(self, done: Settlement | None) -> None:
        """Settle a delivery, if there is one."""
        if done:
            self._hand_in(_Ticket(done, None))

    def write_and_mark(self, done: Settlement | None, delivery: int) -> bool:
        """Settle a delivery and mark the next as being sent; False where it is no longer ours to send."""
        return self._hand_in(_Ticket(done, delivery)).granted

    def _hand_in(self, ticket: _Ticket) -> _Ticket:
        self._tickets.put(ticket)
        ticket.wait()
        if ticket.failure:
            raise ticket.failure
        return ticket

    # ------------------------------------------------------------------------------------ the clerk's thread

    def _work(self) -> None:
        while first := self._tickets.get():
            tickets = [first, *self._more()]
            self._commit([ticket for ticket in tickets if ticket])
            if None in tickets:
                return

    def _more(self) -> list[_Ticket | None]:
        """What has been handed in meanwhile."""
        more: list[_Ticket | None] = []
        while True:
            try:
                more.append(self._tickets.get_nowait())
            except Empty:
                return more

    def _commit(self, tickets: list[_Ticket]) -> None:
        settlements = [ticket.done for ticket in tickets if ticket.done]
        try:
            granted = self._written(
                settlements, [ticket.next for ticket in tickets if ticket.next is not None]
            )
        except Exception as error:  # noqa: BLE001 (raised by each courier whose ticket it was)
            for ticket in tickets:
                ticket.failure = error
        else:
            for ticket in tickets:
                ticket.granted = ticket.next in granted
            self._tell(settlements)
        finally:
            for ticket in tickets:
                ticket.settle()

    def _written(self, settlements: list[Settlement], wanted: list[int]) -> set[int]:
        """Settle and mark in one commit; the ids that may be sent."""
        with self._store.relaxed() as connection:
            if now := self._time_to_beat(settlements):
                workers.beat(connection, self._worker, now)
            ledger.settle(connection, settlements)
            return ledger.mark(connection, self._worker, wanted) if wanted else set()

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
