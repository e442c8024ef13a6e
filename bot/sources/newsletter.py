"""Any newsletter in Markdown: headings or bold lines are sections, what stands under them are entries.

A sub-heading with all that follows it is an entry, so is each element of a list and each paragraph with a
link. What stands before the first section is the introduction.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import date

from bot.markup import Part, inline_words, normalise, normalise_inlines, parse_document
from bot.models import Entry, Reference, Section, Week
from bot.sources import LIKELY, POSSIBLE, UNKNOWN, Doubt, Found, Given, Reading
from bot.sources._dates import Span, find_dates, find_day, find_week
from bot.sources._leads import links_in
from bot.sources._outside import Body, take_outside, unseen
from bot.sources._titles import references_in, titled
from bot.text import Block, Blocks, Bullets, Heading, Inlines, Paragraph, Strong

_MARKS = re.compile(r"^(?:#{1,6}\s|[-*+]\s+\S.*\]\(|---\s*$)|\]\(https?://", re.MULTILINE)
_MARK_OF_ELEMENT = re.compile(r"\s{0,3}(?:[-*+]|\d{1,9}[.)])\s")


def recognises(name: str, text: str) -> int:
    """Markdown by its name or its marks."""
    if text.lstrip()[:1] in {"{", "["} and not _MARKS.search(text):
        return UNKNOWN
    if name.lower().endswith((".md", ".markdown")):
        return LIKELY
    return POSSIBLE if _MARKS.search(text) else UNKNOWN


def read(text: str, given: Given) -> Reading:
    """The one issue of the file; its week is that of the file's name, front matter or title."""
    body = take_outside(text)
    document = parse_document(body.text, first_line=body.first_line)
    parts = list(document.parts)
    title, parts = _title(body, parts)
    lost = _links_of_heading(document.parts[0]) if len(parts) < len(document.parts) else ()
    walk = _Walk(given, body.text.split("\n"), body.first_line, *_levels(parts))
    for number, part in enumerate(parts):
        walk.take(part, parts[number + 1].line if number + 1 < len(parts) else None)
    doubts = [Doubt(doubt.line, doubt.message) for doubt in document.doubts]
    name = given.name.rpartition(".")[0] or given.name
    doubts += [] if title else [Doubt(1, f"no title in the file: the issue is called {name}")]
    found = _dated(Found(title or name, walk.sections, 1, intro=normalise(tuple(walk.intro))), body, given)
    doubts = sorted([*found.doubts, *lost, *doubts, *walk.all_doubts()], key=lambda doubt: doubt.line or 0)
    left = sorted([*body.left, *unseen(body)], key=lambda left: left.line or 0)
    return Reading((replace(found, doubts=tuple(doubts)),), (), tuple(left))


def _title(body: Body, parts: list[Part]) -> tuple[str, list[Part]]:
    """The front matter's title, else a `#` heading above all others, else nothing."""
    levels = [part.level for part in parts if part.level]
    first = parts[0] if parts else None
    alone = first and first.level == 1 and levels.count(1) == 1
    if not body.values.get("title") and first and alone and isinstance(first.block, Heading):
        return inline_words(first.block.children), parts[1:]
    return body.values.get("title") or "", parts


def _links_of_heading(part: Part) -> Iterator[Doubt]:
    links = links_in(part.block.children) if isinstance(part.block, Heading) else []
    yield from (Doubt(part.line, f"the title is no link: {link.url} is left out") for link in links)


def _levels(parts: list[Part]) -> tuple[int, bool]:
    """The level of sections, and whether bold lines are sections because there are no headings."""
    levels = [part.level for part in parts if part.level]
    return min(levels, default=1), not levels


# ------------------------------------------------------------------------------------------------- days


