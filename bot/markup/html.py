"""The tree as HTML for mail and web: our own few elements, and nh3 as the second lock behind them."""

from collections import Counter
from collections.abc import Iterable
from unicodedata import bidirectional

import nh3

from bot.markup.form import normalise, words
from bot.markup.runs import clean, normalise_inlines
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
    "th": {"dir", "scope"},
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


def to_html(blocks: Blocks, *, heading: int = 4) -> str:
    """Blocks as HTML; an entry's own small headings become `h4`, or the level named."""
    return _LOCK.clean(_blocks(normalise(blocks), heading))


def inline_html(inlines: Inlines) -> str:
    """A text as HTML that may stand in any element for words."""
    return _LOCK.clean(_inlines(normalise_inlines(inlines)))


def escape_html(text: str) -> str:
    """Words as HTML, spelt as browsers spell them."""
    for character, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("\u00a0", "&nbsp;")):
        text = text.replace(character, entity)
    return text


def _blocks(blocks: Iterable[Block], heading: int) -> str:
    return "".join(_block(block, heading) + "\n" for block in blocks)


def _block(block: Block, heading: int) -> str:
    match block:
        case Paragraph(children):
            return f'<p dir="auto">{_inlines(children)}</p>'
        case Heading(children):
            return f'<h{heading} dir="auto">{_inlines(children)}</h{heading}>'
        case CodeBlock(value):
            return f'<pre dir="ltr"><code>{escape_html(clean(value))}</code></pre>'
        case Quote(children):
            side = _most(_side(words([child])) for child in children) or "auto"
            return f'<blockquote dir="{side}">\n{_blocks(children, heading)}</blockquote>'
        case Bullets():
            return _bullets(block, heading)
        case Table(rows):
            return _table(rows)


def _bullets(block: Bullets, heading: int) -> str:
    sides = [_side(words(item)) for item in block.items]
    own = _most(sides)
    items = "".join(
        f'<li dir="{side if side != own and side else "auto"}">{_item(item, heading)}</li>\n'
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


def _item(blocks: Blocks, heading: int) -> str:
    """One item: its words bare where it is a line, with or without a list below."""
    first, rest = blocks[0], blocks[1:]
    if isinstance(first, Paragraph) and all(isinstance(block, Bullets) for block in rest):
        return _inlines(first.children) + ("\n" + _blocks(rest, heading) if rest else "")
    return "\n" + _blocks(blocks, heading)


def _table(rows: tuple[tuple[Inlines, ...], ...]) -> str:
    head = "".join(f'<th dir="auto" scope="col">{_inlines(cell)}</th>\n' for cell in rows[0])
    body = "".join(f"<tr>\n{_cells(row)}</tr>\n" for row in rows[1:])
    tbody = f"<tbody>\n{body}</tbody>\n" if body else ""
    return f"<table>\n<thead>\n<tr>\n{head}</tr>\n</thead>\n{tbody}</table>"


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
