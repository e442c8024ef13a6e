"""Writes down what couriers have to say: at once where nobody else is writing, else with all that wait.

courier ─ settled the last, about to send the next ─▶ ticket ─▶ whoever holds the pen ─ one commit ─▶ go on
"""

import logging
import threading
from collections import deque
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime
from types import TracebackType
from typing import Self

from bot.models import DeliveryState
from bot.store import Store, ledger, workers
from bot.store.ledger import Settlement
from bot.store.pen import Pen

log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Ticket:
    """What became of a courier's last delivery, and which is next."""

    done: Settlement | None
    next: int | None
    written: bool = False
    granted: bool = False
    failure: Exception | None = None


class Clerk:
    """The couriers' way into the ledger: one of them writes at a time, for itself and for all that wait."""

    def __init__(self, store: Store, worker: int, counted: Callable[[list[Settlement]], None]) -> None:
        self._store, self._worker, self._counted = store, worker, counted
        self._tickets: deque[_Ticket] = deque()
        self._turn = threading.Lock()
        self._beaten: datetime | None = None
        self._open = ExitStack()

    def __enter__(self) -> Self:
        self._pen = self._open.enter_context(Pen.held(self._store, self._worker))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.close()

    def write(self, done: Settlement | None) -> None:
        """Settle a delivery, if there is one."""
        if done:
            self._hand_in(_Ticket(done, None))

    def write_and_mark(self, done: Settlement | None, delivery: int) -> bool:
        """Settle a delivery and mark the next as being sent; False where it is no longer ours to send."""
        return self._hand_in(_Ticket(done, delivery)).granted

    def _hand_in(self, ticket: _Ticket) -> _Ticket:
        self._tickets.append(ticket)
        with self._turn:
            if not ticket.written:  # else whoever had the pen before wrote it too
                self._commit([self._tickets.popleft() for _ in range(len(self._tickets))])
        if ticket.failure:
            raise ticket.failure
        return ticket

    # --------------------------------------------------------------------------- with the pen in one's hand

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
                ticket.written = True

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
