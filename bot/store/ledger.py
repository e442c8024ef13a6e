"""The deliveries: queued, claimed, settled, and what a person says about them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import (
    Connection,
    Row,
    Select,
    and_,
    bindparam,
    case,
    exists,
    func,
    insert,
    literal,
    not_,
    or_,
    select,
    text,
    update,
)

from bot.models import Consent, Delivery, DeliveryState, Reader, Receipt
from bot.store.tables import UNCLAIMED, deliveries, events, issues, subscribers, subscriptions, suppressions

NEVER_MAILED = "address suppressed: "
LEFT = "unsubscribed since the issue was published"


@dataclass(frozen=True, slots=True)
class Settlement:
    """What became of one delivery. A queued one has `due_at` and is tried again then."""

    delivery: int
    state: DeliveryState
    at: datetime
    reason: str | None = None
    receipt: str | None = None
    due_at: datetime | None = None
    charged: bool = True


# ------------------------------------------------------------------------------------------------ queueing


def queue_readers(connection: Connection, issue: int, channel: str, newsletter: str, now: datetime) -> None:
    """One delivery per confirmed reader; a suppressed address gets a row that says so, and never a mail."""
    suppressed = suppressions.c.email_key.is_not(None)
    recipients = (
        select(
            literal(issue),
            literal(channel),
            subscribers.c.id,
            case((suppressed, DeliveryState.SUPPRESSED.value), else_=DeliveryState.QUEUED.value),
            case((suppressed, literal(NEVER_MAILED) + suppressions.c.reason), else_=None),
            literal(now, deliveries.c.due_at.type),
            case((suppressed, literal(now, deliveries.c.settled_at.type)), else_=None),
        )
        .join(subscriptions, subscriptions.c.subscriber_id == subscribers.c.id)
        .outerjoin(suppressions, suppressions.c.email_key == subscribers.c.email_key)
        .where(subscriptions.c.newsletter == newsletter, subscriptions.c.state == Consent.CONFIRMED)
        .order_by(subscribers.c.id)
    )
    columns = ["issue_id", "channel", "recipient", "state", "reason", "due_at", "settled_at"]
    connection.execute(insert(deliveries).from_select(columns, recipients))


def queue_parts(
    connection: Connection, issue: int, channel: str, parts: int, now: datetime, *, after: int = 0
) -> None:
    """One delivery per part of a conversation's messages, counted from 1; those `after` a part alone."""
    rows = [
        {"issue_id": issue, "channel": channel, "part": part, "state": DeliveryState.QUEUED, "due_at": now}
        for part in range(after + 1, parts + 1)
    ]
    if rows:
        connection.execute(insert(deliveries), rows)


# ------------------------------------------------------------------------------------------------ claiming


def claim(
    connection: Connection, issue: int, channel: str, worker: int, limit: int, now: datetime
) -> list[Delivery]:
    """Claim the next deliveries that are due; none means that nothing is due.

    The parts of a conversation come in order, each once those before it are sent. A reader who left or whose
    address was suppressed in the meantime is settled here and now, not claimed.
    """
    while chosen := connection.scalars(_due(issue, channel, limit, now)).all():
        connection.execute(update(deliveries).where(deliveries.c.id.in_(chosen)).values(worker_id=worker))
        rows = connection.execute(_claimed(worker, chosen)).all()
        gone = {row.id: why for row in rows if (why := _gone(row, now))}
        settle(connection, worker, gone.values())
        if staying := [row for row in rows if row.id not in gone]:
            root = root_of(connection, issue, channel) if any(row.part > 1 for row in staying) else None
            return [as_delivery(row, root) for row in staying]
    return []


def _due(issue: int, channel: str, limit: int, now: datetime) -> Select[Any]:
    """The next rows that nobody has claimed; those that another process is claiming are left to it.

    In the order of `ix_deliveries_outbox`, so that a claim costs the same whatever is still queued.
    """
    return (
        select(deliveries.c.id)
        .where(
            deliveries.c.issue_id == issue,
            deliveries.c.channel == channel,
            text(UNCLAIMED),
            deliveries.c.due_at <= now,
            not_(_an_earlier_part_is_not_sent()),
        )
        .order_by(deliveries.c.due_at, deliveries.c.id)
        .limit(limit)
        .with_for_update(skip_locked=True, of=deliveries)
    )


def _an_earlier_part_is_not_sent() -> Any:
    earlier = deliveries.alias("earlier")
    return and_(
        deliveries.c.part > 1,
        exists().where(
            earlier.c.issue_id == deliveries.c.issue_id,
            earlier.c.channel == deliveries.c.channel,
            earlier.c.recipient == deliveries.c.recipient,
            earlier.c.part < deliveries.c.part,
            earlier.c.state != DeliveryState.SENT,
        ),
    )


def _claimed(worker: int, ids: Sequence[int]) -> Select[Any]:
    """The claimed rows with all that a letter needs."""
    return rows_of().where(deliveries.c.id.in_(ids), deliveries.c.worker_id == worker)


def rows_of() -> Select[Any]:
    """Deliveries with all that a courier needs, in order; a reader's columns are NULL for a conversation."""
    return (
        select(
            deliveries.c.id,
            deliveries.c.channel,
            deliveries.c.recipient,
            deliveries.c.part,
            deliveries.c.attempts,
            deliveries.c.first_tried_at,
            deliveries.c.settled_at,
            issues.c.newsletter,
            issues.c.week,
            issues.c.published_at,
            subscribers.c.email,
            subscribers.c.name,
            subscriptions.c.token,
            subscriptions.c.state.label("consent"),
            suppressions.c.reason.label("suppressed"),
        )
        .join(issues, issues.c.id == deliveries.c.issue_id)
        .outerjoin(subscribers, subscribers.c.id == deliveries.c.recipient)
        .outerjoin(
            subscriptions,
            and_(
                subscriptions.c.subscriber_id == subscribers.c.id,
                subscriptions.c.newsletter == issues.c.newsletter,
            ),
        )
        .outerjoin(suppressions, suppressions.c.email_key == subscribers.c.email_key)
        .order_by(deliveries.c.id)
    )


