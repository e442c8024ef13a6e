"""Cuts a CSV file into rows, one at a time, so that a broken row spoils no other and no file fills memory."""

import csv
import re
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from bot.errors import InputError

LONGEST_LINE = 10_000
LINES = 20
"""How many lines one row may have: a quote that nobody closes must not swallow the rest of the file."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a file; `text` is None where it was too long."""

    number: int
    text: str | None


@dataclass(frozen=True, slots=True)
class Row:
    """The cells of one row, or why there are none; `line` is where it begins."""

    line: int
    cells: tuple[str, ...] = ()
    fault: str | None = None


@contextmanager
def opened(file: Path) -> Iterator[IO[str]]:
    """A CSV file to read; bytes that are not UTF-8 stay as lone surrogates, for `undecoded` to find."""
    try:
        with file.open(encoding="utf-8-sig", errors="surrogateescape") as stream:
            yield stream
    except OSError as error:
        what = error.strerror or type(error).__name__
        raise InputError(str(file), what, "name a readable CSV file") from error


def undecoded(text: str) -> bool:
    """Whether a text had bytes that are not UTF-8."""
    return not text.isascii() and bool(re.search(r"[\udc80-\udcff]", text))


def rows_of(stream: IO[str]) -> Iterator[Row]:
    """Each row that is not blank; of a broken one the line it begins on, and the next line is a row again."""
    lines = _Lines(stream)
    delimiter = _delimiter(lines.first())
    while line := lines.take():
        if line.text is None:
            yield Row(line.number, fault=f"the line has more than {LONGEST_LINE} characters")
        elif line.text.strip(f" \t\n{delimiter}"):
            yield _row(line.number, line.text, lines, delimiter)


def _row(number: int, text: str, lines: "_Lines", delimiter: str) -> Row:
    """The row that begins with a line, with as many more as its open quote needs."""
    texts, taken = [text], []
    fault = ""
    while True:
        try:
            return Row(number, tuple(next(csv.reader(texts, delimiter=delimiter, strict=True))))
        except csv.Error as error:
            fault = str(error)
        more = lines.take() if fault == "unexpected end of data" and len(texts) < LINES else None
        if more is None or more.text is None:
            break
        taken.append(more)
        texts.append(more.text)
    lines.put_back([*taken, *([more] if more else [])])
    return Row(number, fault=f"not CSV: {_words(fault)}")


def _words(fault: str) -> str:
    return "a quote is opened and never closed" if fault == "unexpected end of data" else fault


def _delimiter(header: str) -> str:
    """Spreadsheets in much of Europe write semicolons."""
    return max(",;\t", key=header.count)


class _Lines:
    """The numbered lines of a file, some of which may be put back."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream
        self._number = 0
        self._back: deque[Line] = deque()

    def first(self) -> str:
        """The first line, which is not taken yet."""
        if line := self.take():
            self.put_back([line])
        return line.text or "" if line else ""

    def take(self) -> Line | None:
        if self._back:
            return self._back.popleft()
        if not (text := self._stream.readline(LONGEST_LINE)):
            return None
        self._number += 1
        return Line(self._number, text if self._whole(text) else None)

    def _whole(self, text: str) -> bool:
        """Whether this is a whole line; the rest of one that is too long is passed over."""
        whole = True
        while len(text) == LONGEST_LINE and not text.endswith("\n"):
            whole = False
            text = self._stream.readline(LONGEST_LINE)
        return whole

    def put_back(self, lines: list[Line]) -> None:
        self._back.extendleft(reversed(lines))
