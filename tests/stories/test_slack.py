"""The team's Slack conversation gets the issue once, in one thread, whatever becomes of an answer."""

from pathlib import Path

import pytest

from tests.servers import slack as faults
from tests.servers.slack import CONVERSATION, TOKEN, Conversation, SlackServer
from tests.stories.installation import REPOSITORY, Installation

SAMPLE = (REPOSITORY / "content/ai-papers/2025-W17.md").read_text("utf-8")


def installed(tmp_path: Path, server: SlackServer) -> Installation:
    """An installation that posts the sample issue, which needs a thread, to a Slack of the test's own."""
    here = Installation(tmp_path, slack=f'api_url = "{server.url}"')
    here.write("content/ai-papers/2025-W17.md", SAMPLE)
    here.environment["BROADSHEET_SLACK_TOKEN"] = TOKEN
    return here


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
def test_a_part_whose_answer_was_lost_is_in_doubt_and_the_rest_waits_for_a_person(
    tmp_path: Path, fault: faults.Fault
) -> None:
    with SlackServer() as server:
        here = installed(tmp_path, server)
        server.next(fault)
        assert here("publish", "2025-W17").status == 1
        balance = here.balance(channel="team")
        assert (balance["in_doubt"], balance["sent"], len(server.posts)) == (1, 0, 1)
        assert here("publish", "2025-W17").status == 1
        assert len(server.posts) == 1, "nothing is posted twice on a guess"
        assert here("resolve", "2025-W17", "--sent").status in {0, 1}
        assert here("publish", "2025-W17").status == 0
    balance = here.balance(channel="team")
    assert balance["sent"] == balance["planned"] == len(server.posts)


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
