"""A Slack for tests: a real HTTP server, as strict as the real one, that can misbehave on request.

    with SlackServer() as slack:
        slack.next(internal_error_after_storing)   # so goes the next post
        …  # a WebClient posts to slack.url
        assert slack.posts[0].message["text"] == "Hello"

A misbehaviour is a function of the `Call` it happens to.
"""

import json
import socket
import struct
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self, TypeAlias
from urllib.parse import parse_qsl

from tests.servers import slack_rules

Json: TypeAlias = dict[str, Any]
CONVERSATION = "C0123456789"
TOKEN = "xoxb-1234-abcd"
BOT = "B0BROADSHEET"

KNOWN = {
    "channel", "text", "blocks", "thread_ts", "reply_broadcast", "unfurl_links", "unfurl_media", "metadata",
    "client_msg_id", "mrkdwn", "parse", "link_names", "markdown_text", "username", "icon_emoji", "icon_url",
    "attachments",
}  # fmt: skip


@dataclass(slots=True)
class Conversation:
    """One of Slack's channels, as the bot stands to it."""

    member: bool = True
    archived: bool = False
    threads: bool = True
    private: bool = False


@dataclass(frozen=True, slots=True)
class Post:
    """A message that is there for all to see."""

    ts: str
    message: Json

    @property
    def thread_ts(self) -> str | None:
        return self.message.get("thread_ts")


class Refused(Exception):  # noqa: N818 (Slack's answer, not our error)
    """The word that Slack says no with, and what it adds."""

    def __init__(self, code: str, **more: Any) -> None:
        super().__init__(code)
        self.answer = {"ok": False, "error": code, **more}


class SlackServer:
    """Its state, and the server in front of it."""

    def __init__(
        self,
        conversations: dict[str, Conversation] | None = None,
        *,
        token: str = TOKEN,
        scopes: frozenset[str] = frozenset({"chat:write", "channels:history"}),
        interval: float = 0.0,
    ) -> None:
        self.conversations = conversations or {CONVERSATION: Conversation()}
        self.token, self.scopes = token, scopes
        self.interval = interval
        """Seconds that must lie between two posts to one conversation; Slack's own rule says one."""
        self.posts: list[Post] = []
        self.calls: list[tuple[str, Json]] = []
        """Every call that arrived: the method's name and its arguments."""
        self.otherwise: Fault | None = None
        """What happens to each call that is no post."""
        self.released = threading.Event()
        """Ends what hangs."""
        self._faults: deque[Fault] = deque()
        self._last: dict[str, float] = {}
        self._lock = threading.Lock()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_port}/api/"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.released.set()
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()

    def next(self, *faults: "Fault") -> None:
        """What shall happen to the next posts, one after the other."""
        self._faults.extend(faults)

    def take_fault(self) -> "Fault | None":
        with self._lock:
            return self._faults.popleft() if self._faults else None

    # ---------------------------------------------------------------------------------------- what it can do

    def answer(self, method: str, arguments: Json, authorization: str) -> Json:
        """Do what a call asks; Refused says why not."""
        self.calls.append((method, arguments))
        if not authorization:
            raise Refused("not_authed")
        if authorization != f"Bearer {self.token}":
            raise Refused("invalid_auth")
        methods: dict[str, Callable[[Json], Json]] = {
            "auth.test": lambda _arguments: {
                "url": "https://test.slack.com/",
                "team": "Test",
                "user": "broadsheet",
                "team_id": "T0TEST",
                "user_id": "U0BROADSHEET",
                "bot_id": BOT,
            },
            "conversations.info": self._info,
            "chat.postMessage": self._post,
            "conversations.history": self._history,
            "conversations.replies": self._replies,
        }
        if method not in methods:
            raise Refused("unknown_method")
        return {"ok": True, **methods[method](arguments)}

    def _needs(self, scope: str) -> None:
        if scope not in self.scopes:
            raise Refused("missing_scope", needed=scope, provided=",".join(sorted(self.scopes)))

    def _conversation(self, arguments: Json) -> Conversation:
        found = self.conversations.get(arguments.get("channel", ""))
        if found is None:
            raise Refused("channel_not_found")
        if found.archived:
            raise Refused("is_archived")
        if not found.member:
            raise Refused("not_in_channel")
        return found

    def _info(self, arguments: Json) -> Json:
        """What a conversation is; a private one is there for its members alone."""
        if "groups:read" not in self.scopes:
            self._needs("channels:read")
        name = arguments.get("channel", "")
        found = self.conversations.get(name)
        if not found or (found.private and not found.member):
            raise Refused("channel_not_found")
        shown = {"is_archived": found.archived, "is_member": found.member, "is_private": found.private}
        return {"channel": {"id": name, "name": "papers", **shown}}

    def _post(self, message: Json) -> Json:
        self._needs("chat:write")
        conversation = self._conversation(message)
        _check(message)
        with self._lock:
            if "thread_ts" in message:
                self._check_thread(conversation, message)
            self._check_pace(message["channel"])
            number = len(self.posts) + 1
            post = Post(f"{1_760_000_000 + number}.{number:06}", message)
            self.posts.append(post)
        return {"channel": message["channel"], "ts": post.ts, "message": self._shown(post, metadata=False)}

    def _check_thread(self, conversation: Conversation, message: Json) -> None:
        parents = {one.ts: one for one in self.posts if one.message["channel"] == message["channel"]}
        parent = parents.get(message["thread_ts"])
        if parent is None:
            raise Refused("thread_not_found")
        if parent.thread_ts or not conversation.threads:
            raise Refused("cannot_reply_to_message")

    def _check_pace(self, channel: str) -> None:
        now = time.monotonic()
        if now - self._last.get(channel, -self.interval) < self.interval:
            raise Refused("ratelimited")
        self._last[channel] = now

    def _shown(self, post: Post, *, metadata: bool) -> Json:
        hidden = {"channel", "unfurl_links", "unfurl_media", *(() if metadata else ("metadata",))}
        shown = {key: value for key, value in post.message.items() if key not in hidden}
        return {"type": "message", "ts": post.ts, "bot_id": BOT, **shown}

    def _history(self, arguments: Json) -> Json:
        """What stands in a conversation itself, newest first."""
        found = self._read(arguments)
        oldest = float(arguments.get("oldest", 0))
        shown = [post for post in found if not post.thread_ts and float(post.ts) >= oldest]
        return self._page([*reversed(shown)], arguments)

    def _replies(self, arguments: Json) -> Json:
        """A thread: its first message, then the others in order."""
        first = arguments.get("ts", "")
        thread = [post for post in self._read(arguments) if first in (post.ts, post.thread_ts)]
        if not thread:
            raise Refused("thread_not_found")
        return self._page(thread, arguments)

    def _read(self, arguments: Json) -> list[Post]:
        self._needs("channels:history")
        self._conversation(arguments)
        return [post for post in self.posts if post.message["channel"] == arguments["channel"]]

    def _page(self, posts: list[Post], arguments: Json) -> Json:
        metadata = str(arguments.get("include_all_metadata", "")).lower() in {"1", "true"}
        start, limit = int(arguments.get("cursor") or 0), int(arguments.get("limit") or 100)
        more = start + limit < len(posts)
        return {
            "messages": [self._shown(post, metadata=metadata) for post in posts[start : start + limit]],
            "has_more": more,
            "response_metadata": {"next_cursor": str(start + limit) if more else ""},
        }


