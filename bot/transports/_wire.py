"""One connection to a relay: bytes out, replies in, each of them bounded in size and in time."""

import smtplib
import socket
import ssl
import struct
import time
from functools import lru_cache

from bot.errors import StopRunError
from bot.transports._patience import Patience
from bot.transports._replies import Phase

LINE, REPLY_LINES = 2048, 100
"""Octets of a reply's line and lines of a reply, well beyond what RFC 5321 §4.5.3.1.5 allows a server."""
BLOCK = 65_536
"""Octets that are written at once where Python keeps the time: for each of them anew."""
MOMENT = 0.001
"""Seconds of the shortest wait: the kernel takes none for one without an end."""
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
        self._answers, self._block, self._goodbye = patience.answers, patience.block, patience.goodbye
        self._span = self._answers[Phase.BANNER]
        self._shortest = min(self._answers.values())
        self._until = 0.0
        """When the reply that is being read must be whole; 0 before its first byte was waited for."""
        self._set: float | None = None
        """The wait that the socket is set to."""
        self._by_kernel = False

    @property
    def connection(self) -> socket.socket:
        """The socket of an open connection."""
        if self.sock is None:
            raise smtplib.SMTPServerDisconnected("not connected")
        return self.sock

    # ------------------------------------------------------------------------------------------ both ways

    def say(self, data: bytes) -> None:
        """Send bytes as they are."""
        if self._by_kernel:
            self.connection.sendall(data)
            return
        self._wait(self._block)
        for start in range(0, len(data), BLOCK):
            self.connection.sendall(memoryview(data)[start : start + BLOCK])

    def reply(self, phase: Phase) -> Reply:
        """The next reply, its lines joined by LF; NONSENSE where it is none (RFC 5321 §4.2)."""
        self._span = self._answers[phase]
        code, text = self.getreply()
        return code, text.decode("utf-8", "replace")

    def expect(self, phase: Phase) -> None:
        """Wait for the next replies as long as they may take in this phase."""
        self._span = self._answers[phase]

    def getreply(self) -> tuple[int, bytes]:
        """What smtplib reads replies with, too."""
        self._until = 0.0
        line = self._line()
        text = line[4:].strip()
        if line[3:4] == b"-":
            line, text = self._further_lines(text)
        good = len(line) <= LINE and line[:3].isdigit() and line[3:4] in {b"", b" "}
        return int(line[:3]) if good else NONSENSE, text

    def _further_lines(self, first: bytes) -> tuple[bytes, bytes]:
        """The last line of a reply of several, and all of their words."""
        lines = [first]
        while len(lines) <= REPLY_LINES:
            line = self._line()
            lines.append(line[4:].strip())
            if line[3:4] != b"-":
                break
        return line, b"\n".join(lines)

    def _line(self) -> bytes:
        """The next line; what is longer than a line may be is given as it is, without its end."""
        while True:
            line, end, rest = self._ahead.partition(b"\n")
            if end:
                self._ahead = rest
                return line.rstrip(b"\r")
            if len(line) > LINE:
                return line
            if not (more := self._more()):
                raise smtplib.SMTPServerDisconnected("closed")
            self._ahead += more

    def _more(self) -> bytes:
        """What comes next of a reply, within the time that is left for the whole of it.

        The socket waits the shortest of all spans and is asked again, so that no mail costs setting it anew.
        """
        now = time.monotonic()
        self._until = self._until or now + self._span
        while (left := self._until - now) > 0:
            self._wait(left if left < self._shortest - MOMENT else self._shortest)
            try:
                return self.connection.recv(4096)
            except (BlockingIOError, TimeoutError):
                now = time.monotonic()
        raise TimeoutError

    # ------------------------------------------------------------------------------------------ the opening

    def secure(self, context: ssl.SSLContext) -> None:
        """Turn to TLS, once the relay is ready for it; what it said ahead of that may be anybody's."""
        if self._ahead:
            raise StopRunError("the relay's words before TLS go on after it: somebody may be in between")
        self._wait(self._span)
        self.sock = _wrapped(self.connection, context, self._host)

    def _get_socket(self, host: str, port: int, timeout: float) -> socket.socket:
        self._host = host
        connection = socket.create_connection((host, port), timeout)
        connection.settimeout(self._span)
        context = self._from_the_first_byte
        return _wrapped(connection, context, host) if context else connection

    # --------------------------------------------------------------------------------------------- the waits

    def settle(self) -> None:
        """Be quick from now on: no word of ours waits for another, and the kernel keeps the time."""
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._by_kernel = _kernel_keeps_time(self.connection, self._block)
        self._set = None

    def hurry(self) -> None:
        """Give what comes last a few seconds."""
        self._span = self._block = self._shortest = self._goodbye
        self._by_kernel = False
        self.connection.settimeout(self._span)
        self._set = self._span

    def farewell(self) -> None:
        """Say goodbye, as far as anybody listens."""
        try:
            self.hurry()
            self.quit()
        except (smtplib.SMTPException, OSError):
            self.close()

    def _wait(self, seconds: float) -> None:
        """Set how long the socket waits, where that changes."""
        if seconds == self._set:
            return
        self._set = seconds
        if self._by_kernel:
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, _span(seconds))
        else:
            self.connection.settimeout(seconds)


def _wrapped(connection: socket.socket, context: ssl.SSLContext, host: str) -> ssl.SSLSocket:
    try:
        return context.wrap_socket(connection, server_hostname=host)
    except BaseException:
        connection.close()
        raise


def _kernel_keeps_time(connection: socket.socket, seconds: float) -> bool:
    """Whether the kernel times out for us: Python asks before each call, and gives up its lock twice for it.

    How a span looks to the kernel differs between systems: it does where it gives back what it was told. TLS
    keeps Python's way, since OpenSSL takes the kernel's answer for an invitation to try again.
    """
    if isinstance(connection, ssl.SSLSocket):
        return False
    asked = _span(int(seconds) or 1)  # whole seconds, since kernels round
    try:
        for option in (socket.SO_RCVTIMEO, socket.SO_SNDTIMEO):
            connection.setsockopt(socket.SOL_SOCKET, option, asked)
            if connection.getsockopt(socket.SOL_SOCKET, option, len(asked)) != asked:
                return False
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, _span(seconds))
    except OSError:
        return False
    connection.settimeout(None)
    return True


@lru_cache
def _span(seconds: float) -> bytes:
    """A `struct timeval`."""
    seconds = max(seconds, MOMENT)
    return struct.pack("ll", int(seconds), int(seconds % 1 * 1_000_000))


def why(error: Exception) -> str:
    """What broke a connection, in a few words that name nobody."""
    if isinstance(error, TimeoutError | BlockingIOError):
        return "no answer in time"
    if isinstance(error, smtplib.SMTPServerDisconnected):
        return "the relay hung up"
    return (isinstance(error, OSError) and error.strerror) or type(error).__name__
