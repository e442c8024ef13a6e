"""Markdown in, the tree out, in normal form; what cannot be taken is kept as words and told as a Doubt."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import Literal

from markdown_it import MarkdownIt
from markdown_it.token import Token

from bot.markup import tags
from bot.markup.comments import without_comments
from bot.markup.form import BREAK, Run, clean, normal_runs, one_line, tidied, tree_of
from bot.markup.rules import markdown
from bot.markup.urls import safe_url, url_fault
from bot.text import Block, Blocks, Bullets, CodeBlock, Heading, Inlines, Paragraph, Quote, Table

DoubtKind = Literal["link", "table", "comment", "html", "emphasis", "heading", "blank", "code", "image"]


@dataclass(frozen=True, slots=True)
class Doubt:
    """What a curator may not have meant, on a 1-based line of the text."""

    line: int
    kind: DoubtKind
    message: str
    fix: str


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


def parse_inline(text: str) -> Inlines:
    """One run of text, as it may stand in a single line; block marks are words here."""
    text, _ = without_comments(_readable(text))
    tokens = _markdown().parseInline(text)
    return _Parser("", 1).inlines(tokens[0]) if tokens else ()


def parse_blocks(text: str) -> Blocks:
    """A body of text; headings of every level are small ones."""
    return tuple(part.block for part in parse_document(text).parts if part.block != Heading(()))


def parse_document(text: str, *, first_line: int = 1) -> Document:
    """A body of text with places and doubts; `first_line` is the number of its first line in the file."""
    text, unclosed = without_comments(_readable(text))
    parser = _Parser(text, first_line)
    if unclosed is not None:
        parser.doubt(unclosed, "comment", "a comment is never closed", "end it with -->")
    parts = parser.parts(_markdown().parse(text))
    return Document(tuple(parts), tuple(sorted(parser.doubts, key=lambda doubt: doubt.line)))


def _readable(text: str) -> str:
    """Text with plain line ends and blanks only."""
    return clean(text.replace("\r\n", "\n").replace("\r", "\n"))


@cache
def _markdown() -> MarkdownIt:
    return markdown()


# A link whose address holds a blank is no link to Markdown: `[c](https://x.org/a b)`.
_BLANK_URL = re.compile(r"\]\([ ]*(?:https?:|mailto:)[^()<>\s]*[ \t]+(?![\"'(])[^)\n]*\)", re.IGNORECASE)
_CODE_SPAN = re.compile(r"`[^`]*`")
_BOLD_MARK = re.compile(r"(?<!\\)\*\*")
_NO_BREAK_MARK = re.compile(r"^(?:#{1,6}|[-*+]|\d{1,3}[.)])\u00a0", re.MULTILINE)


@dataclass
class _Parser:
    """Turns the tokens of one text into blocks, gathering doubts by the way."""

    text: str
    first_line: int
    doubts: list[Doubt] = field(default_factory=list)

    @cached_property
    def lines(self) -> list[str]:
        return self.text.split("\n")

    def doubt(self, line: int, kind: DoubtKind, message: str, fix: str) -> None:
        """Note a doubt about a 0-based line of the text."""
        self.doubts.append(Doubt(self.first_line + line, kind, message, fix))

    # ------------------------------------------------------------------------------------- blocks

    def parts(self, tokens: list[Token]) -> Iterator[Part]:
        """Each top-level block; what normalises to nothing is left out."""
        for inside in _siblings(tokens):
            line = self.first_line + _line(inside[0])
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
                yield Paragraph(self.inlines(inside[0]))
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
            self.doubt(_line(first), "heading", f"the line over {first.markup * 3} is a heading", fix)
        return Heading(self.inlines(inline, literal_tags=first.tag in ("h1", "h2")))

    def code(self, token: Token) -> CodeBlock:
        if token.type == "fence" and token.map:
            begin, end = token.map
            closing = self.lines[end - 1].strip(" \t>")
            if end == begin + 1 or not closing.startswith(token.markup):
                self.doubt(begin, "code", "a code block is never closed", f"end it with {token.markup}")
        return CodeBlock(token.content)

    def table(self, tokens: list[Token]) -> Table:
        rows = [row for part in _siblings(tokens) for row in _siblings(part[1:-1])]
        cells = [tuple(self.inlines(cell[1]) for cell in _siblings(row[1:-1])) for row in rows]
        odd = [self.odd_cells(row, len(cells[0])) for row in rows[1:]]
        return Table((cells[0], *(row + more for row, more in zip(cells[1:], odd, strict=True))))

    def odd_cells(self, row: list[Token], width: int) -> tuple[Inlines, ...]:
        """The cells of a row beyond the head's, which Markdown would drop."""
        line = self.lines[_line(row[0])].strip(" \t>")
        cells = _cells(line)
        if len(cells) != width:
            what = f"a row of {len(cells)} cells in a table of {width}"
            self.doubt(_line(row[0]), "table", what, r"give each row as many cells; write \| for a bar")
        return tuple(parse_inline(cell) for cell in cells[width:])

    # ------------------------------------------------------------------------------------ inlines

    def inlines(self, token: Token, *, literal_tags: bool = False) -> Inlines:
        """The text of one `inline` token."""
        children = token.children or []
        if len(children) == 1 and children[0].type == "text" and "**" not in token.content:
            self.judge_blanks(token)
            return tree_of(normal_runs([Run(one_line(children[0].content))]))
        self.judge_source(token)
        found = list(self.runs(children, _line(token), literal_tags=literal_tags))
        return tree_of(normal_runs(found))

    def runs(self, tokens: Sequence[Token], line: int, *, literal_tags: bool) -> Iterator[Run]:
        raw = [token.content for token in tokens if token.type == "html_inline"]
        judged = iter([tags.Tag(tags.Kind.WORDS)] * len(raw) if literal_tags else tags.judge(raw))
        look = _Look()
        for token in tokens:
            if token.type == "softbreak":
                line += 1
            yield from self.run(token, next(judged) if token.type == "html_inline" else None, look, line)
            if token.type == "hardbreak":
                line += 1

    def run(self, token: Token, tag: tags.Tag | None, look: "_Look", line: int) -> Iterator[Run]:
        match token.type:
            case "softbreak":
                yield look.run(" ")
            case "hardbreak":
                yield look.run(BREAK)
            case "code_inline":
                yield replace(look.run(one_line(token.content)), code=True)
            case "image":
                yield from self.image(token, look, line)
            case "link_open":
                look.enter(self.taken(str(token.attrGet("href") or ""), line))
            case "link_close":
                look.leave()
            case "strong_open" | "em_open" | "strong_close" | "em_close":
                look.switch("bold" if token.tag == "strong" else "italic", token.nesting)
            case _ if tag and tag.kind is not tags.Kind.WORDS:
                yield from self.tag(tag, look, line)
            case _:
                yield look.run(one_line(token.content))

    def tag(self, tag: tags.Tag, look: "_Look", line: int) -> Iterator[Run]:
        match tag.kind:
            case tags.Kind.BREAK:
                yield look.run(BREAK)
            case tags.Kind.SILENCE | tags.Kind.SPEECH:
                look.silent += 1 if tag.kind is tags.Kind.SILENCE else -1
            case tags.Kind.OPEN if tag.look == "link":
                look.enter(self.taken(tag.href, line) if tag.href is not None else None)
            case tags.Kind.CLOSE if tag.look == "link":
                look.leave()
            case tags.Kind.OPEN | tags.Kind.CLOSE:
                look.switch(tag.look, 1 if tag.kind is tags.Kind.OPEN else -1)
        if tag.kind in (tags.Kind.NOTHING, tags.Kind.SILENCE):
            self.doubt(line, "html", f"<{tag.name}> is left out", "write a word about tags between backticks")

    def image(self, token: Token, look: "_Look", line: int) -> Iterator[Run]:
        """There are no pictures yet: a picture is a link to it, called by its description."""
        words = "".join(_alt(token.children or []))
        if not words.strip():
            self.doubt(
                line, "image", "an image without words is left out", "describe it: ![what it shows](…)"
            )
        inside = look.inside
        if not inside:
            look.enter(self.taken(str(token.attrGet("src") or ""), line))
        yield look.run(one_line(words))
        if not inside:
            look.leave()

    def taken(self, url: str, line: int) -> str | None:
        """The address as it may stand in a link; a refused one is told."""
        if fault := url_fault(url):
            shown = one_line(url)[:80]
            self.doubt(line, "link", f"{fault}: {shown!r}", "give a full address that begins with https://")
        return safe_url(url)

    def judge_source(self, token: Token) -> None:
        """Doubts that only the source of a text shows."""
        self.judge_blanks(token)
        source = token.content
        if "](" in source and (found := _BLANK_URL.search(_CODE_SPAN.sub(_as_long, source))):
            line = _line(token) + source.count("\n", 0, found.start())
            self.doubt(line, "link", "blank in URL", "write %20 for a blank in an address")
        words = "".join(child.content for child in token.children or [] if child.type == "text")
        if "**" in words and (found := _BOLD_MARK.search(_CODE_SPAN.sub(_as_long, source))):
            line = _line(token) + source.count("\n", 0, found.start())
            self.doubt(
                line, "emphasis", "** that makes nothing bold", r"close it on the words, or write \*\*"
            )

    def judge_blanks(self, token: Token) -> None:
        if "\u00a0" in token.content and (found := _NO_BREAK_MARK.search(token.content)):
            line = _line(token) + token.content.count("\n", 0, found.start())
            what = f"{found[0].strip()} with a no-break space after it is no heading and no list"
            self.doubt(line, "blank", what, "put an ordinary blank after it")


