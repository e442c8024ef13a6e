"""The deliveries that show an earlier revision of their issue, and what became of correcting them."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, func, insert, select, update

from bot.models import Delivery, DeliveryState, Receipt
from bot.store import ledger
from bot.store.tables import deliveries, events

GONE = "the corrected issue has no such part"


@dataclass(frozen=True, slots=True)
class Outdated:
    """A delivery that shows an earlier revision, and where it stands."""

    delivery: Delivery
    receipt: Receipt
    """Empty where only a person knows where it stands."""


def parts_of(connection: Connection, issue: int, channel: str) -> int:
    """How many parts of an issue a conversation has or waits for."""
    last = select(func.max(deliveries.c.part)).where(
        deliveries.c.issue_id == issue, deliveries.c.channel == channel
    )
    return connection.execute(last).scalar_one() or 0


def drop_beyond(connection: Connection, issue: int, channel: str, parts: int, now: datetime) -> None:
    """Skip what waits and is no part of the issue any more."""
    beyond = (
        deliveries.c.issue_id == issue,
        deliveries.c.channel == channel,
        deliveries.c.part > parts,
        deliveries.c.state == DeliveryState.QUEUED,
        deliveries.c.worker_id.is_(None),
    )
    values = {"state": DeliveryState.SKIPPED, "reason": GONE, "settled_at": now}
    connection.execute(update(deliveries).where(*beyond).values(values))


def take_up_within(connection: Connection, issue: int, channel: str, parts: int, now: datetime) -> None:
    """Queue again what an earlier correction left out before it was sent, and this one has."""
    within = (
        deliveries.c.issue_id == issue,
        deliveries.c.channel == channel,
        deliveries.c.part <= parts,
        deliveries.c.state == DeliveryState.SKIPPED,
        deliveries.c.reason == GONE,
    )
    values = {"state": DeliveryState.QUEUED, "reason": None, "settled_at": None, "due_at": now}
    connection.execute(update(deliveries).where(*within).values(values))


def claim(
    connection: Connection, issue: int, channel: str, revision: int, worker: int, tried: Collection[int]
) -> Outdated | None:
    """Claim the next delivery that stands there and shows less than a revision; None where there is none."""
    chosen = connection.scalar(
        select(deliveries.c.id)
        .where(
            deliveries.c.issue_id == issue,
            deliveries.c.channel == channel,
            deliveries.c.state == DeliveryState.SENT,
            deliveries.c.revision < revision,
            deliveries.c.worker_id.is_(None),
            deliveries.c.id.not_in(tried),
        )
        .order_by(deliveries.c.part)
        .limit(1)
        .with_for_update(skip_locked=True, of=deliveries)
    )
    if chosen is None:
        return None
    connection.execute(update(deliveries).where(deliveries.c.id == chosen).values(worker_id=worker))
    receipt = connection.scalar(select(deliveries.c.receipt).where(deliveries.c.id == chosen))
    return Outdated(ledger.one(connection, chosen, issue, channel), Receipt(receipt or ""))


def settle(
    connection: Connection, worker: int, delivery: int, revision: int, receipt: str, now: datetime
) -> None:
    """Write down that a delivery shows a revision, and where."""
    mine = (deliveries.c.id == delivery, deliveries.c.worker_id == worker)
    values = {"revision": revision, "receipt": receipt, "reason": None, "worker_id": None}
    if connection.execute(update(deliveries).where(*mine).values(values)).rowcount:
        detail = f"revision {revision}"
        connection.execute(
            insert(events).values(at=now, kind="corrected", delivery_id=delivery, detail=detail)
        )


def give_up(connection: Connection, worker: int, delivery: int, reason: str, now: datetime) -> None:
    """Write down why a delivery shows an earlier revision still."""
    mine = (deliveries.c.id == delivery, deliveries.c.worker_id == worker)
    connection.execute(update(deliveries).where(*mine).values(reason=reason, worker_id=None))
    row = {"at": now, "kind": "not_corrected", "delivery_id": delivery, "detail": reason}
    connection.execute(insert(events).values(row))


@dataclass(frozen=True, slots=True)
class Shown:
    """How many deliveries of a channel show one revision, and why not a later one, where that is known."""

    channel: str
    revision: int
    deliveries: int
    reasons: tuple[str, ...]


def shown(connection: Connection, issue: int) -> list[Shown]:
    """Which revision stands where, of what was sent."""
    sent = (deliveries.c.issue_id == issue, deliveries.c.state == DeliveryState.SENT)
    groups = (deliveries.c.channel, deliveries.c.revision, deliveries.c.reason)
    found: dict[tuple[str, int], Shown] = {}
    counted = select(*groups, func.count().label("rows")).where(*sent).group_by(*groups).order_by(*groups[:2])
    for row in connection.execute(counted):
        key = (row.channel, row.revision)
        before = found.get(key, Shown(*key, 0, ()))
        reasons = (*before.reasons, row.reason) if row.reason else before.reasons
        found[key] = Shown(*key, before.deliveries + row.rows, reasons)
    return list(found.values())
