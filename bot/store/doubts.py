"""When doubts in conversations are looked at again: what is in doubt is due for a look, not for a send."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, select, update

from bot.models import DeliveryState, Week
from bot.store.tables import deliveries, issues


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