@dataclass(slots=True)
class _Look:
    """How the words at one place of a text look: marks may overlap, as counts."""

    bold: int = 0
    italic: int = 0
    code: int = 0
    silent: int = 0
    url: str | None = None
    links: int = 0
    inside: int = 0

    def run(self, text: str) -> Run:
        if self.silent:
            return Run("")
        code = bool(self.code) and text != BREAK
        link = self.links if self.url else 0
        return Run(text, bold=bool(self.bold), italic=bool(self.italic), code=code, url=self.url, link=link)

    def enter(self, url: str | None) -> None:
        """Begin a link; within another one it is only its words."""
        if not self.inside:
            self.url = url
            self.links += 1
        self.inside += 1

    def leave(self) -> None:
        self.inside -= 1
        if not self.inside:
            self.url = None

    def switch(self, look: str, by: int) -> None:
        if look:
            setattr(self, look, getattr(self, look) + by)


def _siblings(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    """Tokens cut into single ones and whole open-to-close stretches."""
    begin, depth = 0, 0
    for at, token in enumerate(tokens):
        depth += token.nesting
        if depth == 0:
            yield list(tokens[begin : at + 1])
            begin = at + 1


def _line(token: Token) -> int:
    return token.map[0] if token.map else 0


def _start(token: Token) -> int | None:
    if token.type == "bullet_list_open":
        return None
    start = token.attrGet("start")
    return 1 if start is None else int(start)


def _alt(tokens: Sequence[Token]) -> Iterator[str]:
    for token in tokens:
        if token.type == "image":
            yield from _alt(token.children or [])
        else:
            yield " " if token.type.endswith("break") else token.content


def _cells(line: str) -> list[str]:
    """The cells of one row of a table as they stand there."""
    cells = re.split(r"(?<!\\)\|", line)
    if cells and not cells[0]:
        cells = cells[1:]
    if cells and not cells[-1]:
        cells = cells[:-1]
    return [cell.replace("\\|", "|").strip() for cell in cells]


def _as_long(found: "re.Match[str]") -> str:
    """Blanks in place of what was found, so that all behind it keeps its place."""
    return re.sub(r"[^\n]", " ", found[0])
