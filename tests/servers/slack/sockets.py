"""Socket Mode: WebSockets over which Slack tells an app what was pressed, and hears that it was taken in."""

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from io import BufferedIOBase
from typing import Any
from urllib.parse import parse_qs, urlsplit
from uuid import uuid4

from tests.servers.slack import websocket
from tests.servers.slack.messages import Json, Refused
from tests.servers.slack.websocket import Frame, Op, ProtocolError
from tests.servers.slack.workspace import APP, Workspace

CONNECTIONS = 10
"""Open at once for one app."""


@dataclass(eq=False, slots=True)
class Connection:
    """One WebSocket of an app."""

    wire: socket.socket
    silent: bool = False
    """Whether it answers nothing any more, though it stays open."""
    lock: threading.Lock = field(default_factory=threading.Lock)

    def send(self, frame: Frame) -> None:
        with self.lock, suppress(OSError):
            self.wire.sendall(websocket.packed(frame))

    def say(self, message: Json) -> None:
        self.send(Frame(Op.TEXT, json.dumps(message).encode()))

    def close(self, code: int = 1000) -> None:
        """Say goodbye as the protocol has it, and hang up."""
        self.send(Frame(Op.CLOSE, code.to_bytes(2, "big")))
        self.drop()

    def drop(self) -> None:
        """Hang up without a word."""
        with suppress(OSError):
            self.wire.shutdown(socket.SHUT_RDWR)


class Sockets:
    """The open connections of an app, what was sent over them, and what came back."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._changed = threading.Condition()
        self._tickets: set[str] = set()
        self.connections: list[Connection] = []
        self.opened = 0
        """How many connections there ever were."""
        self.envelopes: dict[str, Json] = {}
        self.acknowledged: list[Json] = []
        """Every acknowledgement, in the order it came."""
        self.faults: list[str] = []
        """What a client did that it must not do."""

    # ----------------------------------------------------------------------------------------------- opening

    def ticket(self, authorization: str) -> str:
        """A path and query that open one connection, once, for an app-level token."""
        if not authorization:
            raise Refused("not_authed")
        if authorization == f"Bearer {self._workspace.token}":
            raise Refused("not_allowed_token_type")
        if authorization != f"Bearer {self._workspace.app_token}":
            raise Refused("invalid_auth")
        if "connections:write" not in self._workspace.app_scopes:
            raise Refused("missing_scope", needed="connections:write", provided="")
        ticket = uuid4().hex
        self._tickets.add(ticket)
        return f"/link/?ticket={ticket}&app_id={APP}"

    def admit(self, path: str, headers: Any) -> bytes:
        """The answer to a handshake; ProtocolError where it is none, or the ticket is not good any more."""
        tickets = parse_qs(urlsplit(path).query).get("ticket", [""])
        if headers.get("Upgrade", "").lower() != "websocket" or headers.get("Sec-WebSocket-Version") != "13":
            raise ProtocolError("no handshake of RFC 6455")
        accepted = websocket.accept(headers.get("Sec-WebSocket-Key", ""))
        if tickets[0] not in self._tickets:
            raise ProtocolError("the ticket was used, or never given")
        self._tickets.remove(tickets[0])
        lines = ["HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade"]
        return "\r\n".join([*lines, f"Sec-WebSocket-Accept: {accepted}", "", ""]).encode()

    def serve(self, wire: socket.socket, stream: BufferedIOBase) -> None:
        """Keep one connection until an end of it hangs up."""
        connection = Connection(wire)
        if len(self.connections) >= CONNECTIONS:
            connection.say({"type": "disconnect", "reason": "too_many_websockets"})
            connection.close()
            return
        connection.say(self._hello())
        with self._changed:
            self.connections.append(connection)
            self.opened += 1
            self._changed.notify_all()
        try:
            self._listen(connection, stream)
        finally:
            with self._changed:
                self.connections.remove(connection)
                self._changed.notify_all()

    def _hello(self) -> Json:
        debug = {"host": "test", "build_number": 1, "approximate_connection_time": 18060}
        info = {"connection_info": {"app_id": APP}, "num_connections": len(self.connections) + 1}
        return {"type": "hello", **info, "debug_info": debug}

    def _listen(self, connection: Connection, stream: BufferedIOBase) -> None:
        try:
            for frame in _frames(stream):
                if not connection.silent:
                    self._take(connection, frame)
        except ProtocolError as error:
            self.faults.append(str(error))
            connection.close(1002)
        except (OSError, ValueError):
            connection.drop()

    def _take(self, connection: Connection, frame: Frame) -> None:
        if frame.op is Op.PING:
            connection.send(Frame(Op.PONG, frame.payload))
        elif frame.op is Op.CLOSE:
            connection.close()
        elif frame.op is Op.TEXT:
            self._acknowledge(frame.payload)

    def _acknowledge(self, payload: bytes) -> None:
        try:
            message = json.loads(payload)
            known = message["envelope_id"] in self.envelopes
        except (ValueError, TypeError, KeyError):
            known, message = False, {}
        with self._changed:
            if known:
                self.acknowledged.append(message)
            else:
                self.faults.append(f"no acknowledgement of ours: {payload[:200]!r}")
            self._changed.notify_all()

    # ------------------------------------------------------------------------------------- what a test may do

    def wait(self, until: Callable[["Sockets"], object], seconds: float = 60) -> None:
        """Go on once something is so; AssertionError where it does not become so in time."""
        with self._changed:
            assert self._changed.wait_for(lambda: until(self), seconds), "it did not become so"

    def send(self, kind: str, payload: Json, *, to: int = -1) -> str:
        """Tell the app something, on its newest connection or another; gives the envelope's ID."""
        name = str(uuid4())
        envelope = {"type": kind, "payload": payload, "accepts_response_payload": kind == "slash_commands"}
        self.envelopes[name] = {"envelope_id": name, **envelope}
        if self.connections:
            self.connections[to].say(self.envelopes[name])
        return name

    def send_again(
        self, envelope_id: str, *, reason: str = "timeout", attempt: int = 1, to: int = -1
    ) -> None:
        """What Slack does where no acknowledgement came, over whichever connection."""
        again = {"retry_attempt": attempt, "retry_reason": reason}
        self.connections[to].say(self.envelopes[envelope_id] | again)

    def acknowledgements(self, envelope_id: str) -> list[Json]:
        return [one for one in self.acknowledged if one["envelope_id"] == envelope_id]

    def say_goodbye(self, reason: str = "refresh_requested", *, to: int = -1) -> None:
        """Slack's word that a connection ends: `warning`, `refresh_requested` or `link_disabled`."""
        connection = self.connections[to]
        connection.say({"type": "disconnect", "reason": reason, "debug_info": {"host": "test"}})
        if reason != "warning":
            connection.close()

    def drop(self) -> None:
        """Hang up on all without a word."""
        for connection in list(self.connections):
            connection.drop()

    def fall_silent(self) -> None:
        """Leave all open, and answer nothing any more: not even a ping."""
        for connection in list(self.connections):
            connection.silent = True


def _frames(stream: BufferedIOBase) -> Iterator[Frame]:
    while (frame := websocket.read(stream)) is not None:
        yield frame
