"""A reader leaves by the link in their mail, and may take that back for a day.

confirmed ─▶ unsubscribed ─ within a day, by the same link ─▶ confirmed
"""

import re
from collections.abc import Callable
from datetime import datetime, timedelta

from bot.models import Consent
from bot.store import Store, readers
from bot.store.memberships import Membership, by_token

UNDO = timedelta(days=1)
"""How long leaving can be taken back: a link in a mail that was passed on must not enlist anybody later."""

_TOKEN = re.compile(r"[A-Za-z0-9]{16,64}", re.ASCII)


def membership(store: Store, token: str) -> Membership | None:
    """The subscription that a link leads to."""
    if not _TOKEN.fullmatch(token):
        return None
    with store.read() as connection:
        return by_token(connection, token)


def undoable(member: Membership, now: datetime) -> Consent | None:
    """What a reader who left becomes if they take it back; None where that is not theirs to say any more."""
    if member.consent is not Consent.UNSUBSCRIBED or member.suppressed:
        return None
    return member.before if now - member.changed_at < UNDO else None


def leave(store: Store, token: str, now: datetime) -> Membership | None:
    """Unsubscribe the reader whom a link belongs to; how they stand then. A second time changes nothing."""
    return _changed(store, token, now, _left)


def take_back(store: Store, token: str, now: datetime) -> Membership | None:
    """Take leaving back, where that may be; how the reader stands then."""
    return _changed(store, token, now, lambda member: undoable(member, now))


def _left(member: Membership) -> Consent | None:
    return None if member.consent is Consent.UNSUBSCRIBED else Consent.UNSUBSCRIBED


def _changed(
    store: Store, token: str, now: datetime, decided: Callable[[Membership], Consent | None]
) -> Membership | None:
    """Move the subscription to what is decided of it, both in one transaction."""
    if not (member := membership(store, token)) or decided(member) is None:
        return member
    with store.write() as connection:
        member = by_token(connection, token)
        if member and (consent := decided(member)):
            readers.change(connection, member.newsletter, [member.subscriber], consent, now)
        return by_token(connection, token)