def _dated(found: Found, body: Body, given: Given) -> Found:
    """The week of the first that names one: front matter, file name, title, date of publication."""
    said = list(_weeks_said(found.title, body, given))
    weeks = list(dict.fromkeys(week for _, week, _ in said))
    doubts: tuple[Doubt, ...] = ()
    if len(weeks) > 1:
        words = ", ".join(f"{where} says {week}" for where, week, _ in said)
        doubts = (Doubt(1, f"the dates disagree: {words}; taken for {weeks[0]}"),)
    week, span = (said[0][1], said[0][2]) if said else (None, None)
    return replace(found, week=week, span=span, doubts=doubts, undated="nothing in the file gives a date")


def _weeks_said(title: str, body: Body, given: Given) -> Iterator[tuple[str, Week, Span | None]]:
    if week := find_week(body.values.get("week", "")):
        yield "week", week, None
    if week := find_week(given.name):
        yield "the file's name", week, None
    places = {
        "the file's name": given.name,
        "slug": body.values.get("slug", ""),
        "title": title,
        "date": body.values.get("date", ""),
    }
    for where, words in places.items():
        if (span := _span(words, given.year)) and (week := span.week):
            yield where, week, span


def _span(words: str, year: int | None) -> Span | None:
    dates = find_dates(words)
    try:
        if dates and (known := dates.year or year):
            return dates.in_year(known)
    except ValueError:
        return None
    day: date | None = find_day(words)
    return Span(day, day) if day else None


# ---------------------------------------------------------------------------------------------- entries


@dataclass(slots=True)
class _Growing:
    """An entry while blocks are still added to it."""

    title: str
    references: tuple[Reference, ...]
    line: int
    blocks: list[Block] = field(default_factory=list)
    level: int | None = None
    """The level of its heading; None for an entry that a paragraph or an element of a list is."""
    open: bool = True
    """Whether paragraphs without a link belong to it."""
    continued: bool = False
    """Whether one did."""

    def entry(self, given: Given) -> Entry:
        blocks = normalise(tuple(self.blocks))
        return Entry(self.title, self.references, blocks, place=given.place(self.line))


@dataclass(slots=True)
class _Group:
    """A section while entries are still added to it."""

    title: str | None
    line: int
    entries: list[_Growing] = field(default_factory=list)


