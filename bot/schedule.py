"""The clock that rings, and what to do when it does.

    run_clock rings → due(now, newsletter, view) decides → publish, say why not, or wait

APScheduler only rings: nothing is stored in it and nothing depends on its being on time. What has been done
is the ledger's to say, so that restarts, clock jumps and several processes make no difference.
"""

import logging
import os
import signal
import threading
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from types import FrameType

from apscheduler.executors.pool import ThreadPoolExecutor
from apscheduler.job import Job
from apscheduler.schedulers.background import BackgroundScheduler
from apscheduler.triggers.base import BaseTrigger

from bot.calendar import PUNCTUAL, last_call, send_at, upcoming, week_before, week_due
from bot.models import ApprovalState, Finding, Status, Week, aware
from bot.settings import Newsletter, Schedule

log = logging.getLogger(__name__)


# ------------------------------------------------------------------------------------------------- deciding


class Reason(StrEnum):
    """Why an issue that is due does not go out; the words are for a curator."""

    HELD = "a curator holds it"
    TOO_LATE = "its time is over by more than late_limit: publish it by hand, or leave it out"
    OVERTAKEN = "a later issue has gone out already: publish it by hand, or leave it out"
    FAULTY = "its content cannot be read without errors: `broadsheet check` lists them"
    UNFIT = "the checks found errors in what would be sent: mend them, and it goes by itself"
    DRAFT = "its status is draft"
    UNAPPROVED = "nobody has approved it"
    CHANGED = "its content has changed since it was approved"
    EMPTY = "nothing was collected for it"
    SKIPPED = "nothing is sent on its date: its single entries go into the next issue"

    def remedy(self, issue: str) -> str:
        """What a curator does about it, where the reason does not say so; `issue` is the issue's name."""
        return {
            Reason.HELD: f"`broadsheet release {issue}`",
            Reason.DRAFT: "write `status: ready`",
            Reason.UNAPPROVED: f"`broadsheet approve {issue}`",
            Reason.CHANGED: f"`broadsheet changes {issue}` shows how, `broadsheet approve {issue}` says yes",
        }.get(self, "")

    @property
    def of_content(self) -> bool:
        """Whether another content is another matter, to be told again."""
        return self in {Reason.FAULTY, Reason.UNFIT}


@dataclass(frozen=True, slots=True)
class Outlook:
    """How the issue of one week stands, as its content and the curators have it now."""

    empty: bool = False
    """Nothing was picked for it."""
    faulty: bool = False
    """Its content has findings of severity error."""
    unfit: bool = False
    """So has what would be sent of it, or its readership."""
    status: Status = Status.READY
    approval: ApprovalState | None = None
    """Against the content hash as it is now."""
    hash: str = ""
    """Of the content as it is now; empty where there is no issue."""
    findings: tuple[Finding, ...] = ()
    """What was found in it, for whoever is told."""


@dataclass(frozen=True, slots=True)
class Told:
    """What a curator was told of a week."""

    reason: Reason
    hash: str = ""
    """Of the content that it was told of, where the reason is one of content."""


@dataclass(frozen=True, slots=True)
class View:
    """What the ledger and the content say of one newsletter."""

    published: frozenset[Week]
    """Weeks whose issues were put into the outbox, by whomever."""
    outlooks: Mapping[Week, Outlook]
    """One for each week of `candidates`."""
    told: Mapping[Week, Told] = field(default_factory=dict)
    """What was told last of a week: the same is not told twice."""


@dataclass(frozen=True, slots=True)
class Publish:
    """Put the issue into the outbox now."""

    week: Week
    late: bool


@dataclass(frozen=True, slots=True)
class Hold:
    """Do not send, and tell a curator why; what is the matter can still be mended."""

    week: Week
    reason: Reason


@dataclass(frozen=True, slots=True)
class Skip:
    """There is nothing to send, and that is said."""

    week: Week
    reason: Reason


@dataclass(frozen=True, slots=True)
class Wait:
    """Nothing is to be done or said before the next send, unless content or approvals change."""

    until: datetime


Decision = Publish | Hold | Skip | Wait


def candidates(now: datetime, schedule: Schedule, published: Collection[Week]) -> tuple[Week, ...]:
    """The weeks that `due` looks at, oldest first: the newest due one, and those before it that were missed.

    A missed week counts while its issue may still go out by itself, and only after the newest published one:
    a fresh installation never sends old issues.
    """
    newest = week_due(schedule, now)
    if newest in published:
        return ()
    weeks = [newest]
    while published and max(published) < (before := week_before(schedule, weeks[0])):
        if last_call(schedule, before) < aware(now):
            break
        weeks.insert(0, before)
    return tuple(weeks)


def due(now: datetime, newsletter: Newsletter, view: View) -> Decision:
    """What to do for a newsletter at this moment; having done it, ask again until the answer is to wait."""
    schedule = newsletter.schedule
    for week in candidates(now, schedule, view.published):
        decision = _decided(aware(now), schedule, week, view)
        if isinstance(decision, Publish) or view.told.get(week) != to_tell(
            decision.reason, view.outlooks[week]
        ):
            return decision
    return Wait(upcoming(schedule, aware(now) + datetime.resolution, 1)[0].utc)