def _gone(row: Row[*tuple[Any, ...]], now: datetime) -> Settlement | None:
    """Why a claimed row must not be sent any more: the reader left meanwhile, or is barred."""
    if not row.recipient:
        return None
    if row.suppressed:
        return Settlement(row.id, DeliveryState.SUPPRESSED, now, NEVER_MAILED + row.suppressed, charged=False)
    if row.consent != Consent.CONFIRMED:
        return Settlement(row.id, DeliveryState.SKIPPED, now, LEFT, charged=False)
    return None


def root_of(connection: Connection, issue: int, channel: str) -> Receipt | None:
    """What the far side gave back for a conversation's first part."""
    first = (deliveries.c.issue_id == issue, deliveries.c.channel == channel, deliveries.c.part == 1)
    receipt = connection.execute(select(deliveries.c.receipt).where(*first)).scalar()
    return Receipt(receipt) if receipt else None


def as_delivery(row: Row[*tuple[Any, ...]], root: Receipt | None) -> Delivery:
    """A row of `rows_of` as those see it who carry deliveries."""
    reader = Reader(row.email, row.name, row.token) if row.recipient else None
    key = f"{row.newsletter}/{row.week}"
    return Delivery(
        row.id,
        key,
        row.channel,
        row.part,
        reader,
        root,
        row.attempts,
        row.first_tried_at,
        row.published_at,
    )


def release_claims(connection: Connection, worker: int) -> None:
    """Give back what a worker claimed and did not begin, and what it was correcting."""
    mine = (deliveries.c.worker_id == worker, deliveries.c.state != DeliveryState.SENDING)
    connection.execute(update(deliveries).where(*mine).values(worker_id=None))


# ------------------------------------------------------------------------------------------------ settling


def settle(connection: Connection, worker: int, settlements: Iterable[Settlement]) -> None:
    """Write down what became of a worker's deliveries, each row and its event in the caller's transaction.

    A worker that was taken for dead has no say any more: its rows are in doubt, or somebody else's by now.
    """
    for one in settlements:
        if connection.execute(_SETTLE, {**_settled_values(one), "b_worker": worker}).rowcount:
            connection.execute(insert(events), event_of(one))


_SETTLE = (
    update(deliveries)
    .where(deliveries.c.id == bindparam("b_id"), deliveries.c.worker_id == bindparam("b_worker"))
    .values(
        state=bindparam("b_state"),
        reason=bindparam("b_reason"),
        receipt=func.coalesce(bindparam("b_receipt", type_=deliveries.c.receipt.type), deliveries.c.receipt),
        settled_at=bindparam("b_settled_at", type_=deliveries.c.settled_at.type),
        due_at=func.coalesce(bindparam("b_due_at", type_=deliveries.c.due_at.type), deliveries.c.due_at),
        first_tried_at=func.coalesce(
            deliveries.c.first_tried_at, bindparam("b_at", type_=deliveries.c.first_tried_at.type)
        ),
        attempts=deliveries.c.attempts + bindparam("b_charge"),
        worker_id=None,
    )
)


def _settled_values(settlement: Settlement) -> dict[str, Any]:
    queued = settlement.state is DeliveryState.QUEUED
    return {
        "b_id": settlement.delivery,
        "b_state": settlement.state.value,
        "b_reason": settlement.reason,
        "b_receipt": settlement.receipt,
        "b_settled_at": None if queued else settlement.at,
        "b_due_at": settlement.due_at,
        "b_at": settlement.at if settlement.charged else None,
        "b_charge": int(settlement.charged),
    }


def event_of(settlement: Settlement) -> dict[str, Any]:
    """What became of a delivery, as an event."""
    kind = "deferred" if settlement.state is DeliveryState.QUEUED else settlement.state.value
    return {
        "at": settlement.at,
        "kind": kind,
        "delivery_id": settlement.delivery,
        "detail": settlement.reason or "",
    }


def put_in_doubt(
    connection: Connection, worker: int, states: Sequence[DeliveryState], reason: str, now: datetime
) -> int:
    """Settle what a dead worker was doing: nobody knows whether it was sent. How many rows that are."""
    rows = connection.execute(
        select(deliveries.c.id).where(deliveries.c.worker_id == worker, deliveries.c.state.in_(states))
    )
    doubts = [Settlement(row.id, DeliveryState.IN_DOUBT, now, reason) for row in rows]
    settle(connection, worker, doubts)
    return len(doubts)


def one(connection: Connection, delivery: int, issue: int, channel: str) -> Delivery:
    """One delivery as a courier needs it."""
    row = connection.execute(rows_of().where(deliveries.c.id == delivery)).one()
    return as_delivery(row, root_of(connection, issue, channel))


# ------------------------------------------------------------------------------------------------ waiting


def next_due(connection: Connection, issue: int, channels: Iterable[str]) -> datetime | None:
    """When the next queued delivery of an issue is due; None where none is queued that could go."""
    earliest = select(func.min(deliveries.c.due_at)).where(
        deliveries.c.issue_id == issue,
        deliveries.c.channel.in_(list(channels)),
        or_(deliveries.c.state == DeliveryState.QUEUED, deliveries.c.state == DeliveryState.SENDING),
        not_(_an_earlier_part_is_not_sent()),
    )
    due: datetime | None = connection.execute(earliest).scalar_one()
    return due
