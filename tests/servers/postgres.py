"""A PostgreSQL server of the tests' own, and a database of its own for each test, on SQLite as well."""

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import psycopg
import pytest

from bot.store import Store, open_store

SETTINGS = {
    "fsync": "off",
    "full_page_writes": "off",
    "listen_addresses": "127.0.0.1",
    "max_connections": "60",
    "shared_buffers": "16MB",
    "timezone": "Asia/Kolkata",  # a server far from UTC: instants must come back right all the same
    "autovacuum": "off",
    "max_wal_senders": "0",
    "wal_level": "minimal",
}


@dataclass(frozen=True)
class Cluster:
    """A running server, for whoever knows its port."""

    folder: Path
    port: int

    def url(self, database: str) -> str:
        return f"postgresql://postgres:secret@127.0.0.1:{self.port}/{database}"

    def create(self, database: str, template: str = "template1") -> str:
        """Make a database, as a copy of another; its URL."""
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            statement = f'CREATE DATABASE "{database}" TEMPLATE "{template}" STRATEGY file_copy'
            connection.execute(statement.encode())
        return self.url(database)

    def drop(self, database: str) -> None:
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(f'DROP DATABASE "{database}" WITH (FORCE)'.encode())


@dataclass(frozen=True)
class Database:
    """What `open_store` needs, in this process and in others."""

    url: str
    root: Path
    kind: str

    def open(self) -> Store:
        return open_store(self.url, self.root)


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """Start a server that nobody else uses, and end it; skip where PostgreSQL is not installed."""
    if not (programs := _programs()):
        pytest.skip("PostgreSQL is not installed: no /usr/lib/postgresql/*/bin/initdb")
    folder = Path(tempfile.mkdtemp(prefix="broadsheet-pg-"))
    try:
        if os.geteuid() == 0:
            owner = pwd.getpwnam("postgres")
            os.chown(folder, owner.pw_uid, owner.pw_gid)
        with _running(programs, folder) as port:
            yield Cluster(folder, port)
    finally:
        shutil.rmtree(folder)


_numbers = count(1)


@pytest.fixture(params=["sqlite", "postgresql"])
def empty_database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    """A database without a table, once on SQLite and once on PostgreSQL."""
    if request.param == "sqlite":
        yield Database("sqlite:///var/ledger.db", tmp_path, "sqlite")
    else:
        with _database(request.getfixturevalue("cluster"), "template1") as url:
            yield Database(url, tmp_path, "postgresql")


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    """A database with its tables and nothing in them, once on SQLite and once on PostgreSQL."""
    if request.param == "sqlite":
        (tmp_path / "var").mkdir()
        shutil.copyfile(request.getfixturevalue("migrated"), tmp_path / "var/ledger.db")
        yield Database("sqlite:///var/ledger.db", tmp_path, "sqlite")
    else:
        template = request.getfixturevalue("migrated_template")
        with _database(request.getfixturevalue("cluster"), template) as url:
            yield Database(url, tmp_path, "postgresql")


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An SQLite ledger with its tables and nothing in them, to be copied: migrating takes its time."""
    root = tmp_path_factory.mktemp("migrated")
    open_store("sqlite:///ledger.db", root).close()
    return root / "ledger.db"


@pytest.fixture(scope="session")
def migrated_template(cluster: Cluster) -> str:
    """The same on PostgreSQL: its name."""
    open_store(cluster.create("migrated"), cluster.folder).close()
    return "migrated"


@pytest.fixture
def store(database: Database) -> Iterator[Store]:
    """The opened ledger."""
    opened = database.open()
    yield opened
    opened.close()


@contextmanager
def _database(cluster: Cluster, template: str) -> Iterator[str]:
    """A database that is there as long as this lasts; its URL."""
    name = f"ledger{next(_numbers)}"
    yield cluster.create(name, template)
    cluster.drop(name)


def _programs() -> Path | None:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return found[-1].parent if found else None


@contextmanager
def _running(programs: Path, folder: Path) -> Iterator[int]:
    """Run the server as long as this lasts; the port it listens to."""
    data, port = folder / "data", _free_port()
    _run(programs / "initdb", "-D", data, "-U", "postgres", "--auth=trust", "--no-sync", "-E", "UTF8")
    with (data / "postgresql.auto.conf").open("a") as config:
        settings = {**SETTINGS, "unix_socket_directories": str(folder), "port": str(port)}
        config.writelines(f"{name} = '{value}'\n" for name, value in settings.items())
    _run(programs / "pg_ctl", "-D", data, "-w", "-l", folder / "log", "start")
    try:
        yield port
    finally:
        _run(programs / "pg_ctl", "-D", data, "-m", "immediate", "-w", "stop")


def _run(*command: str | Path) -> None:
    """Run one of PostgreSQL's programs, which refuse to be root."""
    words = [str(word) for word in command]
    if os.geteuid() == 0:
        words = ["runuser", "-u", "postgres", "--", *words]
    subprocess.run(words, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, cwd="/")


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        return port
