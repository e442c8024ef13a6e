"""The bot hears what is pressed in Slack: at once, once, from curators alone, over whatever connection."""

import logging
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st
from pydantic import SecretStr

from bot import running
from bot.app import App
from bot.errors import InputError
from bot.listening import Actions, Click, Command, Listener, Shortcut, watchdog
from bot.listening.answering import answer
from bot.listening.connection import Connection, _why_away, is_kept_secret
from bot.listening.envelopes import click, heard as read, names
from bot.listening.lanes import MOST, Lane
from bot.listening.watchdog import HELLO, SILENCE, Pulse, lost, wait_before
from bot.settings import Settings
from bot.store import Store, heard, open_store
from tests.servers import slack as faults
from tests.servers.slack import CONVERSATION, Call, SlackServer, rules
from tests.servers.slack.sockets import Sockets

NOW = datetime(2025, 4, 25, 7, tzinfo=UTC)
CURATOR = "U0CURATOR"
STRANGER = "Only this newsletter's curators can do that."
PRESSED: dict[str, Any] = {
    "type": "block_actions",
    "user": {"id": CURATOR, "name": "somebody"},
    "actions": [{"type": "button", "action_id": "approve", "value": "ai-papers/2025-W17"}],
}


def test_an_app_token_that_is_none_is_told_by_its_own_name() -> None:
    with pytest.raises(InputError, match=r"^BROADSHEET_SLACK_APP_TOKEN: not a token.*xapp-"):
        Connection("http://127.0.0.1:9/api/", SecretStr("xapp 1"), lambda *_: None)


# ------------------------------------------------------------------------------------------------ envelopes


def test_a_click_is_read_from_its_envelope() -> None:
    payload = {**PRESSED, "response_url": "https://hooks.slack.com/actions/x"}
    found = click("interactive", payload)
    assert found == Click("approve", "ai-papers/2025-W17", CURATOR, "https://hooks.slack.com/actions/x")
    assert found.newsletter == "ai-papers"


@pytest.mark.parametrize(
    ("kind", "payload"),
    [
        ("events_api", {"event": {"type": "app_mention", "user": CURATOR, "text": "hello"}}),
        ("slash_commands", {"command": "/x"}),
        ("interactive", {}),
        ("interactive", {**PRESSED, "type": "view_submission"}),
        ("interactive", {**PRESSED, "actions": []}),
        ("interactive", {**PRESSED, "actions": "approve"}),
        ("interactive", {**PRESSED, "actions": [["approve"]]}),
        ("interactive", {**PRESSED, "user": CURATOR}),
        ("interactive", {**PRESSED, "user": {"id": 7}}),
        ("interactive", {**PRESSED, "actions": [{"action_id": "x" * 300}]}),
    ],
)
def test_what_is_no_click_is_none(kind: str, payload: dict[str, Any]) -> None:
    assert click(kind, payload) is None


def test_a_command_and_a_shortcut_are_read_from_their_envelopes() -> None:
    said = {"command": "/news", "text": "help", "user_id": CURATOR, "user_name": "ada", "response_url": "u"}
    assert read("slash_commands", said) == Command("help", CURATOR, "ada", "u")
    chosen = {
        "type": "message_action",
        "callback_id": "nominate",
        "user": {"id": CURATOR, "name": "ada"},
        "message": {"text": "words"},
        "response_url": "u",
    }
    assert read("interactive", chosen) == Shortcut("nominate", "words", CURATOR, "ada", "u")
    assert read("interactive", PRESSED) == click("interactive", PRESSED)


@pytest.mark.parametrize(
    ("kind", "payload"),
    [
        ("slash_commands", {}),
        ("slash_commands", {"command": "/news", "text": "help"}),
        ("slash_commands", {"command": ["/news"], "user_id": CURATOR}),
        ("interactive", {"type": "message_action", "callback_id": "nominate", "user": "ada"}),
        ("interactive", {"type": "message_action", "user": {"id": CURATOR}, "message": {"text": "words"}}),
        ("interactive", {"type": "shortcut", "callback_id": "nominate", "user": {"id": CURATOR}}),
    ],
)
def test_what_is_neither_is_none(kind: str, payload: dict[str, Any]) -> None:
    assert read(kind, payload) is None


def test_an_event_is_known_again_by_its_own_name_as_well() -> None:
    assert names("e1", {"event_id": "Ev1"}) == ["e1", "Ev1"]
    assert names("e1", PRESSED) == ["e1"]


# ------------------------------------------------------------------------------------------------- watchdog

WELL = Pulse(opened_at=100.0, answered_at=None, greeted=True, open=True, sent_away=None)


