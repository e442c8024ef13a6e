"""One connection to a relay: opened, secured, logged in, and read reply by reply, each of them bounded."""

import smtplib
import socket
import ssl
import struct
from base64 import b64encode
from dataclasses import dataclass
from typing import Literal

from pydantic import SecretStr

from bot.errors import BroadsheetError, StopRunError, TransientError
from bot.transports._replies import Phase, meaning

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
GOODBYE = 5
"""Seconds for words on which nothing depends."""

LINE, REPLY_LINES = 2048, 100
"""Octets of a reply's line and lines of a reply, well beyond what RFC 5321 §4.5.3.1.5 allows a server."""
OK, READY, LOGGED_IN, GO_AHEAD, GO_ON = 250, 220, 235, 354, 334
NONSENSE = -1
"""Stands for the code of what is no reply."""

Reply = tuple[int, str]


class Wire(smtplib.SMTP):
    """smtplib's client with replies of our own reading: bounded, and with one buffer for all of them."""

    def __init__(self, name: str, context: ssl.SSLContext | None) -> None:
        """`name` is what we call ourselves; with a context, TLS is spoken from the first byte."""
        super().__init__(local_hostname=name, timeout=TIMEOUTS[Phase.BANNER])
        self._from_the_first_byte = context
        self._ahead = b""

    @property
    def connection(self) -> socket.socket:
        """The socket of an open connection."""
        if self.sock is None:
            raise smtplib.SMTPServerDisconnected("not connected")
        return self.sock

    def say(self, data: bytes) -> None:
        """Send bytes as they are."""
        self.connection.sendall(data)

    def reply(self) -> Reply:
        """The next reply, its lines joined by LF; NONSENSE where it is none (RFC 5321 §4.2)."""
        code, text = self.getreply()
        return code, text.decode("utf-8", "replace")

    def getreply(self) -> tuple[int, bytes]:
        """What smtplib reads replies with, too."""
        lines: list[bytes] = []
        while True:
            line = self._line()
            lines.append(line[4:].strip())
            if line[3:4] != b"-" or len(lines) > REPLY_LINES:
                break
        good = line[:3].isdigit() and line[3:4] in {b"", b" "}
        return int(line[:3]) if good else NONSENSE, b"\n".join(lines)

    def _line(self) -> bytes:
        while b"\n" not in self._ahead:
            if len(self._ahead) > LINE:
                raise smtplib.SMTPServerDisconnected("a reply line that never ends")
            if not (more := self.connection.recv(4096)):
                raise smtplib.SMTPServerDisconnected("closed")
            self._ahead += more
        line, _, self._ahead = self._ahead.partition(b"\n")
        return line.rstrip(b"\r")

    def secure(self, context: ssl.SSLContext) -> None:
        """Turn to TLS, once the relay is ready for it; what it said ahead of that may be anybody's."""
        if self._ahead:
            raise StopRunError("the relay's words before TLS go on after it: somebody may be in between")
        self.sock = _wrapped(self.connection, context, self._host)

    def wait_long(self) -> None:
        """Wait as long as a mail may take, and let no word of ours wait for another."""
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        _wait_in_kernel(self.connection, TIMEOUTS[Phase.DOT])

    def wait_briefly(self) -> None:
        """Give what comes last a few seconds."""
        self.connection.settimeout(GOODBYE)

    def _get_socket(self, host: str, port: int, timeout: float) -> socket.socket:
        self._host = host
        connection = socket.create_connection((host, port), timeout)
        context = self._from_the_first_byte
        return _wrapped(connection, context, host) if context else connection


def _wrapped(connection: socket.socket, context: ssl.SSLContext, host: str) -> ssl.SSLSocket:
    try:
        return context.wrap_socket(connection, server_hostname=host)
    except BaseException:
        connection.close()
        raise


def _wait_in_kernel(connection: socket.socket, seconds: float) -> None:
    """Let the kernel time out: Python's own way asks before each call, and gives up its lock twice for it.

    TLS keeps Python's way, since OpenSSL takes the kernel's answer for an invitation to try again.
    """
    if isinstance(connection, ssl.SSLSocket):
        connection.settimeout(seconds)
        return
    connection.settimeout(None)
    span = struct.pack("ll", int(seconds), int(seconds % 1 * 1_000_000))
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, span)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, span)


