"""Opens the database, brings it up to date, and gives out its kinds of connection."""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, PoolProxiedConnection, create_engine, event, inspect, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, IntegrityError, NoSuchModuleError, SQLAlchemyError

from bot.errors import InputError, StoreError

HEAD = "0007"
"""The newest migration; a test holds it against `migrations/versions`."""

BUSY = 10.0
"""Seconds to wait for another process that is writing."""

WRITING = 0x42524F42
"""PostgreSQL's advisory lock for `write`: two that look and then enter would both find nothing there."""

_ONE_WRITER = text("SELECT set_config('lock_timeout', :wait, true), pg_advisory_xact_lock(:lock)")


class Store:
    """The database.

    `read` sees; `write` changes, one process at a time, and is on the disk when it ends; `relaxed` survives a
    killed process but not a power cut, and costs a fraction.
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.sqlite = engine.dialect.name == "sqlite"

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Look at one consistent moment."""
        with _translated(self.engine), self.engine.connect() as connection:
            if not self.sqlite:
                connection.execution_options(isolation_level="REPEATABLE READ")
            yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """One transaction, synced to the disk before this ends."""
        with _translated(self.engine), self.engine.connect() as connection:
            self._sync(connection, fully=True)
            with connection.execution_options(writing=True).begin():
                if not self.sqlite:
                    connection.execute(_ONE_WRITER, {"wait": f"{BUSY:.3f}s", "lock": WRITING})
                yield connection

    @contextmanager
    def relaxed(self) -> Iterator[Connection]:
        """One transaction that is not waited for until it is on the disk."""
        with _translated(self.engine), self.engine.connect() as connection:
            self._sync(connection, fully=False)
            with connection.execution_options(writing=True).begin():
                if not self.sqlite:
                    connection.execute(text("SET LOCAL synchronous_commit = off"))
                yield connection

    @contextmanager
    def kept(self) -> Iterator[PoolProxiedConnection]:
        """The driver's own connection, for one who writes all the time; commits as `relaxed` does."""
        with _translated(self.engine):
            connection = self.engine.raw_connection()
            connection.detach()  # so that nobody else is given it with what is set here
            try:
                cursor = connection.cursor()
                cursor.execute(
                    "PRAGMA synchronous = NORMAL" if self.sqlite else "SET synchronous_commit = off"
                )
                cursor.close()
                connection.commit()
                yield connection
            finally:
                connection.close()

    @contextmanager
    def transaction(self, kept: PoolProxiedConnection) -> Iterator[Any]:
        """One transaction on a kept connection; its cursor."""
        with _translated(self.engine):
            cursor = kept.cursor()
            try:
                if self.sqlite:
                    cursor.execute("BEGIN IMMEDIATE")
                yield cursor
                kept.commit()
            except BaseException:
                kept.rollback()
                raise
            finally:
                cursor.close()

    def _sync(self, connection: Connection, *, fully: bool) -> None:
        """Set how SQLite commits, where it is not so already: the pragma stays with the pooled connection."""
        if self.sqlite and connection.connection.info.get("synced") != fully:
            cursor = connection.connection.cursor()
            cursor.execute(f"PRAGMA synchronous = {'FULL' if fully else 'NORMAL'}")
            connection.connection.info["synced"] = fully

    def close(self) -> None:
        """Give every connection back."""
        self.engine.dispose()


def open_store(database: str, root: Path) -> Store:
    """Open the database that the configuration names, making and migrating it where needed."""
    url = _url(database, root)
    store = Store(_engine(url))
    try:
        with _translated(store.engine):
            _bring_up_to_date(store)
    except BaseException:
        store.close()
        raise
    return store


def store_to_look_at(database: str, root: Path) -> Store:
    """The database for one who only looks: where its file is not there yet, an empty one that leaves none."""
    url = _parsed(database)
    if url.get_backend_name() != "sqlite" or not url.database or (root / url.database).exists():
        return open_store(database, root)
    return store_of_nothing()


def store_of_nothing() -> Store:
    """An empty database in memory, for one who only looks."""
    from bot.store.tables import metadata  # noqa: PLC0415 (imported where it is needed, as the migrations are)

    store = Store(_engine(make_url("sqlite://")))
    metadata.create_all(store.engine)
    return store


def _url(database: str, root: Path) -> URL:
    url = _parsed(database)
    if url.get_backend_name() == "sqlite":
        return _sqlite_url(url, root)
    return url.set(drivername="postgresql+psycopg")


