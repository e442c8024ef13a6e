"""SMTP servers on free loopback ports: an honest one, and one that misbehaves where it is told to."""

import asyncio
import os
import shutil
import socket
import ssl
import struct
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from aiosmtpd.smtp import SMTP, Envelope, Session

TIMEOUT = 30
"""Seconds after which a server gives up: a test that needs so long has failed."""


@dataclass(frozen=True, slots=True)
class Mail:
    """What a server took."""

    sender: str
    recipients: tuple[str, ...]
    content: bytes
    """aiosmtpd's is unstuffed; the scripted server's is what was on the wire, without the ending dot."""


# -------------------------------------------------------------------------------------------- an honest one


@dataclass
class Inbox:
    """A server that takes every mail and keeps it."""

    host: str = "127.0.0.1"
    port: int = 0
    mails: list[Mail] = field(default_factory=list)
    _another: threading.Condition = field(default_factory=threading.Condition)

    def wait(self, count: int, seconds: float = 60) -> None:
        """Until there are so many mails."""
        with self._another:
            assert self._another.wait_for(lambda: len(self.mails) >= count, seconds), "they never came"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802 (aiosmtpd's name)
        content = envelope.original_content or b""
        with self._another:
            self.mails.append(Mail(envelope.mail_from or "", tuple(envelope.rcpt_tos), content))
            self._another.notify_all()
        return f"250 2.0.0 Ok: queued as Q{len(self.mails)}"


@contextmanager
def inbox(**options: Any) -> Iterator[Inbox]:
    """aiosmtpd with an inbox behind it, in a thread of its own."""
    kept, loop = Inbox(), asyncio.new_event_loop()
    # All in the thread: the tests' own may have a loop already, that of the browser's driver.
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    try:
        serving = asyncio.run_coroutine_threadsafe(_serving(kept, options), loop)
        server = serving.result(TIMEOUT)
        kept.port = server.sockets[0].getsockname()[1]
        try:
            yield kept
        finally:
            asyncio.run_coroutine_threadsafe(_ended(server), loop).result(TIMEOUT)
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(TIMEOUT)
        loop.close()


async def _serving(kept: Inbox, options: Mapping[str, Any]) -> asyncio.Server:
    loop = asyncio.get_running_loop()
    return await loop.create_server(
        lambda: SMTP(kept, hostname="inbox.test", loop=loop, **options), kept.host, 0
    )


async def _ended(server: asyncio.AbstractServer) -> None:
    server.close()
    others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)


# ------------------------------------------------------------------------------------------ a scripted one


class Gone(Exception):  # noqa: N818 (no fault: the conversation ends here)
    """The connection ends."""


class Wire:
    """One client's connection: every byte that came in, and line by line."""

    def __init__(self, connection: socket.socket, released: threading.Event) -> None:
        self.socket, self.released = connection, released
        self.received = bytearray()
        self._ahead = b""

    def say(self, data: bytes) -> None:
        try:
            self.socket.sendall(data)
        except OSError as error:
            raise Gone from error

    def line(self) -> bytes:
        """The next line with its end."""
        while b"\n" not in self._ahead:
            try:
                data = self.socket.recv(65536)
            except OSError as error:
                raise Gone from error
            if not data:
                raise Gone
            self.received += data
            self._ahead += data
        line, end, self._ahead = self._ahead.partition(b"\n")
        return line + end

    def turn_to_tls(self, context: ssl.SSLContext) -> None:
        try:
            self.socket = context.wrap_socket(self.socket, server_side=True)
        except OSError as error:
            raise Gone from error


Act = Callable[[Wire], int]
"""What a server does at one phase; gives the code it replied with."""


def reply(code: int, *lines: str) -> Act:
    """Answer, on several lines where several are given."""
    texts = lines or ("so it is",)

    def act(wire: Wire) -> int:
        last = len(texts) - 1
        said = (f"{code}{'-' if n < last else ' '}{text}\r\n" for n, text in enumerate(texts))
        wire.say("".join(said).encode())
        return code

    return act


