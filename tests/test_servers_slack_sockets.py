"""Socket Mode as Slack's own client knows it, against the Slack of the tests."""

import base64
import gc
import json
import os
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from io import BufferedIOBase, BytesIO
from typing import Any
from urllib.request import Request, urlopen

import pytest
from hypothesis import given, strategies as st
from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError
from slack_sdk.socket_mode import SocketModeClient
from slack_sdk.socket_mode.response import SocketModeResponse

from tests.servers.slack import APP_TOKEN, CONVERSATION, TOKEN, Clock, SlackServer
from tests.servers.slack.websocket import Frame, Op, ProtocolError, accept, packed, read

pytestmark = pytest.mark.filterwarnings("ignore:.*unclosed <socket")  # Slack's client forgets some
Json = dict[str, Any]
BUTTONS: Json = {
    "type": "actions",
    "elements": [
        {
            "type": "button",
            "action_id": "approve",
            "value": "1",
            "text": {"type": "plain_text", "text": "Yes"},
        }
    ],
}


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def slack(clock: Clock) -> Iterator[SlackServer]:
    with SlackServer(clock=clock) as server:
        yield server


def web(slack: SlackServer) -> WebClient:
    made = WebClient(base_url=slack.url, retry_handlers=[])
    made.proxy = None
    return made


@contextmanager
def listening(
    slack: SlackServer, answer: Callable[[Json], Json | None] = lambda _: None
) -> Iterator[list[Json]]:
    """Slack's own client, which acknowledges whatever comes; gives what came."""
    heard: list[Json] = []
    client = SocketModeClient(APP_TOKEN, web_client=web(slack), ping_interval=0.2, receive_buffer_size=1024)

    def take(client: Any, request: Any) -> None:
        heard.append({"payload": request.payload, "attempt": request.retry_attempt})
        client.send_socket_mode_response(SocketModeResponse(request.envelope_id, answer(request.payload)))

    client.socket_mode_request_listeners.append(take)
    client.connect()
    slack.sockets.wait(lambda sockets: len(sockets.connections) == 1)
    try:
        yield heard
    finally:
        client.auto_reconnect_enabled = False
        slack.sockets.drop()  # so that its thread, which is reading, need not wait for its time limit
        client.close()
        gc.collect()  # what it forgot is found here, and not in another test


# -------------------------------------------------------------------------------------------- Slack's client


def test_what_is_sent_is_heard_and_acknowledged(slack: SlackServer) -> None:
    with listening(slack) as heard:
        envelope = slack.sockets.send("events_api", {"event": {"type": "ünïcode", "long": "x" * 70_000}})
        slack.sockets.wait(lambda sockets: sockets.acknowledgements(envelope))
    assert heard[0]["payload"]["event"]["type"] == "ünïcode"
    assert slack.sockets.faults == []


def test_what_is_not_acknowledged_comes_again(slack: SlackServer) -> None:
    with listening(slack) as heard:
        envelope = slack.sockets.send("interactive", {"type": "block_actions"})
        slack.sockets.wait(lambda sockets: sockets.acknowledgements(envelope))
        slack.sockets.send_again(envelope, attempt=1)
        slack.sockets.wait(lambda sockets: len(sockets.acknowledgements(envelope)) == 2)
    assert [one["attempt"] for one in heard] == [None, 1]


@pytest.mark.parametrize("reason", ["refresh_requested", "link_disabled"])
def test_a_client_that_is_sent_away_comes_back(reason: str, slack: SlackServer) -> None:
    with listening(slack):
        slack.sockets.say_goodbye(reason)
        slack.sockets.wait(lambda sockets: sockets.opened == 2)


def test_a_client_that_was_cut_off_comes_back(slack: SlackServer) -> None:
    with listening(slack):
        slack.sockets.drop()
        slack.sockets.wait(lambda sockets: sockets.opened == 2)


def test_a_press_tells_what_was_pressed_where_and_by_whom(slack: SlackServer) -> None:
    posted = slack.store({"channel": CONVERSATION, "text": "x", "blocks": [BUTTONS]})
    with listening(slack) as heard:
        envelope = slack.press(posted, "approve", "U7")
        slack.sockets.wait(lambda sockets: sockets.acknowledgements(envelope))
    payload = heard[0]["payload"]
    assert payload["user"]["id"] == "U7"
    assert payload["container"]["message_ts"] == posted.ts
    assert [(one["action_id"], one["value"]) for one in payload["actions"]] == [("approve", "1")]


# ------------------------------------------------------------------------------------- answering at a press


def respond(url: str, message: Json) -> str:
    body = json.dumps(message).encode()
    with urlopen(Request(url, body, {"Content-Type": "application/json"}), timeout=5) as answer:
        said: str = answer.read().decode()
        return said


