"""Processes that are killed, that meet on one ledger, that are taken for dead: nobody twice, nobody lost."""

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import select

from bot.models import Balance, DeliveryState
from bot.store import Store, balances, ledger, tables, workers
from bot.store.pen import Pen
from bot.store.workers import LEASE, Process
from tests.recording import NOW, Recorder, crowd, published
from tests.servers.postgres import Database

ROOT = Path(__file__).resolve().parents[1]
PEOPLE = 120


class Sender:
    """A process of its own that works off an issue."""

    def __init__(
        self, database: Database, issue: int, couriers: int, death: tuple[str, int] | None = None
    ) -> None:
        self.mailbox = database.root / "mailbox"
        words = [database.url, database.root, issue, self.mailbox, couriers, *(death or ())]
        command = [sys.executable, "-m", "tests.appending", *map(str, words)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT)
        assert self.process.stdout
        assert self.process.stdout.readline() == b"ready\n"

    def go(self) -> None:
        assert self.process.stdin
        self.process.stdin.write(b"go\n")
        self.process.stdin.flush()

    def end(self) -> int:
        """Wait for the process; how it ended."""
        self.process.communicate(timeout=60)
        return self.process.returncode

    def kill_at(self, lines: int) -> None:
        """Kill the process from outside once it has delivered so many."""
        latest = time.monotonic() + 30
        while (
            len(lines_of(self.mailbox)) < lines and time.monotonic() < latest and self.process.poll() is None
        ):
            pass
        self.process.send_signal(signal.SIGKILL)


def lines_of(mailbox: Path) -> list[str]:
    return mailbox.read_text("utf-8").splitlines() if mailbox.exists() else []


def states(store: Store) -> dict[str, str]:
    """The state of each reader's delivery, by their name."""
    who = select(tables.subscribers.c.name, tables.deliveries.c.state).join(
        tables.deliveries, tables.deliveries.c.recipient == tables.subscribers.c.id
    )
    with store.read() as connection:
        return {row.name: row.state for row in connection.execute(who)}


def the_books_are_right(store: Store, names: list[str], lines: list[str], doubts: int) -> None:
    """Who is sent has one line, who is in doubt one or none, and there is nobody else."""
    found, delivered = states(store), Counter(lines)
    assert sorted(found) == names
    assert {name for name, state in found.items() if state == "sent"} <= set(delivered)
    assert max(delivered.values()) == 1
    assert Counter(found.values()) == Counter(sent=len(names) - doubts, in_doubt=doubts)
    without = [name for name in names if not delivered[name]]
    assert all(found[name] == "in_doubt" for name in without)


# ------------------------------------------------------------------------------------------------- killed


@pytest.mark.parametrize("death", [("after", 1), ("before", 26), ("after", 77)])
def test_a_killed_process_leaves_one_in_doubt_and_nobody_twice(
    database: Database, store: Store, death: tuple[str, int]
) -> None:
    names = crowd(store, PEOPLE)
    issue = published(store, email=Recorder())
    killed = Sender(database, issue, 1, death)
    killed.go()
    assert killed.end() == -signal.SIGKILL
    again = Sender(database, issue, 1)
    again.go()
    assert again.end() == 0
    lines = lines_of(again.mailbox)
    the_books_are_right(store, names, lines, doubts=1)
    assert len(lines) == PEOPLE - (death[0] == "before")
    with store.read() as connection:
        [doubt] = balances.unsent(connection, issue)
    assert (doubt.state, doubt.reason) == ("in_doubt", workers.CRASHED)
    assert doubt.recipient == f"{names[death[1] - 1]}@x.org"


def test_killed_again_and_again_it_leaves_at_most_one_per_courier_in_doubt(
    database: Database, store: Store
) -> None:
    names = crowd(store, PEOPLE)
    issue = published(store, email=Recorder())
    doubts = 0
    for lines in (1, 40):
        sender = Sender(database, issue, 3)
        sender.go()
        sender.kill_at(lines)
        assert sender.end() in {-signal.SIGKILL, 0}  # on a busy machine it may be done before it is killed
        with store.write() as connection:
            found = workers.recover(connection, Process.this(), NOW)
        assert found <= 3
        doubts += found
    last = Sender(database, issue, 3)
    last.go()
    assert last.end() == 0
    the_books_are_right(store, names, lines_of(last.mailbox), doubts)


def test_two_processes_at_once_send_to_nobody_twice(database: Database, store: Store) -> None:
    names = crowd(store, PEOPLE)
    issue = published(store, email=Recorder())
    pair = [Sender(database, issue, 2) for _ in range(2)]
    for sender in pair:
        sender.go()
    assert [sender.end() for sender in pair] == [0, 0]
    the_books_are_right(store, names, lines_of(pair[0].mailbox), doubts=0)


# -------------------------------------------------------------------------------------- taken for dead

