"""Cuts the body of a content file at its headings: `#` opens a section, `##` an entry."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from urllib.parse import urlsplit

from bot import markup
from bot.front_matter import FrontMatter
from bot.markup import Doubt, Part, Run
from bot.models import Entry, Reference, Section, Severity
from bot.text import Block, Blocks, Heading, Inlines, Paragraph

_BETWEEN_LINKS = " ,;·|•/\n\t\u00a0"
_SEVERITY = {
    "table": Severity.WARNING,
    "html": Severity.WARNING,
    "emphasis": Severity.WARNING,
    "image": Severity.WARNING,
    "heading": Severity.HINT,
}


def tell(doubts: Iterable[Doubt], opened: FrontMatter) -> None:
    for doubt in doubts:
        severity = _SEVERITY.get(doubt.kind, Severity.ERROR)
        opened.find(doubt.kind, doubt.line, f"{doubt.kind}: {doubt.message}", doubt.fix, severity=severity)


def solid(parts: Iterable[Part]) -> Blocks:
    """The blocks of a text, all headings small ones, and none of them empty."""
    return tuple(part.block for part in parts if part.block != Heading(()))


@dataclass(slots=True)
class _Drawn:
    """An entry or a section while it is being read."""

    title: str
    line: int
    references: tuple[Reference, ...] = ()
    blocks: list[Block] = field(default_factory=list)
    entries: list["_Drawn"] = field(default_factory=list)


@dataclass(slots=True)
class Outline:
    """A body cut at its headings: `#` opens a section, `##` an entry, what stands before is the intro."""

    opened: FrontMatter
    intro: list[Block] = field(default_factory=list)
    drawn: list[_Drawn] = field(default_factory=lambda: [_Drawn("", 0)])

    def read(self, body: str, first_line: int) -> None:
        document = markup.parse_document(body, first_line=first_line)
        tell(document.doubts, self.opened)
        for part in document.parts:
            match part.level:
                case 1:
                    self.drawn.append(_Drawn(self.heading(part, "section")[0], part.line))
                case 2:
                    title, references = self.heading(part, "entry")
                    self.drawn[-1].entries.append(_Drawn(title, part.line, references))
                case _:
                    self.block(part)

    def heading(self, part: Part, what: str) -> tuple[str, tuple[Reference, ...]]:
        """A heading's words, and where they lead."""
        inlines = part.block.children if isinstance(part.block, Heading) else ()
        if not (title := markup.plain_text(inlines)):
            self.opened.find("title", part.line, f"title: the {what} has none", "write words behind the #")
        return title, tuple(Reference(host_of(link.url), link.url) for link in links_of(inlines))

    def block(self, part: Part) -> None:
        section = self.drawn[-1]
        if section.entries:
            section.entries[-1].blocks += solid([part])
        elif section.line:
            fix = "open an entry with ## before it"
            self.opened.find("section", part.line, "section: text that belongs to no entry", fix)
        else:
            self.intro += solid([part])

    def sections(self) -> Iterator[Section]:
        for section in self.drawn:
            if section.entries:
                yield Section(section.title or None, tuple(self.entry(drawn) for drawn in section.entries))
            elif section.line:
                what, fix = f"section: {section.title!r} has no entries", "write ## before each entry's title"
                self.opened.find("section", section.line, what, fix, severity=Severity.WARNING)

    def entry(self, drawn: _Drawn) -> Entry:
        references, blocks = led(tuple(drawn.blocks))
        place = f"{self.opened.place}:{drawn.line}"
        return Entry(drawn.title, drawn.references + references, blocks, place=place)


def led(blocks: Blocks) -> tuple[tuple[Reference, ...], Blocks]:
    """An entry's line of links, if it begins with one, and the rest."""
    first = blocks[0] if blocks else None
    if isinstance(first, Paragraph) and _is_line_of_links(runs := markup.runs(first.children)):
        return tuple(_linked(runs)), blocks[1:]
    return (), blocks


def _is_line_of_links(runs: Sequence[Run]) -> bool:
    """Whether a paragraph is nothing but links, parted by `,` `;` `·` `|` `/` or blanks."""
    return bool(runs) and all(run.link or not run.text.strip(_BETWEEN_LINKS) for run in runs)


def links_of(inlines: Inlines) -> Iterator[Reference]:
    """Each link of a text; one that is called by its own address is called by its host instead."""
    return _linked(markup.runs(inlines))


def _linked(runs: Iterable[Run]) -> Iterator[Reference]:
    linked = (run for run in runs if run.link)
    for _, same in groupby(linked, key=lambda run: run.link):
        pieces = list(same)
        url = str(pieces[0].url)
        label = " ".join("".join(run.text for run in pieces).split("\n"))
        yield Reference(host_of(url) if label == url else label, url)


def host_of(url: str) -> str:
    """What a link without a name is called: `arxiv.org`, or the mail address."""
    parts = urlsplit(url)
    return (parts.hostname or parts.path).removeprefix("www.")
