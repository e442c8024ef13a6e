"""What became of an issue's deliveries, counted and listed: "finished" is a question to these rows."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, func, select

from bot.models import Balance, DeliveryState
from bot.store.tables import deliveries, subscribers

_COUNTED_AS: dict[DeliveryState, str] = {
    **{state: state.value for state in DeliveryState},
    DeliveryState.QUEUED: "waiting",
    DeliveryState.SENDING: "waiting",
}
"""Under which number of the balance a state is counted."""


def by_channel(connection: Connection, issue: int) -> dict[str, Balance]:
    """The balance of each channel of an issue, computed from its rows."""
    counted = select(deliveries.c.channel, deliveries.c.state, func.count().label("rows"))
    counts: dict[str, dict[str, int]] = {}
    for row in connection.execute(
        counted.where(deliveries.c.issue_id == issue).group_by(deliveries.c.channel, deliveries.c.state)
    ):
        of_channel = counts.setdefault(row.channel, {})
        column = _COUNTED_AS[DeliveryState(row.state)]
        of_channel[column] = of_channel.get(column, 0) + row.rows
    return {channel: Balance(**of_channel) for channel, of_channel in sorted(counts.items())}


def of_channel(connection: Connection, issue: int, channel: str) -> Balance:
    """The balance of one channel of an issue."""
    return by_channel(connection, issue).get(channel, Balance())


@dataclass(frozen=True, slots=True)
class Unsent:
    """A row that is not sent, for a person to look at."""

    channel: str
    recipient: str
    state: DeliveryState
    reason: str
    attempts: int
    due_at: datetime


def unsent(connection: Connection, issue: int) -> Iterator[Unsent]:
    """The rows of an issue that are not sent, one by one."""
    rows = connection.execution_options(yield_per=1000).execute(
        select(deliveries, subscribers.c.email)
        .outerjoin(subscribers, subscribers.c.id == deliveries.c.recipient)
        .where(deliveries.c.issue_id == issue, deliveries.c.state != DeliveryState.SENT)
        .order_by(deliveries.c.id)
    )
    for row in rows:
        recipient = row.email or (f"part {row.part}" if row.part else "a reader who was erased")
        state = DeliveryState(row.state)
        yield Unsent(row.channel, recipient, state, row.reason or "", row.attempts, row.due_at)
