"""Clears up what is in doubt, where the far side can be looked at: it is there, or it is sent again.

in doubt ─ look, look again ─ there ─────────▶ sent
                            ─ surely not ────▶ queued
                            ─ cannot be seen ▶ in doubt, for a person
"""

import logging
from collections.abc import Callable
from datetime import datetime, timedelta

from bot.channels import Audience, Channel, LookingCourier, Wait, sought
from bot.errors import InDoubtError
from bot.models import DeliveryState
from bot.policy import LOOKS, Doubt
from bot.store import Store
from bot.store.doubts import Doubtful, clear_up as settle_doubt, explain, in_doubt
from bot.store.ledger import Settlement

log = logging.getLogger(__name__)


def clear_up(
    store: Store,
    issue: int,
    name: str,
    channel: Channel,
    payload: bytes,
    clock: Callable[[], datetime],
    wait: Wait,
) -> int:
    """Look for what a conversation's channel has in doubt; how many deliveries that settled.

    Whoever looks holds no row: two that look at once come to the same, and the first writes it down.
    """
    if channel.audience is not Audience.CONVERSATION:
        return 0
    with store.read() as connection:
        doubtful = in_doubt(connection, issue, name)
    if not doubtful:
        return 0
    courier = channel.courier(payload)
    if not isinstance(courier, LookingCourier):
        return 0  # nothing of it is open before its first use
    try:
        if not courier.ready(wait):
            return 0
        return sum(_cleared(store, courier, one, clock, wait) for one in doubtful)
    finally:
        courier.close()


def _cleared(
    store: Store, courier: LookingCourier, doubtful: Doubtful, clock: Callable[[], datetime], wait: Wait
) -> bool:
    """Whether what was seen settled one doubt."""
    doubt = InDoubtError("its answer never came")
    waits = waits_since(clock() - doubtful.at)
    try:
        receipt, verdict = sought(lambda: courier.look(doubtful.delivery), wait, doubt, waits=waits)
    except InDoubtError as error:
        if error is not doubt:  # else the run ended before anybody looked
            log.warning("%s", error, extra={"action": "doubt_stays"})
            with store.write() as connection:
                explain(connection, doubtful, f"{error}: look, then `broadsheet resolve`")
        return False
    settlement = _seen(doubtful, verdict, receipt.reference if receipt else None, clock())
    with store.write() as connection:
        return settle_doubt(connection, doubtful, settlement)


def waits_since(age: timedelta) -> tuple[float, ...]:
    """The waits before each look at a doubt of this age: what is old enough need not be waited for first."""
    return max(0.0, LOOKS[0] - max(0.0, age.total_seconds())), *LOOKS[1:]


def _seen(doubtful: Doubtful, verdict: Doubt, receipt: str | None, now: datetime) -> Settlement:
    one = doubtful.delivery.id
    if verdict is Doubt.SENT:
        return Settlement(one, DeliveryState.SENT, now, receipt=receipt)
    return Settlement(one, DeliveryState.QUEUED, now, "looked for, and not there", due_at=now)