@pytest.mark.parametrize(
    ("pulse", "after", "reason"),
    [
        (WELL, 1.0, None),
        (Pulse(100.0, None, greeted=False, open=True, sent_away=None), HELLO, None),
        (Pulse(100.0, None, greeted=False, open=True, sent_away=None), HELLO + 1, "no hello came"),
        (WELL, SILENCE + 1, "it fell silent"),
        (Pulse(100.0, 500.0, greeted=True, open=True, sent_away=None), 401.0, None),
        (Pulse(100.0, 500.0, greeted=True, open=True, sent_away=None), 401.0 + SILENCE, "it fell silent"),
        (Pulse(100.0, None, greeted=True, open=False, sent_away=None), 1.0, "it was closed"),
        (
            Pulse(100.0, None, greeted=True, open=True, sent_away="warning"),
            1.0,
            "Slack asks for a new one (warning)",
        ),
    ],
)
def test_a_connection_is_lost_where_it_says_nothing(pulse: Pulse, after: float, reason: str | None) -> None:
    assert lost(pulse, 100.0 + after) == reason


def test_the_waits_grow_and_end_at_a_minute() -> None:
    assert [wait_before(failures) for failures in (0, 1, 2, 3, 4, 5, 50)] == [0, 1, 2, 5, 15, 60, 60]


# -------------------------------------------------------------------------------------------------- actions


def actions(*said: str) -> tuple[Actions, list[Click]]:
    pressed: list[Click] = []

    def approve(one: Click) -> Iterable[str]:
        pressed.append(one)
        return said

    made = Actions({"ai-papers": [CURATOR], "other": ["U0OTHER"]})
    made.add("approve", approve)
    return made, pressed


@pytest.mark.parametrize(
    ("one", "answer", "done"),
    [
        (Click("approve", "ai-papers/2025-W17", CURATOR), ["Approved."], 1),
        (Click("approve", "ai-papers/2025-W17", "U0OTHER"), [STRANGER], 0),
        (Click("approve", "other/2025-W17", CURATOR), [STRANGER], 0),
        (Click("approve", "", CURATOR), [STRANGER], 0),
        (Click("opened", "", CURATOR), [], 0),
        (Command("add https://x.org", CURATOR), [], 0),
        (Shortcut("nominate", "words", CURATOR), [], 0),
    ],
)
def test_only_a_curator_of_the_newsletter_may_press(
    one: Click | Command | Shortcut, answer: list[str], done: int
) -> None:
    made, pressed = actions("Approved.")
    assert list(made.answers(one)) == answer
    assert len(pressed) == done


def test_an_action_has_one_meaning() -> None:
    made, _ = actions()
    with pytest.raises(ValueError, match="approve: there is such an action already"):
        made.add("approve", lambda _click: [])


def test_an_action_that_fails_says_so_and_its_words_stay_out_of_the_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def fail(_click: Click) -> Iterable[str]:
        raise RuntimeError("xoxb-secret")

    def refuse(_click: Click) -> Iterable[str]:
        yield "Looking."
        raise InputError("2025-W17", "this draft changed", "look again")

    made = Actions({"ai-papers": [CURATOR]})
    made.add("fail", fail)
    made.add("refuse", refuse)
    with caplog.at_level(logging.DEBUG):
        assert "our fault" in next(made.answers(Click("fail", "ai-papers/x", CURATOR)))
        looking, refused = made.answers(Click("refuse", "ai-papers/x", CURATOR))
    assert looking == "Looking."
    assert "this draft changed" in refused
    assert "RuntimeError test_listening.py" in caplog.text
    assert "xoxb" not in caplog.text


# ---------------------------------------------------------------------------------------------------- lanes


