"""SMTP: one transaction per reader, each phase driven by itself.

A drop before the final dot means not sent, a drop after it means in doubt; no client library tells the two
apart, so only the opening of a connection is smtplib's.
"""

import re
import smtplib
import socket
import ssl
import struct
import threading
from base64 import b64encode
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, SecretStr

from bot import plugins
from bot.errors import BroadsheetError, InDoubtError, InputError, PermanentError, StopRunError, TransientError
from bot.models import Receipt
from bot.transports import Connection
from bot.transports._replies import Phase, PolicyError, cleaned, meaning

# Seconds to wait for each answer (RFC 5321 §4.5.3.2). A short wait at the dot would make duplicates.
TIMEOUTS = {
    Phase.BANNER: 60,
    Phase.EHLO: 60,
    Phase.STARTTLS: 60,
    Phase.AUTH: 60,
    # RFC 5321 asks for at least 300, 300, 120 and 600; one span for all of a mail saves setting it anew.
    Phase.MAIL: 600,
    Phase.RCPT: 600,
    Phase.DATA: 600,
    Phase.DOT: 600,
}
STRIKES = 3
"""So many policy answers in a row without one mail taken, and the run stops."""

OK, GO_AHEAD, CLOSING = 250, 354, 421
LINE, REPLY_LINES = 2048, 100
"""Octets of a reply's line and lines of a reply, well beyond what RFC 5321 §4.5.3.1.5 allows a server."""


class Options(plugins.Options):
    """`[transport]` with `kind = "smtp"`; the password comes from BROADSHEET_SMTP_PASSWORD or a file."""

    host: Annotated[str, Field(min_length=1, max_length=255, pattern=r"^\S+$")]
    """The relay's name."""
    port: Annotated[int, Field(ge=1, le=65535)] = 587
    """Its port: 587 or 465 for most relays, 25 for one on this machine."""
    security: Literal["none", "starttls", "tls"] = "starttls"
    """How the connection is kept from others; with `starttls`, never without."""
    user: str | None = None
    """Whom to log in as; nobody where it is left out."""
    connections: Annotated[int, Field(ge=1, le=100)] = 10
    """How many connections at once."""
    messages_per_connection: Annotated[int, Field(ge=1)] = 500
    """After so many mails a connection is opened anew; some providers allow few."""
    helo: Annotated[str, Field(pattern=r"^[A-Za-z0-9.-]+$|^\[[0-9A-Fa-f.:]+\]$")] | None = None
    """What this machine calls itself; the sender's domain where it is left out."""
    ca_file: Path | None = None
    """Certificates to trust beside the system's, for a relay of your own."""


def build(options: Options, *, root: Path, password: SecretStr | None) -> "_Smtp":
    """The transport that speaks to one relay."""
    if options.user and password is None:
        where, mend = "BROADSHEET_SMTP_PASSWORD", "set it, or name a file with smtp_password_file"
        raise InputError(where, f"not set, but transport.user is {options.user!r}", mend)
    return _Smtp(options, root, password)


class _Smtp:
    local = False

    def __init__(self, options: Options, root: Path, password: SecretStr | None) -> None:
        self._options, self._root, self._password = options, root, password
        self.connections = options.connections
        self.by = f"smtp {options.host}:{options.port}"
        self._strikes = _Strikes()

    def connect(self) -> Connection:
        return _Connection(self._options, self._root, self._password, self._strikes)


