"""Passages before and after, matched and compared; bounded, so that 800 entries are a matter of a moment."""

import re
from bisect import bisect_left
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum

from bot.changes.passages import Passage

LONGEST = 2_000
"""Words of a passage, without those that both ends share, that are compared one by one."""
MANY = 400
"""Words from which those that stand everywhere begin no match: comparing would take too long."""
LIKELY = 0.5
"""Share of words in common from which two entries that lead elsewhere are taken for the same one, changed."""
MOST_GUESSES = 60
"""Entries without a match, on either side, that are compared by their words."""


class Kind(StrEnum):
    """What happened to a passage."""

    ADDED = "added"
    REMOVED = "removed"
    MOVED = "moved"
    CHANGED = "changed"


class Run(StrEnum):
    """On which side words stand."""

    SAME = "same"
    ADDED = "added"
    REMOVED = "removed"


@dataclass(frozen=True, slots=True)
class Change:
    """What happened to one passage, and its words in reading order."""

    kind: Kind
    title: str
    runs: tuple[tuple[Run, str], ...] = ()

    @property
    def added(self) -> str:
        """The words that came."""
        return " ".join(words for kind, words in self.runs if kind is Run.ADDED)

    @property
    def removed(self) -> str:
        """The words that went."""
        return " ".join(words for kind, words in self.runs if kind is Run.REMOVED)


def changes(before: Sequence[Passage], after: Sequence[Passage]) -> tuple[Change, ...]:
    """What changed, in the order of `after`; what was removed comes last."""
    match = _matched(before, after)
    still = _in_order([match[here] for here in sorted(match)])
    told = (_change(before, one, match.get(here), still) for here, one in enumerate(after))
    gone = sorted(set(range(len(before))) - set(match.values()))
    removed = (Change(Kind.REMOVED, before[there].title) for there in gone)
    return (*(one for one in told if one), *removed)


def _change(before: Sequence[Passage], one: Passage, there: int | None, still: set[int]) -> Change | None:
    if there is None:
        return Change(Kind.ADDED, one.title, ((Run.ADDED, one.words),) if one.words else ())
    old = before[there]
    if (old.title, old.words) != (one.title, one.words):
        return Change(Kind.CHANGED, one.title, tuple(_runs(_all_words(old), _all_words(one))))
    moved = there not in still or old.section != one.section
    return Change(Kind.MOVED, one.title) if moved else None


def _all_words(one: Passage) -> list[str]:
    """The words of a passage, its title's first, each line's end a word of its own."""
    return re.findall(r"\n|[^\s]+", f"{one.title}\n{one.words}")


# -------------------------------------------------------------------------------------------------- matching


def _matched(before: Sequence[Passage], after: Sequence[Passage]) -> dict[int, int]:
    """For places in `after`, where the same passage stood before: by its whole, its key, title, or words."""
    match: dict[int, int] = {}
    _match_by(_whole, before, after, match)
    _match_by(lambda one: one.key, before, after, match)
    _match_by(lambda one: one.title.casefold(), before, after, match)
    _match_by_words(before, after, match)
    return match


def _whole(one: Passage) -> str:
    return f"{one.key}\n{one.title}\n{one.words}"


def _match_by(
    naming: Callable[[Passage], str],
    before: Sequence[Passage],
    after: Sequence[Passage],
    match: dict[int, int],
) -> None:
    """Match what has the same name and no match yet, in order."""
    taken = set(match.values())
    free = defaultdict[str, deque[int]](deque)
    for there, one in enumerate(before):
        if there not in taken and naming(one):
            free[naming(one)].append(there)
    for here, one in enumerate(after):
        if here not in match and free.get(naming(one)):
            match[here] = free[naming(one)].popleft()


def _match_by_words(before: Sequence[Passage], after: Sequence[Passage], match: dict[int, int]) -> None:
    taken = set(match.values())
    lost = [there for there in range(len(before)) if there not in taken][:MOST_GUESSES]
    new = [here for here in range(len(after)) if here not in match][:MOST_GUESSES]
    bags = {there: set(_all_words(before[there])) for there in lost}
    for here in new:
        bag = set(_all_words(after[here]))
        alike = {there: _alike(bag, bags[there]) for there in bags}
        best = max(alike, key=lambda there: alike[there], default=None)
        if best is not None and alike[best] >= LIKELY:
            match[here] = best
            del bags[best]


def _alike(one: set[str], other: set[str]) -> float:
    return len(one & other) / (len(one | other) or 1)


def _in_order(places: Sequence[int]) -> set[int]:
    """The longest run of places that kept their order: all others moved."""
    tops: list[int] = []
    chain: dict[int, int | None] = {}
    for place in places:
        at = bisect_left(tops, place)
        chain[place] = tops[at - 1] if at else None
        tops[at : at + 1] = [place]
    kept: set[int] = set()
    step = tops[-1] if tops else None
    while step is not None:
        kept.add(step)
        step = chain[step]
    return kept


# ---------------------------------------------------------------------------------------------------- words


def _runs(old: list[str], new: list[str]) -> Iterator[tuple[Run, str]]:
    """The words of both, in runs; what is longer than `LONGEST` in the middle is one run each."""
    start = _shared(old, new)
    end = _shared(old[start:][::-1], new[start:][::-1])
    yield from _run(Run.SAME, old[:start])
    before, after = old[start : len(old) - end], new[start : len(new) - end]
    if max(len(before), len(after)) > LONGEST:
        yield from _run(Run.REMOVED, before)
        yield from _run(Run.ADDED, after)
    else:
        for tag, i, j, k, m in _opcodes(before, after):
            if tag == "equal":
                yield from _run(Run.SAME, before[i:j])
            else:
                yield from _run(Run.REMOVED, before[i:j])
                yield from _run(Run.ADDED, after[k:m])
    yield from _run(Run.SAME, old[len(old) - end :])


def _opcodes(before: list[str], after: list[str]) -> Sequence[tuple[str, int, int, int, int]]:
    return SequenceMatcher(None, before, after, autojunk=len(after) > MANY).get_opcodes()


def _run(kind: Run, words: list[str]) -> Iterator[tuple[Run, str]]:
    """One run; a line's end stays one, without blanks around it."""
    if words:
        yield kind, re.sub(r" ?\n ?", "\n", " ".join(words))


def _shared(one: Sequence[str], other: Sequence[str]) -> int:
    """How many words both begin with."""
    count = 0
    for mine, theirs in zip(one, other, strict=False):
        if mine != theirs:
            break
        count += 1
    return count