def _check(message: Json) -> None:
    """Refuse what chat.postMessage refuses."""
    if unknown := message.keys() - KNOWN:
        raise Refused("invalid_arguments", response_metadata={"messages": [f"unknown: {sorted(unknown)}"]})
    if not isinstance(message.get("thread_ts", ""), str):
        raise Refused("invalid_arguments", response_metadata={"messages": ["thread_ts must be a string"]})
    if "markdown_text" in message and message.keys() & {"text", "blocks"}:
        raise Refused("markdown_text_conflict")
    if not message.keys() & {"text", "blocks", "markdown_text", "attachments"}:
        raise Refused("no_text")
    if "metadata" in message and (code := slack_rules.metadata_fault(message["metadata"])):
        raise Refused(code)
    if "blocks" in message:
        _check_blocks(message["blocks"])


def _check_blocks(blocks: Any) -> None:
    if found := slack_rules.faults(blocks):
        raise Refused("invalid_blocks", errors=found, response_metadata={"messages": found})
    if slack_rules.is_too_long(blocks):
        raise Refused("msg_blocks_too_long")


# --------------------------------------------------------------------------------------------------- the wire


@dataclass(slots=True)
class Call:
    """One request that came in whole, and every way to answer it."""

    server: SlackServer
    handler: BaseHTTPRequestHandler
    method: str
    arguments: Json = field(default_factory=dict)

    def done(self) -> Json:
        """Do what is asked, and say what Slack would answer."""
        try:
            authorization = self.handler.headers.get("Authorization", "")
            return self.server.answer(self.method, self.arguments, authorization)
        except Refused as refused:
            return refused.answer

    def say(self, answer: Json, status: int = 200, headers: dict[str, str] | None = None) -> None:
        self.say_bytes(json.dumps(answer).encode(), "application/json; charset=utf-8", status, headers)

    def say_bytes(
        self,
        body: bytes,
        content_type: str,
        status: int = 200,
        headers: dict[str, str] | None = None,
        length: int | None = None,
    ) -> None:
        """Answer with anything; `length` lies about how much is coming."""
        self.handler.send_response(status)
        headers = {
            "Content-Type": content_type,
            "Content-Length": str(length or len(body)),
            **self._scopes(),
            **(headers or {}),
        }
        for name, value in headers.items():
            self.handler.send_header(name, value)
        self.handler.end_headers()
        self.handler.wfile.write(body)

    def _scopes(self) -> dict[str, str]:
        """What Slack adds to each answer to a token that it knows."""
        known = self.handler.headers.get("Authorization") == f"Bearer {self.server.token}"
        return {"X-OAuth-Scopes": ",".join(sorted(self.server.scopes))} if known else {}


