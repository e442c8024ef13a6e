"""When a delivery is tried again, and when it is given up: decided here, done by the outbox."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum

from bot.errors import DeliveryError, InDoubtError, PermanentError, TransientError
from bot.models import Delivery, DeliveryState

FIRST_WAIT = timedelta(minutes=5)
"""Greylisting windows are one to five minutes."""
LONGEST_WAIT = timedelta(hours=2)
HORIZON = timedelta(hours=24)
"""A newsletter is stale after a day; mail in general is tried for four or five (RFC 5321 §4.5.4.1)."""
OUTAGE_WAIT = timedelta(seconds=30)
"""How soon to look again whether a far side that was wholly away has come back."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What an error means for the delivery it happened to."""

    state: DeliveryState
    reason: str
    due_at: datetime | None = None
    charged: bool = True


def judge(delivery: Delivery, error: DeliveryError, now: datetime, jitter: Callable[[], float]) -> Verdict:
    """What becomes of a delivery after an error; `jitter` gives a number from 0 to 1."""
    reason = str(error)
    match error:
        case TransientError():
            return _again(delivery, error, now, jitter)
        case InDoubtError():
            return Verdict(DeliveryState.IN_DOUBT, reason)
        case PermanentError():
            return Verdict(DeliveryState.FAILED, reason)
        case _:
            return Verdict(DeliveryState.IN_DOUBT, reason or type(error).__name__)


def _again(delivery: Delivery, error: TransientError, now: datetime, jitter: Callable[[], float]) -> Verdict:
    due_at = now + wait_before(delivery.attempts + 1, error, jitter)
    first = delivery.first_tried_at or now
    if error.charged and due_at - first > HORIZON:
        return Verdict(DeliveryState.FAILED, f"given up after {_hours(now - first)}: {error}")
    return Verdict(DeliveryState.QUEUED, str(error), due_at, error.charged)


def wait_before(attempt: int, error: TransientError, jitter: Callable[[], float]) -> timedelta:
    """How long to wait before the next try: doubled each time, spread over half as much again.

    At least what the far side asked for, which is heard up to two days; an outage of the whole far side costs
    no attempt and is short.
    """
    asked = min(error.retry_after or timedelta(), 2 * HORIZON)
    if not error.charged:
        return max(OUTAGE_WAIT, asked)
    doubled = FIRST_WAIT * 2 ** min(attempt - 1, 16)
    spread: timedelta = min(doubled, LONGEST_WAIT) * (1 + jitter() / 2)
    return max(spread, asked)


def _hours(span: timedelta) -> str:
    return f"{span / timedelta(hours=1):.0f} hours"


# ------------------------------------------------------------------------- looking for what is in doubt

LOOKS = (3.0, 10.0)
"""Seconds to wait before each look: what was posted shows late, so that one look is not enough to say no."""


LOOKED_AT = tuple(timedelta(minutes=one) for one in (1, 5, 15, 60, 4 * 60, 12 * 60, 24 * 60))
"""How old a doubt is when a bot looks again, where it could not see before; by the last it is a person's."""


def next_look(doubt_at: datetime, now: datetime) -> datetime:
    """When the look after one that is made now is due."""
    age = now - doubt_at
    return doubt_at + next((one for one in LOOKED_AT if one > age), LOOKED_AT[-1])


class Sight(Enum):
    """What one look for a delivery in doubt showed."""

    THERE = "there"
    ABSENT = "absent"
    UNREADABLE = "unreadable"


class Doubt(Enum):
    """What is done next about a delivery in doubt."""

    LOOK = "look, after a wait"
    SENT = "count it as sent"
    AGAIN = "send it again: surely it is not there"
    LATER = "try later: it is not there, though sent twice"
    HELD = "hold it for a person"


def after_looks(sights: Sequence[Sight], *, again: bool) -> Doubt:
    """What follows from all that was seen; `again` where it has been sent a second time already."""
    if not sights:
        return Doubt.LOOK
    if sights[-1] is not Sight.ABSENT:
        return Doubt.SENT if sights[-1] is Sight.THERE else Doubt.HELD
    if len(sights) < len(LOOKS):
        return Doubt.LOOK
    return Doubt.LATER if again else Doubt.AGAIN
