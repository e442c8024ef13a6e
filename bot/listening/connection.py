"""One connection of Socket Mode: slack_sdk's own client, kept from mending itself.

Its ways of reconnecting have hung, looped or called dead connections open (python-slack-sdk#1110, #1379,
#1446, #1462). So a connection lives once; who watches it opens another.
"""

import json
import logging
import re
import socket
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from urllib.request import proxy_bypass

from pydantic import SecretStr
from slack_sdk.socket_mode.builtin import SocketModeClient

from bot.channels._slack_client import APP_TOKEN, SDK_LOG, asked, client
from bot.errors import TransientError
from bot.listening.watchdog import Pulse

if TYPE_CHECKING:
    from slack_sdk.socket_mode.request import SocketModeRequest

log = logging.getLogger(__name__)

Hear = Callable[[str, str, Mapping[str, Any]], None]
"""Takes what was sent: the envelope's ID, its kind and its payload."""
TIMEOUT = 10
"""Seconds that apps.connections.open may take."""

_ALONE: dict[str, Any] = {"auto_reconnect_enabled": False, "concurrency": 2, "receive_buffer_size": 1 << 14}


class Connection:
    """An open connection; each envelope is acknowledged first, and then heard."""

    def __init__(self, api_url: str, token: SecretStr, hear: Hear) -> None:
        slack = client(api_url, token, timeout=TIMEOUT, kind=APP_TOKEN)
        url = str(asked(slack, "apps.connections.open").get("url") or "")
        if not is_kept_secret(url, api_url):
            raise TransientError("Slack names no good address for Socket Mode")
        self._hear = hear
        self._greeted = False
        self._client = _Client(token.get_secret_value(), web_client=slack, logger=SDK_LOG, **_ALONE)
        if proxy_bypass(urlsplit(url).hostname or ""):
            self._client.proxy = None  # the SDK forgets no_proxy
        self._client.message_listeners.append(self._greet)
        self._client.socket_mode_request_listeners.append(self._take)
        self._client.wss_uri = url
        self._opened_at = time.time()
        self._client.connect()
        if (session := self._client.current_session) and session.sock:
            session.sock = _Wire(session.sock)  # type: ignore[assignment]  # as much of a socket as the SDK needs

    @property
    def pulse(self) -> Pulse:
        """How it is."""
        session = self._client.current_session
        return Pulse(
            opened_at=self._opened_at,
            answered_at=session.last_ping_pong_time if session else None,
            greeted=self._greeted,
            open=self._client.is_connected(),
            sent_away=self._client.sent_away,
        )

    def close(self) -> None:
        """Hang up; at once, where nothing is being heard."""
        session = self._client.current_session
        if session and session.sock:
            with suppress(OSError):
                session.sock.shutdown(socket.SHUT_RDWR)  # else the SDK waits for its own reading to end
        self._client.close()

    def _greet(self, _client: object, message: Mapping[str, Any], _raw: str | None) -> None:
        self._greeted = self._greeted or message.get("type") == "hello"

    def _take(self, _client: object, request: "SocketModeRequest") -> None:
        """Acknowledge, within Slack's three seconds whatever there is to do, then hear."""
        try:
            self._client.send_socket_mode_response({"envelope_id": request.envelope_id})
        except Exception as error:  # noqa: BLE001 (whatever the SDK's socket gives; Slack then sends it again)
            log.warning("an envelope was not acknowledged error=%s", type(error).__name__)
            return
        self._hear(str(request.envelope_id), str(request.type), request.payload)


def is_kept_secret(url: str, api_url: str) -> bool:
    """Whether an address is a WebSocket's, encrypted where the Web API is.

    The SDK encrypts on port 443 alone, whatever the address says.
    """
    there = urlsplit(url)
    encrypted = there.scheme == "wss" and there.port in {None, 443}
    plain = there.scheme == "ws" and api_url.startswith("http://")
    return bool(there.hostname) and (encrypted or plain)


class _Wire:
    """A socket that fails where the other side hung up; the SDK would read nothing from it without end."""

    def __init__(self, wire: socket.socket) -> None:
        self._wire = wire

    def recv(self, size: int) -> bytes:
        if not (received := self._wire.recv(size)):
            raise ConnectionResetError("the other side hung up")
        return received

    def __getattr__(self, name: str) -> Any:
        return getattr(self._wire, name)


class _Client(SocketModeClient):
    """slack_sdk's client that takes note where it would reconnect."""

    sent_away: str | None = None

    def enqueue_message(self, message: str) -> None:
        """Note why Slack sends us away: the SDK does not keep the word."""
        if '"disconnect"' in message:
            self.sent_away = _why_away(message) or self.sent_away
        super().enqueue_message(message)

    def connect_to_new_endpoint(self, force: bool = False) -> None:  # noqa: ARG002, FBT001, FBT002 (the SDK's)
        """What the SDK does on `disconnect`."""
        self.sent_away = self.sent_away or "disconnect"


def _why_away(message: str) -> str | None:
    """The reason of a `disconnect`; None for any other message that has the word in it."""
    try:
        told = json.loads(message)
    except ValueError:
        return None
    if not isinstance(told, dict) or told.get("type") != "disconnect":
        return None
    reason = told.get("reason")
    known = isinstance(reason, str) and re.fullmatch(r"[a-z_]{1,40}", reason)
    return reason if known else "disconnect"
