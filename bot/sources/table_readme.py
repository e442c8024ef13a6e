"""The README form: for each week a heading with its days and a table with one numbered row per entry."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from bot.models import Section
from bot.sources import CERTAIN, LIKELY, UNKNOWN, Doubt, Found, Given, Left, Reading, lines_of
from bot.sources._contents import Item, disagreements, item_of
from bot.sources._dates import Dates, Span, find_dates
from bot.sources._rows import Row, cells_of, entry_of, number_of, opener_of, style_of

_HEADING = re.compile(r"#{1,6}\s+(?P<text>.*\S)")
_NUMBERED = re.compile(r"^\|\s{0,20}\d{1,4}[.)]\s", re.MULTILINE)
_WEEK = re.compile(r"^#{1,6}\s[^\n]{0,200}\([^\n]{0,100}-[^\n]{0,100}\)", re.MULTILINE)
_RULE = re.compile(r"\s{0,3}(?:-\s*){3,}$")


@dataclass(slots=True)
class _Week:
    """One heading and the rows under it."""

    line: int
    heading: str
    dates: Dates
    rows: list[tuple[int, list[str]]] = field(default_factory=list)


@dataclass(slots=True)
class _Frame:
    """The file taken apart: weeks, table of contents, and the words around them."""

    weeks: list[_Week] = field(default_factory=list)
    contents: list[Item] = field(default_factory=list)
    left: list[Left] = field(default_factory=list)


def recognises(name: str, text: str) -> int:  # noqa: ARG001 (what a file is called decides nothing here)
    """Headings with a range of days, and numbered rows."""
    if not _NUMBERED.search(text):
        return UNKNOWN
    return CERTAIN if _WEEK.search(text) else LIKELY


def read(text: str, given: Given) -> Reading:
    """One issue per heading with days; everything outside the tables is left, and reported."""
    frame = _take_apart(text)
    openers = frozenset(filter(None, map(opener_of, _unmarked_texts(frame.weeks))))
    spans = _spans(frame.weeks, given.year)
    left = frame.left
    issues = []
    for week, span in zip(frame.weeks, spans, strict=True):
        found, remains = _found(week, span, given, openers)
        issues.append(found)
        left += remains
    issues = _with_repeated_links(issues)
    headings = [(week.line, week.heading) for week in frame.weeks]
    doubts = disagreements(frame.contents, headings)
    left.sort(key=lambda some: some.line or 0)
    return Reading(tuple(issues), tuple(doubts), tuple(left), several=True)


# ------------------------------------------------------------------------------------------------ frame


def _take_apart(text: str) -> _Frame:
    frame = _Frame()
    week: _Week | None = None
    for number, line in lines_of(text):
        if heading := _HEADING.match(line):
            week = _week_of(number, heading["text"])
            frame.weeks += [week] if week else []
            frame.left += [] if week else [Left(number, line)]
        elif not line.strip() or _RULE.match(line):
            continue
        elif week and line.lstrip().startswith("|"):
            _row(frame, week, number, line)
        else:
            frame.contents += [item] if (item := item_of(number, line)) else []
            frame.left.append(Left(number, line))
    return frame


def _week_of(number: int, heading: str) -> _Week | None:
    dates = find_dates(heading)
    return _Week(number, heading, dates) if dates and "(" in heading else None


def _row(frame: _Frame, week: _Week, number: int, line: str) -> None:
    cells = cells_of(line)
    if _is_delimiter(cells):
        return
    if number_of(cells[0])[0] is None and not week.rows and not any("](" in cell for cell in cells):
        frame.left.append(Left(number, " ".join(line.split())))
    else:
        week.rows.append((number, cells))


def _is_delimiter(cells: list[str]) -> bool:
    return all(cell.strip(":") and set(cell.strip(":")) == {"-"} for cell in cells)


def _unmarked_texts(weeks: Sequence[_Week]) -> Iterator[str]:
    for week in weeks:
        yield from (text for text in _texts(week) if not text.startswith("*"))


def _texts(week: _Week) -> list[str]:
    return [number_of(cells[0])[1] for _, cells in week.rows]


# ---------------------------------------------------------------------------------------------- entries


def _found(week: _Week, span: Span | None, given: Given, openers: frozenset[str]) -> tuple[Found, list[Left]]:
    style = style_of([text for text in _texts(week) if not text.startswith("**")])
    rows = [Row(line, given, openers) for line, _ in week.rows]
    read_ = (entry_of(row, cells, style) for row, (_, cells) in zip(rows, week.rows, strict=True))
    entries = tuple(entry for entry in read_ if entry)
    doubts = [*_doubts_of_days(week, span), *_doubts_of_numbers(week)]
    doubts += [doubt for row in rows for doubt in row.doubts]
    found = Found(
        title=" ".join(week.heading.split()),
        sections=(Section(None, entries),) if entries else (),
        line=week.line,
        week=span.week if span else None,
        span=span,
        dates=week.dates,
        doubts=tuple(doubts),
        undated=_undated(week, span),
    )
    return found, [left for row in rows for left in row.left]


def _undated(week: _Week, span: Span | None) -> str:
    if span is None:
        return f"the year of {week.dates.text!r} is not known"
    return "" if span.week else f"no week holds most of the days of {week.dates.text!r}"


def _doubts_of_days(week: _Week, span: Span | None) -> Iterator[Doubt]:
    if span is None:
        return
    if week.dates.year is None:
        yield Doubt(week.line, f"the heading has no year: it is {span.end.year} by its neighbours")
    if not span.is_a_week:
        days = f"{span.start:%a} {span.start} to {span.end:%a} {span.end}, {span.days} days"
        yield Doubt(week.line, f"not a week from Monday to Sunday: {days}; most of them are in {span.week}")


def _doubts_of_numbers(week: _Week) -> Iterator[Doubt]:
    if not week.rows:
        yield Doubt(week.line, "a heading without entries")
    for expected, (line, cells) in enumerate(week.rows, start=1):
        if (number := number_of(cells[0])[0]) != expected:
            what = "has no number" if number is None else f"has number {number}"
            yield Doubt(line, f"the row {what}, it is the {expected}. of its week")


def _with_repeated_links(issues: list[Found]) -> list[Found]:
    """Report each address that has been linked before, in the same entry or in another."""
    seen: dict[str, str] = {}
    return [replace(found, doubts=(*found.doubts, *_repeated_links(found, seen))) for found in issues]


def _repeated_links(found: Found, seen: dict[str, str]) -> Iterator[Doubt]:
    for entry in found.entries:
        line = int(entry.place.rpartition(":")[2])
        for url, times in Counter(reference.url for reference in entry.references).items():
            if times > 1:
                yield Doubt(line, f"the entry links {times} times to {url}")
            if (before := seen.setdefault(url, entry.place)) != entry.place:
                yield Doubt(line, f"{url} is linked at {before} as well")


# ------------------------------------------------------------------------------------------------ years


def _spans(weeks: Sequence[_Week], year: int | None) -> list[Span | None]:
    """The days of each heading; where one has no year, its neighbours decide, then the year given."""
    spans = [_span(week.dates, week.dates.year) for week in weeks]
    newest_first = _newest_first(spans)
    order = list(range(len(weeks))) if newest_first else list(reversed(range(len(weeks))))
    if order and not any(spans):
        spans[order[0]] = _span(weeks[order[0]].dates, year)
    _fill(weeks, spans, order, newer_known=True)
    _fill(weeks, spans, order[::-1], newer_known=False)
    return spans


def _fill(weeks: Sequence[_Week], spans: list[Span | None], order: list[int], *, newer_known: bool) -> None:
    """Date each undated heading next to its dated neighbour, going away from it in time."""
    neighbour: Span | None = None
    for at in order:
        if spans[at] is None and neighbour and weeks[at].dates.year is None:
            spans[at] = _beside(weeks[at].dates, neighbour, older=newer_known)
        neighbour = spans[at] or neighbour


def _beside(dates: Dates, neighbour: Span, *, older: bool) -> Span | None:
    """The nearest such days before (or after) the neighbour's."""
    years = range(neighbour.end.year, neighbour.end.year - 2, -1)
    if not older:
        years = range(neighbour.end.year, neighbour.end.year + 2)
    for year in years:
        span = _span(dates, year)
        if span and (span.start < neighbour.start if older else span.start > neighbour.start):
            return span
    return None


def _newest_first(spans: Sequence[Span | None]) -> bool:
    starts = [span.start for span in spans if span]
    falling = sum(later < earlier for earlier, later in pairwise(starts))
    return falling * 2 >= len(starts) - 1


def _span(dates: Dates, year: int | None) -> Span | None:
    try:
        return dates.in_year(year) if year is not None else None
    except ValueError:
        return None
