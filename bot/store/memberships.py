"""The subscription that a secret token names, and how it stood before."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, select

from bot.models import Consent
from bot.store.tables import events, subscribers, subscriptions, suppressions


@dataclass(frozen=True, slots=True)
class Membership:
    """One subscription, found by its token."""

    subscriber: int
    email: str
    newsletter: str
    consent: Consent
    changed_at: datetime
    before: Consent | None
    """What it was before its reader left; None where that is not known, or they have not left."""
    suppressed: bool


def by_token(connection: Connection, token: str) -> Membership | None:
    """The subscription of that token, if there is one."""
    row = connection.execute(
        select(subscriptions, subscribers.c.email, suppressions.c.reason)
        .join(subscribers, subscribers.c.id == subscriptions.c.subscriber_id)
        .outerjoin(suppressions, suppressions.c.email_key == subscribers.c.email_key)
        .where(subscriptions.c.token == token)
    ).one_or_none()
    if row is None:
        return None
    consent = Consent(row.state)
    before = (
        _before(connection, row.subscriber_id, row.newsletter) if consent is Consent.UNSUBSCRIBED else None
    )
    barred = row.reason is not None
    return Membership(row.subscriber_id, row.email, row.newsletter, consent, row.changed_at, before, barred)


def _before(connection: Connection, subscriber: int, newsletter: str) -> Consent | None:
    """The state that the events tell of, before the last leaving."""
    kind = connection.execute(
        select(events.c.kind)
        .where(
            events.c.delivery_id.is_(
                None
            ),  # has an index, and parts few events of persons from many of mails
            events.c.subscriber_id == subscriber,
            events.c.newsletter == newsletter,
            events.c.kind.in_([Consent.PENDING, Consent.CONFIRMED]),
        )
        .order_by(events.c.id.desc())
        .limit(1)
    ).scalar()
    return Consent(kind) if kind else None