def test_a_lane_does_one_thing_after_the_other_and_finishes_what_it_took() -> None:
    done: list[int] = []
    with Lane("lane") as lane:
        assert all(lane.put(partial(done.append, number)) for number in range(MOST // 2))
    assert done == list(range(MOST // 2))


def test_a_lane_takes_no_more_than_it_has_room_for() -> None:
    go, done = threading.Event(), threading.Event()
    with Lane("lane") as lane:

        def wait() -> None:
            assert go.wait(10)

        taken = [lane.put(wait) for _ in range(MOST + 2)]
        assert taken == [*[True] * MOST, False, False]
        go.set()
        while not lane.put(done.set):
            pass
    assert done.is_set()


@pytest.mark.parametrize(
    ("asked", "slow"),
    [
        (Click("approve", "", CURATOR), False),
        (Click("test", "", CURATOR), True),
        (Command("", CURATOR), True),
        (Shortcut("nominate", "", CURATOR), True),
    ],
)
def test_what_asks_others_first_keeps_no_decision_waiting(
    asked: Click | Command | Shortcut,
    slow: bool,  # noqa: FBT001 (a row of the table)
) -> None:
    made, _ = actions()
    made.add("test", lambda _click: [], slow=True)
    assert made.is_slow(asked) == slow


@given(st.text(max_size=300))
def test_an_answer_is_typed_text_that_slack_takes_and_calls_nobody(words: str) -> None:
    made = answer(words)
    assert rules.faults(made["blocks"]) == []
    assert rules.mentions({"text": made["text"], "blocks": made["blocks"]}) == []


@pytest.mark.parametrize("words", ["", "<!channel> @here", "x" * 5000, "\n".join(["- *line*"] * 300)])
def test_an_answer_is_never_empty_or_too_long(words: str) -> None:
    made = answer(words)
    assert rules.faults(made["blocks"]) == []
    assert rules.mentions({"text": made["text"], "blocks": made["blocks"]}) == []
    assert 0 < len(str(made["text"])) <= 4000


# ------------------------------------------------------------------------------------------------ the ledger


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made = open_store("sqlite:///ledger.db", tmp_path)
    yield made
    made.close()


def test_an_envelope_is_new_once_under_any_of_its_names(store: Store) -> None:
    def note(*envelope: str, now: datetime = NOW) -> bool:
        with store.write() as connection:
            return heard.note(connection, envelope, now)

    assert [note("a", "Ev1"), note("a"), note("b", "Ev1"), note("b")] == [True, False, False, True]
    assert note("a", now=NOW + timedelta(days=2))


# ------------------------------------------------------------------------------------------- over the network


@contextmanager
def listening(
    server: SlackServer, store: Store, made: Actions, *, token: str | None = None
) -> Iterator[list[str]]:
    said: list[str] = []
    secret = SecretStr(token or server.app_token)
    with Listener(server.url, secret, made, store, clock=lambda: NOW, say=said.append):
        yield said


def test_a_click_is_acknowledged_and_done_once_however_often_it_is_told(store: Store) -> None:
    made, pressed = actions()
    with SlackServer() as server, listening(server, store, made) as said:
        server.sockets.wait(lambda sockets: sockets.opened == 1)
        envelope = server.sockets.send("interactive", PRESSED)
        server.sockets.wait(lambda sockets: len(sockets.acknowledgements(envelope)) == 1)
        server.sockets.send_again(envelope)
        server.sockets.wait(lambda sockets: len(sockets.acknowledgements(envelope)) == 2)
    assert [one.action for one in pressed] == ["approve"]
    assert server.sockets.faults == []
    assert said in ([], ["listening to Slack"])


@pytest.mark.parametrize("reason", ["warning", "refresh_requested"])
def test_a_connection_that_slack_sends_away_is_opened_anew(store: Store, reason: str) -> None:
    made, pressed = actions()
    with SlackServer() as server, listening(server, store, made):
        server.sockets.wait(lambda sockets: sockets.opened == 1)
        server.sockets.say_goodbye(reason)
        server.sockets.wait(lambda sockets: sockets.opened == 2 and len(sockets.connections) == 1, 20)
        envelope = server.sockets.send("interactive", PRESSED)
        server.sockets.wait(lambda sockets: bool(sockets.acknowledgements(envelope)))
    assert len(pressed) == 1


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        ('{"type": "disconnect", "reason": "link_disabled"}', "link_disabled"),
        ('{"type":"disconnect","reason":"too_many_websockets"}', "too_many_websockets"),
        ('{"type": "disconnect"}', "disconnect"),
        ('{"type": "disconnect", "reason": "\\u001b[31m"}', "disconnect"),
        ('{"type": "interactive", "payload": {"type": "disconnect", "reason": "warning"}}', None),
        ('["disconnect"]', None),
        ('"disconnect"{', None),
    ],
)
def test_only_slack_s_own_word_ends_a_connection(message: str, reason: str | None) -> None:
    assert _why_away(message) == reason


@pytest.mark.parametrize(
    ("url", "api_url", "good"),
    [
        ("wss://wss-primary.slack.com/link/?ticket=x", "https://slack.com/api/", True),
        ("wss://wss-primary.slack.com:443/link/", "https://slack.com/api/", True),
        ("wss://wss-primary.slack.com:8443/link/", "https://slack.com/api/", False),
        ("ws://wss-primary.slack.com/link/", "https://slack.com/api/", False),
        ("https://slack.com/", "https://slack.com/api/", False),
        ("", "https://slack.com/api/", False),
        ("ws://127.0.0.1:4000/link/", "http://127.0.0.1:4000/api/", True),
    ],
)
def test_a_connection_is_never_less_secret_than_the_web_api(url: str, api_url: str, good: bool) -> None:  # noqa: FBT001 (a row of the table)
    assert is_kept_secret(url, api_url) == good


def test_a_connection_that_breaks_is_opened_anew(store: Store) -> None:
    made, _ = actions()
    with SlackServer() as server, listening(server, store, made):
        server.sockets.wait(lambda sockets: sockets.opened == 1)
        server.sockets.drop()
        server.sockets.wait(lambda sockets: sockets.opened == 2)


def test_what_is_no_click_is_acknowledged_and_left(store: Store) -> None:
    made, pressed = actions("x")
    mention = {"event_id": "Ev1", "event": {"type": "app_mention", "user": CURATOR, "text": "<@U1> hello"}}
    with SlackServer() as server, listening(server, store, made):
        server.sockets.wait(lambda sockets: sockets.opened == 1)
        envelope = server.sockets.send("events_api", mention)
        server.sockets.wait(lambda sockets: len(sockets.acknowledgements(envelope)) == 1)
    assert (pressed, server.posts) == ([], [])


def test_a_token_that_slack_refuses_is_told_once_and_nothing_of_it(
    store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    made, _ = actions()
    again = threading.Event()

    def noted(call: Call) -> None:
        call.say(call.done())
        again.set()

    with SlackServer() as server, caplog.at_level(logging.DEBUG):
        server.at(2, noted, "apps.connections.open")
        with listening(server, store, made, token="xapp-secret-of-ours") as said:
            assert again.wait(10)
        assert len(said) == 1
    assert "invalid_auth" in said[0]
    assert "secret-of-ours" not in caplog.text + said[0]


def test_a_connection_that_falls_silent_is_opened_anew(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """It stays open and nothing comes any more: the SDK has called such a one connected for hours."""
    monkeypatch.setattr(watchdog, "SILENCE", 0.5)
    made, pressed = actions()
    with SlackServer() as server, listening(server, store, made):
        server.sockets.wait(lambda sockets: sockets.opened == 1)
        server.sockets.fall_silent()
        server.sockets.wait(lambda sockets: sockets.opened >= 2)
        monkeypatch.setattr(watchdog, "SILENCE", 30.0)
        envelope = server.sockets.send("interactive", PRESSED)
        server.sockets.wait(lambda sockets: bool(sockets.acknowledgements(envelope)))
    assert len(pressed) == 1


@pytest.mark.parametrize(
    "fault", [faults.bad_gateway, faults.rate_limited("0.1"), faults.page_instead_of_json]
)
def test_it_tries_again_where_slack_gives_no_connection(store: Store, fault: faults.Fault) -> None:
    made, _ = actions()
    with SlackServer() as server:
        server.next(fault, method="apps.connections.open")
        with listening(server, store, made) as said:
            server.sockets.wait(lambda sockets: sockets.opened == 1)
    assert said[0].startswith("Slack's Socket Mode: ")


def is_acknowledged(envelope: str, sockets: Sockets) -> bool:
    return bool(sockets.acknowledgements(envelope))


def test_an_answer_goes_to_slack_alone(store: Store) -> None:
    """Where to answer comes with the click: whatever it names, nothing else is called."""
    made, _ = actions("Approved.")
    with SlackServer() as server, SlackServer() as other, listening(server, store, made):
        post = server.store({"channel": CONVERSATION, "text": "Approve?"})
        good = server.root + server.hooks.response_url(post)
        server.sockets.wait(lambda sockets: sockets.opened == 1)
        for url in (other.hook_url, "http://slack.com.example.org/", "http://[", "file:///etc/passwd", good):
            envelope = server.sockets.send("interactive", {**PRESSED, "response_url": url})
            server.sockets.wait(partial(is_acknowledged, envelope))
    assert other.calls == []
    assert [one["text"] for one in server.hooks.ephemeral] == ["Approved."]


def test_the_bot_listens_while_it_runs_and_not_without_a_token(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[int] = []
    with SlackServer() as server:

        def ring(*_arguments: object, **_more: object) -> None:
            if app.settings.slack_app_token:
                server.sockets.wait(lambda sockets: sockets.opened == 1)
            opened.append(server.sockets.opened)

        monkeypatch.setattr(running, "run_clock", ring)
        monkeypatch.setattr(App, "_slack_url", lambda _app: server.url)
        for token in (SecretStr(server.app_token), None):
            app = App(Settings(root=tmp_path, newsletters={}, slack_app_token=token))
            running.run(app, clock=lambda: NOW, once=False, say=lambda _words: None)
            app.store.close()
    assert opened == [1, 1]
    assert server.sockets.opened == 1
