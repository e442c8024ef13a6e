"""Slack's Web API on a free loopback port: strict as the real one, and it misbehaves where it is told to."""

import json
import socket
import struct
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar
from urllib.parse import parse_qsl

from tests.servers.slack_rules import faults, is_too_long, metadata_fault

TIMEOUT = 30
"""Seconds after which the server gives up: a test that needs so long has failed."""
TOKEN, CONVERSATION, BOT = "xoxb-1-verysecret", "C0123456789", "B0123456789"
LONGEST_TEXT = 40_000

Json = dict[str, Any]


class Refused(Exception):  # noqa: N818 (no fault of the server's: an answer)
    """An answer with `ok: false`."""

    def __init__(self, code: str, **more: Any) -> None:
        super().__init__(code)
        self.answer: Json = {"ok": False, "error": code, **more}


# ------------------------------------------------------------------------------------------------ workspace


@dataclass
class Workspace:
    """What Slack keeps and what it takes; `moods` are used up by posts, one each, the first first."""

    url: str = ""
    token: str = TOKEN
    scopes: set[str] = field(default_factory=lambda: {"chat:write", "channels:history"})
    conversations: set[str] = field(default_factory=lambda: {CONVERSATION})
    joined: set[str] = field(default_factory=lambda: {CONVERSATION})
    archived: set[str] = field(default_factory=set)
    messages: list[Json] = field(default_factory=list)
    """What was posted, in order, as the API's arguments with `ts`."""
    posts: int = 0
    """How many times chat.postMessage was called, whatever came of it."""
    moods: list["Mood"] = field(default_factory=list)
    released: threading.Event = field(default_factory=threading.Event)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def answer(self, method: str, token: str, arguments: Json) -> Json:
        """The answer of one method of the API."""
        methods = {
            "auth.test": self._auth,
            "chat.postMessage": self.post,
            "conversations.history": self._history,
            "conversations.replies": self._replies,
        }
        if method not in methods:
            return Refused("unknown_method").answer
        if token != self.token:
            return Refused("invalid_auth" if token else "not_authed").answer
        with self._lock:
            try:
                return {"ok": True, **methods[method](arguments)}
            except Refused as refusal:
                return refusal.answer

    def _auth(self, arguments: Json) -> Json:
        return {"team": "Broadsheet", "user_id": "U0123456789", "bot_id": BOT}

    def post(self, arguments: Json) -> Json:
        """Keep a message, if every rule allows it."""
        self._needs("chat:write")
        self._may_write(arguments.get("channel"))
        _check(arguments)
        if (thread := arguments.get("thread_ts")) is not None and not self._thread(
            arguments["channel"], thread
        ):
            raise Refused("thread_not_found")
        message = {**arguments, "ts": f"1745564400.{len(self.messages) + 1:06}"}
        self.messages.append(message)
        return {"channel": message["channel"], "ts": message["ts"], "message": {"bot_id": BOT, **message}}

    def _needs(self, scope: str) -> None:
        if scope not in self.scopes:
            raise Refused("missing_scope", needed=scope, provided=",".join(sorted(self.scopes)))

    def _may_write(self, conversation: Any) -> None:
        if conversation not in self.conversations:
            raise Refused("channel_not_found")
        if conversation in self.archived:
            raise Refused("is_archived")
        if conversation not in self.joined:
            raise Refused("not_in_channel")

    def _thread(self, conversation: str, ts: Any) -> list[Json]:
        """The message `ts` and its replies; none where there is no such message."""
        inside = [one for one in self.messages if one["channel"] == conversation]
        if not any(one["ts"] == ts and "thread_ts" not in one for one in inside):
            return []
        return [one for one in inside if ts in {one["ts"], one.get("thread_ts")}]

    def _history(self, arguments: Json) -> Json:
        self._needs("channels:history")
        self._may_write(conversation := arguments.get("channel"))
        shown = [one for one in self.messages if one["channel"] == conversation and "thread_ts" not in one]
        oldest = float(arguments.get("oldest") or 0)
        return {"messages": [one for one in reversed(shown) if float(one["ts"]) >= oldest], "has_more": False}

    def _replies(self, arguments: Json) -> Json:
        self._needs("channels:history")
        self._may_write(arguments.get("channel"))
        if not (found := self._thread(arguments["channel"], arguments.get("ts"))):
            raise Refused("thread_not_found")
        return {"messages": found, "has_more": False}


_ARGUMENTS = {
    "channel", "text", "blocks", "thread_ts", "reply_broadcast", "unfurl_links", "unfurl_media", "metadata",
    "client_msg_id", "mrkdwn", "parse", "link_names",
}  # fmt: skip


def _check(arguments: Json) -> None:
    """Refuse a message that breaks a rule; the real API lets unknown arguments pass, this one does not."""
    text, blocks = arguments.get("text"), arguments.get("blocks")
    if arguments.keys() - _ARGUMENTS or not isinstance(text or "", str):
        raise Refused("invalid_arguments")
    if blocks is None and not text:
        raise Refused("no_text")
    if len(text or "") > LONGEST_TEXT:
        raise Refused("msg_too_long")
    if blocks is not None and (found := faults(blocks)):
        raise Refused("invalid_blocks", errors=found, response_metadata={"messages": found})
    if is_too_long(blocks):
        raise Refused("msg_blocks_too_long")
    if "metadata" in arguments and (code := metadata_fault(arguments["metadata"])):
        raise Refused(code)


