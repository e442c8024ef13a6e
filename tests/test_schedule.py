"""What goes out by itself, and when; and the clock that asks."""

import os
import signal
import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Self

import pytest
from hypothesis import given, strategies as st

from bot import schedule as clockwork
from bot.calendar import last_call, send_at, week_after, week_due, window_of
from bot.models import ApprovalState, Status, Week
from bot.schedule import (
    Decision,
    Hold,
    Outlook,
    Publish,
    Reason,
    Skip,
    Told,
    View,
    Wait,
    candidates,
    due,
    run_clock,
    stopping,
    to_tell,
)
from bot.settings import Newsletter, Schedule

W15, W16, W17, W18 = (Week(2025, number) for number in range(15, 19))
READY = Outlook(approval="approved")
WAITING = Wait(datetime.fromisoformat("2025-05-02T07:00Z"))


def newsletter(**keys: str) -> Newsletter:
    """Sent on Fridays at 09:00 in Berlin, up to 6 hours late."""
    table = {"day": "fri", "at": "09:00", "zone": "Europe/Berlin", "cut_off": "fri 08:00", **keys}
    return Newsletter.model_construct(name="ai-papers", schedule=Schedule.model_validate(table))


def decided(
    now: str,
    outlooks: dict[Week, Outlook] | None = None,
    *,
    published: tuple[Week, ...] = (W16,),
    told: dict[Week, Told] | None = None,
    **keys: str,
) -> Decision:
    view = View(frozenset(published), outlooks or {W17: READY}, told or {})
    return due(datetime.fromisoformat(now), newsletter(**keys), view)


# ---------------------------------------------------------------------------------------------- by the time


@pytest.mark.parametrize(
    ("now", "decision"),
    [
        ("2025-04-25T09:00:00+02:00", Publish(W17, late=False)),
        ("2025-04-25T09:05:00+02:00", Publish(W17, late=False)),
        ("2025-04-25T09:05:01+02:00", Publish(W17, late=True)),
        ("2025-04-25T15:00:00+02:00", Publish(W17, late=True)),
        ("2025-04-25T15:00:01+02:00", Hold(W17, Reason.TOO_LATE)),
        ("2025-05-02T08:59:59+02:00", Hold(W17, Reason.TOO_LATE)),
    ],
)
def test_an_issue_goes_out_at_its_time_or_late_within_the_limit(now: str, decision: Decision) -> None:
    assert decided(now) == decision


@pytest.mark.parametrize(
    ("now", "late_limit", "decision"),
    [
        # Down from Sunday to Monday 11:00, due 08:00; down nine days.
        ("2025-04-21T11:00+02:00", "24h", Publish(W17, late=True)),
        ("2025-04-27T08:00+02:00", "24h", Hold(W17, Reason.TOO_LATE)),
        # No limit at all still allows for a clock that rings a little after the time.
        ("2025-04-21T08:00:59+02:00", "0m", Publish(W17, late=False)),
        ("2025-04-21T08:06+02:00", "0m", Hold(W17, Reason.TOO_LATE)),
    ],
)
def test_the_limit_is_the_newsletters_own(now: str, late_limit: str, decision: Decision) -> None:
    assert decided(now, day="mon", at="08:00", cut_off="sun 20:00", late_limit=late_limit) == decision


def test_before_the_send_there_is_nothing_to_do_but_wait() -> None:
    assert decided("2025-04-25T08:59:59+02:00", {}) == Wait(datetime.fromisoformat("2025-04-25T07:00Z"))


def test_a_published_issue_is_never_due_again() -> None:
    assert decided("2025-04-25T09:00+02:00", {}, published=(W16, W17)) == WAITING


def test_a_clock_that_jumps_back_sends_nothing_twice() -> None:
    assert decided("2025-04-24T09:00+02:00", {}, published=(W16, W17)) == Wait(
        datetime.fromisoformat("2025-04-25T07:00Z")
    )


