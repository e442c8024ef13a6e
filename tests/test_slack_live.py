"""The checks that need a workspace, asked of the tests' own Slack: it behaves as we take Slack to behave."""

import re
from pathlib import Path

import pytest
from slack_sdk import WebClient

from tests import slack_live
from tests.servers.slack import APP_TOKEN, CONVERSATION, TOKEN, Clock, SlackServer
from tests.servers.slack.__main__ import SCOPES
from tests.slack_live import CHECKS, Live, report

PAGE = Path(__file__).resolve().parents[1] / "docs/how-to/slack-live-checks.md"


def live(slack: SlackServer, clock: Clock, *, secrets: bool = True) -> Live:
    client = WebClient(TOKEN, base_url=slack.url, retry_handlers=[])
    client.proxy = None
    made = Live(client, CONVERSATION, clock.go_on)
    if secrets:
        made.app_token, made.webhook = APP_TOKEN, slack.hook_url
    return made


def test_the_tests_slack_does_all_that_we_take_for_granted_and_nothing_is_left_there() -> None:
    clock = Clock()
    with SlackServer(scopes=SCOPES, interval=1, clock=clock) as slack:
        found = {name: (verdict, said) for name, verdict, said in report(live(slack, clock))}
        left = [post.message["text"] for post in slack.posts if post.is_ours and "user" in post.author]
    assert {name: said for name, (verdict, said) in found.items() if verdict == "≠"} == {}
    assert list(found) == [check.__name__ for check, _ in CHECKS]
    assert found["pace"][1] == "429 with Retry-After 1"
    assert found["greatest_size"][1].startswith("msg_blocks_too_long at 1")
    assert left == []


def test_what_differs_is_told_and_cleaned_up_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    monkeypatch.setattr(
        slack_live, "CHECKS", [(slack_live.list_offset, "invalid_blocks"), (slack_live.webhook, "ok")]
    )
    with SlackServer(scopes=SCOPES, clock=clock) as slack:
        assert [verdict for _, verdict, _ in report(live(slack, clock, secrets=False))] == ["≠", " "]
        assert slack.posts == []


def test_without_a_token_nothing_is_asked(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("BROADSHEET_SLACK_TOKEN", raising=False)
    assert slack_live.main(["--conversation", "C1"]) == 2
    assert "BROADSHEET_SLACK_TOKEN" in capsys.readouterr().err


def test_the_status_is_1_where_something_differs_and_the_token_is_never_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("BROADSHEET_SLACK_TOKEN", TOKEN)
    monkeypatch.setattr(slack_live, "CHECKS", [(slack_live.list_offset, "invalid_blocks")])
    with SlackServer(scopes=SCOPES) as slack:
        assert slack_live.main(["--conversation", CONVERSATION, "--api-url", slack.url]) == 1
        monkeypatch.setattr(slack_live, "CHECKS", [(slack_live.list_offset, "ok")])
        assert slack_live.main(["--conversation", CONVERSATION, "--api-url", slack.url]) == 0
    said = capsys.readouterr()
    assert "list offset" in said.out
    assert TOKEN not in said.out + said.err


def test_the_page_lists_every_check() -> None:
    listed = re.findall(r"^\| `(.+?)` \|", PAGE.read_text("utf-8"), re.MULTILINE)
    assert listed == [check.__name__.replace("_", " ") for check, _ in CHECKS]
