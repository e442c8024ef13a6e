"""What a person says of an issue's deliveries: try them now, send them again, they were sent."""

from datetime import datetime
from typing import Any

from sqlalchemy import Connection, insert, update

from bot.models import DeliveryState
from bot.store.tables import deliveries, events


def hurry(connection: Connection, issue: int, now: datetime) -> None:
    """Try every queued delivery of an issue now: a person asked for it."""
    queued = (deliveries.c.issue_id == issue, deliveries.c.state == DeliveryState.QUEUED)
    connection.execute(update(deliveries).where(*queued, deliveries.c.due_at > now).values(due_at=now))


def requeue(
    connection: Connection, issue: int, state: DeliveryState, channel: str | None, now: datetime
) -> int:
    """Queue every delivery of an issue that is in `state` again, its attempts forgotten; how many."""
    values = {
        "state": DeliveryState.QUEUED,
        "reason": None,
        "due_at": now,
        "settled_at": None,
        "first_tried_at": None,
        "attempts": 0,
    }
    return _change(connection, issue, state, channel, values, "requeued", now)


def count_as_sent(connection: Connection, issue: int, channel: str | None, now: datetime) -> int:
    """Settle every delivery in doubt of an issue as sent, on a person's word; how many."""
    values = {"state": DeliveryState.SENT, "reason": None, "settled_at": now}
    return _change(connection, issue, DeliveryState.IN_DOUBT, channel, values, "resolved_sent", now)


def _change(
    connection: Connection,
    issue: int,
    state: DeliveryState,
    channel: str | None,
    values: dict[str, Any],
    kind: str,
    now: datetime,
) -> int:
    where = [deliveries.c.issue_id == issue, deliveries.c.state == state]
    if channel:
        where.append(deliveries.c.channel == channel)
    changed = connection.execute(
        update(deliveries).where(*where).values(values).returning(deliveries.c.id)
    ).all()
    if changed:
        connection.execute(
            insert(events), [{"at": now, "kind": kind, "delivery_id": row.id} for row in changed]
        )
    return len(changed)
