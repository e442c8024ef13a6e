"""Divides runs of text that are too long: after a sentence, else after a word, not in a link or a character.

Only what has neither is cut in between: a word of thousands of letters, or a link of them, whose two halves
then both lead there.
"""

import json
import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from bot.blockkit.graphemes import start_of
from bot.blockkit.limits import PIECE
from bot.blockkit.measure import Json

_Ends: TypeAlias = tuple[re.Pattern[str], ...]

_LINE = re.compile(r"\n+")
_SENTENCE = re.compile(
    r"[.!?…؟।][\"'”’»)\]]*\s+"
    "|[。\uff01\uff1f\uff0e][」』”’\uff09]*\\s*"  # East Asia's, which no blank follows
    r"|\n+"
)
_BLANKS = re.compile(r"\s+")
PROSE = (_SENTENCE, _BLANKS)
"""Where prose is best cut; the first kind that there is."""
CODE = (_LINE, _BLANKS)


def divided(runs: Sequence[Json], limit: int = PIECE, ends: _Ends = PROSE) -> Iterator[list[Json]]:
    """Runs in pieces whose JSON has at most `limit` characters."""
    rest = deque(runs)
    while (at := _reach(rest, limit)) is not None:
        front = _front(rest, at)
        head, tail = _split(front, _best(front, at, ends))
        rest.extendleft(reversed(tail))
        yield head
    yield list(rest)


def _front(rest: deque[Json], limit: int) -> list[Json]:
    """Takes off what decides where to cut: the runs that begin up to the limit, or right behind it."""
    front: list[Json] = []
    reached = 0
    while rest and reached <= limit + 1:
        front.append(rest.popleft())
        reached += len(front[-1]["text"])
    return front


def cut(text: str, limit: int) -> Iterator[str]:
    """A text in pieces of at most `limit` characters."""
    while len(text) > limit:
        at = _last(_SENTENCE, text, limit) or _last(_BLANKS, text, limit) or start_of(text, limit) or limit
        yield text[:at]
        text = text[at:]
    yield text


def _last(pattern: re.Pattern[str], text: str, limit: int) -> int:
    """Where the last match ends that leaves room; 0 where there is none."""
    return max(
        (found.end() for found in pattern.finditer(text[: limit + 1]) if found.end() <= limit), default=0
    )


# ------------------------------------------------------------------------------------------------------- runs


def _reach(runs: Iterable[Json], limit: int) -> int | None:
    """How many characters from the start have room; None where all have."""
    room, reached = limit - 2, 0
    for run in runs:
        text, around = run["text"], len(json.dumps({**run, "text": ""}, ensure_ascii=False)) + 2
        if around + len(text) > room or around + _written(text) > room:
            return max(reached + _fitting(text, room - around), 1)
        room -= around + _written(text)
        reached += len(text)
    return None


def _written(text: str) -> int:
    return len(json.dumps(text, ensure_ascii=False)) - 2


def _fitting(text: str, room: int) -> int:
    """How many of the first characters take no more room than there is as JSON."""
    low, high = 0, min(len(text), max(room, 0))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if _written(text[:middle]) <= room else (low, middle - 1)
    return low


@dataclass(frozen=True, slots=True)
class _Stretch:
    """A link, or words between two: from where to where it goes in the whole text."""

    start: int
    end: int
    url: str | None

    def holds(self, at: int) -> bool:
        return self.url is not None and self.start < at < self.end


def _stretches(runs: Sequence[Json]) -> list[_Stretch]:
    found: list[_Stretch] = []
    end = 0
    for run in runs:
        start, end, url = end, end + len(run["text"]), run.get("url")
        if url and found and found[-1].url == url:
            found[-1] = _Stretch(found[-1].start, end, url)
        else:
            found.append(_Stretch(start, end, url))
    return found


def _best(runs: Sequence[Json], limit: int, ends: _Ends) -> int:
    """The best place to cut, at most `limit` characters from the start and at least one."""
    text = "".join(run["text"] for run in runs)[: limit + 1]
    links = [stretch for stretch in _stretches(runs) if stretch.url and stretch.start <= limit]

    def free(at: int) -> bool:
        return 0 < at <= limit and not any(link.holds(at) for link in links)

    for pattern in ends:
        if found := [match.end() for match in pattern.finditer(text) if free(match.end())]:
            return found[-1]
    around = next((link.start for link in links if link.holds(limit)), limit)
    if before := start_of(text, around):
        return before
    return next(
        (at for pattern in ends if (at := _last(pattern, text, limit))), start_of(text, limit) or limit
    )


def _split(runs: Sequence[Json], at: int) -> tuple[list[Json], list[Json]]:
    """Runs before and after a place; one that it falls into is in both."""
    head: list[Json] = []
    tail: list[Json] = []
    for run in runs:
        text = run["text"]
        if before := text[: max(at, 0)]:
            head.append({**run, "text": before})
        if after := text[max(at, 0) :]:
            tail.append({**run, "text": after})
        at -= len(text)
    return head, tail
