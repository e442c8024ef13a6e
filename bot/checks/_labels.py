"""Rules about the days and weeks that an issue names: its own, and those that no calendar has."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from typing import NamedTuple

from bot.calendar import week_at
from bot.checks._days import Days, days_named, misspelt_months, week_of, weeks_named
from bot.checks._material import Material
from bot.checks._passages import LINES, Kind, Passage, flaw, flaw_at, shown
from bot.checks._rules import Flaw
from bot.checks._series import earlier_of
from bot.models import Entry, Issue, Severity, Week
from bot.settings import Newsletter

_DAYS_OF_A_WEEK = 7
_NEARLY_A_WEEK = range(6, 9)
_LINES = ("title", "subject", "preheader")


# ------------------------------------------------------------------------------------------- the own week


class _Label(NamedTuple):
    """What one line of an issue says of its week."""

    words: str
    off: int
    """Weeks from the issue's own week to the one that is named."""
    span: tuple[date, date] | None
    """The days that are named, where they are more than one."""
    is_day: bool = False
    """Whether it is a single day, of which nothing says that it stands for a week."""


def week_label(material: Material) -> Iterator[Flaw]:
    """The title, subject, preheader or introduction names the days or the number of another week.

    Most often the line is that of the week before. Readers who file their issues by week lose this one. A
    newsletter that always names the week before its own, or numbers its weeks in its own way, means it.
    """
    languages = {one.name: one.language.partition("-")[0].lower() for one in material.newsletters}
    for issue, earlier in earlier_of(material):
        language = languages.get(issue.newsletter, "")
        for key in _LINES:
            for label in _labels(getattr(issue, key), issue.week, language):
                before = [_labels(getattr(one, key), one.week, language) for one in earlier]
                yield from _judged(material, issue, key, label, [found[0] for found in before if found])
    for passage in material.passages:
        if passage.intro and passage.kind is Kind.PARAGRAPH and passage.issue:
            yield from _stale(material, passage, Week.parse(passage.issue.rpartition("/")[2]))


def _labels(words: str | None, week: Week, language: str) -> list[_Label]:
    """What a line says of the issue's week; a day that stands within a sentence may be any other day."""
    if not words:
        return []
    numbered = [_numbered(found, number, year, week) for found, number, year in weeks_named(words)]
    if numbered:
        return numbered[:1]
    named = sorted(days_named(words, language), key=lambda days: days.at)
    named = [days for days in named if days.is_span or _is_dateline(days, words)]
    return [label for days in named if (label := _dated(days, week, sure=_says_week(words, days)))][:1]


