"""Markdown in, the tree out, in normal form; what cannot be taken is kept as words and told as a Doubt."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache

from markdown_it import MarkdownIt
from markdown_it.token import Token

from bot.markup.cleaning import clean
from bot.markup.comments import without_comments
from bot.markup.doubts import Doubt, Doubts
from bot.markup.form import tidied
from bot.markup.inlines import InlineReader, line_of
from bot.markup.rules import markdown
from bot.text import Block, Blocks, Bullets, CodeBlock, Heading, Inlines, Paragraph, Quote, Table


@dataclass(frozen=True, slots=True)
class Part:
    """One top-level block, where it stands, and a heading's level."""

    line: int
    block: Block
    level: int | None = None


@dataclass(frozen=True, slots=True)
class Document:
    """A whole text: its blocks in order, and every doubt about it."""

    parts: tuple[Part, ...]
    doubts: tuple[Doubt, ...]


@lru_cache(maxsize=1024)  # an archive calls a thousand links "Paper"
def parse_inline(text: str) -> Inlines:
    """One run of text, as it may stand in a single line; block marks are words here."""
    text, _ = without_comments(_readable(text))
    tokens = _markdown().parseInline(text)
    return InlineReader(Doubts(1)).read(tokens[0]) if tokens else ()


def parse_blocks(text: str) -> Blocks:
    """A body of text; headings of every level are small ones."""
    return tuple(part.block for part in parse_document(text).parts if part.block != Heading(()))


def parse_document(text: str, *, first_line: int = 1) -> Document:
    """A body of text with places and doubts; `first_line` is the number of its first line in the file."""
    text, unclosed = without_comments(_readable(text))
    doubts = Doubts(first_line)
    if unclosed is not None:
        doubts.add(unclosed, "comment", "a comment is never closed", "end it with -->")
    parts = tuple(_Parser(text, doubts).parts(_markdown().parse(text)))
    return Document(parts, tuple(sorted(doubts.found, key=lambda doubt: doubt.line)))


def _readable(text: str) -> str:
    """Text with plain line ends and blanks only."""
    return clean(text.replace("\r\n", "\n").replace("\r", "\n"))


@cache
def _markdown() -> MarkdownIt:
    return markdown()


@dataclass
class _Parser:
    """Turns the tokens of one text into blocks, gathering doubts by the way."""

    text: str
    doubts: Doubts

    @cached_property
    def texts(self) -> InlineReader:
        return InlineReader(self.doubts)

    @cached_property
    def lines(self) -> list[str]:
        return self.text.split("\n")

    def parts(self, tokens: list[Token]) -> Iterator[Part]:
        """Each top-level block; what normalises to nothing is left out."""
        for inside in _siblings(tokens):
            line = self.doubts.first_line + line_of(inside[0])
            level = int(inside[0].tag[1]) if inside[0].type == "heading_open" else None
            blocks = tidied(self.block(inside))
            if level and not blocks:
                yield Part(line, Heading(()), level)
            yield from (Part(line, block, level) for block in blocks)

    def blocks(self, tokens: list[Token]) -> Blocks:
        return tuple(block for inside in _siblings(tokens) for block in self.block(inside))

    def block(self, tokens: list[Token]) -> Iterator[Block]:
        """The block that one token, or an opening token with all up to its close, stands for."""
        first, inside = tokens[0], tokens[1:-1]
        match first.type:  # a thematic break is none: the theme draws its own
            case "paragraph_open":
                yield Paragraph(self.texts.read(inside[0]))
            case "heading_open":
                yield self.heading(first, inside[0])
            case "fence" | "code_block":
                yield self.code(first)
            case "blockquote_open":
                yield Quote(self.blocks(inside))
            case "bullet_list_open" | "ordered_list_open":
                items = tuple(self.blocks(item[1:-1]) for item in _siblings(inside))
                yield Bullets(items, _start(first))
            case "table_open":
                yield self.table(inside)

    def heading(self, first: Token, inline: Token) -> Heading:
        if first.markup in ("-", "="):
            fix = f"write {'#' * int(first.tag[1])} before it, or put a blank line between"
            self.doubts.add(line_of(first), "heading", f"the line over {first.markup * 3} is a heading", fix)
        return Heading(self.texts.read(inline, literal_tags=first.tag in ("h1", "h2")))

    def code(self, token: Token) -> CodeBlock:
        if token.type == "fence" and token.map:
            begin, end = token.map
            closing = self.lines[end - 1].strip(" \t>")
            if end == begin + 1 or not closing.startswith(token.markup):
                self.doubts.add(begin, "code", "a code block is never closed", f"end it with {token.markup}")
        return CodeBlock(token.content)

    def table(self, tokens: list[Token]) -> Table:
        rows = [row for part in _siblings(tokens) for row in _siblings(part[1:-1])]
        cells = [tuple(self.texts.read(cell[1]) for cell in _siblings(row[1:-1])) for row in rows]
        odd = [self.odd_cells(row, len(cells[0])) for row in rows[1:]]
        return Table((cells[0], *(row + more for row, more in zip(cells[1:], odd, strict=True))))

    def odd_cells(self, row: list[Token], width: int) -> tuple[Inlines, ...]:
        """The cells of a row beyond the head's, which Markdown would drop."""
        line = self.lines[line_of(row[0])].strip(" \t>")
        cells = _cells(line)
        if len(cells) != width:
            what = f"a row of {len(cells)} cells in a table of {width}"
            self.doubts.add(
                line_of(row[0]), "table", what, r"give each row as many cells; write \| for a bar"
            )
        return tuple(parse_inline(cell) for cell in cells[width:])


def _siblings(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    """Tokens cut into single ones and whole open-to-close stretches."""
    begin, depth = 0, 0
    for at, token in enumerate(tokens):
        depth += token.nesting
        if depth == 0:
            yield list(tokens[begin : at + 1])
            begin = at + 1


def _start(token: Token) -> int | None:
    if token.type == "bullet_list_open":
        return None
    start = token.attrGet("start")
    return 1 if start is None else int(start)


def _cells(line: str) -> list[str]:
    """The cells of one row of a table as they stand there."""
    cells = re.split(r"(?<!\\)\|", line)
    if cells and not cells[0]:
        cells = cells[1:]
    if cells and not cells[-1]:
        cells = cells[:-1]
    return [cell.replace("\\|", "|").strip() for cell in cells]
