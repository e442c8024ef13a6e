"""What Slack told us: each envelope counts once, whoever of us heard it, however often it comes."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import Connection, insert, select

from bot.store.tables import events

HEARD = "heard"
"""The kind of the event; its detail is the envelope's name."""
AGAIN_WITHIN = timedelta(days=1)
"""How long after a first telling the same one may come; Slack's own tries end within the hour."""


def note(connection: Connection, names: Sequence[str], now: datetime) -> bool:
    """Note an envelope by its names, inside of a `write`; False where one of them was heard before."""
    before = select(events.c.id).where(
        events.c.kind == HEARD, events.c.detail.in_(names), events.c.at > now - AGAIN_WITHIN
    )
    if connection.execute(before.limit(1)).first():
        return False
    connection.execute(insert(events), [{"at": now, "kind": HEARD, "detail": name} for name in names])
    return True