def _numbered(words: str, number: int, year: int | None, week: Week) -> _Label:
    monday = week.monday
    own = (
        Week(year, number).monday
        if year and _exists(year, number)
        else monday + timedelta(weeks=number - week.number)
    )
    return _Label(words, (own - monday).days // _DAYS_OF_A_WEEK, None)


def _exists(year: int, number: int) -> bool:
    try:
        Week(year, number)
    except ValueError:
        return False
    return True


def _dated(days: Days, week: Week, *, sure: bool = False) -> _Label | None:
    if not (span := days.near(week)):
        return None
    off = (week_of(span).monday - week.monday).days // _DAYS_OF_A_WEEK
    return _Label(days.words, off, span if days.is_span else None, not days.is_span and not sure)


def _is_dateline(days: Days, words: str) -> bool:
    """Whether a day stands by itself at an end of a line, as in “Week ending August 16, 2026”."""
    before, after = words[: days.at].rstrip(), words[days.at + len(days.words) :].strip(" .)]")
    parted = not after or after.startswith((":", ",", "|", "\u2013", "\u2014", "- "))
    return (
        parted if not before else not after or before.endswith(("(", "[", ":", "|", "\u2013", "\u2014", " -"))
    )


def _judged(
    material: Material, issue: Issue, key: str, label: _Label, before: Sequence[_Label]
) -> Iterator[Flaw]:
    """One line's label beside those of the issues before: what they do is the newsletter's habit."""
    habits = Counter(one.off for one in before)
    usual = habits.most_common(1)[0][0] if habits else 0
    place = material.spot(issue.place, label.words)
    if label.off not in (0, usual):
        message = f"{key}: {shown(label.words)} is not {issue.week}, {_said(issue.week)}"
        doubtful = not before and label.is_day and abs(label.off) == 1
        yield Flaw(place, message, "name its own week", issue.key, Severity.HINT if doubtful else None)
    elif label.span and (odd := _odd(label.span)):
        fix = f"{issue.week} is {_said(issue.week)}"
        yield Flaw(place, f"{key}: {shown(label.words)} is {odd}", fix, issue.key)


def _said(week: Week) -> str:
    sunday = week.monday + timedelta(days=6)
    return f"{week.monday:%Y-%m-%d} to {sunday:%Y-%m-%d}"


def _odd(span: tuple[date, date]) -> str:
    """What is odd about a span that is nearly a week."""
    days = (span[1] - span[0]).days + 1
    if days == _DAYS_OF_A_WEEK or days not in _NEARLY_A_WEEK:
        return ""
    return f"{days} days, from {span[0]:%A} to {span[1]:%A}"


_BEFORE = re.compile(
    r"\b(?:last|previous|past|next|coming|vergangene\w*|letzte\w*|nächste\w*|dernière|prochaine|pasada|próxima)\b",
    re.IGNORECASE,
)
_WEEK_OF = re.compile(
    r"\b(?:week|Woche|semaine|semana|settimana)\s(?:of|from|ending|beginning|vom|ab|du|del)\s(?:the\s)?$",
    re.IGNORECASE,
)


def _stale(material: Material, passage: Passage, week: Week) -> Iterator[Flaw]:
    """What an introduction says of the week before, as if it were this one: last week's introduction."""
    for words, at, off in _named_in(passage, week):
        if off == -1 and not _BEFORE.search(passage.prose[max(at - 40, 0) : at]):
            span = (at, at + len(words))
            what = f"introduction: {{0}} is the week before {week}"
            yield flaw_at(material, passage, span, what, f"{week} is {_said(week)}")


def _named_in(passage: Passage, week: Week) -> Iterator[tuple[str, int, int]]:
    """The weeks that a text names: the words, where they are, and how many weeks they are off."""
    for words, number, year in weeks_named(passage.prose):
        yield words, passage.prose.find(words), _numbered(words, number, year, week).off
    for days in days_named(passage.prose, passage.language):
        label = _dated(days, week)
        if label and (_is_a_week(label) or _says_week(passage.prose, days)):
            yield days.words, days.at, label.off


def _says_week(words: str, days: Days) -> bool:
    """Whether a day stands for its week: “the week of April 14”."""
    return bool(_WEEK_OF.search(words[max(days.at - 30, 0) : days.at]))


def _is_a_week(label: _Label) -> bool:
    return bool(label.span and (label.span[1] - label.span[0]).days + 1 in _NEARLY_A_WEEK)


# ---------------------------------------------------------------------------------- days that do not exist


def no_such_day(material: Material) -> Iterator[Flaw]:
    """A day or month is named that no calendar has, or the wrong day of the week: “Friday, April 24, 2025”.

    Readers come on the wrong day, or ask which of the two is meant.
    """
    for passage in material.passages:
        if passage.kind in LINES or passage.kind is Kind.SECTION:
            for word, month in misspelt_months(passage.words, passage.language):
                yield flaw(
                    material, passage, word, f"{passage.kind}: {shown(word)} is no month", f"is it {month}?"
                )
        if passage.issue and any(character.isdecimal() for character in passage.prose):
            week = Week.parse(passage.issue.rpartition("/")[2])
            for days in days_named(passage.prose, passage.language):
                if what := _impossible(days, week):
                    message = f"{shown(days.words)}: {what}"
                    yield flaw(material, passage, days.words, message, "look at a calendar")


def _impossible(days: Days, week: Week) -> str:
    if not (span := days.near(week)):
        return "there is no such day"
    if days.weekday is None or span[0].weekday() == days.weekday:
        return ""
    return f"{span[0]:%Y-%m-%d} is a {span[0]:%A}"


# ------------------------------------------------------------------------------------------ single entries

_FAR = timedelta(days=62)
_NAMED_DATE = re.compile(r"(?:^|/)(\d{4}-\d{2}-\d{2})(?!\d)")


def entry_date(material: Material) -> Iterator[Flaw]:
    """A single entry's date lies months ahead, or is another than its file's name says.

    An entry goes into the issue whose window holds its date: with a slip in the date it waits for a year, or
    is never sent.
    """
    for newsletter in material.newsletters:
        for entry in material.entries.get(newsletter.name, ()):
            if entry.date and (what := _misdated(entry, newsletter, material)):
                week = week_at(newsletter.schedule, entry.date)
                place = material.spot(entry.place, f"{entry.date.year}-")
                yield Flaw(
                    place, f"date: {what}", f"as it is, it goes into {week}", f"{newsletter.name}/{week}"
                )


def _misdated(entry: Entry, newsletter: Newsletter, material: Material) -> str:
    at = entry.date
    if at is None:
        return ""
    day = at.astimezone(newsletter.schedule.zone).date()
    if material.now and at - material.now > _FAR:
        return f"{day} is {(at - material.now).days} days ahead"
    found = _NAMED_DATE.search(entry.place)
    if found and found[1] not in (str(day), str(at.date())):
        return f"{day} in a file that is named after {found[1]}"
    return ""
