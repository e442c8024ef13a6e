"""One row of a table of papers: `| 3) **Title** - text | [Paper](https://…), [Tweet](https://…) |`."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum

from bot.markup import inline_text, normalise, normalise_inlines, parse_inline, safe_url, url_fault, words
from bot.models import Entry, Reference
from bot.sources import Doubt, Given, Left
from bot.sources._leads import is_label, links_in, split_label, with_lead_in
from bot.text import Block, Blocks, Bullets, Inline, Inlines, LineBreak, Paragraph

MARK = "●"

_NUMBER = re.compile(r"(\d{1,9})[.)]\s+")
_BOLD = re.compile(r"\*\*(?P<title>(?:(?!\*\*).)+)\*\*(?P<mark>\s*[-\u2013\u2014])?\s*")
# `8` is the key of `*`, pressed without shift.
_SLIPPED = re.compile(r"\*8(?P<title>[^*]+)\*\*\s*[-\u2013\u2014]\s*")
_BREAK = re.compile(r"[ \t]*<br[ \t]*/?>[ \t]*", re.IGNORECASE)
_REFERENCE = re.compile(r"\[(?P<label>[^\[\]]{0,300})\]\((?P<url>(?:[^\s()]|\([^\s()]*\)){0,4000})\)")
_GLUED = re.compile(r"[.!?][\u201d\u2019\"')\]]{0,3}\s\s+(?=[A-Z\u201c\"])")
_WRAPPED = re.compile(r"\w-\s+\w")
_NOTE = re.compile(r"<!--(?:(?!-->).){0,2000}-->")
_MOST_TITLE_WORDS = 16
_GUESSED_WORDS = 10


class Style(Enum):
    """How a week parts titles from texts, where no bold type does."""

    DASH = "dash"
    BLANKS = "blanks"


@dataclass(slots=True)
class Row:
    """A row being read: where it stands, and what was noticed on the way."""

    line: int
    given: Given
    openers: frozenset[str] = frozenset()
    """The words that texts of this file begin with, to guess where a text begins that nothing parts off."""
    doubts: list[Doubt] = field(default_factory=list)
    left: list[Left] = field(default_factory=list)

    def doubt(self, what: str) -> None:
        self.doubts.append(Doubt(self.line, what))


def cells_of(line: str) -> list[str]:
    """The cells of a table row, stripped; an escaped pipe is one of the words."""
    inner = line.strip().removeprefix("|")
    inner = inner[:-1] if inner.endswith("|") and not inner.endswith("\\|") else inner
    return [cell.replace("\\|", "|").strip() for cell in re.split(r"(?<!\\)\|", inner)]


def number_of(cell: str) -> tuple[int | None, str]:
    """The number a cell begins with, and the rest."""
    found = _NUMBER.match(cell)
    return (int(found[1]), cell[found.end() :]) if found else (None, cell)


def style_of(texts: list[str]) -> Style:
    """What parts title from text in most rows of a week."""
    dashed = sum(0 <= text.find(" - ") < _or_end(text, "  ") for text in texts)
    return Style.DASH if dashed * 2 > len(texts) else Style.BLANKS


def opener_of(text: str) -> str | None:
    """The first words of a text whose title two blanks part off."""
    title, _, rest = text.partition("  ")
    words = rest.split(maxsplit=2)[:2]
    return " ".join(words) if len(words) == 2 and len(title.split()) <= _MOST_TITLE_WORDS else None  # noqa: PLR2004 (two words)


def entry_of(row: Row, cells: list[str], style: Style) -> Entry | None:
    """The entry a row holds, if it holds any words; cells beyond the second are left, and reported."""
    _, text = number_of(cells[0])
    _notes(row, cells)
    title, body = _title(row, text, style)
    references = _references(row, cells[1] if len(cells) > 1 else "")
    _surplus(row, cells)
    words_of_title, blocks = _plain(row, title, references), _blocks(row, body)
    if words_of_title and not blocks:
        row.doubt("a title without a text")
    name = words_of_title or _stand_in(row, blocks, references)
    return Entry(name, tuple(references), blocks, place=row.given.place(row.line)) if name else None


def _stand_in(row: Row, blocks: Blocks, references: list[Reference]) -> str:
    """What an entry without a title is called: after its text, or where it leads."""
    extract = " ".join(words(blocks).split()[:_GUESSED_WORDS])
    name = extract or next((reference.label or reference.url for reference in references), "")
    row.doubt(f"no title: the entry is called {name!r} after its text" if name else "a row without words")
    return name


def _or_end(text: str, part: str) -> int:
    return at if (at := text.find(part)) >= 0 else len(text)


def _notes(row: Row, cells: list[str]) -> None:
    """Comments are for editors: no reader sees them."""
    for cell in cells:
        row.left += [Left(row.line, note) for note in _NOTE.findall(cell)]


def _surplus(row: Row, cells: list[str]) -> None:
    if len(cells) == 1:
        row.doubt("the row has no cell of links")
    for cell in cells[2:]:
        row.doubt(f"a cell too many: {cell}")
        row.left.append(Left(row.line, cell))


# ------------------------------------------------------------------------------------------------ title


def _plain(row: Row, title: str, references: list[Reference]) -> str:
    """A title's words; its links become references."""
    inlines = parse_inline(title)
    references += [Reference(inline_text(link.children), link.url) for link in links_in(inlines)]
    plain = " ".join(inline_text(inlines).split())
    if _WRAPPED.search(plain) and " - " not in plain:
        row.doubt(f"the title may hold the hyphen of a wrapped line: {plain}")
    return plain


