"""Plain text with all its marks lost: a title line, then paragraphs, for each entry; numbered or not."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from bot.markup import normalise, safe_url
from bot.models import Entry, Reference, Section, Week
from bot.sources import LIKELY, POSSIBLE, UNKNOWN, Doubt, Found, Given, Reading, lines_of
from bot.sources._dates import Span, find_dates, find_day, find_week
from bot.sources._leads import is_label, lead_in, with_lead_in
from bot.text import Block, Blocks, Bullets, Inlines, Paragraph, Text

_NUMBER = re.compile(r"(\d{1,4})[.)]\s+(?=\S)")
_BULLET = re.compile(r"[-*+\u2022\u25cf\u25aa\u25e6\u2023]\s+(?=\S)")
_URL_LINE = re.compile(r"(?:(?P<label>[^:/]{1,60}):\s+)?(?P<url>https?://\S+)$")
_MARKDOWN = re.compile(r"^(?:#{1,6}\s|\||```|---\s*$)|\]\([^)]", re.MULTILINE)
_OF_A_WEEK = re.compile(r"\b(?:week|weekly|newsletter|digest|issue)\b", re.IGNORECASE)
_MOST_TITLE_WORDS = 10
_FEWEST_TEXT_WORDS = 13
_FULL_STOP = re.compile(r"[.\u2026][\u201d\u2019\"')\]]*$")


@dataclass(frozen=True, slots=True)
class _Line:
    """One line that is not blank."""

    number: int
    text: str


@dataclass(slots=True)
class _Part:
    """A title line and the lines under it."""

    title: str
    line: int
    body: list[_Line] = field(default_factory=list)
    doubts: list[Doubt] = field(default_factory=list)


def recognises(name: str, text: str) -> int:
    """Text without any Markdown of its own."""
    if not text.strip() or text.lstrip()[0] in "{[" or _MARKDOWN.search(text):
        return UNKNOWN
    return LIKELY if name.lower().endswith(".txt") else POSSIBLE


def read(text: str, given: Given) -> Reading:
    """The one issue of the text; the head before its first entry has the title and perhaps the days."""
    lines = [_Line(number, line.strip()) for number, line in lines_of(text) if line.strip()]
    head, parts = _numbered(lines) or _by_shape(lines)
    doubts: list[Doubt] = []
    entries = tuple(_entry(part, given, doubts) for part in parts)
    return Reading((_found(head, entries, doubts, given),))


def _found(head: list[_Line], entries: tuple[Entry, ...], doubts: list[Doubt], given: Given) -> Found:
    words = "\n".join(line.text for line in head)
    dates = find_dates(words)
    try:
        span = dates.in_year(year) if dates and (year := dates.year or given.year) else None
    except ValueError as error:
        span, doubts = None, [Doubt(head[0].number, f"{dates.text if dates else words}: {error}"), *doubts]
    if not head:
        doubts = [Doubt(1, f"no title above the first entry: the issue is called {given.name}"), *doubts]
    return Found(
        title=head[0].text if head else given.name,
        sections=(Section(None, entries),) if entries else (),
        line=head[0].number if head else 1,
        week=span.week if span else find_week(words) or _week_of_day(words),
        span=span,
        dates=dates,
        intro=normalise(tuple(Paragraph((Text(line.text),)) for line in head[1:])),
        doubts=tuple(doubts),
        undated=f"{dates.text!r} has no year" if dates else "the text has no date",
    )


def _week_of_day(words: str) -> Week | None:
    return Span(day, day).week if (day := find_day(words)) else None


# ---------------------------------------------------------------------------------------------- entries


def _numbered(lines: Sequence[_Line]) -> tuple[list[_Line], list[_Part]] | None:
    """Head and entries where titles are numbered 1, 2, 3 …; a number out of turn is one of the words."""
    head: list[_Line] = []
    parts: list[_Part] = []
    for line in lines:
        found = _NUMBER.match(line.text)
        if found and int(found[1]) == len(parts) + 1 and not _is_text(line.text):
            parts.append(_Part(line.text[found.end() :], line.number))
        else:
            (parts[-1].body if parts else head).append(line)
    return (head, parts) if parts and _heads_only(head) else None


def _heads_only(head: Sequence[_Line]) -> bool:
    """Whether what stands before entry 1 can be a head: else the numbers are a list in some entry."""
    return len(head) <= 6  # noqa: PLR2004 (title, tagline, days, greeting and the like)


def _by_shape(lines: Sequence[_Line]) -> tuple[list[_Line], list[_Part]]:
    """Head and entries where a short line without a full stop, above a long one, is a title."""
    starts = [at for at, (line, after) in enumerate(pairwise(lines)) if _opens(line, after)]
    if starts and starts[0] == 0 and len(starts) > 1 and _OF_A_WEEK.search(lines[0].text):
        starts = starts[1:]
    first = starts[0] if starts else len(lines)
    parts = []
    for start, end in pairwise([*starts, len(lines)]):
        parts.append(_Part(lines[start].text, lines[start].number, list(lines[start + 1 : end])))
        parts[-1].doubts += [
            Doubt(line.number, f"neither a title nor a text: kept as a paragraph: {line.text}")
            for line in parts[-1].body
            if not _is_text(line.text) and not _FULL_STOP.search(line.text) and not _is_marked(line.text)
        ]
    return list(lines[:first]), parts


def _opens(line: _Line, after: _Line) -> bool:
    short = len(line.text.split()) <= _MOST_TITLE_WORDS and not _FULL_STOP.search(line.text)
    return short and _is_text(after.text) and not _is_marked(line.text)


def _is_text(text: str) -> bool:
    return len(text.split()) >= _FEWEST_TEXT_WORDS


def _is_marked(text: str) -> bool:
    """Whether a line is a label, a bullet or a link, and so no title."""
    return is_label(text) or bool(_BULLET.match(text) or _URL_LINE.match(text))


def _entry(part: _Part, given: Given, doubts: list[Doubt]) -> Entry:
    references = tuple(reference for line in part.body if (reference := _reference(line.text)))
    body = [line for line in part.body if not _reference(line.text)]
    if not body:
        part.doubts.append(Doubt(part.line, "a title without a text"))
    blocks = normalise(_blocks(body, part.doubts))
    doubts += part.doubts
    return Entry(" ".join(part.title.split()), references, blocks, place=given.place(part.line))


def _reference(text: str) -> Reference | None:
    """The link that a whole line is: `Paper: https://…` or the bare address."""
    found = _URL_LINE.match(text)
    if not found or not (url := safe_url(found["url"])):
        return None
    return Reference(found["label"] or url.split("/")[2], url)


# ----------------------------------------------------------------------------------------------- blocks


def _blocks(lines: Sequence[_Line], doubts: list[Doubt]) -> Blocks:
    """Paragraphs; what can be proven to have been a list is one.

    After a label line the list reaches to the last `Lead: text`; without one it is the run of them. What
    follows may have been its last bullet or a closing: it stays a paragraph.
    """
    first, last = _list_in(lines)
    blocks: list[Block] = [_paragraph(line) for line in lines[:first]]
    blocks += _bullets(lines[first:last])
    blocks += _marked(lines[last:])
    doubts += _unproven(lines, first, last)
    return tuple(blocks)


def _list_in(lines: Sequence[_Line]) -> tuple[int, int]:
    """Where the list begins and ends; two equal numbers for none."""
    leads = [at for at, line in enumerate(lines) if at and lead_in(line.text) and not is_label(line.text)]
    labels = [at for at, line in enumerate(lines) if is_label(line.text) and at + 1 < len(lines)]
    if any(_BULLET.match(line.text) for line in lines):
        return 0, 0
    if labels and leads and leads[-1] > labels[0]:
        return labels[0] + 1, leads[-1] + 1
    return (leads[0], leads[-1] + 1) if _is_run(leads) else (len(lines), len(lines))


def _is_run(leads: Sequence[int]) -> bool:
    """One `Lead: text` may be a sentence with a colon; two or more in a row are a list."""
    return len(leads) > 1 and leads[-1] - leads[0] == len(leads) - 1


def _bullets(lines: Sequence[_Line]) -> Iterator[Block]:
    if lines:
        yield Bullets(tuple((Paragraph(with_lead_in(_words(line.text))),) for line in lines))


def _marked(lines: Sequence[_Line]) -> Iterator[Block]:
    """Paragraphs and the bullets that still have their marks."""
    bullets: list[Blocks] = []
    for line in lines:
        if mark := _BULLET.match(line.text):
            bullets.append((Paragraph(with_lead_in(_words(line.text[mark.end() :]))),))
            continue
        yield from [Bullets(tuple(bullets))] if bullets else []
        bullets = []
        yield _paragraph(line)
    yield from [Bullets(tuple(bullets))] if bullets else []


def _unproven(lines: Sequence[_Line], first: int, last: int) -> Iterator[Doubt]:
    for line in lines[last:] if first < last else ():
        yield Doubt(line.number, "kept as a paragraph after the list: it may have been its last bullet")
    if first == last and len(lines) > 2 and not any(_BULLET.match(line.text) for line in lines):  # noqa: PLR2004 (a lead and more than one paragraph)
        yield Doubt(
            lines[1].number, f"{len(lines) - 1} paragraphs after the lead: they may have been bullets"
        )


def _paragraph(line: _Line) -> Paragraph:
    return Paragraph(_words(line.text))


def _words(text: str) -> Inlines:
    return (Text(text),)
