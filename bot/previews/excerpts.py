"""The lines of a file around the place that a finding names, for whoever mends it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bot.checks import located
from bot.models import Finding

AROUND = 3
"""Lines before and after."""
LONGEST_LINE = 300
LARGEST = 2_000_000
"""Bytes of a file that are looked at."""
FOLDERS = ("content", "config", "templates")
"""Of an installation; what stands elsewhere is not shown."""

_SECRET = re.compile(r"(?i)^(\s*[\w.\"-]*(?:password|secret|token|webhook|key)[\w.\"-]*\s*=\s*).*$")


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a file."""

    number: int
    text: str
    meant: bool
    """Whether it is the one that the finding names."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A finding, and what stands there."""

    finding: Finding
    lines: tuple[Line, ...]


def excerpt(finding: Finding, folders: Sequence[Path]) -> Excerpt:
    """The lines around a finding, from the first folder that has its file; none where it has no line."""
    spot = located(finding.place)
    text = _text(spot.file, folders) if spot.line else ""
    lines = text.splitlines()
    first, last = max(1, spot.line - AROUND), min(len(lines), spot.line + AROUND)
    hides = spot.file.startswith("config/")
    return Excerpt(
        finding,
        tuple(
            Line(number, _shown(lines[number - 1], hides=hides), number == spot.line)
            for number in range(first, last + 1)
        ),
    )


def _text(file: str, folders: Sequence[Path]) -> str:
    """A file's text by its path below an installation; nothing where it leads out of it."""
    parts = Path(file).parts
    if not parts or parts[0] not in FOLDERS or ".." in parts:
        return ""
    for folder in folders:
        path = folder / file
        try:
            if path.is_file() and path.stat().st_size <= LARGEST:
                return path.read_text("utf-8", "replace")
        except OSError:
            continue
    return ""


def _shown(line: str, *, hides: bool) -> str:
    """A line as it can be shown: not without end, and of a configuration no secret."""
    if hides:
        line = _SECRET.sub(r"\1…", line)
    return line if len(line) <= LONGEST_LINE else f"{line[: LONGEST_LINE - 1]}…"
