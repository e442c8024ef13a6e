"""Decides what goes into an issue: the curators' file for the week, and the single entries of its window.

    issue file and single entries → pick → the issue, the keys it took, what a curator should know

A single entry goes into the issue whose window holds its date. One that comes late, when that issue has gone
out or its time is over, rolls into the next; what is older than the first issue ever sent stays where it is.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby

from bot.calendar import last_call, week_at, week_before, window_of
from bot.models import Entry, Finding, Issue, Section, Severity, Week, aware
from bot.settings import Newsletter, Schedule


@dataclass(frozen=True, slots=True)
class Picked:
    """What one issue is made of; no issue where nothing was collected or two files claim its week."""

    issue: Issue | None
    taken: tuple[str, ...] = ()
    """The keys of the single entries in it, for the ledger: no other issue takes them."""
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class _Single:
    """A single entry that no other issue has taken."""

    entry: Entry
    key: str
    date: datetime
    home: Week
    """The week whose window holds its date."""

    @property
    def order(self) -> tuple[str, datetime, str]:
        return self.entry.section or "", self.date, self.key


def pick(
    newsletter: Newsletter,
    week: Week,
    issues: Iterable[Issue],
    entries: Iterable[Entry],
    *,
    taken: Collection[str],
    published: Collection[Week],
    now: datetime,
) -> Picked:
    """Put the issue of `week` together.

    `issues` and `entries` are one newsletter's content; `taken` holds the keys that *other* issues took, and
    `published` the weeks whose issues went out.
    """
    files = [issue for issue in issues if issue.week == week]
    if len(files) > 1:
        return Picked(None, findings=(_doubled(files),))
    first = _first_rolling(newsletter.schedule, week, published, aware(now))
    free = [single for single in _singles(newsletter, entries) if single.key not in taken]
    singles = sorted(
        (single for single in free if first <= single.home <= week), key=lambda single: single.order
    )
    issue = _filled(files[0] if files else _without_file(newsletter, week), singles)
    if not issue.entries and not issue.intro:
        return Picked(None, findings=(_empty(issue, newsletter.schedule),))
    late = tuple(_late(issue, single) for single in singles if single.home != week)
    return Picked(issue, tuple(single.key for single in singles), late)


def entry_key(entry: Entry, newsletter: str) -> str:
    """A single entry's name in the ledger: its path within the newsletter's folder, `entries/agents.md`."""
    path, _, line = entry.place.rpartition(":")
    path = path if line.isdecimal() else entry.place
    return path.rpartition(f"content/{newsletter}/")[2]


def _singles(newsletter: Newsletter, entries: Iterable[Entry]) -> Iterable[_Single]:
    for entry in entries:
        if entry.date:
            home = week_at(newsletter.schedule, entry.date)
            yield _Single(entry, entry_key(entry, newsletter.name), entry.date, home)


def _first_rolling(schedule: Schedule, week: Week, published: Collection[Week], now: datetime) -> Week:
    """The oldest week whose late entries roll into `week`: all from it on are over, and `week` is not."""

    def is_over(other: Week) -> bool:
        return other in published or last_call(schedule, other) < now

    first_ever = min(published, default=week)
    if is_over(week):
        return week
    while first_ever < week and is_over(before := week_before(schedule, week)):
        week = before
    return week


# ------------------------------------------------------------------------------------------------- issues


def _without_file(newsletter: Newsletter, week: Week) -> Issue:
    """An issue that is made of single entries alone."""
    place = f"content/{newsletter.name}/entries"
    return Issue(newsletter.name, week, f"{newsletter.title}, {week}", place=place)


def _filled(issue: Issue, singles: Iterable[_Single]) -> Issue:
    """The issue with its single entries at the ends of their sections; `singles` come in order."""
    sections = issue.sections
    for title, group in groupby(singles, key=lambda single: single.entry.section or None):
        sections = _with_section(sections, title, [single.entry for single in group])
    return replace(issue, sections=sections)


def _with_section(
    sections: tuple[Section, ...], title: str | None, entries: Sequence[Entry]
) -> tuple[Section, ...]:
    for number, section in enumerate(sections):
        if section.title == title:
            longer = replace(section, entries=(*section.entries, *entries))
            return (*sections[:number], longer, *sections[number + 1 :])
    new = Section(title, tuple(entries))
    return (new, *sections) if title is None else (*sections, new)


# ----------------------------------------------------------------------------------------------- findings


def _doubled(files: Sequence[Issue]) -> Finding:
    first, *others = files
    message = f"week: {first.week} is also the week of {', '.join(other.place for other in others)}"
    return Finding(
        "content.week", Severity.ERROR, first.place, message, "give each week one file", issue=first.key
    )


def _empty(issue: Issue, schedule: Schedule) -> Finding:
    start, end = (_shown(at, schedule) for at in _ends(schedule, issue.week))
    message = f"{issue.week} is empty, nothing is sent: no entry from {start} to {end}"
    return Finding("picker.empty", Severity.HINT, issue.place, message, issue=issue.key)


def _late(issue: Issue, single: _Single) -> Finding:
    message = f"date: belongs to {single.home}, which is over: goes into {issue.week}"
    return Finding("picker.late", Severity.HINT, single.entry.place, message, issue=issue.key)


def _ends(schedule: Schedule, week: Week) -> tuple[datetime, datetime]:
    window = window_of(schedule, week)
    return window.start, window.end


def _shown(instant: datetime, schedule: Schedule) -> str:
    return f"{instant.astimezone(schedule.zone):%Y-%m-%d %H:%M %Z}"
