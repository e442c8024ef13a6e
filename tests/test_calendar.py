"""When things happen: wall clocks, ISO weeks, windows and sends, in every zone there is."""

from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo, available_timezones

import pytest
from hypothesis import given, settings, strategies as st

from bot import calendar
from bot.models import Week, Window
from bot.settings import DAYS, Schedule


def schedule(send: str, zone: str, cut_off: str | None = None) -> Schedule:
    day, at = send.split()
    return Schedule.model_validate({"day": day, "at": at, "zone": zone, "cut_off": cut_off})


def instant(text: str) -> datetime:
    return datetime.fromisoformat(text)


def local(at: datetime, zone: str) -> str:
    return at.astimezone(ZoneInfo(zone)).isoformat(timespec="minutes")


# Zones with a story: half-hour summer time, gaps at midnight, skipped days, odd quarters.
STORIED = (
    "Europe/Berlin", "Europe/London", "America/New_York", "America/Los_Angeles", "Australia/Sydney",
    "Australia/Lord_Howe", "Africa/Cairo", "Asia/Beirut", "America/Santiago", "Pacific/Apia",
    "Pacific/Kwajalein", "Asia/Kathmandu", "Africa/Casablanca", "Europe/Dublin", "Antarctica/Troll",
    "America/St_Johns", "UTC",
)  # fmt: skip
ALL_ZONES = tuple(sorted(available_timezones()))

clocks = st.times().map(lambda at: at.strftime("%H:%M"))
moments = st.builds(lambda day, at: f"{day} {at}", st.sampled_from(DAYS), clocks)
zones = st.sampled_from(STORIED) | st.sampled_from(ALL_ZONES)
schedules = st.builds(schedule, moments, zones, st.none() | moments)
weeks = st.dates(date(1900, 1, 1), date(2100, 12, 31)).map(Week.of)
instants = st.datetimes(datetime(1900, 1, 8), datetime(2100, 12, 31), timezones=st.just(UTC))  # noqa: DTZ001 (hypothesis adds the zone)


@pytest.mark.parametrize(
    ("zone", "day", "at", "expected"),
    [
        ("Europe/Berlin", "2026-03-23", "09:00", "2026-03-23T09:00+01:00"),
        ("Europe/Berlin", "2026-03-30", "09:00", "2026-03-30T09:00+02:00"),
        (
            "Europe/Berlin",
            "2026-03-30",
            "00:00",
            "2026-03-30T00:00+02:00",
        ),  # APScheduler's cron loses this one
        ("Europe/Berlin", "2026-03-29", "02:30", "2026-03-29T03:30+02:00"),
        ("Europe/Berlin", "2026-10-25", "02:30", "2026-10-25T02:30+02:00"),
        ("America/New_York", "2026-03-08", "02:15", "2026-03-08T03:15-04:00"),
        ("America/New_York", "2026-11-01", "01:30", "2026-11-01T01:30-04:00"),
        ("Europe/London", "2026-03-29", "01:00", "2026-03-29T02:00+01:00"),
        ("Australia/Sydney", "2026-10-04", "02:30", "2026-10-04T03:30+11:00"),
        ("Africa/Cairo", "2026-04-24", "00:00", "2026-04-24T01:00+03:00"),
        ("Asia/Beirut", "2026-03-29", "00:30", "2026-03-29T01:30+03:00"),
        ("America/Santiago", "2026-09-06", "00:00", "2026-09-06T01:00-03:00"),
        ("Australia/Lord_Howe", "2026-10-04", "02:15", "2026-10-04T02:45+11:00"),
        ("Australia/Lord_Howe", "2026-04-05", "01:45", "2026-04-05T01:45+11:00"),
        ("Pacific/Apia", "2011-12-30", "09:00", "2011-12-31T09:00+14:00"),  # the day that Samoa skipped
    ],
)
def test_a_missing_hour_shifts_forward_and_a_repeated_hour_means_the_first(
    zone: str, day: str, at: str, expected: str
) -> None:
    assert (
        local(calendar.resolve(date.fromisoformat(day), time.fromisoformat(at), ZoneInfo(zone)), zone)
        == expected
    )


