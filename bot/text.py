"""The one tree that every text of an issue is: blocks of inline runs, free of any markup language.

Content is parsed into it once; HTML, plain text, rich text and web page are all written from it, so
that the visible words of all four are the same.
"""

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Text:
    """Words, literally."""

    value: str


@dataclass(frozen=True, slots=True)
class Code:
    """Words in a fixed-width face, literally."""

    value: str


@dataclass(frozen=True, slots=True)
class Strong:
    """Words that stand out."""

    children: "Inlines"


@dataclass(frozen=True, slots=True)
class Emphasis:
    """Words with stress."""

    children: "Inlines"


@dataclass(frozen=True, slots=True)
class Struck:
    """Words that are taken back and stay to be seen."""

    children: "Inlines"


@dataclass(frozen=True, slots=True)
class Link:
    """Words that lead to `url`, an absolute http, https or mailto address that passed `markup.safe_url`."""

    url: str
    children: "Inlines"


@dataclass(frozen=True, slots=True)
class LineBreak:
    """A line ends here because the author said so."""


Inline: TypeAlias = Text | Code | Strong | Emphasis | Struck | Link | LineBreak
Inlines: TypeAlias = tuple[Inline, ...]


@dataclass(frozen=True, slots=True)
class Paragraph:
    """One paragraph; the first of an entry is its lead."""

    children: Inlines


@dataclass(frozen=True, slots=True)
class Bullets:
    """A list; each item is a run of blocks. Numbered from `start` where that is given."""

    items: tuple["Blocks", ...]
    start: int | None = None


@dataclass(frozen=True, slots=True)
class Quote:
    """Somebody else's words."""

    children: "Blocks"


@dataclass(frozen=True, slots=True)
class CodeBlock:
    """Lines of code, without a final newline."""

    value: str


@dataclass(frozen=True, slots=True)
class Heading:
    """A small heading inside an entry (`###` and deeper)."""

    children: Inlines


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells; the first row is the head. Every row has as many cells as the head."""

    rows: tuple[tuple[Inlines, ...], ...]


Block: TypeAlias = Paragraph | Bullets | Quote | CodeBlock | Heading | Table
Blocks: TypeAlias = tuple[Block, ...]