def then_close(act: Act) -> Act:
    """Do one thing, and hang up."""

    def both(wire: Wire) -> int:
        act(wire)
        return close(wire)

    return both


def close(wire: Wire) -> int:
    """Hang up politely (FIN)."""
    raise Gone


def reset(wire: Wire) -> int:
    """Hang up rudely (RST)."""
    wire.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    wire.socket.close()
    raise Gone


def garbage(wire: Wire) -> int:
    """Say what is no reply."""
    wire.say(b"\xff\xfe what? \x00\r\n")
    return 0


def long_line(wire: Wire) -> int:
    """Say more on one line than SMTP allows."""
    wire.say(b"250 " + b"x" * 20_000 + b"\r\n")
    return 0


def hang(wire: Wire) -> int:
    """Say nothing until the test is over."""
    wire.released.wait(TIMEOUT)
    raise Gone


Script = Mapping[str, Act | Sequence[Act]]
"""What to do at which phase (`connect`, a verb, `dot`): always one thing, or one thing after the other."""


class Scripted:
    """A server that answers well, but for what its script says. Use it as a context manager."""

    def __init__(
        self,
        script: Script | None = None,
        *,
        ehlo: Sequence[str] = ("PIPELINING", "SIZE 10000000"),
        ehlo_in_tls: Sequence[str] | None = None,
        certificate: Path | None = None,
        tls: bool = False,
    ) -> None:
        self.host = "127.0.0.1"
        self.mails: list[Mail] = []
        self.commands: list[str] = []
        self.wires: list[Wire] = []
        self.most_at_once = 0
        """Connections that were open together, at most."""
        self._open: set[Wire] = set()
        self._counting = threading.Lock()
        self._script: dict[str, Act | list[Act]] = {
            phase: acts if callable(acts) else list(acts) for phase, acts in (script or {}).items()
        }
        self._ehlo, self._ehlo_in_tls = ehlo, ehlo if ehlo_in_tls is None else ehlo_in_tls
        self._context = _server_context(certificate) if certificate else None
        self._tls = tls
        self._released = threading.Event()
        self._threads: list[threading.Thread] = []

    @property
    def verbs(self) -> list[str]:
        """The commands' first words, in order."""
        return [command.split(" ")[0].split(":")[0].upper() for command in self.commands]

    def __enter__(self) -> Self:
        self._listener = socket.create_server((self.host, 0))
        self.port: int = self._listener.getsockname()[1]
        self._start(self._accept)
        return self

    def __exit__(self, *_: object) -> None:
        self.release()
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.hang_up()
        for thread in self._threads:
            thread.join(TIMEOUT)

    def release(self) -> None:
        """Let go of what hangs."""
        self._released.set()

    def hang_up(self) -> None:
        """End every connection, as a server does that is tired of waiting."""
        for wire in self.wires:
            with suppress(OSError):
                wire.socket.shutdown(socket.SHUT_RDWR)

    def _start(self, target: Callable[..., None], *args: object) -> None:
        thread = threading.Thread(target=target, args=args)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            connection.settimeout(TIMEOUT)
            connection.setsockopt(
                socket.IPPROTO_TCP, socket.TCP_NODELAY, 1
            )  # answers do not wait for each other
            self._start(self._serve, connection)

    def _serve(self, connection: socket.socket) -> None:
        wire = Wire(connection, self._released)
        self.wires.append(wire)
        with suppress(Gone), self._counted(wire), ExitStack() as stack:
            stack.callback(lambda: wire.socket.close())  # noqa: PLW0108 (the socket changes when it turns to TLS)
            if self._tls and self._context:
                wire.turn_to_tls(self._context)
            self._converse(wire)

    @contextmanager
    def _counted(self, wire: Wire) -> Iterator[None]:
        with self._counting:
            self._open.add(wire)
            self.most_at_once = max(self.most_at_once, len(self._open))
        try:
            yield
        finally:
            self._ends(wire)

    def _ends(self, wire: Wire) -> None:
        with self._counting:
            self._open.discard(wire)

    def _converse(self, wire: Wire) -> None:
        ehlo = self._ehlo_in_tls if self._tls else self._ehlo
        talk = _Talk()
        self._do(wire, "connect", reply(220, "scripted.test ESMTP"))
        while True:
            command = wire.line().rstrip(b"\r\n").decode("utf-8", "replace")
            self.commands.append(command)
            verb = command.split(" ")[0].upper()
            if verb == "QUIT":
                self._ends(wire)  # before the client can know, who may come again at once
            code = self._do(wire, verb, self._usual(verb, ehlo, talk))
            if verb == "STARTTLS" and code == 220 and self._context:
                wire.turn_to_tls(self._context)
                ehlo = self._ehlo_in_tls
            if verb == "QUIT":
                return
            talk.heard(verb, command, code)
            if verb == "DATA" and code == 354:
                content = self._content(wire)
                if 200 <= self._do(wire, "dot", reply(250, "2.0.0 Ok: queued as Q1")) < 300:
                    self.mails.append(Mail(talk.sender, tuple(talk.recipients), content))
                talk.clear()

    @staticmethod
    def _content(wire: Wire) -> bytes:
        """A mail as it was on the wire, up to its dot."""
        lines: list[bytes] = []
        while (line := wire.line()) != b".\r\n":
            lines.append(line)
        return b"".join(lines)

    @staticmethod
    def _usual(verb: str, ehlo: Sequence[str], talk: "_Talk") -> Act:
        data = reply(354, "go on") if talk.recipients else reply(503, "5.5.1 no valid recipients")
        answers = {
            "EHLO": reply(250, "scripted.test", *ehlo),
            "STARTTLS": reply(220, "go on"),
            "AUTH": reply(235, "2.7.0 welcome"),
            "DATA": data,
            "QUIT": reply(221, "bye"),
            **dict.fromkeys(("HELO", "MAIL", "RCPT", "RSET"), reply(250, "2.0.0 fine")),
        }
        return answers.get(verb, reply(500, "5.5.2 no such command"))

    def _do(self, wire: Wire, phase: str, usual: Act) -> int:
        act = self._script.get(phase, usual)
        if isinstance(act, list):
            act = act.pop(0) if act else usual
        return act(wire)


