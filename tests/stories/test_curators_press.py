"""A press in Slack decides once, for what the curator saw; what cannot be decided is told to them alone."""

import json
import re
from collections.abc import Iterator
from threading import Event, Thread

import pytest

from bot.channels import _slack_courier
from bot.models import Origin
from bot.running import run
from tests.servers import slack as faults
from tests.servers.postgres import Database
from tests.servers.slack import Conversation, SlackServer
from tests.stories.slackroom import ANN, BO, DRAFTS, EVE, TEAM, Slackroom, buttons

once = pytest.mark.parametrize("database", ["sqlite"], indirect=True)
"""For what no row decides."""

EVENING = "2025-04-24T09:00+02:00"


@pytest.fixture
def room(database: Database, monkeypatch: pytest.MonkeyPatch) -> Iterator[Slackroom]:
    monkeypatch.setattr(_slack_courier, "PACE", 0.0)
    with SlackServer({DRAFTS: Conversation(), TEAM: Conversation()}) as slack:
        made = Slackroom(database, slack, EVENING)
        made.here.issue()
        made.tick()
        yield made


def words(room: Slackroom) -> str:
    return json.dumps(room.draft.message["blocks"], ensure_ascii=False)


def said(room: Slackroom) -> list[tuple[str, str, str]]:
    return [(verb, one.by, str(one.origin)) for verb, one in room.decided]


def test_approve_decides_and_the_buttons_are_gone_at_once(room: Slackroom) -> None:
    assert buttons(room.draft) == ["approve", "hold", "test", "opened"]
    room.now = room.now.replace(hour=9, minute=12)
    with room.listening():
        room.press("approve")
    assert said(room) == [("approved", "ann", Origin.SLACK)]
    assert room.answers == ["Approved. It goes Fri 25 Apr 2025, 09:00 Europe/Berlin (07:00 UTC)."]
    assert "Approved by Ann at 09:12 on Thu 24 Apr." in words(room)
    assert buttons(room.draft) == ["opened"]
    assert len(room.posts()) == 1


@once
def test_hold_decides_as_well(room: Slackroom) -> None:
    with room.listening():
        room.press("hold", BO)
    assert said(room) == [("held", "bo", Origin.SLACK)]
    assert room.answers == ["Held. It does not go out until it is released."]
    assert "Held by Bo B. at 09:00" in words(room)
    assert buttons(room.draft) == ["opened"]


def test_two_curators_a_double_click_and_an_envelope_told_again_make_one_decision(room: Slackroom) -> None:
    post = room.draft
    with room.listening():
        first, *others = [room.slack.press(post, "approve", user) for user in (ANN, ANN, BO)]
        room.acknowledged(first, *others)
        room.slack.sockets.send_again(first)
        room.slack.sockets.wait(lambda sockets: len(sockets.acknowledgements(first)) == 2)
    assert len(room.decided) == 1
    assert room.answers[0].startswith("Approved. It goes")
    assert room.answers[1:] == ["It is already approved by Ann at 09:00 on Thu 24 Apr."] * 2


def test_a_button_of_an_old_revision_decides_nothing_and_shows_the_new_one(room: Slackroom) -> None:
    room.here.issue(title="Three papers")
    with room.listening():
        room.press("approve")
    assert room.decided == []
    assert room.answers[0].startswith("This draft changed since")
    assert "Draft: Three papers" in words(room)
    assert buttons(room.draft) == ["approve", "hold", "test", "opened"]
    with room.listening():
        room.press("approve")
    assert len(room.decided) == 1


@once
def test_what_somebody_wants_to_stop_is_stopped_though_it_changed(room: Slackroom) -> None:
    room.here.issue(title="Three papers")
    with room.listening():
        room.press("hold")
    assert [verb for verb, _ in room.decided] == ["held"]
    assert "This draft changed" in room.answers[0]
    assert buttons(room.draft) == ["opened"]


