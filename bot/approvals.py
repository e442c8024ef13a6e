"""What a curator says of an issue: approve, hold, release; a yes is bound to one content hash.

The same word again changes nothing: a double click, a message that comes twice, two curators at once.
"""

from dataclasses import dataclass
from datetime import datetime

from bot.errors import InputError
from bot.models import Approval, Origin, Week
from bot.store import Store, decisions, issues
from bot.store.decisions import Verb
from bot.store.issues import Published


@dataclass(frozen=True, slots=True)
class Word:
    """What was said: of which content, by whom, from where."""

    hash: str
    snapshot: str
    """The content's words, as `bot.changes.to_json` writes them."""
    by: str = ""
    origin: Origin = Origin.CLI


@dataclass(frozen=True, slots=True)
class Outcome:
    """What stands now, and whether it was this word that made it so."""

    standing: Approval | None
    new: bool


def decide(store: Store, newsletter: str, week: Week, verb: Verb, word: Word, now: datetime) -> Outcome:
    """Write down a word; InputError where it does not fit what stands, or the issue is published.

    A hold is lifted by `released` alone, and keeps the issue from going out whatever its content becomes.
    Where approval is required, it is asked for anew after a release.
    """
    where = f"{newsletter}/{week}"
    with store.write() as connection:
        issues.reserve(connection, newsletter, week)
        before = decisions.standing(connection, newsletter, week)
        if verb != "released":
            _refuse_settled(issues.find(connection, newsletter, week), word.hash)
        _refuse_unfit(before, verb, where)
        if before and _says(before, verb, word.hash):
            return Outcome(before, new=False)
        decisions.keep(connection, word.hash, word.snapshot, now)
        decisions.add(connection, newsletter, week, verb, word.hash, word.by, word.origin, now)
        return Outcome(decisions.standing(connection, newsletter, week), new=True)


def _says(before: Approval, verb: Verb, content_hash: str) -> bool:
    """Whether what stands says the same already; a hold is of any content."""
    return before.decision == verb and (verb == "held" or before.hash == content_hash)


def _refuse_unfit(before: Approval | None, verb: Verb, where: str) -> None:
    held = before is not None and before.decision == "held"
    if verb == "approved" and held:
        raise InputError(where, "it is held", "release it first")
    if verb == "released" and not held:
        raise InputError(where, "it is not held", "nothing to release")


def _refuse_settled(gone: Published | None, content_hash: str) -> None:
    """What went out is decided; what was changed since can be approved or held as a correction."""
    if gone and gone.hash == content_hash:
        what = "it is published already"
        raise InputError(f"{gone.newsletter}/{gone.week}", what, "nothing is left to decide")
