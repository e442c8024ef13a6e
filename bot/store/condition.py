"""Looks at a database without making or changing anything in it."""

from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection, inspect, text

from bot.store.engine import HEAD, Store, _engine, _name, _translated, _url

_TOUCH = text("UPDATE alembic_version SET version_num = version_num")
"""Changes nothing, and needs every right that a change needs."""


@dataclass(frozen=True, slots=True)
class Condition:
    """How a database is."""

    name: str
    """Where it is, without its password."""
    server: str
    """Which database answers, with its version."""
    version: tuple[int, ...]
    """That version in numbers; empty where there is no database yet."""
    file: Path | None
    """The file of an SQLite database, whether it is there or not."""
    revision: str | None
    """The newest migration that it knows; None where no table is in it yet."""
    head: str = HEAD
    """The newest migration of this release."""


def condition(database: str, root: Path) -> Condition:
    """Open the database, try whether it can be written to, and write nothing; StoreError where it cannot.

    An SQLite file that is not there is not made; its folder is, as for every command.
    """
    url = _url(database, root)
    file = Path(str(url.database)) if url.get_backend_name() == "sqlite" else None
    store = Store(_engine(url))
    try:
        if file and not file.exists():
            return Condition(str(file), "SQLite", (), file, None)
        with _translated(store.engine), store.engine.connect() as connection:
            connection.execution_options(writing=True)
            return _looked(connection, store, file)
    finally:
        store.close()


def _looked(connection: Connection, store: Store, file: Path | None) -> Condition:
    version = tuple(map(int, connection.dialect.server_version_info or ()))
    revision = None
    with connection.begin() as transaction:
        if inspect(connection).has_table("alembic_version"):
            revision = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
            connection.execute(_TOUCH)
        transaction.rollback()
    server = "SQLite" if store.sqlite else "PostgreSQL"
    numbers = ".".join(map(str, version))
    return Condition(_name(store.engine), f"{server} {numbers}", version, file, revision)
