"""Where findings belong: to which entry, by the lines it stands in, and to which pane of the preview."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence

from bot.checks import located
from bot.models import Entry, Finding

PANES: Mapping[str, str] = {
    "mail.contrast": "dark",
    "mail.image-alt": "off",
    "mail.image-kind": "off",
    "mail.image-source": "off",
    "mail.image-width": "off",
    "mail.text-part": "text",
}
"""Where what a rule finds is seen best, if not where its whole family is seen."""
FAMILIES: Mapping[str, str] = {"mail": "desktop", "slack": "slack", "people": "send"}


def pane_of(rule: str) -> str | None:
    """The pane that a rule's findings concern; None for what is about the words of all."""
    return PANES.get(rule) or FAMILIES.get(rule.partition(".")[0])


def by_entry(
    entries: Sequence[Entry], findings: Sequence[Finding]
) -> tuple[list[list[Finding]], list[Finding]]:
    """The findings of each entry, and those of none.

    An entry goes from its own line to the line before the next one's in the same file; single entries have a
    file each, and all of it is theirs.
    """
    starts = _starts(entries)
    found: list[list[Finding]] = [[] for _ in entries]
    rest: list[Finding] = []
    for finding in findings:
        number = _entry_at(starts, finding.place)
        (rest if number is None else found[number]).append(finding)
    return found, rest


def _starts(entries: Sequence[Entry]) -> dict[str, list[tuple[int, int]]]:
    """By file, the lines at which entries begin, each with the entry's number from 0; sorted."""
    starts = defaultdict[str, list[tuple[int, int]]](list)
    for number, entry in enumerate(entries):
        spot = located(entry.place)
        if spot.line:
            starts[spot.file].append((0 if "/entries/" in spot.file else spot.line, number))
    return {file: sorted(lines) for file, lines in starts.items()}


def _entry_at(starts: Mapping[str, Sequence[tuple[int, int]]], place: str) -> int | None:
    spot = located(place)
    lines = starts.get(spot.file, ())
    at = bisect_right(lines, (spot.line, len(place) + 10**9)) - 1
    return lines[at][1] if at >= 0 else None