def pressed(slack: SlackServer) -> str:
    """Where to answer a press at."""
    posted = slack.store({"channel": CONVERSATION, "text": "old", "blocks": [BUTTONS]})
    url: str = slack.sockets.envelopes[slack.press(posted, "approve")]["payload"]["response_url"]
    return url


def test_an_answer_is_for_one_person_unless_it_says_otherwise(slack: SlackServer) -> None:
    url = pressed(slack)
    respond(url, {"text": "only you"})
    respond(url, {"text": "all", "response_type": "in_channel"})
    respond(url, {"text": "new", "replace_original": True})
    assert [one["text"] for one in slack.hooks.ephemeral] == ["only you"]
    assert [one.message["text"] for one in slack.posts] == ["new", "all"]
    respond(url, {"delete_original": True})
    assert [one.message["text"] for one in slack.posts] == ["all"]


def test_a_press_may_be_answered_five_times(slack: SlackServer) -> None:
    url = pressed(slack)
    for _ in range(5):
        assert respond(url, {"text": "x"}) == "ok"
    with pytest.raises(OSError, match="404"):
        respond(url, {"text": "x"})


def test_a_press_may_be_answered_for_half_an_hour(slack: SlackServer, clock: Clock) -> None:
    url = pressed(slack)
    clock.go_on(30 * 60)
    assert respond(url, {"text": "x"}) == "ok"
    clock.go_on(1)
    with pytest.raises(OSError, match="404"):
        respond(url, {"text": "x"})


# ------------------------------------------------------------------------------------------------- who may


@pytest.mark.parametrize(
    ("token", "code"),
    [
        (None, "not_authed"),
        (TOKEN, "not_allowed_token_type"),
        ("xapp-other", "invalid_auth"),
        (APP_TOKEN, None),
    ],
)
def test_a_connection_needs_the_apps_token(token: str | None, code: str | None, slack: SlackServer) -> None:
    if code is None:
        assert web(slack).apps_connections_open(app_token=APP_TOKEN)["url"].startswith("ws://127.0.0.1:")
        return
    with pytest.raises(SlackApiError, match=code):
        web(slack).api_call(
            "apps.connections.open", headers={"Authorization": f"Bearer {token}"} if token else {}
        )


def test_a_connection_needs_its_scope(slack: SlackServer) -> None:
    slack.app_scopes = frozenset()
    with pytest.raises(SlackApiError, match="missing_scope"):
        web(slack).apps_connections_open(app_token=APP_TOKEN)


# --------------------------------------------------------------------------------------------- the protocol

KEY = base64.b64encode(b"0123456789abcdef").decode()
HEADERS = {"Upgrade": "websocket", "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": KEY}


@contextmanager
def opened(
    slack: SlackServer, path: str | None = None, **headers: str
) -> Iterator[tuple[socket.socket, Any]]:
    """A bare connection after a handshake, and what is read from it."""
    url = path or web(slack).apps_connections_open(app_token=APP_TOKEN)["url"].partition("/link")[2]
    lines = [f"GET /link{url} HTTP/1.1", *(f"{key}: {value}" for key, value in (HEADERS | headers).items())]
    with socket.create_connection(("127.0.0.1", int(slack.root.rpartition(":")[2])), timeout=5) as wire:
        wire.sendall("\r\n".join([*lines, "", ""]).encode())
        with wire.makefile("rb") as stream:
            yield wire, stream


def status(stream: BufferedIOBase) -> int:
    """The status of an answer whose head is read to its end."""
    first = stream.readline().split()
    while stream.readline().strip():
        pass
    return int(first[1])


def said(stream: BufferedIOBase) -> Frame:
    """The next frame of the server, whose frames are short here."""
    head = stream.read(2)
    length = head[1] if head[1] < 126 else int.from_bytes(stream.read(2), "big")
    return Frame(Op(head[0] & 0x0F), stream.read(length))


def masked(op: int, payload: bytes, mask: bytes = b"\1\2\3\4") -> bytes:
    """A frame as a client sends it."""
    size = len(payload)
    short, width = (size, 0) if size < 126 else (126, 2) if size < 1 << 16 else (127, 8)
    head = bytes([0x80 | op, 0x80 | short]) + (size.to_bytes(width, "big") if width else b"")
    return head + mask + bytes(byte ^ mask[at % 4] for at, byte in enumerate(payload))


def test_a_connection_opens_with_hello_and_answers_a_ping_and_a_goodbye(slack: SlackServer) -> None:
    with opened(slack) as (wire, stream):
        assert status(stream) == 101
        assert json.loads(said(stream).payload)["type"] == "hello"
        wire.sendall(masked(Op.PING, b"there?") + masked(Op.CLOSE, b""))
        assert said(stream) == Frame(Op.PONG, b"there?")
        assert said(stream).op is Op.CLOSE
        assert stream.read() == b""


