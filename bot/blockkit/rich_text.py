"""Blocks of text as Slack's rich_text: each run says what it is, so that nothing needs escaping."""

from collections.abc import Iterable, Iterator, Sequence

from bot.blockkit.dividing import CODE, divided
from bot.blockkit.limits import INDENT, PIECE
from bot.blockkit.measure import Json, gathered, size
from bot.blockkit.tables import drawn
from bot.markup import Run, normalise, runs
from bot.text import (
    Block,
    Blocks,
    Bullets,
    CodeBlock,
    Heading,
    Inlines,
    Paragraph,
    Quote,
    Strong,
    Table,
)

_ROOM = PIECE - 200
"""For the runs of one element; the rest is for what stands around them."""


def rich(blocks: Blocks) -> list[Json]:
    """Blocks of text as rich_text, in several blocks where one would grow too large."""
    elements = _paragraphs_joined(_elements(normalise(blocks)))
    pieces = (piece for element in elements for piece in _divided(element))
    return [{"type": "rich_text", "elements": _lists_joined(group)} for group in gathered(pieces)]


# ------------------------------------------------------------------------------------------------- elements


def _elements(blocks: Blocks, indent: int = 0) -> Iterator[Json]:
    for block in blocks:
        yield from _element(block, indent)


def _element(block: Block, indent: int) -> Iterator[Json]:
    match block:
        case Paragraph(children):
            yield _section(_runs(children))
        case Heading(children):
            yield _section(_runs((Strong(children),)))
        case Bullets():
            yield from _list(block, indent)
        case Quote(children):
            yield {"type": "rich_text_quote", "elements": _flat(children)}
        case CodeBlock(value):
            yield {"type": "rich_text_preformatted", "elements": [_words(value)]}
        case Table(rows):
            yield _table(rows)


def _words(text: str) -> Json:
    return {"type": "text", "text": text}


def _section(elements: list[Json]) -> Json:
    return {"type": "rich_text_section", "elements": elements or [_words(" ")]}


def _runs(inlines: Inlines) -> list[Json]:
    return [_run(run) for run in runs(inlines)]


_STYLES = {"bold": "bold", "italic": "italic", "strike": "struck", "code": "code"}


def _run(run: Run) -> Json:
    element = {"type": "link", "url": run.url, "text": run.text} if run.url else _words(run.text)
    style = {look: True for look, says in _STYLES.items() if getattr(run, says)}
    return {**element, "style": style} if style else element


def _table(rows: Sequence[Sequence[Inlines]]) -> Json:
    """A table drawn with blanks where a phone shows it unbroken, else its rows as lines.

    Slack's own tables may be but one to a message, and are not for every way to post.
    """
    if picture := drawn(rows):
        return {"type": "rich_text_preformatted", "elements": [_words(picture)]}
    return _section(_lines([_row(row, head=not at) for at, row in enumerate(rows)]))


def _row(cells: Sequence[Inlines], *, head: bool) -> list[Json]:
    """A table's row in one line."""
    line: list[Json] = []
    for at, cell in enumerate(cells):
        line += [_words(" | ")] if at else []
        line += _runs((Strong(cell),) if head else cell)
    return line


def _lines(lines: Iterable[list[Json]], gap: str = "\n") -> list[Json]:
    """Lines of runs, one below the other."""
    joined: list[Json] = []
    for line in lines:
        joined += [_words(gap), *line] if joined else line
    return joined


# ---------------------------------------------------------------------------------------------------- lists


def _list(bullets: Bullets, indent: int) -> Iterator[Json]:
    """A list, each item a piece of its own: lists inside of them stand between, as Slack wants it."""
    for at, blocks in enumerate(bullets.items):
        line, below = _item(blocks)
        piece: Json = {"type": "rich_text_list", "style": "bullet", "indent": min(indent, INDENT)}
        if bullets.start is not None:
            piece["style"] = "ordered"
            if offset := max(bullets.start - 1, 0) + at:
                piece["offset"] = offset
        yield {**piece, "elements": [_section(_flat(line))]}
        yield from _elements(below, indent + 1)


def _item(blocks: Blocks) -> tuple[Blocks, Blocks]:
    """What stands in an item's own line, and what follows from its first block that cannot stand there."""
    for at, block in enumerate(blocks):
        if isinstance(block, Bullets | CodeBlock | Quote | Table):
            return blocks[:at], blocks[at:]
    return blocks, ()


def _flat(blocks: Blocks) -> list[Json]:
    """Blocks where Slack takes runs only: one below the other."""
    return _lines(_line(element) for element in _elements(blocks)) or [_words(" ")]


def _line(element: Json) -> list[Json]:
    if element["type"] == "rich_text_preformatted":
        return [{**run, "style": {"code": True}} for run in element["elements"]]
    if element["type"] != "rich_text_list":
        return list(element["elements"])
    mark = "• " if element["style"] == "bullet" else f"{element.get('offset', 0) + 1}. "
    return [_words("  " * element["indent"] + mark), *element["elements"][0]["elements"]]


# -------------------------------------------------------------------------------------- joining and dividing


def _paragraphs_joined(elements: Iterable[Json]) -> list[Json]:
    """Neighbouring paragraphs as one, with an empty line between, but none after a heading."""
    joined: list[Json] = []
    for element in elements:
        last = joined[-1] if joined else None
        if last and last["type"] == element["type"] == "rich_text_section":
            gap = "\n" if _ends_in_heading(last["elements"]) else "\n\n"
            both = _section(_lines((last["elements"], element["elements"]), gap))
            if size([both]) <= PIECE:
                joined[-1] = both
                continue
        joined.append(element)
    return joined


def _ends_in_heading(elements: Sequence[Json]) -> bool:
    """Whether the last line is bold as a whole."""
    for run in reversed(elements):
        if run["text"] in {"\n", "\n\n"}:
            break
        if "bold" not in run.get("style", {}):
            return False
    return True


def _lists_joined(elements: Iterable[Json]) -> list[Json]:
    """Items that continue one another as one list."""
    joined: list[Json] = []
    for element in elements:
        if joined and _continues(joined[-1], element):
            joined[-1] = {**joined[-1], "elements": [*joined[-1]["elements"], *element["elements"]]}
        else:
            joined.append(element)
    return joined


def _continues(last: Json, element: Json) -> bool:
    if not (last["type"] == element["type"] == "rich_text_list"):
        return False
    same = (last["style"], last["indent"]) == (element["style"], element["indent"])
    next_number = last.get("offset", 0) + len(last["elements"])
    return same and (element["style"] == "bullet" or element.get("offset", 0) == next_number)


def _divided(element: Json) -> Iterator[Json]:
    """One element in pieces that each fit; only the first piece of a list's item is in the list."""
    if size([element]) <= PIECE:
        yield element
    elif element["type"] == "rich_text_list":
        first, *others = divided(element["elements"][0]["elements"], _ROOM)
        yield {**element, "elements": [_section(first)]}
        yield from map(_section, others)
    elif element["type"] == "rich_text_preformatted":
        pieces = divided(element["elements"], _ROOM, CODE)
        yield from ({**element, "elements": _without_last_line_end(piece)} for piece in pieces)
    else:
        yield from ({**element, "elements": piece} for piece in divided(element["elements"], _ROOM))


def _without_last_line_end(runs: list[Json]) -> list[Json]:
    """Code as it is shown: an empty line at its end would be seen."""
    *others, last = runs
    text = last["text"].rstrip("\n")
    return [*others, {**last, "text": text}] if text else runs