@pytest.mark.parametrize(
    ("at", "zone", "week"),
    [
        (("2026-11-29T23:30Z", "Europe/Berlin", "2026-W49")),
        (("2026-11-29T23:30Z", "America/Los_Angeles", "2026-W48")),
        (("2024-12-30T12:00Z", "Europe/Berlin", "2025-W01")),
        (("2026-12-28T12:00Z", "Europe/Berlin", "2026-W53")),
        (("2027-01-03T12:00Z", "Europe/Berlin", "2026-W53")),
        (("2027-01-03T23:30Z", "Europe/Berlin", "2027-W01")),
    ],
)
def test_the_zone_of_the_newsletter_decides_what_week_an_instant_is_in(at: str, zone: str, week: str) -> None:
    assert str(calendar.week_in(ZoneInfo(zone), instant(at))) == week


@pytest.mark.parametrize(
    ("send", "zone", "cut_off", "week", "expected"),
    [
        # The contract's own schedule; then a cut-off later in the week than the send: the one a week before.
        ("fri 09:00", "Europe/Berlin", "fri 08:00", "2025-W17",
         ("2025-04-18T08:00+02:00", "2025-04-25T08:00+02:00", "2025-04-25T09:00+02:00")),
        ("fri 09:00", "Europe/Berlin", "fri 10:00", "2025-W17",
         ("2025-04-11T10:00+02:00", "2025-04-18T10:00+02:00", "2025-04-25T09:00+02:00")),
        ("mon 06:00", "Europe/Berlin", "sun 20:00", "2026-W01",
         ("2025-12-21T20:00+01:00", "2025-12-28T20:00+01:00", "2025-12-29T06:00+01:00")),
        ("fri 09:00", "Europe/Berlin", None, "2026-W53",
         ("2026-12-25T09:00+01:00", "2027-01-01T09:00+01:00", "2027-01-01T09:00+01:00")),
        ("mon 09:00", "Europe/Berlin", None, "2026-W14",
         ("2026-03-23T09:00+01:00", "2026-03-30T09:00+02:00", "2026-03-30T09:00+02:00")),
        ("fri 09:00", "Pacific/Apia", "fri 08:00", "2011-W52",
         ("2011-12-23T08:00-10:00", "2011-12-31T08:00+14:00", "2011-12-31T09:00+14:00")),
        # 02:45 does not exist and shifts to 03:45, past the send: the window ends with the send.
        ("sun 03:15", "Europe/Berlin", "sun 02:45", "2026-W13",
         ("2026-03-22T02:45+01:00", "2026-03-29T03:15+02:00", "2026-03-29T03:15+02:00")),
    ],
)  # fmt: skip
def test_a_window_runs_from_cut_off_to_cut_off(
    send: str, zone: str, cut_off: str | None, week: str, expected: tuple[str, str, str]
) -> None:
    when = schedule(send, zone, cut_off)
    window = calendar.window_of(when, Week.parse(week))
    sent = calendar.send_at(when, Week.parse(week))
    assert (local(window.start, zone), local(window.end, zone), local(sent, zone)) == expected


def test_the_issue_of_a_moment_changes_at_the_cut_off() -> None:
    when = schedule("fri 09:00", "Europe/Berlin", "fri 08:00")
    assert str(calendar.week_at(when, instant("2025-04-25T07:59:59.999999+02:00"))) == "2025-W17"
    assert str(calendar.week_at(when, instant("2025-04-25T08:00+02:00"))) == "2025-W18"


def test_the_issue_that_is_due_changes_at_the_send() -> None:
    when = schedule("fri 09:00", "Europe/Berlin", "fri 08:00")
    assert str(calendar.week_due(when, instant("2025-04-25T08:59:59.999999+02:00"))) == "2025-W16"
    assert str(calendar.week_due(when, instant("2025-04-25T09:00+02:00"))) == "2025-W17"