@once
def test_a_stranger_hears_that_only_curators_can(room: Slackroom) -> None:
    with room.listening():
        room.press("approve", EVE)
    assert room.decided == []
    assert room.answers == ["Only this newsletter's curators can do that."]


@once
def test_what_the_checks_refuse_is_answered_with_the_first_errors(room: Slackroom) -> None:
    path = room.here.issue()
    path.write_text(path.read_text("utf-8").replace("https://example.org/1", "http://localhost/1"), "utf-8")
    room.tick()
    assert "approve" in buttons(room.draft)
    with room.listening():
        room.press("approve")
    assert room.decided == []
    first, error, *_ = room.answers[0].split("\n")
    assert first == "Not approved: the checks found errors."
    assert re.fullmatch(r"• content/ai-papers/2025-W17\.md:\d+.*localhost.* \[links\.\S+\]", error)


@once
def test_content_that_cannot_be_read_is_told_and_the_message_says_so(room: Slackroom) -> None:
    path = room.here.issue()
    path.write_text(path.read_text("utf-8").replace("week:", "weak:"), "utf-8")
    with room.listening():
        room.press("approve")
    assert room.decided == []
    assert "cannot be read" in room.answers[0]
    assert "weak: no such key" in room.answers[0]
    assert buttons(room.draft) == ["opened"]


@once
def test_what_is_held_is_released_before_it_is_approved(room: Slackroom) -> None:
    post = room.draft
    with room.listening():
        envelopes = [room.slack.press(post, "hold", BO), room.slack.press(post, "approve", ANN)]
        room.acknowledged(*envelopes)
    assert [verb for verb, _ in room.decided] == ["held"]
    assert room.answers[1] == ("Not approved: it is held by Bo B. at 09:00 on Thu 24 Apr. Release it first.")


@once
def test_what_has_gone_out_is_not_decided_any_more(room: Slackroom) -> None:
    post = room.draft
    with room.listening():
        envelopes = [room.slack.press(post, "approve", ANN)]
        room.acknowledged(*envelopes)
    room.tick("2025-04-25T09:00+02:00")
    assert "It has gone out." in words(room)
    value = {"action_id": "hold", "value": pressed_value(room)}
    with room.listening():
        url = room.slack.root + room.slack.hooks.response_url(post)
        payload = {
            "type": "block_actions",
            "user": {"id": ANN},
            "actions": [value],
            "response_url": url,
        }
        room.acknowledged(room.slack.sockets.send("interactive", payload))
    assert room.answers[-1] == "It has gone out: nothing is left to decide."
    assert len(room.decided) == 1


def pressed_value(room: Slackroom) -> str:
    """What the buttons were given before they were taken away."""
    first = room.draft.earlier[0]
    (row,) = [block["elements"] for block in first["blocks"] if block["type"] == "actions"]
    return str(row[0]["value"])


def test_it_works_while_the_bot_looks_at_the_clock_in_another_thread(room: Slackroom) -> None:
    """Whichever of the two writes to Slack last: what stands there at the end is what was decided."""
    ended = Event()

    def look() -> None:
        with room.app() as app:
            while not ended.is_set():
                run(app, clock=lambda: room.now, once=True, say=room.said.append)

    thread = Thread(target=look)
    thread.start()
    try:
        with room.listening():
            room.press("approve")
    finally:
        ended.set()
        thread.join()
    room.tick()
    assert len(room.decided) == 1
    assert "Approved by Ann" in words(room)
    assert buttons(room.draft) == ["opened"]


@once
def test_a_decision_is_kept_where_slack_takes_neither_the_answer_nor_the_change(room: Slackroom) -> None:
    room.slack.always(faults.bad_gateway, "chat.update")
    room.slack.next(faults.close_unheard, method="webhook")
    with room.listening():
        room.press("approve")
    assert len(room.decided) == 1
    assert room.answers == []
    room.slack.always(faults.obey, "chat.update")
    room.tick()
    assert buttons(room.draft) == ["opened"]
