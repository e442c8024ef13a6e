"""The tree as Markdown that parses to the very same tree."""

import re
from collections.abc import Iterator, Sequence

from bot.markup.form import HIGHEST_START, normalise
from bot.markup.rules import flanks
from bot.markup.runs import normalise_inlines
from bot.text import (
    Block,
    Blocks,
    Bullets,
    Code,
    CodeBlock,
    Emphasis,
    Heading,
    Inline,
    Inlines,
    LineBreak,
    Link,
    Paragraph,
    Quote,
    Strong,
    Struck,
    Table,
    Text,
)

_INLINE_MARK = re.compile(
    r"[\\`*\[\]]"
    r"|(?<![^\W_])_|_(?![^\W_])"  # within a word it is no mark: snake_case
    r"|~(?=~|$)|(?<=~)~|^~"
    r"|<(?=[A-Za-z/!?]|$)"
    r"|&(?=#?\w{1,31};)"
    r"|!(?=$)"  # before a link it would be an image
    r"|(?<=http):(?=//)|(?<=https):(?=//)|(?<=mailto):",  # else a bare address becomes a link
    re.IGNORECASE,
)
_BLOCK_MARK = re.compile(
    r"#{1,6}(?=\s|$)|[>=|]|[-+](?!\w)|:(?=-)"
    r"|(?<=\d)[.)](?=\s|$)"  # only after the digits that `_line_start` steps over
)
_MARKS: dict[type[Inline], tuple[str, str]] = {
    Strong: ("**", "strong"),
    Emphasis: ("*", "em"),
    Struck: ("~~", "s"),
}
_NUMBER = re.compile(r"\d{1,9}(?=[.)](?:\s|$))")
_CLOSING_HASHES = re.compile(r"(?:(?<=\s)|^)#+$")


def to_markdown(blocks: Blocks) -> str:
    """Blocks as Markdown; `parse_blocks(to_markdown(x)) == normalise(x)`."""
    return "\n".join(_blocks(normalise(blocks)))


def inline_markdown(inlines: Inlines) -> str:
    """A text as Markdown, several lines where it has line breaks."""
    return _lines(normalise_inlines(inlines))


def escape(text: str) -> str:
    """Plain words as one line of Markdown that means just them, in a heading or as a link's label too."""
    line = _lines(normalise_inlines((Text(text),)))
    return _CLOSING_HASHES.sub(lambda found: "\\" + found[0], line)


def destination(url: str) -> str:
    """A safe address as it stands in `[label](here)`."""
    url = re.sub(r"&(?=#?\w{1,31};)", r"\\&", url)
    return url if _is_balanced(url) else f"<{url}>"


def _is_balanced(url: str) -> bool:
    depth = 0
    for bracket in re.findall("[()]", url):
        depth += 1 if bracket == "(" else -1
        if depth < 0:
            return False
    return depth == 0


# --------------------------------------------------------------------------------------------- blocks


def _blocks(blocks: Sequence[Block]) -> Iterator[str]:
    turn = 0
    for at, block in enumerate(blocks):
        if at:
            yield ""
        # Two lists in a row would be one, were their marks the same.
        turn = turn + 1 if at and _continues(blocks[at - 1], block) else 0
        yield from _block(block, turn % 2)


def _continues(one: Block, other: Block) -> bool:
    if not (isinstance(one, Bullets) and isinstance(other, Bullets)):
        return False
    return (one.start is None) == (other.start is None)


def _block(block: Block, turn: int) -> Iterator[str]:
    match block:
        case Paragraph(children):
            yield from _lines(children).split("\n")
        case Heading(children):
            line = _line(children)
            yield "### " + _CLOSING_HASHES.sub(lambda found: "\\" + found[0], line)
        case CodeBlock(value):
            fence = "`" * max(3, _longest(value) + 1)
            yield from (fence, *value.split("\n"), fence)
        case Quote(children):
            yield from (f"> {line}" if line else ">" for line in _blocks(children))
        case Bullets():
            yield from _bullets(block, turn)
        case Table(rows):
            yield from _table(rows)


def _bullets(block: Bullets, turn: int) -> Iterator[str]:
    tight = all(_is_tight(item) for item in block.items)
    for at, item in enumerate(block.items):
        if at and not tight:
            yield ""
        mark = _mark(block, at, turn)
        lines = _tight(item) if tight else _blocks(item)
        for number, line in enumerate(lines):
            yield (mark if number == 0 else " " * len(mark)) + line if line else ""


