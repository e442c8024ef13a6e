"""Writes the readers as CSV, in the form that `importing` takes back without changing anybody's consent."""

import csv
from typing import IO

from bot.store import Store, readers

COLUMNS = ("email", "name", "language", "newsletter", "state", "suppressed")

FORMULA = tuple("=+-@\t\r")
"""What a spreadsheet takes for the beginning of a formula (OWASP: CSV injection)."""


def export_csv(store: Store, stream: IO[str], newsletter: str | None = None) -> None:
    """Write every reader with their states; a spreadsheet does not take a name for a formula."""
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(COLUMNS)
    with store.read() as connection:
        for one in readers.every(connection, newsletter):
            for name, state in one.subscriptions.items():
                if newsletter in {None, name}:
                    cells = (one.email, one.name, one.language, name, state, one.suppressed or "")
                    writer.writerow([harmless(cell) for cell in cells])


def harmless(cell: str) -> str:
    """A cell that no spreadsheet runs."""
    return f"'{cell}" if _runs(cell) else cell


def as_meant(cell: str) -> str:
    """A cell without the quote that `harmless` puts before it."""
    return cell[1:] if cell[:1] == "'" and _runs(cell) else cell


def _runs(cell: str) -> bool:
    """Whether a spreadsheet runs a cell, or would once the quotes before it are taken off."""
    return cell.lstrip("'")[:1] in FORMULA
