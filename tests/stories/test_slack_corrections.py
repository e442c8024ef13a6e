"""A correction that is killed, or run twice at once, changes each message and adds none twice."""

import signal
import threading
from pathlib import Path

import pytest

from tests.servers import slack as faults
from tests.servers.slack import Call, SlackServer
from tests.stories.installation import Installation
from tests.test_correcting import UPDATE, installed, said, shown, written


@pytest.mark.parametrize("hang", [faults.hang_after_storing, faults.hang_unheard])
@pytest.mark.parametrize("at", [1, 2])
def test_killed_in_the_middle_and_run_again_it_goes_on(tmp_path: Path, at: int, hang: faults.Fault) -> None:
    arrived = threading.Event()

    def never_answered(call: Call) -> None:
        arrived.set()
        hang(call)

    with SlackServer() as server:
        here = installed(Installation, tmp_path, server, "one", "two")
        assert here("publish", "2025-W17").status == 0
        written(here, "As it is", "one", "two")
        server.at(at, never_answered, UPDATE)
        process = here.start("correct", "2025-W17")
        assert arrived.wait(60)
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=30)
        assert 1 in shown(here)
        assert here("correct", "2025-W17").status == 0
        count = len(server.posts)
        assert said(server) == [f"As it is ({number}/{count})" for number in range(1, count + 1)]
        assert shown(here) == {2: count}


def test_two_processes_at_once_correct_each_message(tmp_path: Path) -> None:
    with SlackServer() as server:
        here = installed(Installation, tmp_path, server, "one", "two")
        assert here("publish", "2025-W17").status == 0
        count = len(server.posts)
        written(here, "As it is", "one", "two", "three")
        for process in [here.start("correct", "2025-W17") for _ in range(2)]:
            process.communicate(timeout=90)
        assert here("correct", "2025-W17").status == 0
        assert len(server.posts) > count
        assert len({post.message["metadata"]["event_payload"]["key"] for post in server.posts}) == len(
            server.posts
        )
        assert shown(here) == {2: len(server.posts)}
