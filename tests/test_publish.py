"""An issue is put into the outbox once and whole, or not at all."""

import subprocess
import sys
import threading
from collections.abc import Callable

import pytest
from sqlalchemy import func, select

from bot import approvals, subscriptions
from bot.approvals import Word
from bot.errors import BroadsheetError, RefusedError
from bot.models import Balance, Consent, Week
from bot.publish import publish
from bot.store import Store, balances, issues, ledger, readers, tables
from tests.recording import (
    LETTER,
    NOW,
    PAYLOAD,
    WEEK,
    Recorder,
    add_readers,
    conversation,
    edition,
    published,
)
from tests.servers.postgres import Database

HELD = Word("hash", "[]")


def count(store: Store) -> dict[str, int]:
    """How many rows are in each table that publishing writes to."""
    with store.read() as connection:
        return {
            table.name: connection.execute(select(func.count()).select_from(table)).scalar_one()
            for table in (tables.issues, tables.payloads, tables.deliveries, tables.issue_entries)
        }


def test_each_confirmed_reader_and_each_part_has_a_row(store: Store) -> None:
    add_readers(store, ["ann", "bob", "eve"])
    subscriptions.add(store, LETTER, "pat@example.org", "pat", "", Consent.PENDING, NOW)
    add_readers(store, ["zoe"], newsletter="another")
    subscriptions.remove(store, "eve@example.org", LETTER, NOW)
    number = published(store, email=Recorder(), slack=conversation(3))
    with store.read() as connection:
        assert balances.by_channel(connection, number) == {
            "email": Balance(waiting=2),
            "slack": Balance(waiting=3),
        }
        assert issues.payloads_of(connection, number) == {"email": PAYLOAD, "slack": PAYLOAD}
        assert ledger.next_due(connection, number, ["email", "slack"]) == NOW


def test_a_suppressed_reader_has_a_row_that_says_why(store: Store) -> None:
    add_readers(store, ["ann", "bob"])
    with store.write() as connection:
        readers.suppress(connection, "bob@example.org", "it bounced", NOW)
    number = published(store, email=Recorder())
    with store.read() as connection:
        assert balances.of_channel(connection, number, "email") == Balance(waiting=1, suppressed=1)
        states = {one.recipient: (one.state, one.reason) for one in balances.unsent(connection, number)}
    assert states["bob@example.org"] == ("suppressed", "address suppressed: it bounced")


def test_an_issue_without_readers_is_published_all_the_same(store: Store) -> None:
    number = published(store, email=Recorder())
    with store.read() as connection:
        assert balances.of_channel(connection, number, "email") == Balance()
        assert ledger.next_due(connection, number, ["email"]) is None


@pytest.mark.parametrize("parts", [0, 1])
def test_a_conversation_may_have_no_parts(store: Store, parts: int) -> None:
    number = published(store, slack=conversation(parts))
    with store.read() as connection:
        assert balances.of_channel(connection, number, "slack").waiting == parts


def test_publishing_again_changes_nothing(store: Store) -> None:
    add_readers(store, ["ann"])
    published(store, email=Recorder())
    add_readers(store, ["bob"])
    before = count(store)
    channels = {"email": Recorder(), "slack": conversation(2)}
    assert not publish(store, edition(channels, taken=["one"]), channels, NOW)
    assert count(store) == before


def test_an_entry_is_taken_by_one_issue_ever(store: Store) -> None:
    channels = {"email": Recorder()}
    assert publish(store, edition(channels, taken=["one", "two"]), channels, NOW)
    with store.read() as connection:
        assert issues.taken_entries(connection, LETTER) == {"one", "two"}
        assert issues.taken_entries(connection, LETTER, but=WEEK) == set()
        assert issues.taken_entries(connection, "another") == set()


class CannotCountError(Exception):
    """A fault in the middle of publishing."""


class Uncountable(Recorder):
    """A channel that fails once the issue and the readers' rows are written."""

    def parts(self, payload: bytes) -> int:
        raise CannotCountError


