"""A curator's week: shown the draft, in the studio, in Slack and by mail, until readers have the issue."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from bot.channels import _slack_courier
from tests.servers.slack import Post
from tests.stories.curating import ANN, PATIENCE, TEAM, WEEK, Newsroom, browsing, visit

ISSUE = f"/studio/ai-papers/{WEEK}"
PANES = ("desktop", "phone", "dark", "off", "text", "slack-team", "slack-team-dark", "page", "feed")


@pytest.fixture
def newsroom(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Newsroom]:
    monkeypatch.setattr(_slack_courier, "PACE", 0.0)
    with Newsroom(tmp_path, "2025-04-23T09:00+02:00") as newsroom:
        newsroom.here.issue()
        newsroom.edit("An intro.", "An intro about the the papers.")
        newsroom.here.readers(2)
        yield newsroom


def words(post: Post) -> str:
    """Every word of a message, in order."""
    blocks = json.dumps(post.message["blocks"], ensure_ascii=False)
    return " ".join(re.findall(r'"text": "((?:[^"\\]|\\.)*)"', blocks))


def buttons(post: Post) -> list[str]:
    rows: list[list[dict[str, Any]]] = [
        block["elements"] for block in post.message["blocks"] if block["type"] == "actions"
    ]
    return [element["action_id"] for row in rows for element in row]


def shows(page: Page, text: str) -> None:
    """The page comes to show it by itself, within what a person waits."""
    expect(page.locator("main")).to_contain_text(text, timeout=PATIENCE)


def press(page: Page, button: str) -> None:
    page.get_by_role("button", name=button, exact=True).click()


def test_a_whole_week(newsroom: Newsroom, chromium: Browser) -> None:
    the_draft_is_shown_a_day_before(newsroom)
    newsroom.open().listen()
    with browsing(chromium, newsroom.address) as ann:
        ann.page.goto(newsroom.invitation(ISSUE))
        she_sees_it_as_it_arrives(ann.page)
        she_mends_it_and_the_page_follows(newsroom, ann.page)
        an_edit_takes_her_yes_back(newsroom, ann.page)
        held_it_stays_where_it_is(newsroom, ann.page)
        a_yes_in_slack_is_seen_in_the_studio(newsroom, ann.page)
        everybody_has_it_once(newsroom, ann.page)


def the_draft_is_shown_a_day_before(newsroom: Newsroom) -> None:
    """Nothing on Wednesday; on Thursday at nine in Slack for Ann, by mail for Bo."""
    newsroom.tick("2025-04-23T09:00+02:00")
    assert (newsroom.posts(), newsroom.mails) == ([], [])
    newsroom.tick("2025-04-24T09:00+02:00")
    (draft,) = newsroom.posts()
    assert "Draft: Two papers" in words(draft)
    assert buttons(draft) == ["approve", "hold", "test", "opened"]
    assert [mail["To"] for mail in newsroom.mails] == ['"Bo B." <bo@example.org>']


def she_sees_it_as_it_arrives(page: Page) -> None:
    for pane in PANES:
        seen = page.frame_locator(f"#pane-{pane}").locator("body")
        expect(seen).to_contain_text("A first paper", timeout=PATIENCE)
    dark = page.frame_locator("#pane-dark").locator("body")
    assert dark.evaluate("() => matchMedia('(prefers-color-scheme: dark)').matches")
    shows(page, "Friday 25 April 2025, 09:00")
    shows(page, "2 readers")
    expect(page.locator(".findings .finding", has_text="the the")).to_be_visible()


def she_mends_it_and_the_page_follows(newsroom: Newsroom, page: Page) -> None:
    """The finding is gone, the panes show it, and she is where she was."""
    page.evaluate("scrollTo(0, 600)")
    newsroom.edit("the the papers", "the papers of the week")
    mail = page.frame_locator("#pane-desktop").locator("body")
    expect(mail).to_contain_text("An intro about the papers of the week.", timeout=PATIENCE)
    expect(page.locator(".findings .finding", has_text="the the")).to_have_count(0)
    assert page.evaluate("scrollY") == 600


def an_edit_takes_her_yes_back(newsroom: Newsroom, page: Page) -> None:
    press(page, "Approve")
    shows(page, "Approved by Ann at 09:00.")
    expect(page.get_by_role("button", name="Approve")).to_have_count(0)
    newsroom.edit("What it says, in *two* words.", "What it says, in *three* short words.")
    shows(page, "changed since it was approved")
    expect(page.locator(".change ins")).to_have_text("three short")
    expect(page.locator(".change del")).to_have_text("two")
    expect(page.locator(".change ins")).to_be_visible()


def held_it_stays_where_it_is(newsroom: Newsroom, page: Page) -> None:
    """Past its minute, too, until she releases it; by then her session of the day before is over."""
    press(page, "Hold")
    shows(page, "Held by Ann at 09:00")
    newsroom.tick("2025-04-25T09:00+02:00")
    assert newsroom.posts(TEAM) == []
    newsroom.tick("2025-04-25T09:10+02:00")
    visit(page, page.url)
    shows(page, "Sign in")
    visit(page, newsroom.invitation(ISSUE))
    press(page, "Release")
    shows(page, "Released.")
    newsroom.tick()
    assert newsroom.posts(TEAM) == []


def a_yes_in_slack_is_seen_in_the_studio(newsroom: Newsroom, page: Page) -> None:
    draft = newsroom.posts()[0]
    assert buttons(draft) == ["approve", "hold", "test", "opened"]
    newsroom.slack.press(draft, "approve", ANN)
    shows(page, "09:10 Europe/Berlin, in Slack")
    expect(page.get_by_role("button", name="Approve")).to_have_count(0)


def everybody_has_it_once(newsroom: Newsroom, page: Page) -> None:
    """The readers and the team, however often the bot looks; what stood in Slack has nothing to press."""
    for _ in range(3):
        newsroom.tick()
    parts = [post.message["metadata"]["event_payload"]["key"] for post in newsroom.posts(TEAM)]
    assert sorted({*parts}) == sorted(parts) != []
    readers = [mail["To"] for mail in newsroom.mails if mail["List-Unsubscribe"]]
    assert sorted(readers) == [f"Reader {number} <reader{number}@example.org>" for number in range(2)]
    draft = newsroom.posts()[0]
    assert "It has gone out." in words(draft)
    assert buttons(draft) == ["opened"]
    shows(page, "Went out")
    expect(page.locator(".decision button")).to_have_count(0)