def test_an_issue_that_a_later_one_has_overtaken_is_left_to_a_curator() -> None:
    assert decided("2025-04-25T09:00+02:00", published=(W18,)) == Hold(W17, Reason.OVERTAKEN)


def test_the_first_day_in_spring_loses_no_monday() -> None:
    """APScheduler's own cron trigger loses Monday 00:00 to 00:59 after the change."""
    week = Week(2026, 14)
    decision = decided(
        "2026-03-30T00:00+02:00",
        {week: READY},
        published=(Week(2026, 13),),
        day="mon",
        at="00:00",
        cut_off="sun 20:00",
    )
    assert decision == Publish(week, late=False)


# --------------------------------------------------------------------------- by content and curators' words


@pytest.mark.parametrize(
    ("rule", "approval", "decision"),
    [
        ("required", "approved", Publish(W17, late=False)),
        ("required", "void", Hold(W17, Reason.CHANGED)),
        ("required", "held", Hold(W17, Reason.HELD)),
        ("required", None, Hold(W17, Reason.UNAPPROVED)),
        ("unless-held", "approved", Publish(W17, late=False)),
        ("unless-held", "void", Publish(W17, late=False)),
        ("unless-held", "held", Hold(W17, Reason.HELD)),
        ("unless-held", None, Publish(W17, late=False)),
        ("none", "approved", Publish(W17, late=False)),
        ("none", "void", Publish(W17, late=False)),
        ("none", "held", Hold(W17, Reason.HELD)),
        ("none", None, Publish(W17, late=False)),
    ],
)
def test_the_curators_word_counts_as_the_schedule_says_and_a_hold_always(
    rule: str, approval: ApprovalState | None, decision: Decision
) -> None:
    outlooks = {W17: Outlook(approval=approval)}
    assert decided("2025-04-25T09:00+02:00", outlooks, approval=rule) == decision


@pytest.mark.parametrize(
    ("outlook", "decision"),
    [
        (Outlook(empty=True), Skip(W17, Reason.EMPTY)),
        (Outlook(empty=True, faulty=True), Hold(W17, Reason.FAULTY)),
        (Outlook(faulty=True, approval="approved"), Hold(W17, Reason.FAULTY)),
        (Outlook(unfit=True, approval="approved"), Hold(W17, Reason.UNFIT)),
        (Outlook(unfit=True, approval="held"), Hold(W17, Reason.HELD)),
        (Outlook(status=Status.DRAFT, approval="approved"), Hold(W17, Reason.DRAFT)),
        (Outlook(status=Status.DRAFT, unfit=True, approval="approved"), Hold(W17, Reason.DRAFT)),
    ],
)
@pytest.mark.parametrize("rule", ["required", "unless-held", "none"])
def test_what_is_empty_faulty_or_a_draft_does_not_go_out(
    outlook: Outlook, decision: Decision, rule: str
) -> None:
    assert decided("2025-04-25T09:00+02:00", {W17: outlook}, approval=rule) == decision


@pytest.mark.parametrize(
    ("outlook", "reason"),
    [(Outlook(empty=True), Reason.EMPTY), (Outlook(), Reason.UNAPPROVED), (READY, Reason.TOO_LATE)],
)
def test_a_curator_is_told_once(outlook: Outlook, reason: Reason) -> None:
    now = "2025-04-25T18:00+02:00" if reason is Reason.TOO_LATE else "2025-04-25T09:00+02:00"
    assert isinstance(decided(now, {W17: outlook}), Hold | Skip)
    assert decided(now, {W17: outlook}, told={W17: Told(reason)}) == WAITING


def test_a_curator_is_told_again_when_the_reason_changes() -> None:
    told = {W17: Told(Reason.UNAPPROVED)}
    assert decided("2025-04-25T15:01+02:00", {W17: Outlook()}, told=told) == Hold(W17, Reason.TOO_LATE)