# ---------------------------------------------------------------------------------------------------- moods


Headers = Mapping[str, str]
_NONE: Headers = {}
_HTML: Headers = {"Content-Type": "text/html"}


class Call(BaseHTTPRequestHandler):
    """One call of the API over HTTP."""

    protocol_version = "HTTP/1.1"
    timeout = TIMEOUT
    workspace: ClassVar[Workspace]

    def do_POST(self) -> None:
        self.close_connection = True
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        method = self.path.rpartition("/")[2]
        scheme, _, token = self.headers.get("Authorization", "").partition(" ")
        self.answer: Callable[[], Json] = lambda: self.workspace.answer(
            method, token if scheme == "Bearer" else "", self._arguments(body)
        )
        if method == "chat.postMessage":
            self.workspace.posts += 1
            if self.workspace.moods:
                self.workspace.moods.pop(0)(self)
                return
        self.reply(json.dumps(self.answer()).encode())

    def _arguments(self, body: bytes) -> Json:
        """The arguments, from JSON or a form whose structures are JSON inside of it."""
        if self.headers.get_content_type() == "application/json":
            found = json.loads(body)
            return found if isinstance(found, dict) else {}
        return {
            name: _from_form(name, value) for name, value in parse_qsl(body.decode(), keep_blank_values=True)
        }

    def reply(
        self, body: bytes, status: int = 200, *, length: int | None = None, headers: Headers = _NONE
    ) -> None:
        """Answer with a body; `length` is what its header says where that is not true."""
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 (http.server's name)
        """A test's output is the test's."""


def _from_form(name: str, value: str) -> Any:
    if name in {"blocks", "metadata"}:
        try:
            return json.loads(value)
        except ValueError:
            return value
    return {"true": True, "false": False, "1": True, "0": False}.get(value, value) if "_l" in name else value


Mood = Callable[[Call], None]
"""What the server does with one post instead of answering it."""


def close(call: Call) -> None:
    """Take the message, and close without a word."""
    call.answer()
    call.connection.shutdown(socket.SHUT_RDWR)


def reset(call: Call) -> None:
    """Take the message, and break the connection."""
    call.answer()
    call.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    call.connection.shutdown(socket.SHUT_RD)
    call.rfile.close()
    call.wfile.close()
    call.connection.close()


def hang(call: Call) -> None:
    """Take the message, and say nothing until released."""
    call.answer()
    call.workspace.released.wait(TIMEOUT)


def limited(retry_after: str | None = None) -> Mood:
    """Take nothing: too many requests."""
    headers = {} if retry_after is None else {"Retry-After": retry_after}
    body = json.dumps({"ok": False, "error": "ratelimited"}).encode()
    return lambda call: call.reply(body, 429, headers=headers)


def limited_at_the_edge(call: Call) -> None:
    """Take nothing: too many requests, in the words of a proxy (slackapi/python-slack-sdk#1693)."""
    call.reply(b"", 429, headers={"Content-Type": "text/plain", "X-Envoy-Ratelimited": "true"})


def bad_gateway(call: Call) -> None:
    """Take the message; a proxy loses the answer."""
    call.answer()
    call.reply(b"<html><h1>502 Bad Gateway</h1></html>", 502, headers=_HTML)


def page(call: Call) -> None:
    """Take the message; a proxy shows a page in place of the answer."""
    call.answer()
    call.reply(b"<html>Log in to the wireless network</html>", headers=_HTML)


def truncated(call: Call) -> None:
    """Take the message, and stop in the middle of the answer."""
    body = json.dumps(call.answer()).encode()
    call.reply(body[: len(body) // 2], length=len(body))


def internal_error(call: Call) -> None:
    """Take the message, and say that something went wrong."""
    call.answer()
    call.reply(b'{"ok": false, "error": "internal_error"}')


def without_ts(call: Call) -> None:
    """Take the message, and do not say where it is."""
    call.answer()
    call.reply(b'{"ok": true}')


def refusing(code: str, **more: Any) -> Mood:
    """Take nothing, for this reason."""
    body = json.dumps(Refused(code, **more).answer).encode()
    return lambda call: call.reply(body)


# --------------------------------------------------------------------------------------------------- server


class _Server(ThreadingHTTPServer):
    daemon_threads = False

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that leaves is no news."""

    def shutdown_request(self, request: Any) -> None:
        """Close a connection, unless a mood did."""
        if request.fileno() >= 0:
            super().shutdown_request(request)


@contextmanager
def slack() -> Iterator[Workspace]:
    """A workspace with one conversation that the bot has joined, and its API."""
    workspace = Workspace()
    handler = type("_Call", (Call,), {"workspace": workspace})
    with _Server(("127.0.0.1", 0), handler) as server:
        workspace.url = f"http://127.0.0.1:{server.server_address[1]}/api/"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield workspace
        finally:
            workspace.released.set()
            server.shutdown()
            thread.join(TIMEOUT)
