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
    sending: bool = False
    """Whether it is sent at this moment; `by_hand`, by a person."""
    by_hand: bool = False


def readership(
    store: Store, settings: Settings, newsletter: Newsletter, channels: Mapping[str, Channel], asked: Asked
) -> Readership:
    """The people of an issue, counted in the ledger; a few questions, each of one row or a handful."""
    issue, rendered = asked.issue, asked.made.rendered
    name = Slots(rendered.nonce).name
    with store.read() as connection:
        last = _last(connection, issue)
        before = balances.by_channel(connection, last.id) if last else {}
        mails = any(channel.audience is Audience.READERS for channel in channels.values())
        census = readers.census(connection, newsletter.name) if mails else {}
        return Readership(
            issue,
            newsletter,
            asked.now,
            tuple(_crowds(connection, channels, asked, census, before)),
            last.week if last else None,
            sum(balance.in_doubt for balance in before.values()),
            asked.approval,
            sending=asked.sending,
            by_hand=asked.by_hand,
            fresh=not census and last is None,
            names_readers=name in rendered.html or name in rendered.text,
            fields=asked.made.fields,
            neighbours=tuple(_neighbours(connection, settings, newsletter, issue)) if mails else (),
        )


def _last(connection: Connection, issue: Issue) -> Published | None:
    """The newest issue that went out, but for this one."""
    gone = [one for one in issues.every(connection, issue.newsletter) if one.week != issue.week]
    return max(gone, key=lambda one: (one.at, one.week), default=None)


def _crowds(
    connection: Connection,
    channels: Mapping[str, Channel],
    asked: Asked,
    census: Mapping[str, int],
    before: Mapping[str, Balance],
) -> Iterator[Crowd]:
    for name, channel in channels.items():
        last = before[name].planned - before[name].suppressed if name in before else None
        if channel.audience is Audience.READERS:
            confirmed, suppressed = census.get("confirmed", 0), census.get("suppressed", 0)
            nameless = readers.nameless(connection, asked.issue.newsletter) if confirmed else 0
            yield Crowd(name, confirmed, suppressed=suppressed, nameless=nameless, last=last)
        else:
            yield Crowd(name, channel.parts(asked.made.payloads[name]), of_readers=False, last=last)


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