@pytest.mark.parametrize(
    ("outlook", "again"),
    [
        (Outlook(unfit=True, approval="approved", hash="another"), Reason.UNFIT),
        (Outlook(faulty=True, hash="another"), Reason.FAULTY),
        (Outlook(unfit=True, approval="approved", hash="one"), None),
        (Outlook(faulty=True, hash="one"), None),
        (Outlook(hash="another"), None),
        (Outlook(status=Status.DRAFT, hash="another"), None),
    ],
)
def test_errors_are_told_of_each_content_and_what_waits_for_a_person_is_not(
    outlook: Outlook, again: Reason | None
) -> None:
    now = datetime.fromisoformat("2025-04-25T09:00+02:00")
    first = due(now, newsletter(), View(frozenset({W16}), {W17: replace(outlook, hash="one")}))
    assert isinstance(first, Hold)
    told = {W17: to_tell(first.reason, replace(outlook, hash="one"))}
    expected = WAITING if again is None else Hold(W17, again)
    assert decided("2025-04-25T09:00+02:00", {W17: outlook}, told=told) == expected


@pytest.mark.parametrize("reason", [Reason.UNAPPROVED, Reason.EMPTY, Reason.DRAFT, Reason.UNFIT])
def test_what_was_mended_in_time_goes_out_late(reason: Reason) -> None:
    assert decided("2025-04-25T11:00+02:00", told={W17: Told(reason)}) == Publish(W17, late=True)


# ---------------------------------------------------------------------------------------- a very late start


def test_a_fresh_installation_sends_no_old_issues() -> None:
    now = datetime.fromisoformat("2025-04-25T09:00+02:00")
    assert candidates(now, newsletter(late_limit="90d").schedule, ()) == (W17,)


def test_missed_issues_that_may_still_go_out_go_first() -> None:
    outlooks = {W16: READY, W17: READY}
    now, limit = "2025-04-25T09:00+02:00", "10d"
    assert decided(now, outlooks, published=(W15,), late_limit=limit) == Publish(W16, late=True)
    assert decided(now, outlooks, published=(W16,), late_limit=limit) == Publish(W17, late=False)


def test_a_missed_issue_that_is_held_does_not_keep_the_newest_back() -> None:
    outlooks = {W16: Outlook(), W17: READY}
    assert decided(
        "2025-04-25T09:00+02:00",
        outlooks,
        published=(W15,),
        told={W16: Told(Reason.UNAPPROVED)},
        late_limit="10d",
    ) == Publish(W17, late=False)


def test_missed_issues_beyond_the_limit_are_not_even_looked_at() -> None:
    now = datetime.fromisoformat("2025-04-25T09:00+02:00")
    assert candidates(now, newsletter().schedule, {W15}) == (W17,)


def test_a_skipped_week_is_not_due_and_those_around_it_are() -> None:
    skip = {"skip": ["2025-04-25"]}
    table = {"day": "fri", "at": "09:00", "zone": "Europe/Berlin", "late_limit": "20d", **skip}
    schedule = Schedule.model_validate(table)
    now = datetime.fromisoformat("2025-04-25T09:00+02:00")
    assert candidates(now, schedule, {W16}) == ()
    assert candidates(now + timedelta(days=7), schedule, {W15}) == (W16, W18)


def test_an_instant_without_a_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="no time zone"):
        decided("2025-04-25T09:00")


# ----------------------------------------------------------------------------------- over any run of events

START = datetime(2026, 3, 2, tzinfo=UTC)
STEPS = st.one_of(
    st.timedeltas(timedelta(seconds=1), timedelta(minutes=2)),
    st.timedeltas(timedelta(), timedelta(days=8)),
    st.timedeltas(-timedelta(days=9), timedelta()),
)
OUTLOOKS = st.builds(
    Outlook,
    empty=st.sampled_from([False, False, True]),
    status=st.sampled_from([Status.READY, Status.READY, Status.DRAFT]),
    approval=st.sampled_from([None, "approved", "approved", "void", "held"]),
)


