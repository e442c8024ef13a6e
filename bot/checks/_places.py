"""Reads places: the file, and where it is known the line and column, that a finding is about."""

import re
from typing import NamedTuple

_PLACE = re.compile(r"(.*?)(?::([0-9]{1,9}))?(?::([0-9]{1,9}))?", re.DOTALL)


class Spot(NamedTuple):
    """Where something is; lines and columns count from 1, and 0 is for one that is not known."""

    file: str
    """A file, or the name of a variable of the environment."""
    line: int
    column: int


def located(place: str) -> Spot:
    """`content/a.md:12:5` → file, line, column."""
    found = _PLACE.fullmatch(place)
    file, line, column = found.groups() if found else (place, None, None)
    return Spot(file, int(line or 0), int(column or 0))
