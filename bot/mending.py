"""Mends in content files what needs no judgement, and touches no other byte of them.

    findings → their edits, by file → a file's bytes, before and after → a diff to look at → the file replaced

An edit is cut down to the characters that it changes, so that several can mend one address. Code and comments
are never touched, and an edit that does not find what it expects is left alone.
"""

import os
import re
import tempfile
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from difflib import SequenceMatcher, unified_diff
from pathlib import Path
from typing import NamedTuple

from bot.front_matter import LARGEST, open_bytes
from bot.markup.protected import protected
from bot.models import Edit, Finding

_FOLDER = "content"
_LINE_END = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True, slots=True)
class Mended:
    """One content file, before and after."""

    place: str
    """Its path below the installation, as findings name it."""
    before: bytes
    after: bytes
    edits: tuple[Edit, ...]
    """Those that were made."""


class _Change(NamedTuple):
    """Characters [begin, end) of a text become others."""

    begin: int
    end: int
    new: str


def mended(root: Path, findings: Iterable[Finding]) -> list[Mended]:
    """The content files that the edits of findings change, by path; nothing is written."""
    edits = defaultdict[str, list[Edit]](list)
    for finding in findings:
        for edit in finding.edits:
            edits[_parsed(edit.place)[0]].append(edit)
    made = (
        _mended(root, place, wanted) for place, wanted in sorted(edits.items()) if _is_content(root, place)
    )
    return [one for one in made if one and one.before != one.after]


def _is_content(root: Path, place: str) -> bool:
    """Whether a place is a content file of this installation, and not a way out of it."""
    folder = (root / _FOLDER).resolve()
    return (root / place).resolve().is_relative_to(folder)


def _mended(root: Path, place: str, edits: Sequence[Edit]) -> Mended | None:
    try:
        before = (root / place).read_bytes()
    except OSError:  # it is gone since it was checked
        return None
    after, made = mend(before, edits)
    return Mended(place, before, after, made)


# ------------------------------------------------------------------------------------------------- one file


def mend(content: bytes, edits: Iterable[Edit]) -> tuple[bytes, tuple[Edit, ...]]:
    """A file's bytes after edits, and those that were made; bytes that are no readable file stay."""
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return content, ()
    if len(content) > LARGEST:
        return content, ()
    lines = _Lines(text)
    changes: list[_Change] = []
    made: list[Edit] = []
    for edit in dict.fromkeys(edits):
        wanted = lines.changes(edit)
        new = [change for change in wanted if change not in changes]
        if wanted and not any(_clash(one, other) for one in new for other in changes):
            changes += new
            made.append(edit)
    for begin, end, words in sorted(changes, reverse=True):
        text = text[:begin] + words + text[end:]
    return text.encode("utf-8"), tuple(made)


def _clash(one: _Change, other: _Change) -> bool:
    """Whether two changes touch each other."""
    return one.begin <= other.end and other.begin <= one.end


class _Lines:
    """The lines of a file's text as places count them, whatever ends them."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._first = 1 if text.startswith("\ufeff") else 0
        self._spans = list(_lines(text, self._first))
        self._kept = list(self._protected())

    def changes(self, edit: Edit) -> list[_Change]:
        """What an edit changes; nothing where its old text does not stand where it should."""
        _, line, column = _parsed(edit.place)
        if not edit.old or not 0 < line <= len(self._spans):
            return []
        begin, end = self._spans[line - 1]
        at = begin + column - 1 if column else self._text.find(edit.old, begin, end)
        fits = begin <= at and at + len(edit.old) <= end and self._text.startswith(edit.old, at)
        if not fits or self._is_protected(at, at + len(edit.old)):
            return []
        return [
            _Change(at + a, at + b, edit.new[c:d])
            for tag, a, b, c, d in SequenceMatcher(None, edit.old, edit.new, autojunk=False).get_opcodes()
            if tag != "equal"
        ]

    def _is_protected(self, begin: int, end: int) -> bool:
        return any(start < end and begin < stop for start, stop in self._kept)

    def _protected(self) -> Iterator[tuple[int, int]]:
        """Code and comments of the body, as they stand in the text with its own line ends."""
        opened = open_bytes(self._text.encode("utf-8"), "")
        starts = [0, *(found.end() for found in re.finditer("\n", opened.body))]
        for span in protected(opened.body):
            lines = [bisect_right(starts, offset) for offset in span]
            begin, end = (
                self._spans[opened.body_line + line - 2][0] + offset - starts[line - 1]
                for offset, line in zip(span, lines, strict=True)
            )
            yield begin, end


def _lines(text: str, begin: int) -> Iterator[tuple[int, int]]:
    """Where each line begins, and where it ends before its line end."""
    for found in _LINE_END.finditer(text, begin):
        yield begin, found.start()
        begin = found.end()
    yield begin, len(text)


def _parsed(place: str) -> tuple[str, int, int]:
    """File, line and column of a place; 0 for what it does not say."""
    file, _, last = place.rpartition(":")
    if not last.isdecimal():
        return place, 0, 0
    front, _, line = file.rpartition(":")
    return (front, int(line), int(last)) if line.isdecimal() and front else (file, int(last), 0)


# ---------------------------------------------------------------------------------------- showing, writing


def diff(one: Mended) -> list[str]:
    """The change of one file as the lines of a unified diff, without line ends."""
    before, after = (
        each.decode("utf-8").replace("\r\n", "\n").split("\n") for each in (one.before, one.after)
    )
    return list(unified_diff(before, after, one.place, one.place, lineterm="", n=1))


def write(root: Path, one: Mended) -> bool:
    """Replace the file by its mended form in one step, its mode kept; False where it changed meanwhile."""
    path = (root / one.place).resolve()
    if path.read_bytes() != one.before:
        return False
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(one.after)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(path.stat().st_mode & 0o7777)
        Path(name).replace(path)
    except BaseException:
        with suppress(OSError):
            Path(name).unlink()
        raise
    return True