def _parsed(database: str) -> URL:
    try:
        url = make_url(database)
    except (ArgumentError, ValueError) as error:  # the latter where the port is no number
        raise InputError(
            "config/bot.toml", "database: not a database URL", "sqlite:///var/broadsheet.db"
        ) from error
    if url.get_backend_name() not in {"sqlite", "postgresql"}:
        what = f"database: {url.get_backend_name()} is neither sqlite nor postgresql"
        raise InputError("config/bot.toml", what, "sqlite:///var/broadsheet.db or postgresql+psycopg://…")
    return url


def _sqlite_url(url: URL, root: Path) -> URL:
    if not url.database or url.database == ":memory:":
        raise InputError("config/bot.toml", "database: names no file", "sqlite:///var/broadsheet.db")
    path = root / url.database
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"{path.parent}: {error.strerror}: the database's folder cannot be made") from error
    return url.set(database=str(path))


def _engine(url: URL) -> Engine:
    try:
        if url.get_backend_name() == "postgresql":
            return create_engine(url, pool_pre_ping=True, connect_args={"connect_timeout": 10})
        engine = create_engine(url, connect_args={"check_same_thread": False, "timeout": BUSY})
    except (NoSuchModuleError, ImportError) as error:
        raise InputError(
            "config/bot.toml", "database: no driver for it", "sqlite:/// or postgresql+psycopg://"
        ) from error
    event.listen(engine, "connect", _set_up_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _set_up_sqlite(connection: Any, _record: Any) -> None:
    """WAL lets readers and one writer work side by side; transactions are begun by us, not by the driver."""
    connection.isolation_level = None
    cursor = connection.cursor()
    _turn_to_wal(cursor)
    cursor.execute("PRAGMA foreign_keys = ON")
    cursor.close()


def _turn_to_wal(cursor: Any) -> None:
    """SQLite does not wait for this one by itself, so that two who open a fresh database would collide."""
    deadline = time.monotonic() + BUSY
    while True:
        try:
            cursor.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(0.01)
        else:
            return


def _begin_sqlite(connection: Connection) -> None:
    """A writer takes the lock at once: taking it half-way through fails where another writer was faster."""
    writing = connection.get_execution_options().get("writing")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")


# --------------------------------------------------------------------------------------------- migrations


def _bring_up_to_date(store: Store) -> None:
    if _revision(store) == HEAD:
        return
    from bot.store.migrating import upgrade  # noqa: PLC0415 (Alembic costs half a second, and is rarely needed)

    upgrade(store.engine)


def is_current(store: Store) -> bool:
    """Whether the database answers and has this release's tables; StoreError where it does not answer."""
    with _translated(store.engine):
        return _revision(store) == HEAD


def _revision(store: Store) -> str | None:
    with store.engine.connect() as connection:
        if not inspect(connection).has_table("alembic_version"):
            return None
        return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()


# ------------------------------------------------------------------------------------------------- errors


@contextmanager
def _translated(engine: Engine) -> Iterator[None]:
    """Say a database's failure in one line, without the statement and its values."""
    try:
        yield
    except IntegrityError:
        raise
    except DBAPIError as error:
        raise _failure(engine, error.orig or error) from error
    except engine.dialect.loaded_dbapi.Error as error:  # on a connection that is the driver's own
        raise _failure(engine, error) from error
    except SQLAlchemyError as error:
        raise StoreError(f"{_name(engine)}: {type(error).__name__}") from error


def _failure(engine: Engine, error: BaseException) -> StoreError:
    words = (str(error).strip().splitlines() or [type(error).__name__])[0]
    return StoreError(f"{_name(engine)}: {words}{_mend(words)}")


def _name(engine: Engine) -> str:
    """The database's name, without its password."""
    url = engine.url
    return (
        str(url.database)
        if engine.dialect.name == "sqlite"
        else url.set(query={}).render_as_string(hide_password=True)
    )


def _mend(words: str) -> str:
    mends = {
        "locked": ": another process is writing to it; end it, or try again",
        "lock timeout": ": another process is writing to it; end it, or try again",
        "readonly": ": make the file and its folder writable",
        "read-only": ": make the file and its folder writable",
        "unable to open": ": make its folder writable",
        "disk is full": ": make room; what was committed is safe",
        "not a database": ": this file is something else; name another one",
        "Connection refused": ": start the server, or mend `database` in config/bot.toml",
    }
    return next((mend for sign, mend in mends.items() if sign in words), "")
