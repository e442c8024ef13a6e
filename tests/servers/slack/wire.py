"""The network before a workspace: HTTP and WebSockets on a port of this machine, and where it goes wrong."""

import json
import threading
from collections import defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self, TypeAlias
from urllib.parse import parse_qsl

from tests.servers.slack import page
from tests.servers.slack.hooks import HOOK, STATUS, Hooks
from tests.servers.slack.messages import Json, Refused
from tests.servers.slack.sockets import Sockets
from tests.servers.slack.websocket import ProtocolError
from tests.servers.slack.workspace import TEAM, Post, Workspace

POST = "chat.postMessage"
WEBHOOK = "webhook"
"""The name of a call to an incoming webhook, where a method is asked for."""
IN_JSON = ("blocks", "attachments", "metadata")
"""What is JSON inside of a form."""


class SlackServer(Workspace):
    """A workspace with a server in front of it; what it takes is in Workspace."""

    def __init__(self, *workspace: Any, port: int = 0, **more: Any) -> None:
        super().__init__(*workspace, **more)
        self.sockets, self.hooks = Sockets(self), Hooks(self)
        self.otherwise: Fault | None = None
        """What happens to each call that is no post."""
        self.released = threading.Event()
        """Ends what hangs."""
        self._next: dict[str, deque[Fault]] = defaultdict(deque)
        self._at: dict[tuple[str, int], Fault] = {}
        self._always: dict[str, Fault] = {}
        self._arrived: dict[str, int] = defaultdict(int)
        self._http = _Http(("127.0.0.1", port), type("Handler", (_Handler,), {"slack": self}))
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,))

    @property
    def root(self) -> str:
        return f"http://127.0.0.1:{self._http.server_port}"

    @property
    def url(self) -> str:
        """The Web API's."""
        return f"{self.root}/api/"

    @property
    def hook_url(self) -> str:
        """An incoming webhook's."""
        return self.root + HOOK

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.released.set()
        self.sockets.drop()
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()

    # ------------------------------------------------------------------------------------ what shall go wrong

    def next(self, *faults: "Fault", method: str = POST) -> None:
        """What shall happen to the next calls of a method, one after the other."""
        self._next[method].extend(faults)

    def at(self, number: int, fault: "Fault", method: str = POST) -> None:
        """What shall happen to the call of that number, counted from 1 since the server began."""
        self._at[method, number] = fault

    def always(self, fault: "Fault", method: str = POST) -> None:
        """What shall happen to each call of a method that nothing else was asked for."""
        self._always[method] = fault

    def fault(self, method: str) -> "Fault":
        """What becomes of the call that arrives now."""
        with self.lock:
            self._arrived[method] += 1
            if self._next[method]:
                return self._next[method].popleft()
            usual = self._always.get(method) or (self.otherwise if method != POST else None)
            return self._at.get((method, self._arrived[method]), usual or obey)

    # -------------------------------------------------------------------------------------------- Socket Mode

    def connect(self, authorization: str) -> Json:
        """What apps.connections.open gives: where a WebSocket may be opened, once."""
        self.calls.append(("apps.connections.open", {}))
        return {"ok": True, "url": self.root.replace("http", "ws", 1) + self.sockets.ticket(authorization)}

    def press(self, post: Post, action_id: str, user: str = "U0SOMEBODY") -> str:
        """A person presses a button of a message; gives the ID of the envelope that tells the app."""
        found = [
            {**element, "block_id": block["block_id"], "action_ts": f"{self.clock():.6f}"}
            for block in self.shown(post, metadata=True).get("blocks", [])
            for element in [*block.get("elements", []), block.get("accessory", {})]
            if element.get("action_id") == action_id
        ]
        assert found, f"no button {action_id} there"
        payload = {
            "type": "block_actions",
            "team": {"id": TEAM},
            "user": {"id": user, "team_id": TEAM},
            "channel": {"id": post.message["channel"]},
            "container": {"type": "message", "message_ts": post.ts, "channel_id": post.message["channel"]},
            "message": self.shown(post, metadata=True),
            "actions": found,
            "trigger_id": f"{post.ts}.trigger",
            "response_url": self.root + self.hooks.response_url(post),
        }
        return self.sockets.send("interactive", payload)

    def command(self, text: str, user: str = "U0SOMEBODY", *, name: str = "somebody") -> str:
        """A person gives the app's slash command, with `text` as Slack hands it on: escaped."""
        where = self.hooks.url_of(next(iter(self.conversations)))
        payload = {
            "team_id": TEAM,
            "channel_id": next(iter(self.conversations)),
            "user_id": user,
            "user_name": name,
            "command": "/broadsheet",
            "text": text,
            "is_enterprise_install": "false",
            "trigger_id": "1.2.trigger",
            "response_url": self.root + where,
        }
        return self.sockets.send("slash_commands", payload)

    def choose(
        self, post: Post, callback_id: str, user: str = "U0SOMEBODY", *, name: str = "somebody"
    ) -> str:
        """A person chooses a shortcut at a message."""
        payload = {
            "type": "message_action",
            "callback_id": callback_id,
            "team": {"id": TEAM},
            "user": {"id": user, "name": name, "team_id": TEAM},
            "channel": {"id": post.message["channel"]},
            "message": self.shown(post, metadata=False),
            "message_ts": post.ts,
            "trigger_id": f"{post.ts}.trigger",
            "response_url": self.root + self.hooks.url_of(post.message["channel"]),
        }
        return self.sockets.send("interactive", payload)