ME = Process("here", "boot-1", 100, "5000")
ALIVE = {100: "5000", 200: "6000"}


def left_by(store: Store, process: Process, beat: timedelta = timedelta()) -> int:
    """An issue for four readers, of which a process has claimed three, sent one and is sending one."""
    crowd(store, 4)
    issue = published(store, email=Recorder())
    with store.write() as connection:
        worker = workers.register(connection, process, NOW - beat)
        claimed = ledger.claim(connection, issue, "email", worker, 3, NOW)
    with Pen.held(store, worker) as pen:
        pen.write([], [one.id for one in claimed[:2]])
        pen.write([ledger.Settlement(claimed[0].id, DeliveryState.SENT, NOW)], [])
    return issue


RELEASED = Balance(sent=1, in_doubt=1, waiting=2)
UNTOUCHED = Balance(sent=1, waiting=3)
ALL_IN_DOUBT = Balance(sent=1, in_doubt=2, waiting=1)
MOMENT = timedelta(seconds=1)


@pytest.mark.parametrize(
    ("process", "silent", "balance"),
    [
        pytest.param(Process("here", "boot-1", 300, "7000"), MOMENT, RELEASED, id="gone"),
        pytest.param(Process("here", "boot-1", 200, "1234"), MOMENT, RELEASED, id="its pid is another's"),
        pytest.param(Process("here", "boot-1", 100, "1234"), MOMENT, RELEASED, id="its pid is ours"),
        pytest.param(Process("here", "boot-1", 200, "6000"), MOMENT, UNTOUCHED, id="alive"),
        pytest.param(Process("here", "boot-1", 200, "6000"), 9 * LEASE, UNTOUCHED, id="alive and silent"),
        pytest.param(ME, MOMENT, UNTOUCHED, id="another run of ours"),
        pytest.param(ME, LEASE + MOMENT, RELEASED, id="a run of ours that broke off"),
        pytest.param(Process("there", "boot-2", 200, "6000"), LEASE, UNTOUCHED, id="on another machine"),
        pytest.param(Process("there", "boot-2", 9, "9"), LEASE + MOMENT, RELEASED, id="silent elsewhere"),
        pytest.param(Process("here", "boot-0", 200, "6000"), MOMENT, ALL_IN_DOUBT, id="power cut"),
    ],
)
def test_what_becomes_of_a_workers_rows(
    store: Store, process: Process, silent: timedelta, balance: Balance
) -> None:
    issue = left_by(store, process, silent)
    with store.write() as connection:
        doubts = workers.recover(connection, ME, NOW, ALIVE.get)
        assert balances.of_channel(connection, issue, "email") == balance
        assert doubts == balance.in_doubt
        # Whoever is alive keeps the claim; what the dead had claimed is there for us.
        mine = workers.register(connection, ME, NOW)
        free = ledger.claim(connection, issue, "email", mine, 9, NOW)
        assert len(free) == (1 if balance == UNTOUCHED else balance.waiting)


def test_what_is_found_once_is_not_found_again(store: Store) -> None:
    left_by(store, Process("here", "boot-1", 300, "7000"))
    with store.write() as connection:
        assert workers.recover(connection, ME, NOW, ALIVE.get) == 1
        assert workers.recover(connection, ME, NOW, ALIVE.get) == 0


@pytest.mark.parametrize("database", ["postgresql"], indirect=True)
def test_a_postgresql_that_restarted_is_a_power_cut_for_workers_anywhere(store: Store) -> None:
    issue = left_by(store, Process("there", "boot-2", 200, "6000"))
    with store.write() as connection:
        connection.execute(tables.workers.update().values(boot="boot-2/1700000000.0"))
        assert workers.recover(connection, ME, NOW, ALIVE.get) == 2
        assert balances.of_channel(connection, issue, "email") == ALL_IN_DOUBT


def test_a_process_knows_itself_and_who_is_gone() -> None:
    me = Process.this()
    assert (me, me.pid) == (Process.this(), os.getpid())
    assert workers._start_of(me.pid) == me.started
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    assert workers._start_of(child.pid) is None


def test_what_a_worker_claims_after_it_was_taken_for_dead_is_found_when_it_dies(store: Store) -> None:
    crowd(store, 2)
    issue = published(store, email=Recorder())
    with store.write() as connection:
        worker = workers.register(connection, ME, NOW)
        workers.leave(connection, worker, NOW)
        workers.stay(connection, worker, ME, NOW)
        assert len(ledger.claim(connection, issue, "email", worker, 2, NOW)) == 2
    with store.write() as connection:
        workers.recover(connection, Process("here", "boot-1", 101, "7000"), NOW, lambda _pid: None)
        another = workers.register(connection, ME, NOW)
        assert len(ledger.claim(connection, issue, "email", another, 2, NOW)) == 2
