"""Signed words that are worth nothing any more before their time: used once, or a session that was ended."""

from datetime import datetime

from sqlalchemy import Connection, delete, insert, select

from bot.store.tables import spent


def spend(connection: Connection, name: str, until: datetime, now: datetime) -> bool:
    """Use a word up; False where it was used before. It is remembered until it would be too old anyway."""
    connection.execute(delete(spent).where(spent.c.until <= now))
    if is_spent(connection, name):
        return False
    connection.execute(insert(spent).values(name=name, until=until))
    return True


def is_spent(connection: Connection, name: str) -> bool:
    """Whether it was used."""
    return connection.execute(select(spent.c.name).where(spent.c.name == name)).first() is not None
