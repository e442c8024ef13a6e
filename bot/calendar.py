"""Weeks, windows and sends: what the wall clock in a newsletter's zone means as instants.

A schedule is kept as wall-clock time and zone; instants are computed as late as possible, so that a change
of the zone's rules is honoured. A time in the missing hour shifts forward, one in the repeated hour means the
first.
"""

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from bot.models import Week, Window, aware
from bot.settings import Moment, Schedule

PUNCTUAL = timedelta(minutes=5)
"""An issue that leaves this soon after its send time is not late: clocks and ticks are never exact."""

_WEEK = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Send:
    """One coming send of a newsletter."""

    week: Week
    window: Window
    local: datetime
    """The instant on the newsletter's own wall clock, with its zone."""
    utc: datetime


def resolve(day: date, at: time, zone: ZoneInfo) -> datetime:
    """The UTC instant at which a wall clock in `zone` shows `at` on `day`.

    Python's fold=0 is our rule: in a gap it counts on with the old offset, in a repetition it is the first.
    """
    if at.tzinfo is not None:
        raise ValueError(f"{at.isoformat()} is no wall-clock time: it has a zone of its own")
    return datetime.combine(day, at.replace(fold=0), zone).astimezone(UTC)


def week_in(zone: ZoneInfo, instant: datetime) -> Week:
    """The ISO week that an instant falls into on the calendar of `zone`."""
    return Week.of(aware(instant).astimezone(zone).date())


def day_in(zone: ZoneInfo, instant: datetime) -> date:
    """The day that an instant falls on, on the calendar of `zone`."""
    return aware(instant).astimezone(zone).date()


def week_after(week: Week, weeks: int = 1) -> Week:
    """The week so many weeks on; a negative number goes back."""
    return Week.of(week.monday + weeks * _WEEK)


def is_skipped(schedule: Schedule, week: Week) -> bool:
    """Whether the day on which the issue of `week` would be sent is one on which nothing is."""
    return week.monday + timedelta(days=schedule.send.weekday) in schedule.skip


def week_before(schedule: Schedule, week: Week) -> Week:
    """The newest week before `week` that is not skipped."""
    return _unskipped(schedule, week_after(week, -1), -1)


def skipped_before(schedule: Schedule, week: Week) -> tuple[Week, ...]:
    """The skipped weeks between `week` and the one that is sent before it, in order."""
    before, weeks = week_before(schedule, week), [week_after(week, -1)]
    while weeks[0] != before:
        weeks.insert(0, week_after(weeks[0], -1))
    return tuple(weeks[1:])


def _unskipped(schedule: Schedule, week: Week, step: int) -> Week:
    """The week itself, or the next one in the direction of `step` that is not skipped."""
    while is_skipped(schedule, week):
        week = week_after(week, step)
    return week


def send_at(schedule: Schedule, week: Week) -> datetime:
    """The UTC instant at which the issue of `week` is sent: the schedule's day within that ISO week."""
    return _resolved(schedule, week.monday, schedule.send)


def last_call(schedule: Schedule, week: Week) -> datetime:
    """The UTC instant until which the issue of `week` still goes out by itself; then a curator decides."""
    return send_at(schedule, week) + max(schedule.late_limit, PUNCTUAL)


def window_of(schedule: Schedule, week: Week) -> Window:
    """The window of the issue of `week`: from the cut-off of the last week not skipped to its own."""
    return Window(_cut_off(schedule, week_before(schedule, week)), _cut_off(schedule, week))


def week_at(schedule: Schedule, now: datetime) -> Week:
    """The week whose issue takes what is collected now: its window holds `now`."""
    now = aware(now)
    week = week_after(week_in(schedule.zone, now), -1)
    while _cut_off(schedule, week) <= now:
        week = week_after(week)
    return _unskipped(schedule, week, 1)


def week_due(schedule: Schedule, now: datetime) -> Week:
    """The newest week whose send is at or before `now`."""
    return week_before(schedule, _next_week(schedule, aware(now) + datetime.resolution))


def upcoming(schedule: Schedule, now: datetime, n: int) -> tuple[Send, ...]:
    """The next `n` sends at or after `now`, in order."""
    weeks = [_next_week(schedule, aware(now))]
    while len(weeks) < n:
        weeks.append(_unskipped(schedule, week_after(weeks[-1]), 1))
    return tuple(_send(schedule, week) for week in weeks[:n])


def _send(schedule: Schedule, week: Week) -> Send:
    utc = send_at(schedule, week)
    return Send(week, window_of(schedule, week), utc.astimezone(schedule.zone), utc)


def _next_week(schedule: Schedule, now: datetime) -> Week:
    """The first week to be sent at or after `now`; a send can slip by a day where a zone skips one."""
    week = week_after(week_in(schedule.zone, now), -1)
    while send_at(schedule, week) < now:
        week = week_after(week)
    return _unskipped(schedule, week, 1)


def _cut_off(schedule: Schedule, week: Week) -> datetime:
    """Where the window of `week` ends: the last cut-off at or before the send, by the wall clock.

    A cut-off in the missing hour shifts past a send right after that hour; the window still ends by the send.
    """
    moment = schedule.cut_off or schedule.send
    monday = week.monday - (_WEEK if moment > schedule.send else timedelta())
    return min(_resolved(schedule, monday, moment), send_at(schedule, week))


def _resolved(schedule: Schedule, monday: date, moment: Moment) -> datetime:
    return resolve(monday + timedelta(days=moment.weekday), moment.at, schedule.zone)