class _Strikes:
    """Counts policy answers over all connections: one may be a reader's affair, several in a row are ours."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._count = 0

    def taken(self) -> None:
        """A mail was accepted."""
        self._count = 0

    def weighed(self, error: BroadsheetError) -> BroadsheetError:
        """The same error, or the one that stops the run."""
        if not isinstance(error, PolicyError):
            return error
        with self._lock:
            self._count += 1
            stop = self._count >= STRIKES
        return StopRunError(f"{error} ({STRIKES} such answers in a row)") if stop else error


class _StaleError(Exception):
    """A connection that was used before has died before anything of this mail was said on it."""


class _Connection:
    """One connection to the relay; opened at the first mail, opened anew when it breaks."""

    def __init__(self, options: Options, root: Path, password: SecretStr | None, strikes: _Strikes) -> None:
        self._options, self._root, self._password, self._strikes = options, root, password, strikes
        self._client: _Client | None = None
        self._begun = 0
        """Mails that this connection was used for, whatever became of them."""

    def send(self, sender: str, recipient: str, message: bytes) -> Receipt:
        """Hand over one mail; an error says how far it came."""
        for address in (sender, recipient):
            if not re.fullmatch(r"[\x21-\x7e]+@[\x21-\x7e]+", address) or re.search(r"[<>]", address):
                raise PermanentError("the address cannot stand in an envelope")
        try:
            return self._sent(sender, recipient, message)
        except BroadsheetError as error:
            raise self._strikes.weighed(error) from error

    def _sent(self, sender: str, recipient: str, message: bytes) -> Receipt:
        try:
            return self._sent_on(self._ready(sender), sender, recipient, message)
        except _StaleError:
            return self._sent_on(self._ready(sender), sender, recipient, message)

    def _ready(self, sender: str) -> "_Client":
        if self._client and self._begun >= self._options.messages_per_connection:
            self.close()
        if self._client is None:
            self._client, self._begun = self._opened(sender.rpartition("@")[2]), 0
        return self._client

    def close(self) -> None:
        client, self._client = self._client, None
        if client is None:
            return
        try:
            client.wire.settimeout(5)  # nothing depends on a goodbye
            client.quit()
        except (smtplib.SMTPException, OSError):
            client.close()

    def _drop(self) -> None:
        if self._client:
            self._client.close()
            self._client = None

    # -------------------------------------------------------------------------------------------- opening

    def _opened(self, domain: str) -> "_Client":
        options = self._options
        client = _Client(local_hostname=options.helo or domain, timeout=TIMEOUTS[Phase.BANNER])
        phase = Phase.BANNER
        try:
            if options.security == "tls":
                client.tls = self._context()
            _expect(phase, client.connect(options.host, options.port))
            phase = Phase.EHLO
            _hello(client)
            if options.security == "starttls":
                phase = Phase.STARTTLS
                self._start_tls(client)
            if self._password is not None and options.user:
                phase = Phase.AUTH
                _log_in(client, options.user, self._password.get_secret_value())
        except (OSError, smtplib.SMTPException) as error:
            client.close()
            raise self._unreachable(phase, error) from error
        except UnicodeError as error:
            raise StopRunError(f"transport.host: {options.host!r} is not the name of a host") from error
        except BroadsheetError:
            client.close()
            raise
        client.wire.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        _wait_in_kernel(client.wire, TIMEOUTS[Phase.DOT])
        return client

    def _context(self) -> ssl.SSLContext:
        context = ssl.create_default_context()
        if self._options.ca_file:
            try:
                context.load_verify_locations(self._root / self._options.ca_file)
            except OSError as error:
                what = f"transport.ca_file: {error.strerror or 'not a certificate'}"
                raise InputError("config/bot.toml", what, "name a PEM file") from error
        return context

    def _start_tls(self, client: "_Client") -> None:
        """Turn to TLS; never go on in clear where it was asked for."""
        if not client.has_extn("starttls"):
            mend = 'set security = "tls" with port 465, or "none" for a relay on this machine'
            raise StopRunError(f"{self._options.host} offers no STARTTLS: {mend}")
        _expect(Phase.STARTTLS, client.starttls(context=self._context()), 220)
        _hello(client)

    def _unreachable(self, phase: Phase, error: Exception) -> BroadsheetError:
        where = f"{self._options.host}:{self._options.port}"
        if isinstance(error, ssl.SSLCertVerificationError):
            mend = "name its certificate with ca_file, or mend the host name"
            return StopRunError(f"{where}: its certificate is not trusted ({error.verify_message}): {mend}")
        if isinstance(error, smtplib.SMTPResponseException):
            return meaning(phase, error.smtp_code, _text(error.smtp_error))
        words = (isinstance(error, OSError) and error.strerror) or type(error).__name__
        mend = "is the relay running, and transport.host and port right?"
        return TransientError(f"{where}: {words} at {phase}: {mend}", charged=False)

    # -------------------------------------------------------------------------------------- one transaction

    def _sent_on(self, client: "_Client", sender: str, recipient: str, message: bytes) -> Receipt:
        self._refuse_too_large(client, message)
        self._begun += 1
        self._envelope(client, sender, recipient, len(message))
        self._body(client, _stuffed(message))
        reply = self._reply(client, Phase.DOT)
        if not _is_yes(reply, OK):
            raise self._failed(Phase.DOT, reply)
        self._strikes.taken()
        return Receipt(f"{reply[0]} {cleaned(reply[1])}")

    def _refuse_too_large(self, client: "_Client", message: bytes) -> None:
        limit = client.esmtp_features.get("size", "")
        if limit.isdigit() and 0 < int(limit) < len(message):
            raise StopRunError(f"{self._options.host} takes {limit} bytes, and this mail has {len(message)}")

    def _envelope(self, client: "_Client", sender: str, recipient: str, size: int) -> None:
        """Say MAIL, RCPT and DATA: in one go where the server takes that (RFC 2920), else one by one."""
        announced = f" SIZE={size}" if client.has_extn("size") else ""
        commands = (
            (Phase.MAIL, f"MAIL FROM:<{sender}>{announced}", OK),
            (Phase.RCPT, f"RCPT TO:<{recipient}>", OK),
            (Phase.DATA, "DATA", GO_AHEAD),
        )
        if not client.has_extn("pipelining"):
            for phase, command, wanted in commands:
                self._say(client, phase, command)
                self._wanted(client, phase, self._reply(client, phase), wanted)
            return
        self._say(client, Phase.MAIL, "\r\n".join(command for _, command, _ in commands))
        replies = self._replies(client, [(phase, wanted) for phase, _, wanted in commands])
        refused = any(not _is_yes(reply, wanted) for _, reply, wanted in replies)
        if refused and replies[-1][1][0] == GO_AHEAD:
            self._drop()  # it waits for a mail that must not come; a lone dot could deliver an empty one
        for phase, reply, wanted in replies:
            self._wanted(client, phase, reply, wanted)

    def _replies(
        self, client: "_Client", asked: list[tuple[Phase, int]]
    ) -> list[tuple[Phase, tuple[int, str], int]]:
        """The answers to pipelined commands; fewer where the server refused one and hung up."""
        replies: list[tuple[Phase, tuple[int, str], int]] = []
        for phase, wanted in asked:
            try:
                replies.append((phase, self._reply(client, phase), wanted))
            except TransientError:
                if all(_is_yes(reply, wanted) for _, reply, wanted in replies):
                    raise
                break
        return replies

    def _wanted(self, client: "_Client", phase: Phase, reply: tuple[int, str], wanted: int) -> None:
        if _is_yes(reply, wanted):
            return
        if phase is Phase.MAIL and reply[0] == CLOSING and self._begun > 1:
            self._drop()
            raise _StaleError  # it was tired of waiting for the next mail, or has had enough of them
        error = self._failed(phase, reply)
        if self._client:
            self._reset(client)
        raise error

    def _reset(self, client: "_Client") -> None:
        """Clear what the refused mail left, so that the next one begins afresh."""
        try:
            client.wire.sendall(b"RSET\r\n")
            if client.reply()[0] != OK:
                self._drop()
        except (smtplib.SMTPException, OSError):
            self._drop()

    def _say(self, client: "_Client", phase: Phase, command: str) -> None:
        try:
            client.wire.sendall(f"{command}\r\n".encode("ascii"))
        except OSError as error:
            raise self._broken(phase, error) from error

    def _body(self, client: "_Client", stuffed: bytes) -> None:
        """Send the mail and its dot in one go.

        Where that fails the last bytes have not been handed over, so the dot has not left: not sent.
        """
        try:
            client.wire.sendall(stuffed)
        except OSError as error:
            raise self._broken(Phase.DATA, error) from error

    def _reply(self, client: "_Client", phase: Phase) -> tuple[int, str]:
        try:
            code, text = client.reply()
        except (smtplib.SMTPException, OSError) as error:
            if phase is Phase.DOT:
                self._drop()
                raise _lost(error) from error
            raise self._broken(phase, error) from error
        if phase is Phase.DOT and code // 100 not in {2, 4, 5}:
            self._drop()
            raise InDoubtError("the relay's answer to the mail makes no sense")
        return code, text

    def _broken(self, phase: Phase, error: Exception) -> Exception:
        """The connection broke before the dot: nothing was sent."""
        self._drop()
        if phase is Phase.MAIL and self._begun > 1:
            return _StaleError()
        where = f"{self._options.host}:{self._options.port}"
        return TransientError(f"{where}: the connection broke at {phase} ({type(error).__name__})")

    def _failed(self, phase: Phase, reply: tuple[int, str]) -> BroadsheetError:
        code, text = reply
        if code == CLOSING or not 200 <= code < 600:  # noqa: PLR2004 (or no reply at all)
            self._drop()
        return meaning(phase, code, text)


def _is_yes(reply: tuple[int, str], wanted: int) -> bool:
    """Whether a reply is the one wanted; any 2xx where a yes is (RFC 5321 §4.2.1: 251 will forward)."""
    return reply[0] == wanted or (wanted == OK and 200 <= reply[0] < 300)  # noqa: PLR2004 (a class of replies)


def _lost(error: Exception) -> InDoubtError:
    """The dot left and no answer came: nobody knows."""
    return InDoubtError(f"the relay did not say whether it took the mail ({type(error).__name__})")


def _stuffed(message: bytes) -> bytes:
    """A mail as it goes over the wire: leading dots doubled (RFC 5321 §4.5.2), and the dot that ends it."""
    if b"\n." in message:
        message = message.replace(b"\r\n.", b"\r\n..")
    if message.startswith(b"."):
        message = b"." + message
    return message + (b".\r\n" if message.endswith(b"\r\n") else b"\r\n.\r\n")


def _text(reply: bytes | str) -> str:
    return reply.decode("utf-8", "replace") if isinstance(reply, bytes) else reply


def _wait_in_kernel(wire: socket.socket, seconds: float) -> None:
    """Let the kernel time out: Python's own way asks before each call, and gives up its lock twice for it.

    TLS keeps Python's way, since OpenSSL takes the kernel's answer for an invitation to try again.
    """
    if isinstance(wire, ssl.SSLSocket):
        wire.settimeout(seconds)
        return
    wire.settimeout(None)
    span = struct.pack("ll", int(seconds), int(seconds % 1 * 1_000_000))
    wire.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, span)
    wire.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, span)


class _Client(smtplib.SMTP):
    """smtplib's client, which speaks TLS from the first byte where it is told to."""

    tls: ssl.SSLContext | None = None
    _ahead: bytes = b""
    """What has been received beyond the last reply: answers to pipelined commands come together."""

    @property
    def wire(self) -> socket.socket:
        """The socket of an open connection."""
        if self.sock is None:
            raise smtplib.SMTPServerDisconnected("not connected")
        return self.sock

    def reply(self) -> tuple[int, str]:
        """The next reply of a transaction, its lines joined; code -1 where it is none (RFC 5321 §4.2)."""
        lines: list[bytes] = []
        while True:
            line = self._line()
            lines.append(line[4:])
            if line[3:4] != b"-" or len(lines) > REPLY_LINES:
                break
        code = int(line[:3]) if line[:3].isdigit() and len(lines) <= REPLY_LINES else -1
        return code, b"\n".join(lines).decode("utf-8", "replace")

    def _line(self) -> bytes:
        while b"\n" not in self._ahead:
            if len(self._ahead) > LINE:
                raise smtplib.SMTPServerDisconnected("a reply line that never ends")
            if not (more := self.wire.recv(4096)):
                raise smtplib.SMTPServerDisconnected("closed")
            self._ahead += more
        line, _, self._ahead = self._ahead.partition(b"\n")
        return line.rstrip(b"\r")

    def _get_socket(self, host: str, port: int, timeout: float) -> socket.socket:
        self._host = host
        connection = socket.create_connection((host, port), timeout)
        return self.tls.wrap_socket(connection, server_hostname=host) if self.tls else connection


