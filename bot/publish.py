"""Puts an issue into the outbox, once: the issue, what each channel sends, one delivery per recipient.

All of it in one transaction. The unique week of a newsletter decides between any number of publishers.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime

from bot.changes import passages, to_json
from bot.channels import Audience, Channel
from bot.errors import RefusedError
from bot.models import Approval, Issue
from bot.store import Store, decisions, issues, ledger
from bot.store.issues import PAGE


@dataclass(frozen=True, slots=True)
class Edition:
    """An issue ready to go: its content hash, what it took, what each channel sends, and its web page."""

    issue: Issue
    hash: str
    taken: Collection[str]
    payloads: Mapping[str, bytes]


def publish(
    store: Store, edition: Edition, channels: Mapping[str, Channel], now: datetime, *, late: bool = False
) -> bool:
    """Write the issue and its deliveries; False, and no change, where its week was published before.

    RefusedError where a curator holds it, be it since a moment ago.
    """
    issue = edition.issue
    with store.write() as connection:
        issues.reserve(connection, issue.newsletter, issue.week)
        refuse_held(decisions.standing(connection, issue.newsletter, issue.week), issue)
        number = issues.add(
            connection, issue.newsletter, issue.week, issue.title, edition.hash, now, late=late
        )
        if number is None:
            return False
        decisions.keep(connection, edition.hash, to_json(passages(issue)), now)
        issues.take_entries(connection, issue.newsletter, number, edition.taken)
        if PAGE in edition.payloads:
            issues.add_payload(connection, number, PAGE, edition.payloads[PAGE])
        for name, channel in channels.items():
            payload = edition.payloads[name]
            issues.add_payload(connection, number, name, payload)
            if channel.audience is Audience.READERS:
                ledger.queue_readers(connection, number, name, issue.newsletter, now)
            else:
                ledger.queue_parts(connection, number, name, channel.parts(payload), now)
    return True


def refuse_held(approval: Approval | None, issue: Issue) -> None:
    """RefusedError where a curator said stop."""
    if approval and approval.decision == "held":
        raise RefusedError(f"{issue.key}: a curator holds it: `broadsheet release {issue.week}`")