def test_the_coming_sends_are_listed_with_window_wall_clock_and_utc() -> None:
    sends = calendar.upcoming(schedule("mon 09:00", "Europe/Berlin"), instant("2026-03-23T09:00+01:00"), 3)
    assert [str(send.week) for send in sends] == ["2026-W13", "2026-W14", "2026-W15"]
    assert [send.local.isoformat() for send in sends[:2]] == [
        "2026-03-23T09:00:00+01:00",
        "2026-03-30T09:00:00+02:00",
    ]
    assert [send.utc.hour for send in sends] == [8, 7, 7]
    assert sends[1].window == calendar.window_of(schedule("mon 09:00", "Europe/Berlin"), sends[1].week)


def test_a_send_inside_the_repeated_hour_comes_once() -> None:
    sends = calendar.upcoming(schedule("sun 02:30", "Europe/Berlin"), instant("2026-10-20T00:00Z"), 2)
    assert [send.local.isoformat() for send in sends] == [
        "2026-10-25T02:30:00+02:00",
        "2026-11-01T02:30:00+01:00",
    ]


@pytest.mark.parametrize("week", ["1900-W01", "2999-W52"])
@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Pacific/Pago_Pago"])
def test_the_first_and_the_last_week_have_windows_too(week: str, zone: str) -> None:
    assert calendar.window_of(schedule("sun 23:59", zone), Week.parse(week)).end.year in {1900, 2999}


@pytest.mark.parametrize("week", ["2025-W53", "2025-W00", "2025-W54", "1899-W52", "3000-W01", "0000-W01"])
def test_a_week_that_does_not_exist_is_refused(week: str) -> None:
    with pytest.raises(ValueError, match=rf"{week} does not exist"):
        Week.parse(week)


def test_an_instant_without_a_zone_is_refused_at_every_door() -> None:
    when, naive = schedule("fri 09:00", "UTC"), datetime(2026, 1, 1)  # noqa: DTZ001 (the fault under test)
    for door in (
        lambda: calendar.week_at(when, naive),
        lambda: calendar.week_due(when, naive),
        lambda: calendar.upcoming(when, naive, 1),
        lambda: calendar.week_in(when.zone, naive),
    ):
        with pytest.raises(ValueError, match="has no time zone"):
            door()


def test_a_wall_clock_time_has_no_zone_of_its_own() -> None:
    with pytest.raises(ValueError, match="zone of its own"):
        calendar.resolve(date(2026, 1, 1), time(9, tzinfo=UTC), ZoneInfo("Europe/Berlin"))


@given(schedules, weeks)
def test_windows_of_consecutive_weeks_tile_time(when: Schedule, week: Week) -> None:
    """Without gap or overlap, for any zone, day, time and cut-off; and each is about a week long."""
    window, following = (
        calendar.window_of(when, week),
        calendar.window_of(when, calendar.week_after(week)),
    )
    assert window.end == following.start
    assert timedelta(days=5) < window.end - window.start < timedelta(days=9)


@given(schedules, weeks)
def test_each_window_has_exactly_one_send_at_or_after_its_end(when: Schedule, week: Week) -> None:
    window, sent = calendar.window_of(when, week), calendar.send_at(when, week)
    assert window.end <= sent < window.end + timedelta(days=8)
    assert sent < calendar.send_at(when, calendar.week_after(week))
    assert calendar.week_due(when, sent) == week
    assert calendar.upcoming(when, sent, 1)[0].week == week


@given(schedules, instants)
def test_every_instant_is_in_exactly_one_window(when: Schedule, now: datetime) -> None:
    week = calendar.week_at(when, now)
    around = [calendar.week_after(week, step) for step in range(-2, 3)]
    assert [near for near in around if now in calendar.window_of(when, near)] == [week]


@given(schedules, instants)
def test_the_next_send_follows_the_one_that_is_due(when: Schedule, now: datetime) -> None:
    due, following = calendar.week_due(when, now), calendar.upcoming(when, now, 1)[0]
    assert calendar.send_at(when, due) <= now <= following.utc
    assert following.week == (due if following.utc == now else calendar.week_after(due))