def test_a_warning_ends_nothing(slack: SlackServer) -> None:
    with opened(slack) as (wire, stream):
        status(stream), said(stream)
        slack.sockets.wait(lambda sockets: sockets.connections)
        slack.sockets.say_goodbye("warning")
        assert json.loads(said(stream).payload)["reason"] == "warning"
        wire.sendall(masked(Op.PING, b""))
        assert said(stream).op is Op.PONG


def test_silence_is_not_the_end_of_a_connection(slack: SlackServer) -> None:
    with opened(slack) as (wire, stream):
        status(stream), said(stream)
        slack.sockets.wait(lambda sockets: sockets.connections)
        slack.sockets.fall_silent()
        wire.sendall(masked(Op.PING, b""))
        wire.settimeout(0.1)
        with pytest.raises(TimeoutError):
            wire.recv(1)


def test_a_ticket_opens_one_connection(slack: SlackServer) -> None:
    path = web(slack).apps_connections_open(app_token=APP_TOKEN)["url"].partition("/link")[2]
    with opened(slack, path) as (_, stream):
        assert status(stream) == 101
    with opened(slack, path) as (_, stream):
        assert status(stream) == 400


@pytest.mark.parametrize(
    "header",
    [
        {"Upgrade": "h2c"},
        {"Sec-WebSocket-Version": "8"},
        {"Sec-WebSocket-Key": "x"},
        {"Sec-WebSocket-Key": "eA=="},
    ],
)
def test_a_handshake_is_that_of_rfc_6455(header: dict[str, str], slack: SlackServer) -> None:
    with opened(slack, **header) as (_, stream):
        assert status(stream) == 400


def test_the_answer_to_a_key_is_the_one_of_the_standard() -> None:
    assert accept("dGhlIHNhbXBsZSBub25jZQ==") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="


def test_ten_connections_at_most(slack: SlackServer) -> None:
    clients = [opened(slack) for _ in range(11)]
    streams = [client.__enter__()[1] for client in clients]
    last = streams[-1]
    for number, stream in enumerate(streams[:-1], 1):
        status(stream), said(stream)
        slack.sockets.wait(lambda sockets, number=number: sockets.opened >= number)  # type: ignore[misc] # mypy knows no default here
    told = [status(last), json.loads(said(last).payload).get("reason")]
    for client in clients:
        client.__exit__(None, None, None)
    assert told in ([101, "too_many_websockets"], [101, None])
    assert slack.sockets.opened == 10


BROKEN: dict[str, tuple[bytes, str]] = {
    "no mask": (packed(Frame(Op.TEXT, b"{}")), "not masked"),
    "a reserved bit": (b"\xc1" + masked(Op.TEXT, b"{}")[1:], "reserved bits"),
    "in pieces": (b"\x01" + masked(Op.TEXT, b"{}")[1:], "several frames"),
    "a kind that is none": (masked(5, b"{}"), "no known kind"),
    "a long ping": (masked(Op.PING, b"x" * 126), "control frame"),
    "very long": (b"\x81\xff" + (1 << 40).to_bytes(8, "big"), "bytes"),
}


@pytest.mark.parametrize(("frame", "says"), BROKEN.values(), ids=BROKEN)
def test_a_client_that_breaks_the_protocol_is_sent_away(frame: bytes, says: str, slack: SlackServer) -> None:
    with opened(slack) as (wire, stream):
        status(stream), said(stream)
        wire.sendall(frame)
        assert said(stream) == Frame(Op.CLOSE, (1002).to_bytes(2, "big"))
    assert says in slack.sockets.faults[0]


@pytest.mark.parametrize("payload", [b"no JSON", b"[]", b"{}", b'{"envelope_id": "never sent"}', b"\xff"])
def test_what_acknowledges_nothing_is_noted(payload: bytes, slack: SlackServer) -> None:
    with opened(slack) as (wire, stream):
        status(stream), said(stream)
        wire.sendall(masked(Op.TEXT, payload))
        slack.sockets.wait(lambda sockets: sockets.faults)
    assert slack.sockets.acknowledged == []


@given(st.sampled_from([Op.TEXT, Op.BINARY]), st.binary(max_size=300), st.binary(min_size=4, max_size=4))
def test_what_a_client_sends_is_read(op: Op, payload: bytes, mask: bytes) -> None:
    assert read(BytesIO(masked(op, payload, mask))) == Frame(op, payload)


@pytest.mark.parametrize("size", [0, 125, 126, 65_535, 65_536])
def test_a_frame_of_any_size_is_read_whole_or_not_at_all(size: int) -> None:
    frame = masked(Op.TEXT, os.urandom(size))
    found = read(BytesIO(frame))
    assert found
    assert len(found.payload) == size
    for cut in (1, 3, len(frame) - 1):
        assert read(BytesIO(frame[:cut])) is None


@given(st.binary(max_size=40))
def test_no_bytes_break_the_reader(data: bytes) -> None:
    stream = BytesIO(data)
    with suppress(ProtocolError):
        while read(stream) is not None:
            pass
