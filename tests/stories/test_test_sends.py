"""A test is the very mail and the very posts, marked; it unsubscribes nobody and counts as nothing."""

import email
import email.policy
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from email.message import EmailMessage

import pytest
from sqlalchemy import func, select

from bot import trials
from bot.channels import _slack_courier
from bot.desk import Desk
from bot.errors import InputError, RefusedError
from bot.links import TEST
from bot.models import Consent
from bot.store import readers
from bot.store.tables import deliveries
from bot.subscriptions import add, key_of
from bot.trials import MOST, by_mail, marked, to_slack
from bot.web import application
from tests.servers import slack as faults
from tests.servers.postgres import Database
from tests.servers.slack import Conversation, Post, SlackServer
from tests.stories.slackroom import ANN, BO, DRAFTS, TEAM, WEEK, Slackroom

LOOK = "C0LOOKHERE"
once = pytest.mark.parametrize("database", ["sqlite"], indirect=True)
"""For what no row decides."""


@pytest.fixture
def room(database: Database, monkeypatch: pytest.MonkeyPatch) -> Iterator[Slackroom]:
    monkeypatch.setattr(_slack_courier, "PACE", 0.0)
    with SlackServer({DRAFTS: Conversation(), TEAM: Conversation(), LOOK: Conversation()}) as slack:
        slack.people = {ANN, BO}
        made = Slackroom(database, slack, "2025-04-24T09:00+02:00")
        made.here.issue()
        yield made


@contextmanager
def desk_of(room: Slackroom) -> Iterator[Desk]:
    with room.app() as app:
        yield app.desk(app.newsletter(None))


def mails(room: Slackroom) -> list[EmailMessage]:
    files = sorted((room.root / "outbox").rglob("*.eml"), key=lambda file: file.stat().st_mtime_ns)
    return [email.message_from_bytes(file.read_bytes(), policy=email.policy.default) for file in files]


def deliveries_of(room: Slackroom) -> int:
    with room.app() as app, app.store.read() as connection:
        return connection.scalars(select(func.count()).select_from(deliveries)).one()


def opening(posts: list[Post]) -> list[Post]:
    """Those that begin a thread: an issue is a message and what is below it."""
    return [post for post in posts if post.thread_ts is None]


def shared(mail: EmailMessage) -> str:
    """Every word of a mail but what is a reader's own: their link and the boundary."""
    text, page = (part.get_content() for part in mail.iter_parts())
    return re.sub(r"/u/[A-Za-z0-9]+", "/u/…", f"{text}\n{page}")


def test_a_mail_is_the_very_one_that_goes_out_but_for_its_marks(room: Slackroom) -> None:
    with desk_of(room) as desk:
        by_mail(desk, WEEK, "look@example.org", room.now, name="Reader 0")
        assert deliveries_of(room) == 0
        add(desk.store, "ai-papers", "look@example.org", "Reader 0", "en", Consent.CONFIRMED, room.now)
        with room.app() as app:
            other, week = app.issue("2025-W17")
            other.publish(week, room.now)
            other.work(week, lambda: room.now, only=["readers"])
    test, true = mails(room)
    assert shared(test) == shared(true)
    assert test["Subject"] == f"[Test] {true['Subject']}"
    assert (test["X-Broadsheet-Test"], true["X-Broadsheet-Test"]) == ("yes", None)
    own = {"Subject", "Message-ID", "List-Unsubscribe", "Content-Type", "X-Broadsheet-Test"}
    heads = [{key: str(value) for key, value in one.items() if key not in own} for one in (test, true)]
    assert heads[0] == heads[1]


@once
def test_two_tests_are_two_mails(room: Slackroom) -> None:
    with desk_of(room) as desk:
        for _ in range(2):
            by_mail(desk, WEEK, "look@example.org", room.now)
    assert len({mail["Message-ID"] for mail in mails(room)}) == 2


