"""The database is made, found, refused and read as promised, on SQLite and on PostgreSQL."""

import os
import re
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Engine, create_engine, inspect, text
from sqlalchemy.engine import make_url

from bot.errors import BroadsheetError, InputError, StoreError
from bot.models import Approval, Week
from bot.store import Store, decisions, engine, issues, open_store
from bot.store.migrating import configuration
from bot.store.tables import metadata
from tests.servers.postgres import Cluster, Database

SQLITE = "sqlite:///var/ledger.db"


# --------------------------------------------------------------------------------------------- migrations


def test_migrations_make_exactly_the_tables_of_the_product(store: Store) -> None:
    with store.read() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []


def test_migrations_make_the_same_checks_as_the_tables(store: Store) -> None:
    with store.read() as connection:
        seen = inspect(connection)
        made = {check["name"] for table in metadata.tables for check in seen.get_check_constraints(table)}
    wanted = {
        constraint.name
        for table in metadata.tables.values()
        for constraint in table.constraints
        if type(constraint).__name__ == "CheckConstraint"
    }
    assert made == wanted


def test_decisions_of_an_older_release_still_stand(
    empty_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before 0005 they were events, and the last of each issue stood in a table of its own."""
    monkeypatch.chdir(empty_database.root)
    Path("var").mkdir()
    bare = create_engine(make_url(empty_database.url), future=True)
    _migrate(bare, "0004")
    said = [("approved", "W17", "a"), ("held", "W17", "b"), ("approved", "W18", "c"), ("held", "W19", "d"),
            ("released", "W19", "")]  # fmt: skip
    with bare.begin() as connection:
        for kind, week, content_hash in said:
            connection.execute(
                text(
                    "INSERT INTO events (at, kind, newsletter, week, detail) "
                    "VALUES ('2025-04-25 09:00:00+00:00', :kind, 'letter', :week, :hash)"
                ),
                {"kind": kind, "week": f"2025-{week}", "hash": content_hash},
            )
    bare.dispose()
    opened = empty_database.open()
    with opened.read() as connection:
        standing = {n: decisions.standing(connection, "letter", Week(2025, n)) for n in (17, 18, 19, 20)}
    at = datetime(2025, 4, 25, 9, tzinfo=UTC)
    assert standing == {17: Approval("held", "b", at), 18: Approval("approved", "c", at), 19: None, 20: None}
    opened.close()


def _migrate(bare: Engine, revision: str) -> None:
    config = configuration()
    with bare.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, revision)


def test_the_head_named_in_the_code_is_the_newest_migration() -> None:
    assert ScriptDirectory.from_config(configuration()).get_heads() == [engine.HEAD]


def test_a_database_that_is_up_to_date_opens_without_alembic(database: Database) -> None:
    database.open().close()
    script = f"""
import sys
from pathlib import Path
from bot.store import open_store
open_store({database.url!r}, Path({str(database.root)!r})).close()
sys.exit("alembic" in sys.modules)
"""
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


def test_several_processes_may_open_a_fresh_database_at_once(empty_database: Database) -> None:
    script = f"""
import sys
from pathlib import Path
from bot.store import migrating, open_store
print("ready", flush=True)
sys.stdin.readline()
open_store({empty_database.url!r}, Path({str(empty_database.root)!r})).close()
"""
    command = [sys.executable, "-c", script]
    processes = [
        subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        for _ in range(3)
    ]
    for process in processes:
        assert process.stdout
        assert process.stdout.readline() == "ready\n"
    outcomes = []
    for process in processes:
        assert process.stdin
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in processes:
        _, words = process.communicate(timeout=60)
        outcomes.append((process.returncode, words))
    assert outcomes == [(0, "")] * 3


def test_a_database_of_a_newer_release_is_refused_in_one_line(database: Database) -> None:
    opened = database.open()
    with opened.write() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    opened.close()
    assert (
        refusal(database.url, database.root) == "the database was made by a newer release: install that one"
    )


# --------------------------------------------------------------------------------------------- refusals


def refusal(url: str, root: Path) -> str:
    """What opening a database says; one line, without its password."""
    with pytest.raises(BroadsheetError) as caught:
        open_store(url, root)
    words = str(caught.value)
    assert "\n" not in words
    assert "secret" not in words
    assert isinstance(caught.value, InputError | StoreError)
    return words


@pytest.mark.parametrize(
    "url",
    [
        "",
        "broadsheet.db",
        "mysql://me:secret@localhost/x",
        "sqlite://",
        "sqlite:///:memory:",
        "sqlite+nothing:///x.db",
        "postgresql://me:secret@localhost:port/x",
        "postgresql://me:secret@localhost:5432:5432/x",
        "postgresql://me:secret@localhost/x?no_such_option=1",
    ],
)
def test_what_is_no_database_url_is_refused(url: str, tmp_path: Path) -> None:
    assert refusal(url, tmp_path)


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / "ledger.db").write_text("Dear diary, " * 100, "utf-8")
    assert "is not a database: this file is something else" in refusal("sqlite:///ledger.db", tmp_path)


def test_a_folder_is_no_database(tmp_path: Path) -> None:
    (tmp_path / "ledger.db").mkdir()
    assert "unable to open database file" in refusal("sqlite:///ledger.db", tmp_path)


def test_a_missing_folder_is_made(tmp_path: Path) -> None:
    open_store("sqlite:///a/b/ledger.db", tmp_path).close()
    assert (tmp_path / "a/b/ledger.db").exists()


def test_a_folder_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "var").write_text("a file", "utf-8")
    assert "the database's folder cannot be made" in refusal(SQLITE, tmp_path)


@pytest.fixture
def as_a_stranger() -> Iterator[Path]:
    """A folder of root's or ours, seen by a process that may not do everything."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        open_store(SQLITE, folder).close()
        for path in (folder / "var", *(folder / "var").iterdir()):
            path.chmod(path.stat().st_mode & ~0o222)
        folder.chmod(0o755)
        root = os.geteuid() == 0
        if root:
            os.seteuid(65534)
        try:
            yield folder
        finally:
            if root:
                os.seteuid(0)
            (folder / "var").chmod(0o755)


def test_a_database_that_may_not_be_written_is_refused_when_it_is_written(as_a_stranger: Path) -> None:
    with pytest.raises(StoreError, match=r"readonly database.*: make the file and its folder writable"):  # noqa: SIM117
        with closing(open_store(SQLITE, as_a_stranger)) as store, store.write() as connection:
            issues.tell(connection, "letter", Week(2025, 17), "held", "", datetime.now(UTC))


def test_a_database_in_a_folder_that_may_not_be_written_is_refused(as_a_stranger: Path) -> None:
    assert "unable to open database file: make its folder writable" in refusal(
        "sqlite:///var/other.db", as_a_stranger
    )


def test_a_locked_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    open_store(SQLITE, tmp_path).close()
    monkeypatch.setattr(engine, "BUSY", 0.05)
    with closing(sqlite3.connect(tmp_path / "var/ledger.db", isolation_level=None)) as other:
        other.execute("PRAGMA locking_mode = EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        assert "database is locked: another process is writing to it" in refusal(SQLITE, tmp_path)


def test_one_writes_at_a_time(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "BUSY", 0.05)
    with (
        closing(database.open()) as store,
        store.write(),
        pytest.raises(StoreError, match=": another process is writing to it; end it, or try again"),
        store.write(),
    ):
        pass


def test_a_full_disk_is_told(tmp_path: Path) -> None:
    store = open_store(SQLITE, tmp_path)
    with pytest.raises(StoreError, match="disk is full: make room"), store.write() as connection:  # noqa: PT012 (it is the whole of it)
        connection.execute(text("PRAGMA max_page_count = 1"))
        issues.add(connection, "letter", Week(2025, 17), "x" * 1_000_000, "", datetime.now(UTC), late=False)
    store.close()


def test_a_postgresql_that_does_not_answer_is_refused(tmp_path: Path) -> None:
    words = refusal("postgresql://me:secret@127.0.0.1:1/ledger", tmp_path)
    assert "postgresql+psycopg://me:***@127.0.0.1:1/ledger" in words
    assert words.endswith("Connection refused: start the server, or mend `database` in config/bot.toml")


def test_a_host_that_answers_at_none_of_its_addresses_is_refused(tmp_path: Path) -> None:
    words = refusal("postgresql://me:secret@/ledger?host=127.0.0.1:1&host=127.0.0.1:2", tmp_path)
    assert "Connection refused" in words


@pytest.mark.parametrize("user", ["postgres", "nobody"])
def test_a_missing_database_or_role_is_refused(cluster: Cluster, tmp_path: Path, user: str) -> None:
    url = cluster.url("no_such_database").replace("postgres:", f"{user}:")
    assert "does not exist" in refusal(url, tmp_path)


def test_a_failed_statement_is_one_line_without_the_values(store: Store) -> None:
    with pytest.raises(StoreError) as caught, store.write() as connection:
        connection.execute(text("SELECT :address FROM no_such_table"), {"address": "ann@example.org"})
    assert "no_such_table" in str(caught.value)
    assert "ann@" not in str(caught.value)
    assert "\n" not in str(caught.value)


# --------------------------------------------------------------------------------------------- connections

SUMMER = datetime(2025, 4, 25, 9, 0, 0, 123456, tzinfo=timezone(timedelta(hours=2)))


def test_instants_come_back_in_utc_whatever_zone_they_had(store: Store) -> None:
    with store.write() as connection:
        issues.add(connection, "letter", Week(2025, 17), "Title", "hash", SUMMER, late=False)
    with store.read() as connection:
        found = issues.find(connection, "letter", Week(2025, 17))
    assert found
    assert (found.at, found.at.utcoffset()) == (SUMMER, timedelta())


def test_an_instant_without_a_zone_is_not_taken(store: Store) -> None:
    naive = SUMMER.replace(tzinfo=None)
    with pytest.raises(StoreError), store.write() as connection:
        issues.add(connection, "letter", Week(2025, 17), "Title", "hash", naive, late=False)


def test_a_week_is_entered_once(store: Store) -> None:
    with store.write() as connection:
        first = issues.add(connection, "letter", Week(2025, 17), "Title", "hash", SUMMER, late=False)
        second = issues.add(connection, "letter", Week(2025, 17), "Other", "hash", SUMMER, late=False)
        other = issues.add(connection, "other", Week(2025, 17), "Title", "hash", SUMMER, late=True)
    assert (second, first == other) == (None, False)


def test_a_reader_of_the_database_sees_one_moment(store: Store) -> None:
    with store.read() as connection:
        assert issues.every(connection, "letter") == []
        with store.write() as writer:
            issues.add(writer, "letter", Week(2025, 17), "Title", "hash", SUMMER, late=False)
        assert issues.every(connection, "letter") == []


@pytest.mark.parametrize("kind", ["write", "relaxed"])
def test_nothing_is_left_of_a_transaction_that_fails(store: Store, kind: str) -> None:
    with pytest.raises(ZeroDivisionError), getattr(store, kind)() as connection:  # noqa: PT012 (after a statement)
        issues.add(connection, "letter", Week(2025, 17), "Title", "hash", SUMMER, late=False)
        _ = 1 / 0
    with store.read() as connection:
        assert issues.every(connection, "letter") == []


def test_what_matters_is_synced_and_what_does_not_is_not(tmp_path: Path) -> None:
    store = open_store(SQLITE, tmp_path)
    for kind, level in (("write", 2), ("relaxed", 1), ("write", 2)):
        with getattr(store, kind)() as connection:
            assert connection.execute(text("PRAGMA synchronous")).scalar() == level
    store.close()


def test_a_reason_is_told_to_a_curator_once_for_each_content(store: Store) -> None:
    week, now = Week(2025, 17), datetime.now(UTC)
    said = (("held", "a"), ("held", "a"), ("held", "b"), ("draft", "b"), ("draft", "b"))
    with store.write() as connection:
        told = [issues.tell(connection, "letter", week, *one, now) for one in said]
    with store.read() as connection:
        assert issues.told_of(connection, "letter") == {week: ("draft", "b")}
    assert told == [True, False, True, True, False]


def test_the_password_of_a_database_is_in_no_name(database: Database) -> None:
    opened = database.open()
    assert not re.search("secret", engine._name(opened.engine))
    opened.close()