def test_nothing_is_left_of_a_publishing_that_failed(store: Store) -> None:
    add_readers(store, ["ann"])
    channels = {"email": Recorder(), "slack": Uncountable(audience=conversation(1).audience)}
    with pytest.raises(CannotCountError):
        publish(store, edition(channels, taken=["one"]), channels, NOW)
    assert set(count(store).values()) == {0}
    assert published(store, email=Recorder())


def at_once(jobs: list[Callable[[], None]]) -> None:
    """Run each in a thread of its own, all begun together."""
    gate = threading.Barrier(len(jobs))

    def run(job: Callable[[], None]) -> None:
        gate.wait(60)
        job()

    threads = [threading.Thread(target=run, args=(job,)) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)


def test_of_many_publishers_at_once_one_publishes(database: Database, store: Store) -> None:
    add_readers(store, [f"r{number}" for number in range(20)])
    won: list[bool] = []
    channels = {"email": Recorder(), "slack": conversation(2)}

    def publisher() -> None:
        opened = database.open()
        won.append(publish(opened, edition(channels, taken=["one"]), channels, NOW))
        opened.close()

    at_once([publisher] * 6)
    assert sorted(won) == [False] * 5 + [True]
    assert count(store) == {"issues": 1, "payloads": 2, "deliveries": 22, "issue_entries": 1}


SCRIPT = """
import sys
from pathlib import Path
from bot.publish import publish
from bot.store import balances, open_store
from tests.recording import NOW, Recorder, edition
store = open_store(sys.argv[1], Path(sys.argv[2]))
channels = {"email": Recorder()}
print("ready", flush=True)
sys.stdin.readline()
print(publish(store, edition(channels), channels, NOW), flush=True)
store.close()
"""


def test_of_two_processes_at_once_one_publishes(database: Database, store: Store) -> None:
    add_readers(store, [f"r{number}" for number in range(20)])
    command = [sys.executable, "-c", SCRIPT, database.url, str(database.root)]
    processes = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(2)
    ]
    for process in processes:
        assert process.stdout
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin
        process.stdin.write("go\n")
        process.stdin.flush()
    assert sorted(process.communicate(timeout=60)[0] for process in processes) == ["False\n", "True\n"]
    assert count(store)["deliveries"] == 20


def test_each_newsletter_and_each_week_is_its_own(store: Store) -> None:
    add_readers(store, ["ann"])
    first = published(store, email=Recorder())
    second = published(store, week=Week(2025, 18), email=Recorder())
    with store.read() as connection:
        assert [one.id for one in issues.unsettled(connection, LETTER)] == [first, second]
        assert issues.unsettled(connection, "another") == []


def test_a_hold_of_a_moment_ago_is_heard(store: Store) -> None:
    add_readers(store, ["ann"])
    channels = {"email": Recorder()}
    approvals.decide(store, LETTER, WEEK, "held", HELD, NOW)
    with pytest.raises(
        RefusedError, match="letter/2025-W17: a curator holds it: `broadsheet release 2025-W17`"
    ):
        publish(store, edition(channels), channels, NOW)
    assert not any(count(store).values())
    approvals.decide(store, LETTER, WEEK, "released", HELD, NOW)
    assert publish(store, edition(channels), channels, NOW)


def test_of_a_hold_and_a_publishing_at_once_one_is_refused(database: Database, store: Store) -> None:
    """A hold that was taken must mean that nothing went out, however close the two were."""
    done: list[str] = []
    begin = threading.Barrier(2)

    def attempt(name: str, action: Callable[[Store], object]) -> None:
        own = database.open()
        begin.wait()
        try:
            action(own)
            done.append(name)
        except BroadsheetError as error:
            done.append(str(error))
        own.close()

    channels = {"email": Recorder()}
    actions: dict[str, Callable[[Store], object]] = {
        "published": lambda own: publish(own, edition(channels), channels, NOW),
        "held": lambda own: approvals.decide(own, LETTER, WEEK, "held", HELD, NOW),
    }
    threads = [threading.Thread(target=attempt, args=pair) for pair in actions.items()]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(done) & set(actions)) == 1
