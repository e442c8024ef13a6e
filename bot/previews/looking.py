"""One issue as a curator looks at it: what was made of it, how it stands, and what is wrong with it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from bot.channels import Audience
from bot.checks import in_order
from bot.desk import Desk
from bot.models import Approval, Finding, Issue, Severity, Week
from bot.proofs import Print
from bot.store import decisions
from bot.store.issues import Published

UNMADE = "mail.render"
"""The rule by which it is told why nothing could be made of an issue."""


class State(StrEnum):
    """How an issue stands, in one word; what is published stays so, whatever is said of a correction."""

    EMPTY = "empty"
    FAULTY = "faulty"
    DRAFT = "draft"
    READY = "ready"
    APPROVED = "approved"
    HELD = "held"
    PUBLISHED = "published"


@dataclass(frozen=True, slots=True)
class Look:
    """An issue as it is now."""

    week: Week
    issue: Issue | None
    """What its content says, as far as it can be read; None where there is nothing."""
    hash: str
    """Of the content; empty where there is no issue."""
    made: Print | None
    """What was made of it; None where it cannot be read, or not be made."""
    faults: tuple[Finding, ...]
    """What keeps it from being read or made."""
    findings: tuple[Finding, ...]
    """What the checks found in it, the faults included."""
    errors: tuple[Finding, ...]
    """Those of the findings for which a yes is refused."""
    gone: Published | None
    standing: Approval | None
    """A curator's last word, unless it lifted a hold."""

    @property
    def state(self) -> State:
        if self.gone:
            return State.PUBLISHED
        if self.held:
            return State.HELD
        if self.faults:
            return State.FAULTY
        if self.issue is None:
            return State.EMPTY
        return State.APPROVED if self.approved else State(str(self.issue.status))

    @property
    def is_out(self) -> bool:
        """Whether it has gone out, or was corrected, as it is now."""
        return bool(self.gone and self.gone.hash == self.hash)

    @property
    def held(self) -> bool:
        return bool(self.standing and self.standing.decision == "held")

    @property
    def approved(self) -> bool:
        """Whether a yes was said to this very content."""
        return bool(self.standing and self.standing.stands_for(self.hash) == "approved")

    @property
    def void(self) -> bool:
        """Whether a yes was said to other content than this."""
        return bool(self.standing and self.standing.stands_for(self.hash) == "void")

    @property
    def counts(self) -> Mapping[Severity, int]:
        """How many findings there are of each severity."""
        return {each: sum(one.severity is each for one in self.findings) for each in Severity}


def look_at(desk: Desk, week: Week, now: datetime) -> Look:
    """Everything there is to know of an issue at this moment; what cannot be read is a fault, no error."""
    picked, gone = desk.picked(week, now), desk.find(week)
    with desk.store.read() as connection:
        standing = decisions.standing(connection, desk.newsletter.name, week)
    issue, faults = picked.issue, desk.faults(picked, week)
    if issue is None or faults:
        content_hash = desk.proofs.hash_of(issue) if issue else ""
        about = in_order([*faults, *(one for one in picked.findings if one not in faults)])
        return Look(week, issue, content_hash, None, faults, tuple(about), faults, gone, standing)
    proof = desk.proof(issue, now)
    if not isinstance(proof.result, Print):
        why = tuple(one for one in proof.errors if one.rule == UNMADE) or proof.errors
        return Look(week, issue, proof.hash, None, why, proof.findings, proof.errors, gone, standing)
    people = () if gone else desk.people(issue, proof, now)
    findings = tuple(in_order([*picked.findings, *proof.findings, *people]))
    return Look(week, issue, proof.hash, proof.result, (), findings, proof.errors, gone, standing)


def against_approving(look: Look) -> str:
    """Why a yes would be refused at this moment, for a curator; '' where it would be taken."""
    count = len(look.errors)
    reasons = (
        (bool(look.faults), "It cannot be read as it is. Mend what is named below first."),
        (look.issue is None, "There is nothing to approve."),
        (look.is_out, "It has gone out as it is: nothing is left to decide."),
        (look.held, "It is held: release it first."),
        (look.approved, "It is approved as it is."),
        (count > 0, f"The checks found {count} error{'s'[: count - 1]}. Mend what is named below first."),
    )
    return next((words for holds, words in reasons if holds), "")


def conversations(desk: Desk, payloads: Mapping[str, bytes]) -> Iterator[str]:
    """The channels of an issue that post it to a conversation."""
    for name, channel in desk.channels.items():
        if channel.audience is Audience.CONVERSATION and name in payloads:
            yield name