@dataclass(slots=True)
class _Walk:
    """Goes through the parts of a document and gathers introduction, sections and entries."""

    given: Given
    lines: list[str]
    first_line: int
    section_level: int
    bold_sections: bool
    intro: list[Block] = field(default_factory=list)
    groups: list[_Group] = field(default_factory=list)
    doubts: list[Doubt] = field(default_factory=list)

    @property
    def sections(self) -> tuple[Section, ...]:
        return tuple(
            Section(group.title, tuple(growing.entry(self.given) for growing in group.entries))
            for group in self.groups
            if group.entries
        )

    def all_doubts(self) -> Iterator[Doubt]:
        """The doubts met on the way, and the sections that nothing stands under."""
        yield from self.doubts
        for group in self.groups:
            if not group.entries:
                yield Doubt(group.line, f"a section without entries is left out: {group.title}")

    @property
    def _entries(self) -> list[_Growing]:
        if not self.groups:
            self.groups.append(_Group(None, self.first_line))
        return self.groups[-1].entries

    @property
    def _last(self) -> _Growing | None:
        return self.groups[-1].entries[-1] if self.groups and self.groups[-1].entries else None

    def take(self, part: Part, end: int | None) -> None:
        """Put one part where it belongs; `end` is the line of the next."""
        block = part.block
        if isinstance(block, Heading) and part.level:
            self._heading(block.children, part.level, part.line)
        elif isinstance(block, Paragraph) and (bold := _bold_line(block)):
            level = self.section_level if self.bold_sections else self.section_level + 1
            self._heading(bold, level, part.line)
        elif (last := self._last) and last.level:
            last.blocks.append(block)
        elif isinstance(block, Bullets) and (self.groups or not self._announced(self.intro)):
            self._list(block, part.line, end)
        elif isinstance(block, Paragraph) and (self.groups or self._flat(block)):
            self._paragraph(block, part.line)
        else:
            self._other(block, part.line)

    def _flat(self, block: Paragraph) -> bool:
        """Whether a paragraph before any section is an entry: in a document that has no sections."""
        return self.bold_sections and bool(links_in(block.children)) and not self._has_bold_lines()

    def _has_bold_lines(self) -> bool:
        return any(re.fullmatch(r"\s{0,3}\*\*[^*]{1,200}\*\*\s*", line) for line in self.lines)

    def _heading(self, words: Inlines, level: int, line: int) -> None:
        last = self._last
        if not words:
            self.doubts.append(Doubt(line, "a heading without words"))
        elif level <= self.section_level:
            self._section(words, line)
        elif last and last.level and level > last.level:
            last.blocks.append(Heading(words))
        else:
            self._entries.append(_Growing(inline_words(words), references_in(words), line, level=level))

    def _section(self, words: Inlines, line: int) -> None:
        self.groups.append(_Group(inline_words(words), line))
        self.doubts += [
            Doubt(line, f"the heading of a section is no link: {link.url} is left out")
            for link in links_in(words)
        ]

    def _list(self, block: Bullets, line: int, end: int | None) -> None:
        last = self._last
        inside = last and (last.continued or len(self._entries) > 1)
        if last and inside and self._announced(last.blocks, last.title):
            last.blocks.append(block)
            return
        lines = self._lines_of_elements(block, line, end)
        for blocks, at in zip(block.items, lines, strict=True):
            if blocks:
                self._element(blocks, at)

    def _announced(self, blocks: list[Block], title: str = "") -> bool:
        """Whether what was said last ends in a colon, so that the list is a part of it."""
        last = blocks[-1] if blocks else None
        words = inline_words(last.children) if isinstance(last, Paragraph) else "" if blocks else title
        return words.endswith(":")

    def _lines_of_elements(self, block: Bullets, line: int, end: int | None) -> list[int]:
        stop = end or self.first_line + len(self.lines)
        numbers = range(line, stop)
        marked = [at for at in numbers if _MARK_OF_ELEMENT.match(self.lines[at - self.first_line])]
        return marked if len(marked) == len(block.items) else [line] * len(block.items)

    def _element(self, blocks: Blocks, line: int) -> None:
        first = blocks[0]
        if isinstance(first, Paragraph | Heading):
            self._titled(first.children, line, open_=False)
            self._entries[-1].blocks += blocks[1:]
        else:
            self._untitled(blocks, line)

    def _paragraph(self, block: Paragraph, line: int) -> None:
        last = self._last
        if links_in(block.children) or not last or not last.open:
            self._titled(block.children, line, open_=True)
        else:
            last.blocks.append(block)
            last.continued = True

    def _titled(self, words: Inlines, line: int, *, open_: bool) -> None:
        made = titled(words)
        blocks: list[Block] = [Paragraph(made.rest)] if made.rest else []
        self._entries.append(_Growing(made.title, made.references, line, blocks, open=open_))
        if made.extracted:
            self.doubts.append(Doubt(line, f"no title: the entry is called {made.title!r} after its text"))

    def _other(self, block: Block, line: int) -> None:
        """Quotes, code and tables belong to what stands before them."""
        if last := self._last:
            last.blocks.append(block)
        elif self.groups:
            self._untitled((block,), line)
        else:
            self.intro.append(block)

    def _untitled(self, blocks: Blocks, line: int) -> None:
        entries = self._entries
        title = self.groups[-1].title or self.given.name
        entries.append(_Growing(title, (), line, [*blocks]))
        self.doubts.append(Doubt(line, f"no title: the entry is called {title!r} after its section"))


def _bold_line(block: Paragraph) -> Inlines | None:
    """The words of a paragraph that is bold from its first to its last, and short."""
    inlines = normalise_inlines(block.children)
    if len(inlines) == 1 and isinstance(bold := inlines[0], Strong):
        return bold.children if len(inline_words(bold.children).split()) <= 20 else None  # noqa: PLR2004 (longer ones are no headings)
    return None
