"""Where a text is not read as text: in code and in comments, which nobody may mend."""

import re
from collections.abc import Iterator
from itertools import accumulate

from bot.markup.comments import spans_of, without_comments
from bot.markup.rules import markdown

Span = tuple[int, int]
"""Half open, in characters."""

_TICKS = re.compile("`+")
_NO_LINE_END = re.compile(r"[^\n]")
_MARKS = ("`", "~~~", "    ", "\t")
"""Without one of these a text has no code."""


def protected(text: str) -> list[Span]:
    """The code blocks, code spans and comments of a text with plain line ends, in order."""
    comments = spans_of(text) if "<!--" in text else []
    return sorted([*comments, *_code(text, comments)])


def _code(text: str, comments: list[Span]) -> Iterator[Span]:
    if not any(mark in text for mark in _MARKS):
        return
    # Without its comments every line keeps its number, and with blanks in their place every column.
    tokens = markdown().parse(without_comments(text)[0])
    for begin, end in comments:
        text = text[:begin] + _NO_LINE_END.sub(" ", text[begin:end]) + text[end:]
    starts = [0, *accumulate(len(line) + 1 for line in text.split("\n"))]
    for token in tokens:
        if token.map and token.type in ("fence", "code_block"):
            yield starts[token.map[0]], min(starts[token.map[1]], len(text))
        elif token.map and token.type == "inline" and "`" in token.content:
            yield from _code_spans(text, starts[token.map[0]], min(starts[token.map[1]], len(text)))


def _code_spans(text: str, begin: int, end: int) -> Iterator[Span]:
    """The stretches between two runs of as many backticks (CommonMark 0.31, 6.1)."""
    runs = [(found.start(), found.end()) for found in _TICKS.finditer(text, begin, end)]
    closers = dict[int, list[int]]()
    for at in range(len(runs) - 1, -1, -1):
        closers.setdefault(runs[at][1] - runs[at][0], []).append(at)
    at = 0
    while at < len(runs):
        start, stop = runs[at]
        same = closers[stop - start]
        while same and same[-1] <= at:
            same.pop()
        if same and not _escaped(text, start):
            yield start, runs[same[-1]][1]
            at = same[-1]
        at += 1


def _escaped(text: str, at: int) -> bool:
    before = text[max(at - 20, 0) : at]
    return (len(before) - len(before.rstrip("\\"))) % 2 == 1
