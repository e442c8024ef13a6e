"""Kill it in mid-run, run it again, count: each reader once or in doubt and listed, nobody missing."""

import signal
import threading
from collections import Counter
from pathlib import Path

import pytest

from tests.servers.smtp import Inbox, Scripted, Wire, hang, inbox
from tests.stories.installation import Installation

READERS = 1000


@pytest.mark.parametrize("points", [(1,), (400,), (990,), (50, 300, 700)])
def test_a_killed_run_loses_nobody_and_repeats_nobody(tmp_path: Path, points: tuple[int, ...]) -> None:
    with inbox() as server:
        here = Installation(
            tmp_path,
            f'kind = "smtp"\nhost = "127.0.0.1"\nport = {server.port}\nsecurity = "none"\nconnections = 5',
        )
        here.issue()
        here.readers(READERS)
        for point in points:
            kill_after(here, server, point)
        last = here("publish", "2025-W17", "--format", "json")
        sent = Counter(recipient for mail in server.mails for recipient in mail.recipients)
    balance = last.json["channels"]["readers"]
    assert balance["planned"] == READERS
    assert balance["sent"] + balance["in_doubt"] == READERS
    assert balance["in_doubt"] <= 5 * len(points), "no more than one row per connection and kill"
    assert max(sent.values()) == 1, "nobody got it twice"
    doubted = {row["recipient"] for row in last.json["rows"] if row["state"] == "in_doubt"}
    everyone = {f"reader{number}@example.org" for number in range(READERS)}
    assert everyone - set(sent) <= doubted, "who is missing is listed as in doubt"
    team = last.json["channels"]["team"]
    assert team["sent"] == team["planned"]
    assert last.status == (1 if doubted else 0)


def kill_after(here: Installation, server: Inbox, count: int) -> None:
    process = here.start("publish", "2025-W17")
    server.wait(count)
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=30)


def test_what_is_in_doubt_is_settled_by_a_person_and_only_those(tmp_path: Path) -> None:
    with inbox() as server:
        here = Installation(
            tmp_path,
            f'kind = "smtp"\nhost = "127.0.0.1"\nport = {server.port}\nsecurity = "none"\nconnections = 3',
        )
        here.issue()
        here.readers(300)
        kill_after(here, server, 100)
        here("publish", "2025-W17")
        doubted = here.balance()["in_doubt"]
        before = len(server.mails)
        assert here("resolve", "2025-W17", "--resend").status == 0
        assert len(server.mails) == before + doubted
    assert here.balance() == {
        "planned": 300, "sent": 300, "failed": 0, "suppressed": 0, "skipped": 0, "in_doubt": 0, "waiting": 0,
    }  # fmt: skip


@pytest.mark.parametrize("ask", [signal.SIGINT, signal.SIGTERM])
def test_asking_it_to_stop_leaves_nothing_in_doubt(tmp_path: Path, ask: signal.Signals) -> None:
    with inbox() as server:
        here = Installation(
            tmp_path,
            f'kind = "smtp"\nhost = "127.0.0.1"\nport = {server.port}\nsecurity = "none"\nconnections = 3',
        )
        here.issue()
        here.readers(400)
        process = here.start("publish", "2025-W17")
        server.wait(50)
        process.send_signal(ask)
        _, words = process.communicate(timeout=30)
        assert (process.returncode, "publish again to go on" in words) == (1, True)
        balance = here.balance()
        assert balance["in_doubt"] == 0
        assert balance["sent"] == len(server.mails)
        assert here("publish", "2025-W17").status == 0
        assert len(server.mails) == 400


def test_two_processes_at_once_publish_one_issue_to_each_reader_once(tmp_path: Path) -> None:
    with inbox() as server:
        here = Installation(
            tmp_path,
            f'kind = "smtp"\nhost = "127.0.0.1"\nport = {server.port}\nsecurity = "none"\nconnections = 3',
        )
        here.issue()
        here.readers(200)
        both = [here.start("publish", "2025-W17") for _ in range(2)]
        for process in both:
            process.communicate(timeout=60)
        here("publish", "2025-W17")
        sent = Counter(recipient for mail in server.mails for recipient in mail.recipients)
    assert len(sent) == 200
    assert max(sent.values()) == 1
    assert here.balance()["sent"] == 200


def test_asking_twice_ends_a_wait_that_could_take_minutes(tmp_path: Path) -> None:
    """What was in hand is in doubt, as after any kill, and the next run says so."""
    begun = threading.Event()

    def never_answer(wire: Wire) -> int:
        begun.set()
        return hang(wire)

    with Scripted({"dot": [never_answer]}) as server:
        here = Installation(
            tmp_path,
            f'kind = "smtp"\nhost = "127.0.0.1"\nport = {server.port}\nsecurity = "none"\nconnections = 1',
        )
        here.issue()
        here.readers(3)
        process = here.start("publish", "2025-W17")
        assert begun.wait(60)
        process.send_signal(signal.SIGINT)
        assert process.stderr
        assert any("asked again" in line for line in process.stderr)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)
        assert process.returncode == -signal.SIGINT
        assert here("publish", "2025-W17").status == 1
        assert len(server.mails) == 2
    assert here.balance()["in_doubt"] == 1
