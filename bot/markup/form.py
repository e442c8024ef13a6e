"""The normal form of blocks: each text has exactly one tree, whatever markup or hand it came from."""

from collections.abc import Callable, Iterable, Iterator

from bot.markup.cleaning import clean
from bot.markup.runs import inline_words, normalise_inlines
from bot.text import (
    Block,
    Blocks,
    Bullets,
    CodeBlock,
    Heading,
    Inline,
    Inlines,
    Paragraph,
    Quote,
    Table,
    Text,
)

DEEPEST = 8
"""Lists and quotes within one another; what lies deeper is lifted up to this depth."""
HIGHEST_START = 999
"""A list's first number; `2024. A good year` is a sentence, not the 2024th item."""

_Reading = Callable[[Inlines], Inlines]


def normalise(blocks: Iterable[Block]) -> Blocks:
    """Blocks in normal form: nothing empty, nothing nested deeper than `DEEPEST`."""
    return tuple(_normal(blocks, 0, normalise_inlines))


def tidied(blocks: Iterable[Block]) -> Blocks:
    """Blocks in normal form, from blocks whose texts are in normal form already."""
    return tuple(_normal(blocks, 0, lambda inlines: inlines))


def _normal(blocks: Iterable[Block], depth: int, read: _Reading) -> Iterator[Block]:
    for block in blocks:
        match block:
            case Paragraph(children) | Heading(children):
                if inlines := read(children):
                    yield type(block)(inlines)
            case CodeBlock(value):
                if (code := _code(value)).strip():
                    yield CodeBlock(code)
            case Table(rows):
                yield from _table(rows)
            case Quote(children):
                inside = tuple(_normal(children, depth + 1, read))
                yield from (Quote(inside),) if inside and depth < DEEPEST else inside
            case Bullets():
                yield from _bullets(block, depth, read)


def _code(value: str) -> str:
    return clean(value.replace("\r\n", "\n").replace("\r", "\n").expandtabs(4)).strip("\n")


def _bullets(block: Bullets, depth: int, read: _Reading) -> Iterator[Block]:
    items = tuple(item for blocks in block.items if (item := tuple(_normal(blocks, depth + 1, read))))
    if depth >= DEEPEST:
        yield from (inside for item in items for inside in item)
    elif items:
        start = block.start
        yield Bullets(items, None if start is None else min(max(start, 0), HIGHEST_START))


def _table(rows: tuple[tuple[Inlines, ...], ...]) -> Iterator[Table]:
    width = len(rows[0]) if rows else 0
    fitted = [_fitted(row, width) for row in rows] if width else []
    if any(any(row) for row in fitted):
        yield Table((fitted[0], *(row for row in fitted[1:] if any(row))))


def _fitted(row: tuple[Inlines, ...], width: int) -> tuple[Inlines, ...]:
    """As many cells as the head: missing ones empty, extra ones told on in the last."""
    last: list[Inline] = []
    for cell in row[width - 1 :]:
        last += ([Text(" ")] if last else []) + list(cell)
    cells = (*row[: width - 1], *((tuple(last),) if len(row) >= width else ()))
    padded = cells + ((),) * (width - len(cells))
    return tuple(normalise_inlines(cell) for cell in padded)


def words(blocks: Iterable[Block]) -> str:
    """The visible words of blocks, one blank between them: the same in every medium."""
    return " ".join(text for block in blocks for text in _block_words(block) if text)


def _block_words(block: Block) -> Iterator[str]:
    match block:
        case Paragraph(children) | Heading(children):
            yield inline_words(children)
        case CodeBlock(value):
            yield " ".join(clean(value).split())
        case Quote(children):
            yield words(children)
        case Bullets(items):
            yield from (words(item) for item in items)
        case Table(rows):
            yield from (inline_words(cell) for row in rows for cell in row)
