"""Works off the deliveries of a published issue: claim, send, settle, until nothing more can go now.

    claim a batch ─ synced commit ─▶ mark one ─▶ the courier delivers ─▶ settle it and mark the next ─▶ …
                                      one small commit a turn for what all couriers have to write ┘

A row is marked before its bytes leave and settled after the answer, so that whatever kills the process, at
most one row per courier is left marked: those are in doubt, every other is exact. One thread goes on with all
couriers, each as soon as what it waits for is there.
"""

import logging
import threading
import traceback
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime

from bot.channels import Audience, Channel, SteppingCourier, in_steps
from bot.clerk import Clerk
from bot.doubts import clear_up
from bot.errors import BroadsheetError, DeliveryError, InputError, StopRunError, TransientError
from bot.models import Balance, Delivery, DeliveryState
from bot.policy import judge
from bot.steps import LOOK, Loop, Steps
from bot.store import Store, balances, ledger, workers
from bot.store.ledger import Settlement

log = logging.getLogger(__name__)

BATCH = 500
"""Rows claimed at once; what a power cut can put in doubt, and all that memory has to hold."""

BUGS = 3
"""So many failures of our own in a row, and the run stops: a bug must not put a whole issue in doubt."""

Report = Callable[[str, Balance], None]


@dataclass(frozen=True, slots=True)
class Terms:
    """What a run is given from outside: the time, chance, and the wish to end."""

    clock: Callable[[], datetime]
    jitter: Callable[[], float]
    """A number from 0 to 1."""
    stop: threading.Event = field(default_factory=threading.Event)
    report: Report = lambda _channel, _balance: None


@dataclass(frozen=True, slots=True)
class Halt:
    """Why a channel's run ended before its rows were worked off."""

    reason: str
    away: bool
    """The far side could not be reached, as against: it refused us."""


def recover(store: Store, now: datetime) -> int:
    """Put in doubt what dead processes were sending, release what they had claimed; how many are in doubt."""
    with store.write() as connection:
        return workers.recover(connection, workers.Process.this(), now)


def work(
    store: Store,
    issue: int,
    channels: Mapping[str, Channel],
    payloads: Mapping[str, bytes],
    terms: Terms,
) -> dict[str, Halt]:
    """Send what is due of an issue, conversations first; why channels stopped early, where they did.

    Returns when nothing more can go now: rows that must be tried again later are left queued.
    """
    recover(store, terms.clock())
    halts = {}
    with entered(store, terms.clock) as worker:
        for name in sorted(channels, key=lambda name: channels[name].audience is Audience.READERS):
            if halt := _Run(store, worker, issue, name, channels[name], payloads[name], terms).work():
                halts[name] = halt
    return halts


@contextmanager
def entered(store: Store, clock: Callable[[], datetime]) -> Iterator[int]:
    """Be entered in the ledger as long as this lasts, so that others can tell the living from the dead."""
    with store.write() as connection:
        number = workers.register(connection, workers.Process.this(), clock())
    try:
        yield number
    finally:
        with store.write() as connection:
            workers.leave(connection, number, clock())


# ----------------------------------------------------------------------------------------------------- run


