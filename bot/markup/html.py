"""The tree as HTML for mail and web: our own few elements, and nh3 as the second lock behind them."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from unicodedata import bidirectional

import nh3

from bot.markup.cleaning import clean
from bot.markup.form import normalise, words
from bot.markup.runs import inline_words, normalise_inlines
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

LONG_WORD = 12
"""Characters of a word that a column may ask for: longer ones are broken."""

_DIR = {"dir"}
_ALLOWED = {
    "a": {"href"},
    "blockquote": _DIR,
    "br": set[str](),
    "code": set[str](),
    "em": set[str](),
    **{f"h{level}": _DIR for level in range(1, 7)},
    "li": _DIR,
    "ol": {"dir", "start"},
    "p": _DIR,
    "pre": _DIR,
    "s": set[str](),
    "strong": set[str](),
    "table": set[str](),
    "tbody": set[str](),
    "td": _DIR,
    "th": {"dir", "scope", "width"},
    "thead": set[str](),
    "tr": set[str](),
    "ul": _DIR,
}
_MARKS: dict[type[Inline], str] = {Strong: "strong", Emphasis: "em", Struck: "s"}
# `rel` is no attribute of ours: with nh3's default link_rel both together would be refused (nh3 PR 117).
_LOCK = nh3.Cleaner(
    tags=set(_ALLOWED),
    attributes=_ALLOWED,
    link_rel=None,
    url_schemes={"http", "https", "mailto"},
    strip_comments=True,
)


@dataclass(frozen=True, slots=True)
class _Look:
    """How blocks are written: the level of small headings, and whether columns have a width."""

    heading: int
    columns: bool


def to_html(blocks: Blocks, *, heading: int = 4, columns: bool = False) -> str:
    """Blocks as HTML; an entry's own small headings become `h4`, or the level named.

    With `columns`, the heads of a table say how wide each column is, in percent: where it must not be wider
    than its page, browsers would make all equally wide, or break short words to make room for long ones.
    """
    return _LOCK.clean(_blocks(normalise(blocks), _Look(heading, columns)))


def inline_html(inlines: Inlines) -> str:
    """A text as HTML that may stand in any element for words."""
    return _LOCK.clean(_inlines(normalise_inlines(inlines)))


def escape_html(text: str) -> str:
    """Words as HTML, spelt as browsers spell them."""
    for character, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("\u00a0", "&nbsp;")):
        text = text.replace(character, entity)
    return text


def _blocks(blocks: Iterable[Block], look: _Look) -> str:
    return "".join(_block(block, look) + "\n" for block in blocks)


def _block(block: Block, look: _Look) -> str:
    match block:
        case Paragraph(children):
            return f'<p dir="auto">{_inlines(children)}</p>'
        case Heading(children):
            return f'<h{look.heading} dir="auto">{_inlines(children)}</h{look.heading}>'
        case CodeBlock(value):
            return f'<pre dir="ltr"><code>{escape_html(clean(value))}</code></pre>'
        case Quote(children):
            side = _most(_side(words([child])) for child in children) or "auto"
            return f'<blockquote dir="{side}">\n{_blocks(children, look)}</blockquote>'
        case Bullets():
            return _bullets(block, look)
        case Table(rows):
            return _table(rows, look)


def _bullets(block: Bullets, look: _Look) -> str:
    sides = [_side(words(item)) for item in block.items]
    own = _most(sides)
    items = "".join(
        f'<li dir="{side if side != own and side else "auto"}">{_item(item, look)}</li>\n'
        for side, item in zip(sides, block.items, strict=True)
    )
    direction = f' dir="{own}"' if own else ""
    if block.start is None:
        return f"<ul{direction}>\n{items}</ul>"
    start = f' start="{block.start}"' if block.start != 1 else ""
    return f"<ol{direction}{start}>\n{items}</ol>"


def _most(sides: Iterable[str | None]) -> str | None:
    """The direction that most read in.

    A list or quote needs it said: `auto` does not look into children that have a `dir` of their own. So does
    an item that reads the other way, for its bullet is on its other side.
    """
    found = Counter(side for side in sides if side)
    return found.most_common(1)[0][0] if found else None


def _side(text: str) -> str | None:
    """The side of the first letter that has one, as `dir="auto"` finds it."""
    sides = {"L": "ltr", "R": "rtl", "AL": "rtl"}
    return next((sides[kind] for kind in map(bidirectional, text) if kind in sides), None)


def _item(blocks: Blocks, look: _Look) -> str:
    """One item: its words bare where it is a line, with or without a list below."""
    first, rest = blocks[0], blocks[1:]
    if isinstance(first, Paragraph) and all(isinstance(block, Bullets) for block in rest):
        return _inlines(first.children) + ("\n" + _blocks(rest, look) if rest else "")
    return "\n" + _blocks(blocks, look)


def _table(rows: tuple[tuple[Inlines, ...], ...], look: _Look) -> str:
    widths = [f' width="{width}%"' for width in _widths(rows)] if look.columns else [""] * len(rows[0])
    head = "".join(
        f'<th dir="auto" scope="col"{width}>{_inlines(cell)}</th>\n'
        for width, cell in zip(widths, rows[0], strict=True)
    )
    body = "".join(f"<tr>\n{_cells(row)}</tr>\n" for row in rows[1:])
    tbody = f"<tbody>\n{body}</tbody>\n" if body else ""
    return f"<table>\n<thead>\n<tr>\n{head}</tr>\n</thead>\n{tbody}</table>"


def _widths(rows: tuple[tuple[Inlines, ...], ...]) -> list[int]:
    """Percents that each column takes: by its longest word first, and somewhat by its longest text."""
    needs = [max(_need(inline_words(cell)) for cell in column) for column in zip(*rows, strict=True)]
    return [max(1, int(100 * need / sum(needs))) for need in needs]


def _need(text: str) -> float:
    longest = max((len(word) for word in text.split()), default=1)
    return float(min(longest, LONG_WORD) + len(text) ** 0.5)


def _cells(row: tuple[Inlines, ...]) -> str:
    return "".join(f'<td dir="auto">{_inlines(cell)}</td>\n' for cell in row)


def _inlines(inlines: Inlines) -> str:
    return "".join(_inline(inline) for inline in inlines)


def _inline(inline: Inline) -> str:
    match inline:
        case Text(value):
            return escape_html(value)
        case Code(value):
            return f"<code>{escape_html(value)}</code>"
        case LineBreak():
            return "<br>\n"
        case Strong(children) | Emphasis(children) | Struck(children):
            tag = _MARKS[type(inline)]
            return f"<{tag}>{_inlines(children)}</{tag}>"
        case Link(url, children):
            href = escape_html(url).replace('"', "&quot;")
            return f'<a href="{href}">{_inlines(children)}</a>'
