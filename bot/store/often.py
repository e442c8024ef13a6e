"""How often something was done lately, whoever of us did it, so that nobody does it without end."""

from datetime import datetime, timedelta

from sqlalchemy import Connection, func, insert, select

from bot.store.tables import events


def note(
    connection: Connection, kind: str, detail: str, *, most: int, within: timedelta, now: datetime
) -> bool:
    """Note that it is done once more, inside of a `write`; False where it was done `most` times already."""
    lately = select(func.count()).where(
        events.c.kind == kind, events.c.detail == detail, events.c.at > now - within, events.c.at <= now
    )
    if connection.execute(lately).scalar_one() >= most:
        return False
    connection.execute(insert(events).values(at=now, kind=kind, detail=detail))
    return True