@once
def test_its_link_leads_to_a_page_that_says_so_and_unsubscribes_nobody(room: Slackroom) -> None:
    with room.app() as app:
        desk = app.desk(app.newsletter(None))
        add(app.store, "ai-papers", "look@example.org", "", "en", Consent.CONFIRMED, room.now)
        by_mail(desk, WEEK, "look@example.org", room.now)
        (mail,) = mails(room)
        path = mail["List-Unsubscribe"].strip("<>").removeprefix("https://papers.example.org")
        assert path.startswith(f"/u/{TEST}")
        body = mail.get_body(("plain",))
        assert body
        assert path in body.get_content()
        client = application(app, lambda: room.now).test_client(use_cookies=False)
        for answer in (
            client.get(path),
            client.post(path, data={"List-Unsubscribe": "One-Click"}),
            client.post(path, data={"leave": "yes"}),
            client.post(path, data={"undo": "yes"}),
        ):
            assert answer.status_code == 200
            assert "it unsubscribes nobody" in answer.get_data(as_text=True)
            assert "<button" not in answer.get_data(as_text=True)
            assert answer.headers["Cache-Control"] == "no-store"
        with app.store.read() as connection:
            (reader,) = readers.every(connection)
    assert reader.subscriptions == {"ai-papers": Consent.CONFIRMED}


@once
@pytest.mark.parametrize("address", ["Look@Example.org", "look@example.org"])
def test_a_suppressed_address_gets_no_test(room: Slackroom, address: str) -> None:
    with desk_of(room) as desk:
        with desk.store.write() as connection:
            readers.suppress(connection, key_of("look@example.org"), "complained", room.now)
        with pytest.raises(RefusedError, match=r"suppressed \(complained\)"):
            by_mail(desk, WEEK, address, room.now)
    assert mails(room) == []


@once
@pytest.mark.parametrize("address", ["", "nobody", "a@b c", "a@example.org\r\nBcc: b@example.org"])
def test_what_is_no_address_gets_no_test(room: Slackroom, address: str) -> None:
    with desk_of(room) as desk, pytest.raises(InputError, match="the address of a test"):
        by_mail(desk, WEEK, address, room.now)


def test_so_many_tests_a_minute_and_no_more_whoever_sends_them(room: Slackroom) -> None:
    for number in range(MOST):
        with desk_of(room) as desk:
            by_mail(desk, WEEK, "look@example.org", room.now + timedelta(seconds=number))
    with desk_of(room) as desk:
        with pytest.raises(RefusedError, match="wait a little"):
            by_mail(desk, WEEK, "look@example.org", room.now + timedelta(seconds=30))
        by_mail(desk, WEEK, "look@example.org", room.now + timedelta(minutes=2))
    assert len(mails(room)) == MOST + 1


# -------------------------------------------------------------------------------------------------- Slack


@once
def test_posts_are_the_very_ones_below_a_line_that_says_test(room: Slackroom) -> None:
    with room.app() as app:
        desk, week = app.issue("2025-W17")
        to_slack(app, desk, week, LOOK, room.now)
        assert deliveries_of(room) == 0
        desk.publish(week, room.now)
        desk.work(week, lambda: room.now, only=["team"])
    tests, true = room.posts(LOOK), room.posts(TEAM)
    assert len(tests) == len(true) > 0
    for test, post in zip(tests, true, strict=True):
        first, *blocks = test.message["blocks"]
        assert first["type"] == "context"
        assert first["elements"][0]["text"].startswith("Test: ")
        assert blocks == post.message["blocks"]
        assert test.message["text"] == f"[Test] {post.message['text']}"


@once
def test_whoever_reads_the_conversation_back_never_takes_a_test_for_the_issue(room: Slackroom) -> None:
    """The answer to the issue's own post is lost, in the very conversation where a test stands."""
    with room.app() as app:
        desk, week = app.issue("2025-W17")
        to_slack(app, desk, week, TEAM, room.now)
        room.slack.next(faults.close_unheard)
        desk.publish(week, room.now)
        desk.work(week, lambda: room.now, only=["team"])
    keys = [post.message["metadata"]["event_payload"]["key"] for post in opening(room.posts(TEAM))]
    assert [key.startswith("test/") for key in keys] == [True, False]