@given(
    st.lists(st.tuples(STEPS, OUTLOOKS, st.booleans()), max_size=40),
    st.sampled_from(["sun 02:30", "mon 00:30", "fri 09:00"]),
    st.sampled_from(["Europe/Berlin", "Africa/Cairo", "America/Santiago"]),
    st.sampled_from(["0m", "6h", "10d"]),
)
def test_at_most_one_issue_per_window_over_ticks_restarts_jumps_and_two_processes(
    events: list[tuple[timedelta, Outlook, bool]], send: str, zone: str, late_limit: str
) -> None:
    """Two processes share one ledger; one sees it as it was at the other's last look.

    The ledger refuses a second issue for a week, as its unique key does. What got in was in time, ready and
    approved.
    """
    day, at = send.split()
    ours = newsletter(day=day, at=at, zone=zone, cut_off=send, late_limit=late_limit)
    now, ledger, stale = START, list[Week](), frozenset[Week]()
    for step, outlook, other in events:
        now += step
        known = stale if other else frozenset(ledger)
        weeks = candidates(now, ours.schedule, known)
        decision = due(now, ours, View(known, dict.fromkeys(weeks, outlook)))
        stale = frozenset(ledger)
        if isinstance(decision, Publish) and decision.week not in ledger:
            ledger.append(decision.week)
            assert send_at(ours.schedule, decision.week) <= now <= last_call(ours.schedule, decision.week)
            assert outlook == Outlook(approval="approved")
    windows = [window_of(ours.schedule, week) for week in ledger]
    assert len(set(windows)) == len(ledger)


@given(st.lists(st.tuples(STEPS, OUTLOOKS), max_size=40))
def test_weeks_go_out_in_order_and_nothing_is_said_twice(events: list[tuple[timedelta, Outlook]]) -> None:
    now, published, told, said = START, list[Week](), dict[Week, Told](), list[tuple[Week, Reason]]()
    for step, outlook in events:
        now += step
        weeks = candidates(now, newsletter().schedule, published)
        view = View(frozenset(published), dict.fromkeys(weeks, outlook), dict(told))
        match due(now, newsletter(), view):
            case Publish(week=week):
                published.append(week)
            case Hold(week=week, reason=reason) | Skip(week=week, reason=reason):
                assert said[-1:] != [(week, reason)]
                said.append((week, reason))
                told[week] = Told(reason)
            case Wait(until=until):
                assert now < until <= now + timedelta(days=8)
    assert published == sorted(set(published))


@given(st.integers(0, 200))
def test_a_bot_that_rings_each_minute_sends_each_week_punctually(weeks: int) -> None:
    week = week_after(week_due(newsletter().schedule, START), weeks)
    now = send_at(newsletter().schedule, week) + timedelta(seconds=59)
    view = View(frozenset({week_after(week, -1)}), {week: READY})
    assert due(now, newsletter(), view) == Publish(week, late=False)


# ------------------------------------------------------------------------------------------- the real clock

TICK = timedelta(milliseconds=10)
PATIENCE = 60.0


class Bells:
    """Counts rings, and lets a test wait for so many of them."""

    def __init__(self, on_ring: Callable[[int], None] = lambda _: None) -> None:
        self.on_ring, self.times = on_ring, list[datetime]()
        self.heard = threading.Condition()

    def __call__(self, now: datetime) -> None:
        with self.heard:
            self.times.append(now)
            self.heard.notify_all()
        self.on_ring(len(self.times))

    def wait_for(self, rings: int) -> bool:
        with self.heard:
            return self.heard.wait_for(lambda: len(self.times) >= rings, PATIENCE)


class Running:
    """A clock in a thread, stopped and waited for at the end."""

    def __init__(
        self,
        bells: Bells,
        every: timedelta = TICK,
        next_ring: Callable[[datetime], datetime | None] = lambda _: None,
    ) -> None:
        self.stop = threading.Event()
        self.thread = threading.Thread(
            target=run_clock,
            args=(bells,),
            kwargs={"stop": self.stop, "every": every, "next_ring": next_ring},
        )

    def __enter__(self) -> Self:
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop.set()
        self.thread.join(PATIENCE)
        assert not self.thread.is_alive()