Fault: TypeAlias = Callable[[Call], None]


def _handler(slack: SlackServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
            is_json = self.headers.get_content_type() == "application/json"
            arguments = json.loads(body) if is_json else dict(parse_qsl(body))
            call = Call(slack, self, self.path.removeprefix("/api/"), arguments)
            fault = slack.take_fault() if call.method == "chat.postMessage" else slack.otherwise
            if fault:
                fault(call)
                return
            _obey(call)

        def log_message(self, *args: Any) -> None:
            """Say nothing: what came in is in `calls`."""

    return Handler


def _obey(call: Call) -> None:
    answer = call.done()
    if answer.get("error") == "ratelimited":
        call.say(answer, 429, {"Retry-After": "1"})
    else:
        call.say(answer)


# --------------------------------------------------------------------------------------------- misbehaviour


def close_after_storing(call: Call) -> None:
    """The message is there, and the connection ends without a word."""
    call.done()


def reset_after_storing(call: Call) -> None:
    """The message is there, and the connection is torn down."""
    call.done()
    linger = struct.pack("ii", 1, 0)
    call.handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    call.handler.connection.close()


def hang_after_storing(call: Call) -> None:
    """The message is there, and nothing is said until the test lets go."""
    call.done()
    call.server.released.wait(30)


def truncate_after_storing(call: Call) -> None:
    """The message is there, and half of the answer."""
    body = json.dumps(call.done()).encode()
    call.say_bytes(body[: len(body) // 2], "application/json", length=len(body))


def internal_error_after_storing(call: Call) -> None:
    """The message is there; Slack says that something went wrong, and that part may have succeeded."""
    call.done()
    call.say({"ok": False, "error": "internal_error"})


def ok_without_ts(call: Call) -> None:
    """A yes that does not say where."""
    answer = call.done()
    call.say({key: value for key, value in answer.items() if key != "ts"})


def page_instead_of_json(call: Call) -> None:
    """A 200 whose body is a proxy's page; the message is there."""
    call.done()
    call.say_bytes(b"<html>Please log in</html>", "text/html")


def list_instead_of_object(call: Call) -> None:
    """A 200 with JSON that is no answer; the message is there."""
    call.done()
    call.say_bytes(b"[1, 2]", "application/json")


def foreign_charset(call: Call) -> None:
    """An answer in a charset that does not exist; the message is there."""
    call.say_bytes(json.dumps(call.done()).encode(), "application/json; charset=x-klingon")


def bad_gateway(call: Call) -> None:
    """A 502 with a page."""
    call.say_bytes(b"<html><h1>502 Bad Gateway</h1></html>", "text/html", 502)


def not_found(call: Call) -> None:
    """What another web server says."""
    call.say_bytes(b"<html>404</html>", "text/html", 404)


def rate_limited(retry_after: str | None) -> Fault:
    """A 429, with the Retry-After that is given."""

    def fault(call: Call) -> None:
        headers = {} if retry_after is None else {"Retry-After": retry_after}
        call.say({"ok": False, "error": "ratelimited"}, 429, headers)

    return fault


def rate_limited_at_the_edge(call: Call) -> None:
    """A 429 from before Slack, without JSON (slackapi/python-slack-sdk#1693)."""
    call.say_bytes(b"too many", "text/plain", 429, {"Retry-After": "7", "x-envoy-ratelimited": "true"})


def refuse(code: str, **more: Any) -> Fault:
    """A no, with one of Slack's words."""
    return lambda call: call.say({"ok": False, "error": code, **more})