@dataclass(slots=True)
class Call:
    """One request that came in whole, and every way to answer it."""

    server: SlackServer
    handler: BaseHTTPRequestHandler
    method: str
    arguments: Json = field(default_factory=dict)

    @property
    def is_hook(self) -> bool:
        return not self.handler.path.startswith("/api/")

    def done(self) -> Json:
        """Do what is asked, and say what Slack would answer."""
        authorization = self.handler.headers.get("Authorization", "")
        try:
            if self.is_hook:
                return {"ok": True, "said": self.server.hooks.take(self.handler.path, self.arguments)}
            if self.method == "apps.connections.open":
                return self.server.connect(authorization)
            return self.server.answer(self.method, self.arguments, authorization)
        except Refused as refused:
            wait = {"retry_after": refused.retry_after} if refused.retry_after is not None else {}
            return {**refused.answer, **wait}

    def answer(self, given: Json) -> None:
        """Say it as Slack does: 429 for a limit, words instead of JSON from a webhook."""
        wait = given.pop("retry_after", None)
        headers = {} if wait is None else {"Retry-After": str(wait)}
        word = str(given.get("error") or given.get("said"))
        if self.is_hook:
            status = 200 if given["ok"] else STATUS.get(word, 400)
            self.say_bytes(word.encode(), "text/html", status, headers)
        else:
            self.say(given, 429 if wait is not None else 200, headers)

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


def obey(call: Call) -> None:
    """What a call meets where nothing goes wrong."""
    call.answer(call.done())


class _Http(ThreadingHTTPServer):
    daemon_threads = True  # a WebSocket that a test forgot keeps nobody waiting

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of who hung up too early: that is what some tests are about."""


class _Handler(BaseHTTPRequestHandler):
    slack: SlackServer

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        method = self.path.removeprefix("/api/") if self.path.startswith("/api/") else WEBHOOK
        call = Call(self.slack, self, method)
        try:
            call.arguments = _arguments(body, self.headers.get_content_type(), call)
        except Refused as refused:
            call.answer(dict(refused.answer))
        else:
            self.slack.fault(method)(call)

    def do_GET(self) -> None:
        if self.path.startswith("/link/"):
            self._upgrade()
        elif self.path == "/":
            Call(self.slack, self, "page").say_bytes(
                page.drawn(self.slack).encode(), "text/html; charset=utf-8"
            )
        else:
            self.send_error(404)

    def _upgrade(self) -> None:
        try:
            self.wfile.write(self.slack.sockets.admit(self.path, self.headers))
        except ProtocolError as error:
            self.slack.sockets.faults.append(str(error))
            self.send_error(400, str(error))
        else:
            self.slack.sockets.serve(self.connection, self.rfile)

    def log_message(self, *args: Any) -> None:
        """Say nothing: what came in is in `calls`."""


def _arguments(body: bytes, content_type: str, call: Call) -> Any:
    """What a request asks with, in JSON or in a form; Refused where it is neither."""
    if content_type == "application/json":
        return _from_json(body, call)
    if content_type != "application/x-www-form-urlencoded":
        raise Refused("invalid_payload" if call.is_hook else "invalid_post_type")
    try:
        form: Json = dict(parse_qsl(body.decode(), strict_parsing=bool(body), keep_blank_values=True))
        if call.is_hook:
            return json.loads(form.get("payload", ""))
        return form | {key: json.loads(form[key]) for key in IN_JSON if key in form}
    except ValueError as error:
        raise Refused("invalid_payload" if call.is_hook else "invalid_form_data") from error


def _from_json(body: bytes, call: Call) -> Any:
    try:
        found = json.loads(body)
    except ValueError as error:
        raise Refused("invalid_payload" if call.is_hook else "invalid_json") from error
    if not (isinstance(found, dict) or call.is_hook):
        raise Refused("json_not_object")
    return found
