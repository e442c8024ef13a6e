"""The team's Slack conversation gets the issue once, in one thread, whatever becomes of an answer."""

import json
import signal
import threading
from collections import Counter
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from bot.app import App
from bot.running import run
from bot.settings import load
from tests.servers import slack as faults
from tests.servers.slack import CONVERSATION, TOKEN, Call, Conversation, SlackServer
from tests.stories.installation import REPOSITORY, Installation

SAMPLE = (REPOSITORY / "content/ai-papers/2025-W17.md").read_text("utf-8")
CANNOT_READ = frozenset({"chat:write"})


def installed(tmp_path: Path, server: SlackServer) -> Installation:
    """An installation that posts the sample issue, which needs a thread, to a Slack of the test's own."""
    here = Installation(tmp_path, slack=f'api_url = "{server.url}"')
    here.write("content/ai-papers/2025-W17.md", SAMPLE)
    here.environment["BROADSHEET_SLACK_TOKEN"] = TOKEN
    return here


def all_stands_once(server: SlackServer) -> bool:
    """Whether each part of the issue is there, and none of them twice."""
    parts = Counter(post.message["metadata"]["event_payload"]["part"] for post in server.posts)
    return sorted(parts) == list(range(1, len(parts) + 1)) and max(parts.values()) == 1


def test_a_long_issue_is_one_thread_however_often_it_is_published(tmp_path: Path) -> None:
    with SlackServer() as server:
        here = installed(tmp_path, server)
        for _ in range(2):
            assert here("publish", "2025-W17").status == 0
    first, *rest = server.posts
    assert first.thread_ts is None
    assert rest
    assert {post.thread_ts for post in rest} == {first.ts}


@pytest.mark.parametrize("fault", [faults.reset_after_storing, faults.internal_error_after_storing])
def test_a_part_whose_answer_was_lost_is_found_and_nothing_is_in_doubt(
    tmp_path: Path, fault: faults.Fault
) -> None:
    with SlackServer() as server:
        here = installed(tmp_path, server)
        server.next(fault)
        assert here("publish", "2025-W17").status == 0
    balance = here.balance(channel="team")
    assert balance["sent"] == balance["planned"] == len(server.posts)
    assert all_stands_once(server)


def test_the_bot_looks_again_in_growing_pauses_and_goes_on_once_it_may_read(tmp_path: Path) -> None:
    """Of an issue in one message nothing waits, so that only the doubt itself is a reason to look."""
    said: list[str] = []
    with SlackServer(scopes=CANNOT_READ) as server:
        here = Installation(tmp_path, slack=f'api_url = "{server.url}"\nlayout = "digest"')
        here.write("content/ai-papers/2025-W17.md", SAMPLE)

        def looks_after(**span: float) -> int:
            """How often one tick, so long after the send, asks for what stands there."""
            before = len(asked(server))
            now = datetime.fromisoformat("2025-04-25T09:00+02:00") + timedelta(**span)
            app = App(load(here.root / "config/bot.toml", {"BROADSHEET_SLACK_TOKEN": TOKEN}))
            run(app, clock=lambda: now, once=True, say=said.append)
            app.store.close()
            return len(asked(server)) - before

        server.next(faults.reset_after_storing)
        looks_after(seconds=0)
        assert len(server.posts) == 1
        pauses = [(20, 1), (40, 0), (60, 1), (120, 0), (299, 0), (300, 1), (600, 0), (3600, 1), (4000, 0)]
        assert [(age, looks_after(seconds=age)) for age, _ in pauses] == pauses
        server.scopes |= {"channels:history"}
        assert looks_after(hours=3) == 0
        assert looks_after(hours=4) == 1
        assert looks_after(hours=5) == 0
    assert len(server.posts) == 1
    assert here.balance(channel="team")["sent"] == 1


def asked(server: SlackServer) -> list[str]:
    """The calls that ask for what stands in the conversation."""
    return [name for name, _ in server.calls if name.startswith("conversations.")]


def test_where_the_bot_may_not_read_it_holds_the_part_and_looks_once_it_may(tmp_path: Path) -> None:
    with SlackServer(scopes=CANNOT_READ) as server:
        here = installed(tmp_path, server)
        server.next(faults.reset_after_storing)
        answer = here("publish", "2025-W17")
        assert (answer.status, "needs channels:history" in answer.out) == (1, True)
        balance = here.balance(channel="team")
        assert (balance["in_doubt"], balance["sent"], len(server.posts)) == (1, 0, 1)
        assert here("publish", "2025-W17").status == 1
        assert len(server.posts) == 1, "nothing is posted twice on a guess"
        server.scopes |= {"channels:history"}
        assert here("publish", "2025-W17").status == 0
    assert here.balance(channel="team")["in_doubt"] == 0
    assert all_stands_once(server)


