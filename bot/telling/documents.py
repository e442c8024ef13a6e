"""What curators are told, as documents: kept in the ledger, and set for each medium when they are sent."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from bot.models import Week
from bot.notices import Kind, Notice, first_errors

ENTITLED = {
    Kind.HELD: "Not sent: the checks found errors",
    Kind.WAITING_FOR_APPROVAL: "Not sent: it waits for approval",
    Kind.STOPPED: "Not sent",
    Kind.MISSED: "Missed",
    Kind.EMPTY: "Nothing to send",
    Kind.FAILED: "Not everybody has it",
}

DRAFT = "draft"
"""What the notice that shows a draft is about: one of each issue, which in Slack follows the issue."""


@dataclass(frozen=True, slots=True)
class Document:
    """One thing to be read by curators; every text is plain."""

    issue: str
    """The issue's key, `ai-papers/2025-W17`."""
    hash: str
    """The content that can be decided on; empty where nothing can."""
    heading: str
    small: str
    """A line of circumstances: entries, size, when it goes."""
    stands: str
    """How it stands, in a sentence."""
    lines: Sequence[str] = ()
    """What was found, or what changed, each in a line."""
    decided: bool = True
    """Whether there is nothing to press any more."""

    @property
    def newsletter(self) -> str:
        return self.issue.rpartition("/")[0]

    @property
    def week(self) -> Week:
        return Week.parse(self.issue.rpartition("/")[2])

    def dump(self) -> bytes:
        """As it is kept."""
        return json.dumps(asdict(self), ensure_ascii=False, sort_keys=True).encode()

    @classmethod
    def load(cls, data: bytes) -> "Document":
        """As `dump` wrote it."""
        read = json.loads(data)
        return cls(**{**read, "lines": tuple(read["lines"])})


def of_notice(notice: Notice) -> Document:
    """A notice as it is read."""
    lines = tuple(first_errors(notice))
    heading = f"{ENTITLED[notice.kind]}: {notice.issue}"
    return Document(notice.issue, "", heading, "", f"{notice.reason[:1].upper()}{notice.reason[1:]}.", lines)
