"""Curators are shown the draft and told what keeps it, each once; what stands in Slack follows the issue."""

import email
import email.policy
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest

from bot.app import App
from bot.channels import _slack_courier
from bot.models import Origin
from bot.running import run
from bot.settings import load
from bot.signing import said
from bot.telling.letters import DECIDE
from tests.servers import slack as faults
from tests.servers.slack import TOKEN, Conversation, SlackServer
from tests.stories.installation import Installation

DRAFTS = "C0DRAFTS01"
EVE = "2025-04-24T09:00+02:00"
AT = "2025-04-25T09:00+02:00"
CURATORS = """
[curators.ann]
name = "Ann"
slack = "U0000000001"

[curators.bo]
name = "Bo B."
email = "bo@example.org"
"""


@dataclass
class Newsroom:
    """An installation whose curators are told: Ann in Slack, Bo by mail."""

    here: Installation
    slack: SlackServer

    @contextmanager
    def app(self) -> Iterator[App]:
        app = App(load(self.here.root / "config/bot.toml", {"BROADSHEET_SLACK_TOKEN": TOKEN}))
        yield app
        app.store.close()

    def tick(self, now: str) -> list[str]:
        """One look at the clock, as by a bot that was just started; what it says."""
        told: list[str] = []
        with self.app() as app:
            run(app, clock=lambda: datetime.fromisoformat(now), once=True, say=told.append)
        return told

    def decide(self, verb: Any, now: str, by: str = "ann") -> None:
        with self.app() as app:
            desk, week = app.issue("2025-W17")
            desk.decide(week, verb, datetime.fromisoformat(now), by=by, origin=Origin.STUDIO)

    @property
    def shown(self) -> list[dict[str, Any]]:
        """What stands in the curators' conversation about this week's issue."""
        here = [post.message for post in self.slack.posts if post.message["channel"] == DRAFTS]
        return [one for one in here if one["metadata"]["event_payload"]["issue"].endswith("W17")]

    @property
    def mails(self) -> list[EmailMessage]:
        files = sorted((self.here.root / "outbox").rglob("*.eml"), key=lambda file: file.stat().st_mtime_ns)
        every = [email.message_from_bytes(file.read_bytes(), policy=email.policy.default) for file in files]
        return [one for one in every if "2025-W16" not in one["Subject"]]  # nothing was collected for that


@pytest.fixture
def newsroom(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Newsroom]:
    monkeypatch.setattr(_slack_courier, "PACE", 0.0)
    with SlackServer(conversations={DRAFTS: Conversation(), "C0123456789": Conversation()}) as slack:
        lines = f'api_url = "{slack.url}"\n{CURATORS}\n[drafts]\nconversation = "{DRAFTS}"'
        here = Installation(tmp_path, approval="required", slack=lines)
        here.issue()
        yield Newsroom(here, slack)


def words(message: dict[str, Any]) -> str:
    """Every word of a message, in order."""
    return " ".join(
        re.findall(r'"text": "((?:[^"\\]|\\.)*)"', json.dumps(message["blocks"], ensure_ascii=False))
    )


def buttons(message: dict[str, Any]) -> list[str]:
    rows = [block["elements"] for block in message["blocks"] if block["type"] == "actions"]
    return [element["action_id"] for row in rows for element in row]


def test_the_draft_is_shown_once_a_day_before_to_each_where_they_are(newsroom: Newsroom) -> None:
    newsroom.tick("2025-04-24T08:59+02:00")
    assert (newsroom.shown, newsroom.mails) == ([], [])
    for _ in range(3):
        newsroom.tick(EVE)
    (message,) = newsroom.shown
    assert "Draft: Two papers" in words(message)
    assert "2 entries" in words(message)
    assert "goes Fri 25 Apr 2025, 09:00 Europe/Berlin (07:00 UTC)" in words(message)
    assert "It waits for approval" in words(message)
    assert buttons(message) == ["approve", "hold", "test", "opened"]
    (mail,) = newsroom.mails
    assert (mail["To"], mail["Subject"]) == ('"Bo B." <bo@example.org>', "Draft: Two papers")
    assert mail["Auto-Submitted"] == "auto-generated"
    assert "List-Unsubscribe" not in mail