def why(error: Exception) -> str:
    """What broke a connection, in a few words that name nobody."""
    if isinstance(error, TimeoutError | BlockingIOError):
        return "no answer in time"
    if isinstance(error, smtplib.SMTPServerDisconnected):
        return "the relay hung up"
    return (isinstance(error, OSError) and error.strerror) or type(error).__name__


# ---------------------------------------------------------------------------------------------------- opening


@dataclass(frozen=True, slots=True)
class Relay:
    """Which relay to open a connection to, and how."""

    host: str
    port: int
    security: Literal["none", "starttls", "tls"]
    login: tuple[str, SecretStr] | None

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


def opened(relay: Relay, name: str, context: ssl.SSLContext | None) -> Wire:
    """A connection on which mails can be sent; whatever goes wrong here is no reader's fault."""
    wire = Wire(name, context if relay.security == "tls" else None)
    phase = Phase.BANNER
    try:
        _expect(phase, wire.connect(relay.host, relay.port), READY)
        phase = Phase.EHLO
        _hello(wire)
        if relay.security == "starttls" and context:
            phase = Phase.STARTTLS
            _start_tls(wire, relay, context)
        if relay.login:
            phase = Phase.AUTH
            _log_in(wire, *relay.login)
        wire.wait_long()
    except (OSError, smtplib.SMTPException) as error:
        wire.close()
        raise _unreachable(relay, phase, error) from error
    except UnicodeError as error:
        wire.close()
        raise StopRunError(f"transport.host: {relay.host!r} is not the name of a host") from error
    except BroadsheetError:
        wire.close()
        raise
    return wire


def _expect(phase: Phase, reply: tuple[int, bytes], wanted: int) -> None:
    if reply[0] != wanted:
        raise meaning(phase, reply[0], reply[1].decode("utf-8", "replace"))


def _hello(wire: Wire) -> None:
    """Say EHLO, or HELO to a relay that does not know it."""
    reply = wire.ehlo()
    if 500 <= reply[0] < 600:  # noqa: PLR2004 (a class of replies)
        reply = wire.helo()
    _expect(Phase.EHLO, reply, OK)


def _start_tls(wire: Wire, relay: Relay, context: ssl.SSLContext) -> None:
    """Turn to TLS; never go on in clear where it was asked for."""
    if not wire.has_extn("starttls"):
        mend = 'set security = "tls" with port 465, or "none" for a relay on this machine'
        raise StopRunError(f"{relay.host} offers no STARTTLS: {mend}")
    _expect(Phase.STARTTLS, wire.docmd("STARTTLS"), READY)
    wire.secure(context)
    _hello(wire)


def _log_in(wire: Wire, user: str, password: SecretStr) -> None:
    """AUTH PLAIN or LOGIN, in UTF-8 (RFC 4616); smtplib's own takes ASCII alone."""
    offered = wire.esmtp_features.get("auth", "").upper().split()
    secret = password.get_secret_value()
    if "PLAIN" in offered or not offered:
        both = _base64(f"\0{user}\0{secret}")
        reply = wire.docmd("AUTH", f"PLAIN {both}")
    elif "LOGIN" in offered:
        _expect(Phase.AUTH, wire.docmd("AUTH", "LOGIN"), GO_ON)
        _expect(Phase.AUTH, wire.docmd(_base64(user)), GO_ON)
        reply = wire.docmd(_base64(secret))
    else:
        raise StopRunError(f"the relay offers only {', '.join(offered)} to log in: PLAIN or LOGIN is needed")
    _expect(Phase.AUTH, reply, LOGGED_IN)


def _base64(text: str) -> str:
    return b64encode(text.encode()).decode()


def _unreachable(relay: Relay, phase: Phase, error: Exception) -> BroadsheetError:
    if isinstance(error, ssl.SSLCertVerificationError):
        mend = "name its certificate with ca_file, or mend the host name"
        return StopRunError(f"{relay}: its certificate is not trusted ({error.verify_message}): {mend}")
    mend = "is the relay running, and transport.host and port right?"
    return TransientError(f"{relay}: {why(error)} at {phase}: {mend}", charged=False)
