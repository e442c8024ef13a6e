"""Each phase has a wait of its own: a server that hangs there is left after that and no other."""

import socket
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import pytest
from pydantic import SecretStr

from bot.errors import InDoubtError, TransientError
from bot.transports import smtp
from bot.transports._patience import PATIENCE, Patience
from bot.transports._replies import Phase
from bot.transports.smtp import Outside
from tests.servers.smtp import Scripted, Wire, certificate, hang, has_openssl, reply
from tests.test_transports_smtp import ADA, MAIL, ONE_BY_ONE, PIPELINED, SENDER
from tests.waited import Waited

LONG, SHORT = 3600.0, 0.15
"""Seconds; no test lives to see the end of a long wait."""
ALL_LONG = Patience(dict.fromkeys(Phase, LONG), LONG, LONG, LONG)
LARGE = MAIL + (b"a line of a mail that no buffer can hold, " * 20 + b"\r\n") * 15_000


def only(phase: Phase, wait: float = SHORT) -> Patience:
    """Short in one phase, long in all others."""
    return replace(ALL_LONG, answers={**ALL_LONG.answers, phase: wait})


def send(server: Any, patience: Patience, mail: bytes = MAIL, **options: Any) -> None:
    """Send one mail over a connection of its own."""
    values = {"kind": "smtp", "host": "127.0.0.1", "port": server.port, "security": "none", **options}
    transport = smtp.build(
        smtp.Options.model_validate(values),
        root=Path(options.get("ca_file", ".")).parent,
        password=SecretStr("secret"),
        outside=Outside(patience=patience),
    )
    connection = Waited(transport.connect())
    try:
        connection.send(SENDER, ADA, mail)
    finally:
        connection.close()


def test_the_waits_are_those_of_the_standard() -> None:
    """RFC 5321 §4.5.3.2; it knows no STARTTLS and no AUTH, and says nothing of reaching a machine."""
    assert PATIENCE.answers == {
        Phase.BANNER: 300,
        Phase.EHLO: 300,
        Phase.STARTTLS: 300,
        Phase.AUTH: 300,
        Phase.MAIL: 300,
        Phase.RCPT: 300,
        Phase.DATA: 120,
        Phase.DOT: 600,
    }
    assert PATIENCE.block == 180


@pytest.mark.parametrize(
    ("phase", "at", "options"),
    [
        (Phase.BANNER, "connect", {}),
        (Phase.BANNER, "connect", {"security": "tls"}),
        (Phase.EHLO, "EHLO", {}),
        (Phase.EHLO, "HELO", {}),
        (Phase.STARTTLS, "STARTTLS", {"security": "starttls"}),
        (Phase.AUTH, "AUTH", {"user": "user"}),
        (Phase.MAIL, "MAIL", {}),
        (Phase.RCPT, "RCPT", {}),
        (Phase.DATA, "DATA", {}),
        (Phase.DOT, "dot", {}),
    ],
)
@pytest.mark.parametrize("ehlo", [PIPELINED, ONE_BY_ONE], ids=["pipelined", "one by one"])
def test_a_server_that_hangs_is_left_after_the_wait_of_that_phase(
    phase: Phase, at: str, options: dict[str, Any], ehlo: tuple[str, ...]
) -> None:
    script = {at: hang, **({"EHLO": reply(502, "what?")} if at == "HELO" else {})}
    with (
        Scripted(script, ehlo=(*ehlo, "STARTTLS", "AUTH PLAIN")) as server,
        pytest.raises(InDoubtError if phase is Phase.DOT else TransientError, match="no answer in time"),
    ):
        send(server, only(phase), **options)


def test_a_server_that_takes_no_more_of_a_mail_is_left_after_the_wait_for_a_block() -> None:
    with (
        Scripted({"DATA": deaf}, ehlo=()) as server,
        pytest.raises(TransientError, match="broke at DATA: no answer in time"),
    ):
        send(server, replace(ALL_LONG, block=SHORT, goodbye=SHORT), LARGE)


def deaf(wire: Wire) -> int:
    """Ask for the mail, and read none of it."""
    wire.say(b"354 go on\r\n")
    return hang(wire)


def test_a_server_that_reads_slowly_but_reads_is_waited_for() -> None:
    def slow(wire: Wire) -> int:
        wire.say(b"354 go on\r\n")
        for _ in range(8):
            wire.released.wait(3 * SHORT)
            for _ in range(1800):
                wire.line()
        return 354

    with Scripted({"DATA": slow}, ehlo=()) as server:
        send(server, replace(ALL_LONG, block=3), LARGE)
    assert len(server.mails) == 1


def test_an_answer_that_never_ends_is_not_waited_for_longer_than_one_that_never_comes() -> None:
    def drip(wire: Wire) -> int:
        while not wire.released.wait(SHORT / 10):
            wire.say(b"2")
        return 0

    with Scripted({"dot": drip}) as server, pytest.raises(InDoubtError):
        send(server, only(Phase.DOT))


def late(wire: Wire) -> int:
    """Answer, and take one's time."""
    wire.released.wait(8 * SHORT)
    return reply(250)(wire)


@pytest.mark.parametrize("at", ["MAIL", "RCPT", "dot"])
def test_a_short_wait_for_one_thing_shortens_no_other(at: str) -> None:
    with Scripted({at: late}) as server:
        send(server, only(Phase.DATA, 6 * SHORT))
    assert len(server.mails) == 1


def test_an_answer_in_pieces_is_one_answer() -> None:
    def pieces(wire: Wire) -> int:
        for piece in (b"25", b"0-2.0.0 a\r", b"\n250 b\r\n"):
            wire.released.wait(SHORT / 10)
            wire.say(piece)
        return 250

    with Scripted({"dot": pieces}) as server:
        send(server, only(Phase.DOT, 100 * SHORT))
    assert len(server.mails) == 1


def test_a_machine_that_does_not_say_whether_anybody_listens_is_left() -> None:
    with full_backlog() as server, pytest.raises(TransientError):
        send(server, replace(ALL_LONG, connect=SHORT))


class full_backlog:  # noqa: N801 (used as the function it is)
    """A port whose queue is full: the kernel answers no further call."""

    def __enter__(self) -> Self:
        self.listener = socket.socket()
        self.listener.bind(("127.0.0.1", 0))
        self.listener.listen(0)
        self.port: int = self.listener.getsockname()[1]
        self.callers = [socket.socket() for _ in range(4)]
        for caller in self.callers:
            caller.setblocking(False)  # noqa: FBT003 (the socket module's own way)
            caller.connect_ex(("127.0.0.1", self.port))
        return self

    def __exit__(self, *_: object) -> None:
        for one in (*self.callers, self.listener):
            one.close()


@pytest.fixture(scope="module")
def pem(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not has_openssl():
        pytest.skip("no openssl on this machine to make a certificate with")
    return certificate(tmp_path_factory.mktemp("certificate"))


@pytest.mark.parametrize("phase", [Phase.MAIL, Phase.DOT])
def test_the_waits_hold_within_tls_too(pem: Path, phase: Phase) -> None:
    at = "dot" if phase is Phase.DOT else "MAIL"
    with (
        Scripted({at: hang}, certificate=pem, tls=True) as server,
        pytest.raises(InDoubtError if phase is Phase.DOT else TransientError),
    ):
        send(server, only(phase), security="tls", ca_file=str(pem))


def test_a_short_wait_shortens_no_other_within_tls_either(pem: Path) -> None:
    with Scripted({"dot": late}, certificate=pem, tls=True) as server:
        send(server, only(Phase.DATA), security="tls", ca_file=str(pem))
    assert len(server.mails) == 1