def test_a_curator_without_slack_gets_links_that_say_what_they_would_decide(newsroom: Newsroom) -> None:
    newsroom.tick(EVE)
    text = newsroom.mails[0].get_body(("plain",))
    assert text is not None
    links = re.findall(r"(\w+): https://papers.example.org/studio/decide/(\S+)", text.get_content())
    with newsroom.app() as app:
        key = app.signing_key
        desk, week = app.issue("2025-W17")
        content_hash = desk.proofs.hash_of(desk.issue(week, datetime.fromisoformat(EVE)))
    say = {label: said(key, DECIDE, word, datetime.fromisoformat(AT)) for label, word in links}
    common = {"issue": "ai-papers/2025-W17", "hash": content_hash, "curator": "bo"}
    assert say == {"Approve": {**common, "verb": "approved"}, "Hold": {**common, "verb": "held"}}


def test_what_stands_in_slack_follows_edits_and_decisions(newsroom: Newsroom) -> None:
    newsroom.tick(EVE)
    first = newsroom.shown[0]
    newsroom.here.issue(title="Three papers, nearly")
    newsroom.tick("2025-04-24T09:01+02:00")
    (edited,) = newsroom.shown
    assert "Draft: Three papers, nearly" in words(edited)
    assert edited["metadata"] != first["metadata"]
    newsroom.decide("approved", "2025-04-24T10:00+02:00")
    newsroom.tick("2025-04-24T10:01+02:00")
    assert "Approved by Ann at 10:00 on Thu 24 Apr." in words(newsroom.shown[0])
    assert buttons(newsroom.shown[0]) == ["opened"]
    newsroom.here.issue(title="Four papers")
    newsroom.tick("2025-04-24T11:00+02:00")
    (void,) = newsroom.shown
    assert "Changed since it was approved by Ann" in words(void)
    assert "changed: The head: -Three papers, nearly +Four papers" in words(void)
    assert buttons(void) == ["approve", "hold", "test", "opened"]
    newsroom.decide("approved", "2025-04-24T12:00+02:00", by="bo")
    newsroom.tick(AT)
    assert "It has gone out." in words(newsroom.shown[0])
    assert len(newsroom.mails) == 1  # a mail stays what it was


def test_at_its_minute_without_a_yes_it_is_held_and_everybody_hears_of_it_once(newsroom: Newsroom) -> None:
    newsroom.tick(EVE)
    for _ in range(3):
        newsroom.tick(AT)
    subjects = [mail["Subject"] for mail in newsroom.mails]
    assert subjects == ["Draft: Two papers", "Not sent: it waits for approval: ai-papers/2025-W17"]
    assert len(newsroom.shown) == 2
    assert buttons(newsroom.shown[1]) == ["opened"]


@pytest.mark.parametrize("fault", [faults.close_after_storing, faults.internal_error_after_storing])
def test_an_answer_that_is_lost_makes_no_second_draft(newsroom: Newsroom, fault: faults.Fault) -> None:
    newsroom.slack.next(fault)
    newsroom.tick(EVE)
    newsroom.tick("2025-04-24T09:01+02:00")
    assert len(newsroom.shown) == 1


def test_a_slack_that_refuses_keeps_neither_the_mail_nor_the_next_try(newsroom: Newsroom) -> None:
    for _ in range(2):  # of last week, for which nothing was collected, curators hear as well
        newsroom.slack.next(faults.refuse("not_in_channel"))
    newsroom.tick(EVE)
    assert (len(newsroom.shown), len(newsroom.mails)) == (0, 1)
    newsroom.tick("2025-04-24T09:30+02:00")
    assert (len(newsroom.shown), len(newsroom.mails)) == (1, 1)


def test_content_that_cannot_be_read_is_shown_as_such(newsroom: Newsroom) -> None:
    path = newsroom.here.issue()
    path.write_text(path.read_text("utf-8").replace("week:", "weak:"), "utf-8")
    newsroom.tick(EVE)
    assert [buttons(message) for message in newsroom.shown] in ([], [["opened"]])
    newsroom.here.issue()
    newsroom.tick("2025-04-24T09:10+02:00")
    (message,) = newsroom.shown
    assert buttons(message) == ["approve", "hold", "test", "opened"]
