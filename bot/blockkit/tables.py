"""Tables drawn with blanks, as text of one width for every character."""

import unicodedata
from collections.abc import Sequence
from itertools import zip_longest

from bot.markup import runs
from bot.text import Inlines

PHONE = 36
"""Columns that a phone shows of preformatted text before it breaks the line."""
_GAP = "  "


def drawn(rows: Sequence[Sequence[Inlines]]) -> str | None:
    """A table as lines, a rule below its head; None where it is too wide or holds what would be lost.

    What is preformatted has no links and no bold words.
    """
    if any(_has_more_than_words(cell) for row in rows[1:] for cell in row) or any(map(_links, rows[0])):
        return None
    cells = [["".join(run.text for run in runs(cell)) for cell in row] for row in rows]
    columns = list(zip_longest(*cells, fillvalue=""))
    widths = [max(map(width, column)) for column in columns]
    whole = sum(widths) + len(_GAP) * (len(widths) - 1)
    if whole > PHONE or any("\n" in cell for row in cells for cell in row):
        return None
    head, *body = (_row(row, widths) for row in cells)
    return "\n".join([head, "─" * whole, *body])


def width(text: str) -> int:
    """How many columns a text takes: two for what East Asian fonts draw wide, none for what only adds."""
    return sum(_width(character) for character in text)


def _width(character: str) -> int:
    if unicodedata.category(character) in {"Mn", "Me", "Cf"}:
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _row(cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = (cell + " " * (wide - width(cell)) for cell, wide in zip(cells, widths, strict=False))
    return _GAP.join(padded).rstrip()


def _links(cell: Inlines) -> bool:
    return any(run.url for run in runs(cell))


def _has_more_than_words(cell: Inlines) -> bool:
    return any(run.url or run.bold or run.italic or run.struck for run in runs(cell))
