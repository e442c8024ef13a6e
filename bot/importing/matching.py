"""Recognises an issue that is already there, whatever form it came in, and tells how the two differ."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import islice

from bot.importing.links import urls_of
from bot.markup import words
from bot.models import Entry, Issue
from bot.sources import Found

_WORD = re.compile(r"\w+")
_MOST_DIFFERENCES = 3
_MOST_WORDS = 3000


@dataclass(frozen=True, slots=True)
class Comparison:
    """How an issue that came in stands to the one that is there."""

    same: bool
    """Whether what is there holds every entry, word and link of what came in."""
    differences: tuple[str, ...]


def fingerprints(entries: Iterable[Entry]) -> Counter[tuple[str, ...]]:
    """Each entry as its bare words, without marks and case: titles alone are no keys."""
    return Counter(_bare(_text(entry)) for entry in entries)


def shares(ours: Counter[tuple[str, ...]], theirs: Counter[tuple[str, ...]]) -> bool:
    """Whether two issues have most of their entries in common."""
    smaller = min(ours.total(), theirs.total())
    return smaller > 0 and (ours & theirs).total() * 2 > smaller


def compare(there: Issue, came: Found | Issue) -> Comparison:
    """Hold what came in against what is there, entry by entry."""
    partners = _partners(there.entries, came.entries)
    serious: list[str] = []
    slight: list[str] = []
    for number, (entry, partner) in enumerate(zip(came.entries, partners, strict=True), start=1):
        if partner is None:
            serious.append(f"entry {number} is not in the file: {entry.title}")
            continue
        mine, theirs = _text(entry).split(), _text(partner).split()
        if mine != theirs:
            bare = _bare(" ".join(mine)) == _bare(" ".join(theirs))
            (slight if bare else serious).append(f"entry {number} differs{_how(theirs, mine)}")
        serious += [
            f"entry {number} has a link that the file has not: {url}" for url in _missing(entry, partner)
        ]
    return Comparison(not serious, (*serious, *slight, *_around(there, came, partners)))


def _around(there: Issue, came: Found | Issue, partners: Sequence[Entry | None]) -> Iterator[str]:
    """What differs outside the entries, or is richer in the file."""
    if there.title != came.title:
        yield f"the title is {there.title!r} in the file, {came.title!r} in what came in"
    if came.intro and _bare(words(came.intro)) != _bare(words(there.intro)):
        yield f"the introduction of what came in is not in the file: {words(came.intro)!r}"
    if more := len(there.entries) - sum(partner is not None for partner in partners):
        yield f"the file has {more} more entries"
    ours, theirs = _count_links(came.entries), _count_links(there.entries)
    if theirs > ours:
        yield f"the file has {theirs} links, what came in has {ours}"


def _partners(there: Sequence[Entry], came: Sequence[Entry]) -> list[Entry | None]:
    """For each entry that came in the one that is there: of the same words, else of the same title."""
    free = list(there)
    partners: list[Entry | None] = []
    by_words = [_bare(_text(entry)) for entry in there]
    by_title = [_bare(entry.title) for entry in there]
    taken: set[int] = set()
    for entry in came:
        at = _find(_bare(_text(entry)), by_words, taken)
        at = _find(_bare(entry.title), by_title, taken) if at is None else at
        taken |= set() if at is None else {at}
        partners.append(None if at is None else free[at])
    return partners


def _find(key: tuple[str, ...], keys: Sequence[tuple[str, ...]], taken: set[int]) -> int | None:
    return next((at for at, other in enumerate(keys) if other == key and at not in taken), None)


def _text(entry: Entry) -> str:
    return f"{entry.title}\n{words(entry.blocks)}"


def _bare(text: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(text.casefold()))


# ----------------------------------------------------------------------------------------- differences


def _how(theirs: Sequence[str], mine: Sequence[str]) -> str:
    """`: “high-level” in the file, “high-level,” in what came in`, for the first few places."""
    if len(theirs) + len(mine) > _MOST_WORDS:
        return " in its words"
    changes = [
        op for op in SequenceMatcher(None, theirs, mine, autojunk=False).get_opcodes() if op[0] != "equal"
    ]
    told = [_change(theirs[a:b], mine[c:d]) for _, a, b, c, d in islice(changes, _MOST_DIFFERENCES)]
    more = f" and in {len(changes) - len(told)} more places" if len(changes) > len(told) else ""
    comma = " by one comma" if len(changes) == 1 and _is_comma(theirs, mine) else ""
    return f"{comma}: {'; '.join(told)}{more}"


def _is_comma(theirs: Sequence[str], mine: Sequence[str]) -> bool:
    joined, other = " ".join(theirs), " ".join(mine)
    return abs(joined.count(",") - other.count(",")) == 1 and joined.replace(",", "") == other.replace(
        ",", ""
    )


def _change(theirs: Sequence[str], mine: Sequence[str]) -> str:
    def quoted(some: Sequence[str]) -> str:
        return f"\u201c{' '.join(some)[:200]}\u201d" if some else "nothing"

    return f"{quoted(theirs)} in the file, {quoted(mine)} in what came in"


# ------------------------------------------------------------------------------------------------ links


def _missing(entry: Entry, partner: Entry) -> list[str]:
    return list((Counter(urls_of(entry)) - Counter(urls_of(partner))).elements())


def _count_links(entries: Iterable[Entry]) -> int:
    return sum(len(urls_of(entry)) for entry in entries)