class _Run:
    """One channel of one issue, worked by its couriers until nothing more can go now."""

    def __init__(
        self, store: Store, worker: int, issue: int, name: str, channel: Channel, payload: bytes, terms: Terms
    ) -> None:
        self._store, self._worker, self._issue, self._name = store, worker, issue, name
        self._channel, self._payload, self._terms = channel, payload, terms
        self._claimed: deque[Delivery] = deque()
        self._clerk = Clerk(store, worker, self._counted)
        self._over = threading.Event()
        self._halt: Halt | None = None
        self._bugs = 0
        self._failure: BaseException | None = None
        self._balance = self._counted_anew()

    def work(self) -> Halt | None:
        self._clear_up()
        self._balance = self._counted_anew()
        self._terms.report(self._name, self._balance)
        with self._clerk:
            self._join(threading.Thread(target=self._carried, name=self._name))
        with self._store.write() as connection:
            ledger.release_claims(connection, self._worker)
        self._balance = self._counted_anew()
        self._terms.report(self._name, self._balance)
        if self._failure:
            raise self._failure
        came_back = self._halt and self._halt.away and not self._balance.waiting
        return None if came_back else self._halt

    def _clear_up(self) -> None:
        """Look for what earlier runs left in doubt, before more is sent."""
        try:
            clear_up(
                self._store,
                self._issue,
                self._name,
                self._channel,
                self._payload,
                self._terms.clock,
                self._rest,
            )
        except (InputError, StopRunError) as error:
            self._stop(Halt(str(error), away=False))

    def _counted_anew(self) -> Balance:
        with self._store.read() as connection:
            return balances.of_channel(connection, self._issue, self._name)

    def _join(self, thread: threading.Thread) -> None:
        """Wait for the couriers; on Ctrl-C let each finish the one delivery it has in hand."""
        thread.start()
        try:
            thread.join()
        except KeyboardInterrupt:
            self._over.set()
            thread.join()
            raise

    @property
    def _ended(self) -> bool:
        return self._over.is_set() or self._terms.stop.is_set()

    def _carried(self) -> None:
        """Go on with all couriers until the last has ended."""
        couriers = min(self._channel.concurrency, self._balance.waiting)
        try:
            try:
                with Loop(self._clerk.between, lambda: self._ended) as loop:
                    loop.run([self._courier() for _ in range(couriers)])
            finally:
                self._clerk.write()
        except BaseException as error:  # noqa: BLE001 (raised again by the thread that waits for this one)
            self._failure = self._failure or error

    def _courier(self) -> Steps[None]:
        try:
            try:
                courier = in_steps(self._channel.courier(self._payload), self._rest)
            except (InputError, StopRunError) as error:
                self._stop(Halt(str(error), away=False))  # this channel's trouble, and no other's
                return
            try:
                yield from self._carry(courier)
            finally:
                yield from courier.leaving()
        except BaseException as error:  # noqa: BLE001 (raised again once the others have ended)
            self._failure = self._failure or error
            self._over.set()

    def _carry(self, courier: SteppingCourier) -> Steps[None]:
        away = False
        while not (self._ended or away):
            if not (delivery := self._next()) or not (yield from courier.standing_by()):
                break
            if (yield from self._clerk.mark(delivery.id)):
                settlement, away = yield from self._delivered(courier, delivery)
                self._clerk.settle(settlement)

    def _rest(self, seconds: float) -> bool:
        """Let time pass, in steps that are short enough to see the run end; False where it did."""
        while not self._ended and seconds > 0:
            self._terms.stop.wait(min(seconds, LOOK))
            seconds -= LOOK
        return not self._ended

    def _next(self) -> Delivery | None:
        """The next delivery that is claimed; None where there is nothing to send."""
        if not self._claimed:
            self._claim()
        return self._claimed.popleft() if self._claimed else None

    def _claim(self) -> None:
        self._clerk.write()  # a claim looks at the rows, so what we know must be written first
        now = self._terms.clock()
        with self._store.write() as connection:
            workers.stay(connection, self._worker, workers.Process.this(), now)
            self._claimed.extend(ledger.claim(connection, self._issue, self._name, self._worker, BATCH, now))

    # ------------------------------------------------------------------------------------------- one delivery

    def _delivered(self, courier: SteppingCourier, delivery: Delivery) -> Steps[tuple[Settlement, bool]]:
        """What became of one delivery, and whether the far side is away."""
        now = self._terms.clock()
        try:
            receipt = yield from courier.delivering(delivery, now)
        except StopRunError as error:
            self._stop(Halt(str(error), away=False))
            return _queued_again(delivery, self._terms.clock(), str(error)), False
        except DeliveryError as error:
            return self._judged(delivery, error)
        except BroadsheetError as error:
            self._stop(Halt(str(error), away=False))
            return _queued_again(delivery, self._terms.clock(), str(error)), False
        except Exception as error:  # noqa: BLE001 (we cannot know how far it came: in doubt)
            return self._bug(delivery, error), False
        self._bugs = 0
        return Settlement(
            delivery.id, DeliveryState.SENT, self._terms.clock(), receipt=receipt.reference
        ), False

    def _judged(self, delivery: Delivery, error: DeliveryError) -> tuple[Settlement, bool]:
        now = self._terms.clock()
        verdict = judge(delivery, error, now, self._terms.jitter)
        away = isinstance(error, TransientError) and not error.charged
        if away:
            self._halt = self._halt or Halt(str(error), away=True)
        settlement = Settlement(
            delivery.id, verdict.state, now, verdict.reason, due_at=verdict.due_at, charged=verdict.charged
        )
        return settlement, away

    def _bug(self, delivery: Delivery, error: Exception) -> Settlement:
        """A fault of ours after the mark: the reader may have the mail. Its words may hold an address."""
        where = traceback.extract_tb(error.__traceback__)[-1]
        reason = f"a fault of ours: {type(error).__name__} in {where.name}"
        log.error("%s, line %s", reason, where.lineno, extra={"action": "courier_failed"})
        self._bugs += 1
        if self._bugs >= BUGS:
            self._stop(Halt(f"{reason}, {BUGS} times in a row", away=False))
        return Settlement(delivery.id, DeliveryState.IN_DOUBT, self._terms.clock(), reason)

    def _stop(self, halt: Halt) -> None:
        self._halt = halt
        self._over.set()

    def _counted(self, settlements: list[Settlement]) -> None:
        """Keep the balance for whoever watches; the rows themselves are the truth."""
        counts = Counter(one.state.value for one in settlements if one.state is not DeliveryState.QUEUED)
        more = {state: getattr(self._balance, state) + count for state, count in counts.items()}
        self._balance = replace(self._balance, waiting=self._balance.waiting - counts.total(), **more)
        self._terms.report(self._name, self._balance)


def _queued_again(delivery: Delivery, now: datetime, reason: str) -> Settlement:
    """Not this reader's fault: back into the queue, nothing charged."""
    return Settlement(delivery.id, DeliveryState.QUEUED, now, reason, due_at=now, charged=False)