def _expect(phase: Phase, reply: tuple[int, bytes], wanted: int = 220) -> None:
    if reply[0] != wanted:
        raise meaning(phase, reply[0], _text(reply[1]))


def _hello(client: "_Client") -> None:
    code, text = client.ehlo()
    if code != OK:
        code, text = client.helo()
    _expect(Phase.EHLO, (code, text), OK)


def _log_in(client: "_Client", user: str, password: str) -> None:
    """AUTH PLAIN or LOGIN, in UTF-8 (RFC 4616); smtplib's own takes ASCII alone."""
    offered = client.esmtp_features.get("auth", "").upper().split()
    if "PLAIN" in offered or not offered:
        both = b64encode(f"\0{user}\0{password}".encode()).decode()
        reply = client.docmd("AUTH", f"PLAIN {both}")
    elif "LOGIN" in offered:
        _expect(Phase.AUTH, client.docmd("AUTH", "LOGIN"), 334)
        _expect(Phase.AUTH, client.docmd(b64encode(user.encode()).decode()), 334)
        reply = client.docmd(b64encode(password.encode()).decode())
    else:
        raise StopRunError(f"the relay offers only {', '.join(offered)} to log in: PLAIN or LOGIN is needed")
    _expect(Phase.AUTH, reply, 235)