def test_the_clock_rings_at_the_start_and_then_regularly() -> None:
    bells = Bells()
    with Running(bells):
        assert bells.wait_for(3)
    assert all(now.tzinfo is UTC for now in bells.times)


def test_the_clock_rings_at_the_minute_of_a_send() -> None:
    sends = list[datetime]()

    def next_send(now: datetime) -> datetime | None:
        if not sends:  # counted from here: until a thread runs, any time may pass
            sends.append(now + timedelta(milliseconds=50))
        return next((send for send in sends if send > now), None)

    bells = Bells()
    with Running(bells, timedelta(hours=1), next_send):
        assert bells.wait_for(2)
    assert len(bells.times) == 2
    assert sends[0] <= bells.times[1]


def test_a_tick_that_fails_is_logged_and_does_not_stop_the_clock(caplog: pytest.LogCaptureFixture) -> None:
    def fail(_: int) -> None:
        raise OSError("the disk is gone")

    bells = Bells(fail)
    with Running(bells):
        assert bells.wait_for(2)
    assert "the disk is gone" in caplog.text
    assert {record.action for record in caplog.records} == {"tick_failed"}  # type: ignore[attr-defined]  # ours


def test_ticks_never_overlap_and_those_missed_meanwhile_are_one() -> None:
    running, overlaps, go_on = threading.Lock(), list[int](), threading.Event()

    def long_first(ring: int) -> None:
        if not running.acquire(blocking=False):
            overlaps.append(ring)
            return
        if ring == 1:
            go_on.wait(0.1)
        running.release()

    bells = Bells(long_first)
    with Running(bells, next_ring=lambda now: now + TICK):
        assert bells.wait_for(3)
    assert overlaps == []


def test_the_end_waits_for_a_running_tick_and_starts_no_other() -> None:
    begun, finished = threading.Event(), threading.Event()

    def slow(_: int) -> None:
        begun.set()
        finished.wait(0.1)
        finished.set()

    bells = Bells(slow)
    with Running(bells, next_ring=lambda now: now) as clock:
        assert begun.wait(PATIENCE)
        clock.stop.set()
        clock.thread.join(PATIENCE)
        assert finished.is_set()
    assert len(bells.times) == 1


def test_a_ring_that_is_about_to_name_the_next_one_does_not_hold_up_the_end() -> None:
    stop, begun = threading.Event(), threading.Event()

    def next_ring(now: datetime) -> datetime:
        begun.set()
        stop.wait(PATIENCE)
        threading.Event().wait(0.2)  # so that the end is under way
        return now + timedelta(days=1)

    rung = threading.Thread(
        target=run_clock, args=(Bells(),), kwargs={"stop": stop, "next_ring": next_ring}, daemon=True
    )
    rung.start()
    assert begun.wait(PATIENCE)
    stop.set()
    rung.join(PATIENCE)
    assert not rung.is_alive()


def test_a_signal_stops_the_clock_cleanly() -> None:
    bells, stop = Bells(lambda _: os.kill(os.getpid(), signal.SIGTERM)), threading.Event()
    before = signal.getsignal(signal.SIGTERM)
    with stopping(stop):
        run_clock(bells, stop=stop, every=timedelta(minutes=1))
    assert stop.is_set()
    assert len(bells.times) == 1
    assert signal.getsignal(signal.SIGTERM) is before


def test_a_jump_ahead_is_one_ring_and_a_jump_back_does_not_silence_the_clock() -> None:
    now = datetime.now(UTC)
    pulse = clockwork._Pulse(timedelta(minutes=1))
    assert pulse.get_next_fire_time(now - timedelta(days=3650), now) > now
    scheduler = clockwork._scheduler()
    job = scheduler.add_job(lambda: None, pulse)
    scheduler.start(paused=True)
    job.modify(next_run_time=now + timedelta(days=1))
    clockwork._bring_back(job, timedelta(minutes=1))
    assert job.next_run_time <= datetime.now(UTC)
    scheduler.shutdown()
