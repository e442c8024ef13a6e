"""What is in doubt: which deliveries, what became clear of them, and when one looks again."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, Text, func, insert, literal, select, update

from bot.models import Delivery, DeliveryState, Week
from bot.store.ledger import Settlement, as_delivery, event_of, root_of, rows_of
from bot.store.tables import deliveries, events, issues


@dataclass(frozen=True, slots=True)
class Due:
    """A delivery in doubt whose next look is due."""

    id: int
    week: Week
    at: datetime
    """Since when it is in doubt."""


def due(
    connection: Connection, newsletter: str, channels: Collection[str], since: datetime, now: datetime
) -> list[Due]:
    """The deliveries of some channels that came into doubt after `since`, and are due for a look."""
    rows = connection.execute(
        select(deliveries.c.id, issues.c.week, deliveries.c.settled_at)
        .join(issues, issues.c.id == deliveries.c.issue_id)
        .where(
            issues.c.newsletter == newsletter,
            deliveries.c.channel.in_(channels),
            deliveries.c.state == DeliveryState.IN_DOUBT,
            deliveries.c.settled_at > since,
            deliveries.c.due_at <= now,
        )
        .order_by(issues.c.week, deliveries.c.id)
    )
    return [Due(row.id, Week.parse(row.week), row.settled_at) for row in rows]


def look_again(connection: Connection, doubt: Due, at: datetime) -> None:
    """Say when the look after the next one is due, unless the doubt is settled by now."""
    unchanged = (deliveries.c.id == doubt.id, deliveries.c.state == DeliveryState.IN_DOUBT)
    connection.execute(update(deliveries).where(*unchanged).values(due_at=at))


# ----------------------------------------------------------------------------------------------- one issue


@dataclass(frozen=True, slots=True)
class Doubtful:
    """A delivery in doubt, and since when it is."""

    delivery: Delivery
    at: datetime


def in_doubt(connection: Connection, issue: int, channel: str) -> list[Doubtful]:
    """The deliveries of a channel that are in doubt, in order."""
    here = (deliveries.c.issue_id == issue, deliveries.c.channel == channel)
    rows = connection.execute(rows_of().where(*here, deliveries.c.state == DeliveryState.IN_DOUBT)).all()
    root = root_of(connection, issue, channel) if rows else None
    return [Doubtful(as_delivery(row, root), row.settled_at) for row in rows]


def clear_up(connection: Connection, doubtful: Doubtful, settlement: Settlement) -> bool:
    """Settle a doubt by what was seen; False where it is another's by now, or a newer one."""
    unchanged = (
        deliveries.c.id == doubtful.delivery.id,
        deliveries.c.state == DeliveryState.IN_DOUBT,
        deliveries.c.settled_at == doubtful.at,
    )
    values = {
        "state": settlement.state,
        "reason": settlement.reason,
        "receipt": func.coalesce(literal(settlement.receipt, Text), deliveries.c.receipt),
        "settled_at": None if settlement.state is DeliveryState.QUEUED else settlement.at,
        "due_at": settlement.due_at or deliveries.c.due_at,
    }
    cleared = connection.execute(update(deliveries).where(*unchanged).values(values)).rowcount == 1
    if cleared:
        connection.execute(insert(events), {**event_of(settlement), "kind": _CLEARED[settlement.state]})
    return cleared


def explain(connection: Connection, doubtful: Doubtful, reason: str) -> None:
    """Say of what stays in doubt why nobody could see more."""
    unchanged = (
        deliveries.c.id == doubtful.delivery.id,
        deliveries.c.state == DeliveryState.IN_DOUBT,
        deliveries.c.settled_at == doubtful.at,
    )
    connection.execute(update(deliveries).where(*unchanged).values(reason=reason))


_CLEARED = {DeliveryState.SENT: "found", DeliveryState.QUEUED: "not_found"}
"""What the events call it, where somebody looked."""