def _title(row: Row, text: str, style: Style) -> tuple[str, str]:
    if bold := _BOLD.match(text):
        body = text[bold.end() :]
        if body and not bold["mark"]:
            row.doubt("no dash between title and text")
        return bold["title"], body
    if slipped := _SLIPPED.match(text):
        row.doubt(f"`{slipped[0].strip()}` is read as the title {slipped['title']!r}")
        return slipped["title"], text[slipped.end() :]
    return _unmarked_title(row, text, style)


def _unmarked_title(row: Row, text: str, style: Style) -> tuple[str, str]:
    separator = " - " if style is Style.DASH else "  "
    title, found, body = text.partition(separator)
    if len(title.split()) <= _MOST_TITLE_WORDS and MARK not in title and (found or not _long(text)):
        return title, body
    title, body = _guess(row, text)
    row.doubt(f"nothing parts the title from the text: the title is guessed to be {title!r}")
    return title, body


def _long(text: str) -> bool:
    return len(text.split()) > _MOST_TITLE_WORDS


def _guess(row: Row, text: str) -> tuple[str, str]:
    """Cut where the words stand that other texts of the file begin with, else after some words."""
    words = text.split(" ")
    for at in range(1, min(len(words) - 1, _MOST_TITLE_WORDS)):
        if " ".join(words[at : at + 2]) in row.openers:
            return " ".join(words[:at]), " ".join(words[at:])
    return " ".join(words[:_GUESSED_WORDS]), " ".join(words[_GUESSED_WORDS:])


# ----------------------------------------------------------------------------------------------- blocks


@dataclass(slots=True)
class _Body:
    """The blocks of a text as they grow, line by line."""

    row: Row
    blocks: list[Block] = field(default_factory=list)
    prose: list[str] = field(default_factory=list)
    bullets: list[list[str]] = field(default_factory=list)
    unbroken: int = 0
    """Bullets that begin in mid-line."""

    def line(self, text: str) -> None:
        """One line between two `<br>`; an empty one ends the block."""
        before, *bullets = text.split(MARK)
        if before.strip():
            (self.bullets[-1] if self.bullets else self.prose).append(before)
            self.unbroken += len(bullets)
        elif bullets:
            self.unbroken += len(bullets) - 1
        else:
            self.end_block()
        if bullets:
            self.end_prose(announces=True)
        self.bullets += [[bullet] for bullet in bullets]

    def end_prose(self, *, announces: bool = False) -> None:
        text = "\n".join(self.prose)
        lead, label = split_label(text) if announces and not self.blocks else (text, "")
        self.blocks += [Paragraph(words) for part in (lead, label) if (words := _inlines(part))]
        self.prose = []

    def end_block(self) -> None:
        self.end_prose()
        if self.bullets:
            items = tuple((Paragraph(with_lead_in(_inlines("\n".join(lines)))),) for lines in self.bullets)
            self.blocks.append(Bullets(items))
            self._suspect_glue()
        self.bullets = []

    def _suspect_glue(self) -> None:
        """Two blanks after a sentence may be all that is left of the end of a list."""
        texts = ["\n".join(lines) for lines in self.bullets]
        for number, text in enumerate(texts, start=1):
            tail = _GLUED.split(text.rstrip())[-1]
            if number < len(texts) and is_label(tail.strip()) and tail != text.rstrip():
                self.row.doubt(f"bullet {number} ends in what may be a heading: {tail.strip()}")
            elif text.rstrip().endswith((":", " -", " \u2013")):
                self.row.doubt(
                    f"bullet {number} announces something that is missing: {' '.join(text.split())}"
                )
        if texts and _GLUED.search(texts[-1].strip()):
            self.row.doubt("the last bullet may hold a closing paragraph")


def _blocks(row: Row, text: str) -> Blocks:
    body = _Body(row)
    for line in _BREAK.sub("\n", text).split("\n"):
        body.line(line)
    body.end_block()
    if body.unbroken:
        row.doubt(f"{body.unbroken} bullets without <br> before them")
    return normalise(tuple(body.blocks))


def _inlines(text: str) -> Inlines:
    """Parse each line by itself; the lines of a cell are parted by `<br>`."""
    joined: list[Inline] = []
    for line in text.split("\n"):
        joined += [LineBreak()] if joined and line.strip() else []
        joined += parse_inline(line.strip())
    return normalise_inlines(tuple(joined))


# ------------------------------------------------------------------------------------------- references


def _references(row: Row, cell: str) -> list[Reference]:
    """The links of a cell in order; whatever stands between them, but for one comma, is a doubt."""
    references: list[Reference] = []
    end = 0
    for found in _REFERENCE.finditer(cell):
        _between(row, cell[end : found.start()], first=end == 0)
        end = found.end()
        references += _reference(row, found["label"], found["url"])
    _after(row, cell[end:])
    return references


def _between(row: Row, text: str, *, first: bool) -> None:
    stray = text.strip()
    if first:
        _stray(row, stray)
    elif not stray:
        row.doubt("a comma is missing between two links")
    elif stray != ",":
        _stray(row, stray.removesuffix(",").strip())


def _after(row: Row, text: str) -> None:
    _stray(row, text.strip())


def _stray(row: Row, stray: str) -> None:
    if stray:
        row.doubt(f"left out of the cell of links: {stray}")
        row.left.append(Left(row.line, stray))


def _reference(row: Row, label: str, url: str) -> Iterator[Reference]:
    name = " ".join(label.split())
    if label.count("(") != label.count(")"):
        row.doubt(f"the label {name!r} has half a bracket")
    if (safe := safe_url(url)) is None:
        row.doubt(f"no link can lead to {url} ({url_fault(url)}): {name}")
        row.left.append(Left(row.line, f"[{name}]({url})"))
    else:
        yield Reference(inline_text(parse_inline(name)) or safe, safe)
