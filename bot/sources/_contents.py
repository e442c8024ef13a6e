"""The table of contents of a README, held against its headings: it is never read for more than that."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from bot.sources import Doubt
from bot.sources._dates import find_dates

_ITEM = re.compile(
    r"\s{0,8}[-*+]\s+\[(?P<label>[^\]]{1,300})\]\([^\s()#]{0,300}#(?P<anchor>[^\s)]{1,300})\)\s*$"
)


@dataclass(frozen=True, slots=True)
class Item:
    """One line of the table of contents."""

    line: int
    label: str
    anchor: str


def item_of(line: int, text: str) -> Item | None:
    """The item that a line is, if it is one."""
    found = _ITEM.match(text)
    return Item(line, found["label"], found["anchor"]) if found else None


def anchor_of(heading: str) -> str:
    """The anchor that GitHub gives a heading: lower case, blanks to hyphens, other marks gone."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def disagreements(items: Sequence[Item], headings: Sequence[tuple[int, str]]) -> list[Doubt]:
    """Where the table of contents and the headings (line, text) say different things."""
    by_anchor = {anchor_of(text): (line, text) for line, text in headings}
    labels = {_squeezed(text) for _, text in headings}
    doubts = []
    for item in items:
        if (target := by_anchor.get(item.anchor)) is None:
            doubts.append(
                Doubt(item.line, f"contents: no heading has the anchor #{item.anchor} ({item.label})")
            )
        elif what := _difference(item, target[1], labels):
            doubts.append(
                Doubt(item.line, f"contents: {item.label!r} {what} on line {target[0]}: {target[1]!r}")
            )
    return doubts


def _difference(item: Item, heading: str, labels: set[str]) -> str:
    if heading.startswith(item.label):
        return ""
    if _squeezed(heading) == _squeezed(item.label):
        return "is spaced unlike its heading"
    theirs, ours = find_dates(item.label), find_dates(heading)
    if _squeezed(item.label) in labels or (theirs and ours and theirs.start > ours.end):
        return "points at another week"
    return "has other dates than its heading"


def _squeezed(text: str) -> str:
    """A heading without blanks and without what follows its bracket, where the year stands."""
    head, bracket, _ = text.partition(")")
    return re.sub(r"\s", "", head + bracket)