def to_tell(reason: Reason, outlook: Outlook) -> Told:
    """What a curator is told where an issue does not go out for a reason."""
    return Told(reason, outlook.hash if reason.of_content else "")


def _decided(now: datetime, schedule: Schedule, week: Week, view: View) -> Publish | Hold | Skip:
    outlook = view.outlooks[week]
    if reason := why_not(now, schedule, week, view.published, outlook):
        return Skip(week, reason) if reason is Reason.EMPTY else Hold(week, reason)
    return Publish(week, late=now - send_at(schedule, week) > PUNCTUAL)


def why_not(
    now: datetime, schedule: Schedule, week: Week, published: Collection[Week], outlook: Outlook
) -> Reason | None:
    """The first reason against sending; a person's word comes first, then what nobody could mend in time."""
    now, needs_yes = aware(now), schedule.approval == "required"
    reasons = {
        Reason.HELD: outlook.approval == "held",
        Reason.EMPTY: outlook.empty and not outlook.faulty,
        Reason.OVERTAKEN: week < max(published, default=week),
        Reason.TOO_LATE: now > last_call(schedule, week),
        Reason.FAULTY: outlook.faulty,
        Reason.DRAFT: outlook.status is Status.DRAFT,
        Reason.UNFIT: outlook.unfit,
        Reason.CHANGED: needs_yes and outlook.approval == "void",
        Reason.UNAPPROVED: needs_yes and outlook.approval is None,
    }
    return next((reason for reason, holds in reasons.items() if holds), None)


# -------------------------------------------------------------------------------------------------- ringing


class _Pulse(BaseTrigger):  # type: ignore[misc]  # apscheduler ships no types
    """Rings so long after it last rang, whatever the clock says: a jump ahead is one ring, not thousands."""

    def __init__(self, every: timedelta) -> None:
        self.every = every

    def get_next_fire_time(self, previous: datetime | None, now: datetime) -> datetime:
        return now + self.every if previous else now


def run_clock(
    tick: Callable[[datetime], None],
    *,
    stop: threading.Event,
    next_ring: Callable[[datetime], datetime | None] = lambda _: None,
    every: timedelta = timedelta(minutes=1),
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> None:
    """Ring `tick` now, then regularly and at each instant that `next_ring` names, until `stop` is set.

    Ticks never overlap, and one that fails does not stop the clock. A running tick is waited for at the end;
    it may look at `stop` itself. `clock` says what the time is, to ticks and to `next_ring`.
    """
    scheduler = _scheduler()
    ringing, over = threading.Lock(), threading.Event()

    def arm(now: datetime) -> None:
        if at := next_ring(now):
            scheduler.add_job(
                ring, "date", run_date=datetime.now(UTC) + (at - now), id="send", replace_existing=True
            )

    def ring() -> None:
        with ringing:
            if stop.is_set() or over.is_set():
                return
            try:
                arm(now := clock())
                tick(now)
            except Exception:
                log.exception("the tick failed; the next one tries again", extra={"action": "tick_failed"})

    pulse = scheduler.add_job(ring, _Pulse(every), id="pulse")
    scheduler.start()
    try:
        while not stop.wait(every.total_seconds()):
            _bring_back(pulse, every)
    finally:
        over.set()
        with ringing:  # a scheduler that shuts down waits for its job, and holds a lock that `arm` asks for
            pass
        scheduler.shutdown(wait=True)


ENDING = "ending, once what is in hand is finished; asked again, it ends at once and leaves that in doubt"


@contextmanager
def stopping(stop: threading.Event, say: Callable[[str], object] = log.info) -> Iterator[None]:
    """Set `stop` when the process is asked to end (SIGTERM, Ctrl-C). For the main thread.

    An answer can be ten minutes away, so that asking again ends it at once, as a kill does.
    """
    heard, told = os.pipe()
    asked = False

    def ask(number: int, _frame: FrameType | None) -> None:
        # This may run between any two steps of the main thread, which may hold the lock of an event, of the
        # threads or of stderr: whatever takes one of them here could wait for ever.
        nonlocal asked
        if asked:
            signal.signal(number, signal.SIG_DFL)
            signal.raise_signal(number)
        asked = True
        os.write(told, b"!")

    def hear() -> None:
        if os.read(heard, 1):
            say(ENDING)
            stop.set()

    listener = threading.Thread(target=hear, name="ending", daemon=True)
    listener.start()
    before = {number: signal.signal(number, ask) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        os.close(told)
        listener.join()
        os.close(heard)


def _scheduler() -> BackgroundScheduler:
    """One thread that rings; nothing is kept, nothing is too late to ring, rings that pile up are one."""
    quiet = logging.getLogger(f"{__name__}.clock")
    quiet.setLevel(logging.ERROR)  # that a ring fell into a long tick is no news
    return BackgroundScheduler(
        logger=quiet,
        timezone=UTC,
        executors={"default": ThreadPoolExecutor(1)},
        job_defaults={"coalesce": True, "max_instances": 1, "misfire_grace_time": None},
    )


def _bring_back(pulse: Job, every: timedelta) -> None:
    """Ring at once where the clock was set back, which would silence the scheduler until it catches up."""
    now = datetime.now(UTC)
    if pulse.next_run_time - now > 2 * every:
        pulse.modify(next_run_time=now)
