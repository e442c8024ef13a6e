"""What a curator is to hear of an issue, whoever delivers it: by the log, by mail or by chat."""

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from bot.models import Finding, Week, errors_of

log = logging.getLogger(__name__)

SHOWN = 3
"""Findings that a notice repeats."""


class Kind(StrEnum):
    """What a notice is about."""

    HELD = "held"
    """The checks found errors: it goes by itself once they are mended in time."""
    WAITING_FOR_APPROVAL = "waiting-for-approval"
    """It is due, and nobody has said yes to it as it is now."""
    STOPPED = "stopped"
    """A curator holds it, or has not set it ready."""
    MISSED = "missed"
    """It is too late for it to go by itself."""
    EMPTY = "empty"
    """Nothing was collected for it."""
    FAILED = "failed"
    """It is published, and a channel stopped before everybody had it."""


@dataclass(frozen=True, slots=True)
class Notice:
    """One thing that curators are told, once for each reason and, where that matters, each content."""

    kind: Kind
    newsletter: str
    week: Week
    hash: str
    """The content that it is about; empty where it is the same for any content."""
    reason: str
    """In a curator's words."""
    findings: tuple[Finding, ...]
    """What the checks found, the errors first."""
    at: datetime
    remedy: str = ""
    """What a curator does about it, where neither reason nor findings say so."""

    @property
    def issue(self) -> str:
        """The issue's full name."""
        return f"{self.newsletter}/{self.week}"


def lines(notice: Notice) -> Iterator[str]:
    """A notice as lines of plain text: what and why, then the first errors, each where it stands."""
    begin = "" if notice.kind is Kind.FAILED else "not sent: "
    yield f"{notice.issue}: {begin}{notice.reason}" + (f": {notice.remedy}" if notice.remedy else "")
    yield from (f"  {line}" for line in first_errors(notice))


def first_errors(notice: Notice) -> Iterator[str]:
    """The first errors that the checks found, each where it stands, and how many more there are."""
    errors = list(errors_of(notice.findings))
    yield from (f"{error} [{error.rule}]" for error in errors[:SHOWN])
    if len(errors) > SHOWN:
        yield f"and {len(errors) - SHOWN} more: `broadsheet check {notice.week}`"


def write_down(notice: Notice) -> None:
    """Tell the log."""
    log.info("; ".join(lines(notice)), extra={"action": "notice", "kind": str(notice.kind)})