@dataclass
class _Talk:
    """One transaction, as far as it came."""

    sender: str = ""
    recipients: list[str] = field(default_factory=list)

    def heard(self, verb: str, command: str, code: int) -> None:
        address = command.partition("<")[2].partition(">")[0]
        if verb == "RSET":
            self.clear()
        elif 200 <= code < 300 and verb == "MAIL":
            self.clear()
            self.sender = address
        elif 200 <= code < 300 and verb == "RCPT" and self.sender:
            self.recipients.append(address)

    def clear(self) -> None:
        self.sender, self.recipients = "", []


# ------------------------------------------------------------------------------------------- certificates


def has_openssl() -> bool:
    """Whether certificates can be made here."""
    return shutil.which("openssl") is not None


def certificate(folder: Path) -> Path:
    """A self-signed certificate for 127.0.0.1 and localhost, with its key, in one PEM file."""
    pem, key = folder / "relay.pem", folder / "relay.key"
    names = "subjectAltName=IP:127.0.0.1,DNS:localhost"
    command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2"
    subprocess.run(
        [*command.split(), "-subj", "/CN=localhost", "-addext", names, "-keyout", str(key), "-out", str(pem)],
        check=True,
        capture_output=True,
        env={"PATH": os.environ["PATH"], "HOME": str(folder)},
    )
    pem.write_bytes(pem.read_bytes() + key.read_bytes())
    return pem


def _server_context(pem: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem)
    return context