def test_a_person_can_settle_what_the_bot_may_not_read(tmp_path: Path) -> None:
    with SlackServer(scopes=CANNOT_READ) as server:
        here = installed(tmp_path, server)
        server.next(faults.reset_after_storing)
        assert here("publish", "2025-W17").status == 1
        assert here("resolve", "2025-W17", "--sent").status in {0, 1}
        assert here("publish", "2025-W17").status == 0
    balance = here.balance(channel="team")
    assert balance["sent"] == balance["planned"] == len(server.posts)


@pytest.mark.parametrize("part", [1, 2])
@pytest.mark.parametrize("hang", [faults.hang_after_storing, faults.hang_unheard])
def test_killed_between_request_and_answer_and_run_again_it_is_one_set_of_messages(
    tmp_path: Path, part: int, hang: faults.Fault
) -> None:
    arrived = threading.Event()

    def never_answered(call: Call) -> None:
        arrived.set()
        hang(call)

    with SlackServer() as server:
        here = installed(tmp_path, server)
        server.at(part, never_answered)
        process = here.start("publish", "2025-W17")
        assert arrived.wait(60)
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=30)
        assert here("publish", "2025-W17").status == 0
    balance = here.balance(channel="team")
    assert (balance["in_doubt"], balance["sent"]) == (0, balance["planned"])
    assert all_stands_once(server)


def test_two_processes_at_once_post_one_set_of_messages(tmp_path: Path) -> None:
    with SlackServer() as server:
        here = installed(tmp_path, server)
        server.next(faults.reset_after_storing)
        both = [here.start("publish", "2025-W17") for _ in range(2)]
        for process in both:
            process.communicate(timeout=90)
        assert here("publish", "2025-W17").status == 0
    assert here.balance(channel="team")["in_doubt"] == 0
    assert all_stands_once(server)


def test_a_message_that_slack_finds_too_long_stands_there_in_two(tmp_path: Path) -> None:
    with SlackServer() as server:
        here = installed(tmp_path, server)
        server.next(faults.refuse("msg_blocks_too_long"))
        assert here("publish", "2025-W17").status == 0
    keys = [post.message["metadata"]["event_payload"]["key"].rpartition("/")[2] for post in server.posts]
    assert keys[:2] == ["1.1", "1.2"]
    assert len({*keys}) == len(keys)


def test_a_bot_that_was_not_invited_says_so_and_goes_on_once_it_is(tmp_path: Path) -> None:
    with SlackServer({CONVERSATION: Conversation(member=False)}) as server:
        here = installed(tmp_path, server)
        answer = here("publish", "2025-W17")
        assert answer.status == 2
        assert "/invite" in answer.err
        assert TOKEN not in answer.err
        server.conversations[CONVERSATION] = Conversation()
        assert here("publish", "2025-W17").status == 0
    assert here.balance(channel="team")["sent"] == len(server.posts)


def second_conversation(here: Installation, server: SlackServer, conversation: str) -> None:
    path = here.root / "config/newsletters/ai-papers.toml"
    more = f'\n[channels.other]\nkind = "slack"\nconversation = "{conversation}"\napi_url = "{server.url}"\n'
    path.write_text(path.read_text("utf-8") + more, "utf-8")


def test_a_wrong_conversation_fails_alone(tmp_path: Path) -> None:
    with SlackServer() as server:
        here = installed(tmp_path, server)
        second_conversation(here, server, "C0NOWHERE")
        here.readers(2)
        answer = here("publish", "2025-W17", "--format", "json")
    channels = json.loads(answer.out)["channels"]
    assert channels["team"]["sent"] == channels["team"]["planned"]
    assert channels["readers"]["sent"] == 2
    assert channels["other"]["sent"] == 0
    assert "other: " in answer.err
    assert "its ID" in answer.err


@pytest.mark.parametrize("token", ["xoxb-revoked", ""])
def test_bad_credentials_stop_slack_and_mail_goes_on(tmp_path: Path, token: str) -> None:
    with SlackServer() as server:
        here = installed(tmp_path, server)
        second_conversation(here, server, CONVERSATION)
        here.readers(2)
        here.environment["BROADSHEET_SLACK_TOKEN"] = token
        answer = here("publish", "2025-W17", "--format", "json")
        channels = json.loads(answer.out)["channels"]
        assert (answer.status, server.posts) == (2, [])
        assert channels["readers"]["sent"] == 2
        assert channels["team"]["waiting"] == channels["team"]["planned"]
        assert channels["other"]["waiting"] == channels["other"]["planned"]
        assert "BROADSHEET_SLACK_TOKEN" in answer.err
        here.environment["BROADSHEET_SLACK_TOKEN"] = TOKEN
        assert here("publish", "2025-W17").status == 0