@once
def test_a_lost_answer_makes_no_second_test(room: Slackroom, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trials, "_wait", lambda _seconds: True)
    room.slack.next(faults.close_after_storing)
    with room.app() as app:
        desk, week = app.issue("2025-W17")
        to_slack(app, desk, week, LOOK, room.now)
    assert len(opening(room.posts(LOOK))) == 1


@once
@pytest.mark.parametrize("conversation", ["", "#general", "C1", "c0123456789", "C0123456789/x"])
def test_what_is_no_conversation_gets_no_test(room: Slackroom, conversation: str) -> None:
    with room.app() as app:
        desk, week = app.issue("2025-W17")
        with pytest.raises(InputError, match="the conversation of a test"):
            to_slack(app, desk, week, conversation, room.now)


def test_every_part_of_a_test_has_a_name_of_its_own() -> None:
    metadata = {
        "event_type": "newsletter_part",
        "event_payload": {"key": "k", "issue": "a/2025-W17", "part": 1},
    }
    posts = [{"channel": "C1", "text": "x" * 4000, "blocks": [], "metadata": metadata} for _ in range(3)]
    made = marked(posts, "C2", "m")
    assert [one["metadata"]["event_payload"]["key"] for one in made] == ["test/m/1", "test/m/2", "test/m/3"]
    assert {one["channel"] for one in made} == {"C2"}
    assert {len(one["text"]) for one in made} == {4000}
    assert len({one["client_msg_id"] for one in made}) == 3


# -------------------------------------------------------------------------------- the button and the command


@once
def test_the_button_sends_one_to_whoever_pressed_it(room: Slackroom) -> None:
    room.tick()
    with room.listening():
        room.press("test", ANN)
    assert room.answers == [
        "A test was sent by mail: the issue as it is now.",
        "A test was sent in Slack, among your direct messages: the issue as it is now.",
    ]
    assert [mail["To"] for mail in mails(room)] == ["Ann <ann@example.org>"]
    assert len(opening(room.posts(f"D{ANN[1:]}"))) == 1
    assert "approve" in json.dumps(room.draft.message["blocks"])
    with room.listening():
        room.press("test", BO)
    assert len(mails(room)) == 1
    assert len(opening(room.posts(f"D{BO[1:]}"))) == 1


@once
def test_the_button_says_what_went_wrong_with_each(room: Slackroom) -> None:
    room.tick()
    with room.app() as app, app.store.write() as connection:
        readers.suppress(connection, key_of("ann@example.org"), "bounced", room.now)
    room.slack.next(faults.refuse("messages_tab_disabled"))
    with room.listening():
        room.press("test", ANN)
    assert len(room.answers) == 2
    assert room.answers[0].startswith("No test was sent by mail: that address is suppressed")
    assert room.answers[1].startswith("No test was sent in Slack")
    assert "messages_tab_disabled" in room.answers[1]


@once
def test_the_command_sends_to_all_who_are_named(room: Slackroom) -> None:
    room.here.environment["BROADSHEET_SLACK_TOKEN"] = faults.TOKEN
    words = ("--to", "a@example.org", "--to", "b@example.org", "--to-slack", LOOK, "--format", "json")
    answer = room.here("test", "2025-W17", *words)
    assert answer.status == 0, answer.err
    assert [one["to"] for one in answer.json["sent"]] == ["a@example.org", "b@example.org", LOOK]
    assert (len(mails(room)), len(opening(room.posts(LOOK)))) == (2, 1)
    assert room.here("test", "2025-W17").status == 2
    refused = room.here("test", "2025-W17", "--to", "nobody")
    assert (refused.status, "not an address" in refused.complaint) == (2, True)