@settings(max_examples=200)
@given(st.dates(date(1900, 1, 1), date(2100, 12, 31)), st.times(), zones)
def test_a_wall_clock_time_that_exists_is_shown_as_it_was_written(day: date, at: time, zone: str) -> None:
    """Where it does not exist, the clock shows a later one: never an earlier, never another instant's."""
    shown = calendar.resolve(day, at, ZoneInfo(zone)).astimezone(ZoneInfo(zone)).replace(tzinfo=None)
    assert shown >= datetime.combine(day, at)
    assert shown - datetime.combine(day, at) <= timedelta(hours=24)


# ---------------------------------------------------------------------------------------------- skipped dates


def skipping(*days: str, send: str = "fri 09:00", cut_off: str | None = "fri 08:00") -> Schedule:
    return schedule(send, "Europe/Berlin", cut_off).model_copy(
        update={"skip": tuple(map(date.fromisoformat, days))}
    )


@pytest.mark.parametrize(
    ("day", "skipped"), [("2026-12-25", True), ("2026-12-24", False), ("2025-12-25", False)]
)
def test_a_week_is_skipped_where_its_send_falls_on_a_date_to_skip(day: str, *, skipped: bool) -> None:
    assert calendar.is_skipped(skipping(day), Week(2026, 52)) is skipped


def test_a_send_after_midnight_elsewhere_is_skipped_by_the_newsletters_own_date() -> None:
    """00:30 in Berlin is the evening before in UTC."""
    assert calendar.is_skipped(skipping("2026-12-25", send="fri 00:30"), Week(2026, 52))
    assert not calendar.is_skipped(skipping("2026-12-24", send="fri 00:30"), Week(2026, 52))


def test_the_window_of_a_skipped_week_rolls_on_into_the_next() -> None:
    when = skipping("2026-12-25", "2027-01-01")
    window = calendar.window_of(when, Week(2027, 1))
    assert window == Window(instant("2026-12-18T08:00+01:00"), instant("2027-01-08T08:00+01:00"))
    assert calendar.week_at(when, instant("2026-12-23T12:00Z")) == Week(2027, 1)
    assert calendar.week_at(when, instant("2026-12-18T06:59Z")) == Week(2026, 51)


def test_a_skipped_week_is_neither_due_nor_coming() -> None:
    when = skipping("2026-12-25")
    assert calendar.week_due(when, instant("2026-12-25T09:00+01:00")) == Week(2026, 51)
    assert calendar.week_due(when, instant("2027-01-01T09:00+01:00")) == Week(2026, 53)
    coming = calendar.upcoming(when, instant("2026-12-18T12:00Z"), 2)
    assert [str(send.week) for send in coming] == ["2026-W53", "2027-W01"]


@given(schedules, st.sets(st.integers(0, 9)), instants)
@settings(max_examples=50)
def test_windows_without_skipped_weeks_lie_side_by_side(
    when: Schedule, skipped: set[int], now: datetime
) -> None:
    days = [send.week.monday + timedelta(when.send.weekday) for send in calendar.upcoming(when, now, 10)]
    when = when.model_copy(update={"skip": tuple(days[number] for number in skipped)})
    sends = calendar.upcoming(when, now, 10)
    assert not any(calendar.is_skipped(when, send.week) for send in sends)
    for one, following in pairwise(sends):
        assert one.window.end == following.window.start
        assert calendar.week_before(when, following.week) == one.week


@pytest.mark.parametrize(
    ("week", "left_out"),
    [("2026-W52", []), ("2026-W53", ["2026-W52"]), ("2027-W02", ["2027-W01"]), ("2027-W03", [])],
)
def test_the_weeks_that_are_left_out_before_an_issue_are_named(week: str, left_out: list[str]) -> None:
    when = skipping("2026-12-25", "2027-01-08")
    assert [str(one) for one in calendar.skipped_before(when, Week.parse(week))] == left_out


def test_weeks_that_are_skipped_together_are_named_in_order() -> None:
    when = skipping("2026-12-25", "2027-01-01")
    left_out = calendar.skipped_before(when, Week(2027, 1))
    assert [str(one) for one in left_out] == ["2026-W52", "2026-W53"]
