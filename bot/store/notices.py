"""What curators are told: rows with the states of deliveries, claimed one at a time."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from sqlalchemy import ColumnElement, Connection, Row, and_, insert, select, update
from sqlalchemy.exc import IntegrityError

from bot.models import DeliveryState, Week
from bot.policy import Verdict
from bot.store.tables import notices

Medium = Literal["slack", "mail"]

ABANDONED = timedelta(minutes=15)
"""A notice that has been on its way for so long is nobody's any more: its process was killed."""


@dataclass(frozen=True, slots=True)
class Address:
    """Whom a notice is for: a Slack conversation by its ID, or a curator by their key."""

    medium: Medium
    recipient: str


@dataclass(frozen=True, slots=True)
class Kept:
    """One row: what one recipient is told of an issue."""

    id: int
    newsletter: str
    week: Week
    about: str
    to: Address
    payload: bytes
    state: DeliveryState
    receipt: str | None
    attempts: int
    first_tried_at: datetime | None
    changed_at: datetime


def add(
    connection: Connection,
    newsletter: str,
    week: Week,
    about: str,
    to: Address,
    payload: bytes,
    now: datetime,
) -> bool:
    """Queue a notice; False where this recipient is told that already, by whomever."""
    row = {"newsletter": newsletter, "week": str(week), "about": about, "payload": payload}
    times = {"state": str(DeliveryState.QUEUED), "changed_at": now, "due_at": now}
    try:
        with connection.begin_nested():
            connection.execute(
                insert(notices).values(**row, **times, medium=to.medium, recipient=to.recipient)
            )
    except IntegrityError:
        return False
    return True


def due(connection: Connection, newsletter: str, now: datetime) -> list[Kept]:
    """What waits to be told, oldest first."""
    waits = and_(notices.c.state == str(DeliveryState.QUEUED), notices.c.due_at <= now)
    return _where(connection, newsletter, waits)


def in_doubt(connection: Connection, newsletter: str) -> list[Kept]:
    """What may have been told or not."""
    return _where(connection, newsletter, notices.c.state == str(DeliveryState.IN_DOUBT))


def about(connection: Connection, newsletter: str, week: Week, what: str) -> list[Kept]:
    """What everybody is told about one thing."""
    return _where(connection, newsletter, and_(notices.c.week == str(week), notices.c.about == what))


def all_about(connection: Connection, newsletter: str, what: str) -> list[Kept]:
    """What everybody is told about such a thing, in whatever week."""
    return _where(connection, newsletter, notices.c.about == what)


def claim(connection: Connection, one: Kept, now: datetime) -> bool:
    """Mark a notice as on its way, before its bytes leave; False where somebody else has, or it changed."""
    mine = and_(
        notices.c.id == one.id,
        notices.c.state == str(DeliveryState.QUEUED),
        notices.c.payload == one.payload,
    )
    tried = one.first_tried_at or now
    sending = (
        update(notices)
        .where(mine)
        .values(state=str(DeliveryState.SENDING), changed_at=now, first_tried_at=tried)
    )
    return connection.execute(sending).rowcount == 1


def settle(connection: Connection, one: Kept, verdict: Verdict, receipt: str | None, now: datetime) -> None:
    """Write down what became of a notice that was on its way."""
    connection.execute(
        update(notices)
        .where(notices.c.id == one.id)
        .values(
            state=str(verdict.state),
            reason=verdict.reason or None,
            receipt=receipt or one.receipt,
            attempts=one.attempts + (1 if verdict.charged else 0),
            changed_at=now,
            due_at=verdict.due_at or now,
        )
    )


def replace_payload(connection: Connection, one: Kept, payload: bytes) -> bool:
    """Note what stands there from now on; False where somebody put something else there meanwhile."""
    unchanged = and_(
        notices.c.id == one.id, notices.c.state == str(one.state), notices.c.payload == one.payload
    )
    return connection.execute(update(notices).where(unchanged).values(payload=payload)).rowcount == 1


def give_up_abandoned(connection: Connection, newsletter: str, now: datetime) -> None:
    """What a killed process was sending is in doubt."""
    lost = and_(
        notices.c.newsletter == newsletter,
        notices.c.state == str(DeliveryState.SENDING),
        notices.c.changed_at < now - ABANDONED,
    )
    reason = "its process ended while it was sent"
    connection.execute(update(notices).where(lost).values(state=str(DeliveryState.IN_DOUBT), reason=reason))


def _where(connection: Connection, newsletter: str, condition: ColumnElement[bool]) -> list[Kept]:
    here = and_(notices.c.newsletter == newsletter, condition)
    return list(map(_kept, connection.execute(select(notices).where(here).order_by(notices.c.id))))


def _kept(row: Row[tuple[object, ...]]) -> Kept:
    return Kept(
        row.id,
        row.newsletter,
        Week.parse(row.week),
        row.about,
        Address(row.medium, row.recipient),
        bytes(row.payload),
        DeliveryState(row.state),
        row.receipt,
        row.attempts,
        row.first_tried_at,
        row.changed_at,
    )
