"""Counts whom an issue would reach now, for the rules about people."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection

from bot.calendar import send_at, upcoming
from bot.channels import Audience, Channel
from bot.checks._readership import TOGETHER, Crowd, Neighbour, Readership
from bot.models import ApprovalState, Balance, Issue
from bot.proofs import Print
from bot.settings import Newsletter, Settings
from bot.slots import Slots
from bot.store import Store, balances, issues, readers
from bot.store.issues import Published


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked about: an issue of a newsletter, as it would go out at a moment."""

    issue: Issue
    made: Print
    approval: ApprovalState | None
    now: datetime
    by_hand: bool = False
    """Whether a person sends it at this moment."""


def readership(
    store: Store, settings: Settings, newsletter: Newsletter, channels: Mapping[str, Channel], asked: Asked
) -> Readership:
    """The people of an issue, counted in the ledger; a few questions, each of one row or a handful."""
    issue, rendered = asked.issue, asked.made.rendered
    name = Slots(rendered.nonce).name
    with store.read() as connection:
        last = _last(connection, issue)
        before = balances.by_channel(connection, last.id) if last else {}
        return Readership(
            issue,
            newsletter,
            asked.now,
            tuple(_crowds(connection, newsletter, channels, asked.made, before)),
            last.week if last else None,
            sum(balance.in_doubt for balance in before.values()),
            asked.approval,
            asked.by_hand,
            names_readers=name in rendered.html or name in rendered.text,
            fields=asked.made.fields,
            neighbours=tuple(_neighbours(connection, settings, newsletter, issue))
            if _mails(channels)
            else (),
        )


def _last(connection: Connection, issue: Issue) -> Published | None:
    """The newest issue that went out, but for this one."""
    gone = [one for one in issues.every(connection, issue.newsletter) if one.week != issue.week]
    return max(gone, key=lambda one: one.at, default=None)


def _crowds(
    connection: Connection,
    newsletter: Newsletter,
    channels: Mapping[str, Channel],
    made: Print,
    before: Mapping[str, Balance],
) -> Iterator[Crowd]:
    people = _people(connection, newsletter, channels)
    for name, channel in channels.items():
        last = before[name].planned - before[name].suppressed if name in before else None
        if channel.audience is Audience.READERS:
            confirmed, suppressed, nameless = people
            yield Crowd(name, confirmed, suppressed=suppressed, nameless=nameless, last=last)
        else:
            yield Crowd(name, channel.parts(made.payloads[name]), of_readers=False, last=last)


def _people(
    connection: Connection, newsletter: Newsletter, channels: Mapping[str, Channel]
) -> tuple[int, int, int]:
    """How many readers can be mailed, how many cannot, and how many of the former gave no name."""
    if not _mails(channels):
        return 0, 0, 0
    census = readers.census(connection, newsletter.name)
    nameless = readers.nameless(connection, newsletter.name)
    return census.get("confirmed", 0), census.get("suppressed", 0), nameless


def _mails(channels: Mapping[str, Channel]) -> bool:
    return any(channel.audience is Audience.READERS for channel in channels.values())


def _neighbours(
    connection: Connection, settings: Settings, newsletter: Newsletter, issue: Issue
) -> Iterator[Neighbour]:
    """The newsletters that go to readers within an hour of this issue."""
    due = send_at(newsletter.schedule, issue.week)
    for other in settings.newsletters.values():
        at = upcoming(other.schedule, due - TOGETHER, 1)[0].utc
        if other.name != newsletter.name and at <= due + TOGETHER:
            shared = readers.shared(connection, newsletter.name, other.name)
            yield Neighbour(other.name, at, shared)