def _mark(block: Bullets, at: int, turn: int) -> str:
    if block.start is None:
        return "-+"[turn] + " "
    return f"{min(block.start + at, HIGHEST_START)}{'.)'[turn]} "


def _is_tight(item: Blocks) -> bool:
    """Whether an item is a line with at most one plain list below: no blank line need part them."""
    match item:
        case (Paragraph(),):
            return True
        case (Paragraph(), Bullets(items, None)):
            return all(_is_tight(inner) for inner in items)
        case _:
            return False


def _tight(item: Blocks) -> Iterator[str]:
    for block in item:
        yield from _block(block, 0)


def _table(rows: tuple[tuple[Inlines, ...], ...]) -> Iterator[str]:
    yield _row(rows[0])
    yield "|" + " --- |" * len(rows[0])
    yield from (_row(row) for row in rows[1:])


def _row(row: tuple[Inlines, ...]) -> str:
    return "| " + " | ".join(_line(cell).replace("|", "\\|") for cell in row) + " |"


# -------------------------------------------------------------------------------------------- inlines


def _lines(inlines: Inlines) -> str:
    return "\n".join(_line_start(line) for line in _inlines(inlines).split("\n"))


def _line(inlines: Inlines) -> str:
    """A text where no line may end: in a heading, in a cell."""
    return _inlines(inlines).replace("\\\n", "<br>")


def _line_start(line: str) -> str:
    """A line whose start is no block's mark."""
    number = _NUMBER.match(line)
    at = number.end() if number else 0
    return f"{line[:at]}\\{line[at:]}" if _BLOCK_MARK.match(line, at) else line


def _inlines(inlines: Inlines, *, marked: bool = False, edges: str = "  ") -> str:
    """Texts in a row; `marked` within emphasis, `edges` the characters around them."""
    pieces: list[str] = []
    for at, inline in enumerate(inlines):
        before = pieces[-1][-1] if pieces else edges[0]
        after = _first(inlines[at + 1]) if at + 1 < len(inlines) else edges[1]
        alone = not any(
            isinstance(near, Strong | Emphasis | Struck)
            for near in (*inlines[at - 1 : at], *inlines[at + 1 : at + 2])
        )
        pieces.append(
            _inline(inline, before + after, stars=alone and not marked, last=at + 1 == len(inlines))
        )
    return "".join(pieces)


def _first(inline: Inline) -> str:
    """The first character an inline will be written as, or one of its kind."""
    return (_text(inline.value, last=True) or " ")[0] if isinstance(inline, Text) else "["


def _inline(inline: Inline, edges: str, *, stars: bool, last: bool) -> str:
    match inline:
        case Text(value):
            return _text(value, last=last)
        case Code(value):
            return _code(value)
        case LineBreak():
            return "\\\n"
        case Link(url, children):
            return _link(url, children)
        case Strong(children) | Emphasis(children) | Struck(children):
            mark, tag = _MARKS[type(inline)]
            inside = _inlines(children, marked=True, edges=mark[0] * 2)
            return _emphasis(mark, tag, inside, edges, stars=stars)


def _emphasis(mark: str, tag: str, inside: str, edges: str, *, stars: bool) -> str:
    """Stars where they would be taken as marks, else tags, which always are."""
    opens = flanks(edges[0], inside[0])[0]
    closes = flanks(inside[-1], edges[1])[1]
    if stars and opens and closes:
        return f"{mark}{inside}{mark}"
    return f"<{tag}>{inside}</{tag}>"


def _text(value: str, *, last: bool) -> str:
    escaped = _INLINE_MARK.sub(lambda found: "\\" + found[0], value)
    # What ends a paragraph cannot open an image or a tag.
    return escaped[:-2] + escaped[-1] if last and re.search(r"(?<!\\)\\[!<]$", escaped) else escaped


def _code(value: str) -> str:
    ticks = "`" * (_longest(value) + 1)
    pad = " " if value.startswith("`") or value.endswith("`") else ""
    return f"{ticks}{pad}{value}{pad}{ticks}"


def _longest(value: str) -> int:
    """The longest row of backticks in a text."""
    return max((len(found) for found in re.findall("`+", value)), default=0)


def _link(url: str, children: Inlines) -> str:
    if children == (Text(url),) and re.fullmatch(r"[a-z]{2,8}:[^<>\s\x00-\x20|]*", url):
        return f"<{url}>"
    label = _inlines(children, edges="[]")
    return f"[{label}]({destination(url)})"
