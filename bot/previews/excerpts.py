"""The lines of a file around the place that a finding names, for whoever mends it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bot.checks import located
from bot.errors import InputError
from bot.models import Finding, Severity

AROUND = 3
"""Lines before and after."""
LONGEST_LINE = 300
LARGEST = 2_000_000
"""Bytes of a file that are looked at."""
FOLDERS = ("content", "config", "templates")
"""Of an installation; what stands elsewhere is not shown."""

_TABLE = re.compile(r"\s{0,9}\[{1,2}\s{0,9}([\w.\"-]{1,200})\s{0,9}\]")
_KEY = re.compile(r"\s{0,9}([\w.\"-]{1,200})\s{0,9}=")
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


def excerpts(error: InputError, folders: Sequence[Path]) -> list[Excerpt]:
    """What an error is about, place by place."""
    alone = Finding("", Severity.ERROR, error.where, error.what, error.mend)
    return [excerpt(one, folders) for one in error.findings or (alone,)]


def excerpt(finding: Finding, folders: Sequence[Path]) -> Excerpt:
    """The lines around a finding, from the first folder that has its file; none where it has no line."""
    spot = located(finding.place)
    lines, configures = _text(spot.file, folders).splitlines(), spot.file.startswith("config/")
    at = spot.line or (_line_of(finding.message.partition(":")[0], lines) if configures else 0)
    shown = range(max(1, at - AROUND), min(len(lines), at + AROUND) + 1) if at else ()
    return Excerpt(
        finding,
        tuple(Line(number, _shown(lines[number - 1], hides=configures), number == at) for number in shown),
    )


def _line_of(key: str, lines: Sequence[str]) -> int:
    """Where a key such as `schedule.day` stands in a TOML file, or its table; 0 where neither does."""
    table, table_at = "", 0
    for number, line in enumerate(lines, 1):
        if found := _TABLE.match(line):
            table = found[1].replace('"', "")
            table_at = number if f"{key}.".startswith(f"{table}.") else table_at
        elif found := _KEY.match(line):
            name = found[1].replace('"', "")
            if key == (f"{table}.{name}" if table else name):
                return number
    return table_at


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
