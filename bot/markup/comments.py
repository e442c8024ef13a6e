"""Takes editors' notes (`<!-- … -->`) out of a text before it is parsed, for no output may hold them.

Code keeps its `<!--`: fences, code spans and escaped marks are stepped over. Line ends inside a comment stay,
so that every line keeps its number.
"""

import re
from collections.abc import Iterator

_MARK = re.compile(
    r"\\[^\n]"  # an escaped character
    r"|^[ \t>]*(?:(?:[-+*]|\d{1,9}[.)])[ \t]+)*(?P<fence>`{3,}(?=[^`\n]*$)|~{3,})"
    r"|(?P<ticks>`+)"
    r"|(?P<comment><!--)"
    r"|\n[ \t]*(?P<blank>\n)",
    re.MULTILINE,
)
_COMMENT = re.compile(r"<!--(?:-?>|.*?-->)", re.DOTALL)


def without_comments(text: str) -> tuple[str, int | None]:
    """The text without its comments, and the 0-based line of one that is never closed."""
    if "<!--" not in text:
        return text, None
    kept, begin, unclosed = [], 0, None
    for start, end in _comments(text):
        if end is None:
            unclosed = text.count("\n", 0, start)
            break
        kept += [text[begin:start], "\n" * text.count("\n", start, end)]
        begin = end
    return "".join((*kept, text[begin:])), unclosed


def spans_of(text: str) -> list[tuple[int, int]]:
    """Where the comments of a text stand, one that is never closed to the end; half open, in characters."""
    return [(start, len(text) if end is None else end) for start, end in _comments(text)]


def _comments(text: str) -> Iterator[tuple[int, int | None]]:
    """Start and end of each comment; an end of None is a comment without one."""
    at = 0
    lonely: set[str] = set()
    while mark := _MARK.search(text, at):
        at = mark.end()
        if fence := mark["fence"]:
            at = _end_of_fence(text, at, fence)
        elif mark["blank"]:
            at, lonely = mark.start("blank"), set()
        elif (ticks := mark["ticks"]) and ticks not in lonely:
            at = _end_of_span(text, at, ticks, lonely)
        elif mark["comment"]:
            found = _COMMENT.match(text, mark.start())
            yield mark.start(), found and found.end()
            if not found:
                return
            at = found.end()


def _end_of_fence(text: str, at: int, fence: str) -> int:
    closing = re.compile(rf"^[ \t>]*{fence[0]}{{{len(fence)},}}[ \t]*$", re.MULTILINE)
    found = closing.search(text, at)
    return found.end() if found else len(text)


def _end_of_span(text: str, at: int, ticks: str, lonely: set[str]) -> int:
    """Behind the run of backticks that closes a span in the same paragraph; where it opened, if none does."""
    tail = re.compile(rf"(?<!`){ticks}(?!`)|\n[ \t]*\n")
    found = tail.search(text, at)
    if found and found[0] == ticks:
        return found.end()
    lonely.add(ticks)
    return at
