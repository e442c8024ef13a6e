"""Numbers for whoever watches: what waits and for how long, and how the newest issues stand; no persons."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, func, select, text

from bot.store.tables import deliveries, issues

_WAITS = text("deliveries.state = 'queued' AND deliveries.worker_id IS NULL")


@dataclass(frozen=True, slots=True)
class Count:
    """How many deliveries of a newsletter's newest issue are in one state."""

    newsletter: str
    channel: str
    state: str
    deliveries: int


@dataclass(frozen=True, slots=True)
class Waiting:
    """What waits of a newsletter on one channel."""

    newsletter: str
    channel: str
    deliveries: int
    since: datetime
    """When the oldest issue of these was published."""


def newest(connection: Connection) -> list[Count]:
    """The deliveries of each newsletter's newest issue; counting a whole ledger would take too long."""
    last = select(func.max(issues.c.id)).group_by(issues.c.newsletter)
    groups = (issues.c.newsletter, deliveries.c.channel, deliveries.c.state)
    rows = connection.execute(
        select(*groups, func.count())
        .join(issues, issues.c.id == deliveries.c.issue_id)
        .where(deliveries.c.issue_id.in_(last))
        .group_by(*groups)
        .order_by(*groups)
    )
    return [Count(*row) for row in rows]


def waiting(connection: Connection) -> list[Waiting]:
    """What waits of any issue, by newsletter and channel; in words that use the outbox's index."""
    groups = (issues.c.newsletter, deliveries.c.channel)
    rows = connection.execute(
        select(*groups, func.count(), func.min(issues.c.published_at))
        .join(issues, issues.c.id == deliveries.c.issue_id)
        .where(_WAITS)
        .group_by(*groups)
        .order_by(*groups)
    )
    return [Waiting(*row) for row in rows]
