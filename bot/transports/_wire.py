"""One connection to a relay: bytes out, replies in, each of them bounded in size and in time."""

import smtplib
import socket
import ssl
import time
from typing import Any

from bot.errors import StopRunError
from bot.steps import Steps, finish, readable, writable
from bot.transports._patience import Patience
from bot.transports._replies import Phase

LINE, REPLY_LINES = 2048, 100
"""Octets of a reply's line and lines of a reply, well beyond what RFC 5321 §4.5.3.1.5 allows a server."""
NONSENSE = -1
"""Stands for the code of what is no reply."""

Reply = tuple[int, str]


class Wire(smtplib.SMTP):
    """smtplib's client with replies of our own reading: bounded, and with one buffer for all of them."""

    def __init__(self, name: str, context: ssl.SSLContext | None, patience: Patience) -> None:
        """`name` is what we call ourselves; with a context, TLS is spoken from the first byte."""
        super().__init__(local_hostname=name, timeout=patience.connect)
        self._from_the_first_byte = context
        self._ahead = b""
        self._answers, self._block, self._goodbye = dict(patience.answers), patience.block, patience.goodbye
        self._span = self._answers[Phase.BANNER]

    @property
    def connection(self) -> socket.socket:
        """The socket of an open connection."""
        if self.sock is None:
            raise smtplib.SMTPServerDisconnected("not connected")
        return self.sock

    # ------------------------------------------------------------------------------------------ both ways

    def say(self, data: bytes) -> Steps[None]:
        """Send bytes as they are."""
        connection, rest = self.connection, memoryview(data)
        while rest:
            try:
                rest = rest[connection.send(rest) :]
            except (BlockingIOError, ssl.SSLWantWriteError):
                yield writable(connection, time.monotonic() + self._block)
            except ssl.SSLWantReadError:
                yield readable(connection, time.monotonic() + self._block)

    def expect(self, phase: Phase) -> None:
        """Wait for the next replies as long as they may take in this phase."""
        self._span = self._answers[phase]

    def send(self, s: Any) -> None:
        """What smtplib writes commands with."""
        finish(self.say(s.encode("ascii") if isinstance(s, str) else s))

    def getreply(self) -> tuple[int, bytes]:
        """What smtplib reads replies with."""
        code, text = finish(self.reply())
        return code, text.encode()

    def reply(self, phase: Phase | None = None) -> Steps[Reply]:
        """The next reply, its lines joined by LF; NONSENSE where it is none (RFC 5321 §4.2).

        Without a phase it may take as long as the one before.
        """
        if phase:
            self._span = self._answers[phase]
        until = 0.0
        lines: list[bytes] = []
        while True:
            while (line := self._line()) is None:
                until = until or time.monotonic() + self._span
                yield from self._more(until)
            lines.append(line[4:].strip())
            if line[3:4] != b"-" or len(lines) > REPLY_LINES:
                break
        good = len(line) <= LINE and line[:3].isdigit() and line[3:4] in {b"", b" "}
        return int(line[:3]) if good else NONSENSE, b"\n".join(lines).decode("utf-8", "replace")

    def _line(self) -> bytes | None:
        """The next line, if it is here; what is longer than a line may be is given as it is, without end."""
        line, end, rest = self._ahead.partition(b"\n")
        if end:
            self._ahead = rest
            return line.rstrip(b"\r")
        return line if len(line) > LINE else None

    def _more(self, until: float) -> Steps[None]:
        """Read what comes next of a reply, within the time that is left for the whole of it."""
        connection = self.connection
        while time.monotonic() < until:
            try:
                more = connection.recv(4096)
            except (BlockingIOError, ssl.SSLWantReadError):
                yield readable(connection, until)
            except ssl.SSLWantWriteError:
                yield writable(connection, until)
            else:
                if not more:
                    raise smtplib.SMTPServerDisconnected("closed")
                self._ahead += more
                return
        raise TimeoutError

    # ------------------------------------------------------------------------------------------ the opening

    def secure(self, context: ssl.SSLContext) -> None:
        """Turn to TLS, once the relay is ready for it; what it said ahead of that may be anybody's."""
        if self._ahead:
            raise StopRunError("the relay's words before TLS go on after it: somebody may be in between")
        self.connection.settimeout(self._span)
        self.sock = _wrapped(self.connection, context, self._host)

    def _get_socket(self, host: str, port: int, timeout: float) -> socket.socket:
        self._host = host
        connection = socket.create_connection((host, port), timeout)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # no word of ours waits for another
        connection.settimeout(self._span)
        context = self._from_the_first_byte
        return _wrapped(connection, context, host) if context else _unblocked(connection)

    # ------------------------------------------------------------------------------------------- the goodbye

    def hurry(self) -> None:
        """Give what comes last a few seconds."""
        self._answers = dict.fromkeys(Phase, self._goodbye)
        self._span = self._block = self._goodbye

    def farewell(self) -> Steps[None]:
        """Say goodbye, as far as anybody listens."""
        self.hurry()
        try:
            yield from self.say(b"QUIT\r\n")
            yield from self.reply()
        except (smtplib.SMTPException, OSError):
            pass
        finally:
            self.close()


def _wrapped(connection: socket.socket, context: ssl.SSLContext, host: str) -> socket.socket:
    try:
        return _unblocked(context.wrap_socket(connection, server_hostname=host))
    except BaseException:
        connection.close()
        raise


def _unblocked(connection: socket.socket) -> socket.socket:
    """From now on it is not waited for, but asked again."""
    connection.settimeout(0)
    return connection


def why(error: Exception) -> str:
    """What broke a connection, in a few words that name nobody."""
    if isinstance(error, TimeoutError):
        return "no answer in time"
    if isinstance(error, smtplib.SMTPServerDisconnected):
        return "the relay hung up"
    return (isinstance(error, OSError) and error.strerror) or type(error).__name__
