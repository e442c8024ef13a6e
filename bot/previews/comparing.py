"""What words of an issue are other than they were: in the last yes, and in the issue before."""

from collections.abc import Iterator
from dataclasses import dataclass

from bot.changes import Change, Passage, Run, changes, from_json, passages
from bot.desk import Desk
from bot.models import Approval, Issue, Week
from bot.previews.looking import Look
from bot.store import decisions, issues

KEPT = 12
"""Words on either side of a change that are shown of those that stayed."""
UNREADABLE = "It cannot be compared until it can be read."
LONGEST = 4_000
"""Characters of one run of words that are shown."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """An issue against an earlier state, or why there is nothing to compare it with."""

    since: Approval | Week | None
    """The yes, or the week of the issue before."""
    changes: tuple[Change, ...] = ()
    note: str = ""


def since_approved(desk: Desk, look: Look) -> Comparison:
    """Against the last content that a curator said yes to."""
    with desk.store.read() as connection:
        yes = decisions.last_approved(connection, desk.newsletter.name, look.week)
        words = decisions.find(connection, yes.hash) if yes else None
    if yes is None:
        return Comparison(None, note="Nobody has approved it yet.")
    if yes.hash == look.hash:
        return Comparison(yes, note="It is as it was approved.")
    if look.issue is None:
        return Comparison(yes, note=UNREADABLE)
    if words is None:
        return Comparison(yes, note="The words of that approval were not kept.")
    found = changes(from_json(words), passages(look.issue))
    note = "" if found else "No word has changed, but its look, its sender or whom it goes to has."
    return Comparison(yes, found, note)


def since_last_week(desk: Desk, look: Look) -> Comparison:
    """Against the issue that went out before it: as it was published or, in want of that, as it stands."""
    with desk.store.read() as connection:
        gone = [one for one in issues.every(connection, desk.newsletter.name) if one.week < look.week]
        last = max(gone, key=lambda one: one.week, default=None)
        words = decisions.find(connection, last.hash) if last else None
    if last is None:
        return Comparison(None, note="No issue has gone out before it.")
    if look.issue is None:
        return Comparison(last.week, note=UNREADABLE)
    before = from_json(words) if words is not None else _standing(desk.content.issues, last.week)
    if before is None:
        return Comparison(last.week, note="The words of that issue were not kept.")
    return Comparison(last.week, changes(before, passages(look.issue)))


def _standing(every: tuple[Issue, ...], week: Week) -> tuple[Passage, ...] | None:
    return next((passages(one) for one in every if one.week == week), None)


def shortened(change: Change) -> Iterator[tuple[Run, str]]:
    """The runs of a change, of those that stayed the words beside what changed."""
    last = len(change.runs) - 1
    for number, (run, words) in enumerate(change.runs):
        if run is Run.SAME:
            yield run, _ends(words, before=number > 0, after=number < last)
        else:
            yield run, words if len(words) <= LONGEST else f"{words[: LONGEST - 1]}…"


def _ends(words: str, *, before: bool, after: bool) -> str:
    """The first words where something changed before them, and the last where something does after."""
    every = words.split(" ")
    if len(every) <= KEPT * (before + after):
        return words
    head = every[:KEPT] if before else []
    tail = every[-KEPT:] if after else []
    return " ".join([*head, "…", *tail])
