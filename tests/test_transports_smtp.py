"""SMTP: what each reply and each broken connection means, with and without pipelining, over real sockets."""

import socket
from base64 import b64decode, b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.smtp import AuthResult
from hypothesis import HealthCheck, given, settings, strategies as st
from pydantic import SecretStr

from bot.errors import (
    BroadsheetError,
    InDoubtError,
    InputError,
    PermanentError,
    StopRunError,
    TransientError,
)
from bot.transports import _transaction, smtp
from bot.transports._patience import PATIENCE, hurried
from bot.transports._relays import FIRST_PAUSE
from bot.transports._replies import PolicyError, cleaned
from bot.transports._transaction import parameters, stuffed
from bot.transports.smtp import Outside
from tests.servers.smtp import (
    Act,
    Inbox,
    Mail,
    Scripted,
    Wire,
    certificate,
    close,
    garbage,
    hang,
    has_openssl,
    inbox,
    long_line,
    reply,
    reset,
    then_close,
)
from tests.waited import Waited

SENDER, ADA, BOB = "papers@example.org", "ada.secret@example.org", "bob@example.net"
MAIL = b"Subject: x\r\n\r\nHello\r\n"
LARGE = MAIL + b"a line of a mail that no buffer can hold\r\n" * 500_000
PASSWORD = "pässwörd-论文"
PIPELINED, ONE_BY_ONE = ("PIPELINING", "SIZE 10000000"), ("SIZE 10000000",)
both_ways = pytest.mark.parametrize("ehlo", [PIPELINED, ONE_BY_ONE], ids=["pipelined", "one by one"])


@dataclass
class Clock:
    """Seconds that pass when a test says so."""

    now: float = 1000.0

    def __call__(self) -> float:
        return self.now

    def later(self, seconds: float) -> None:
        self.now += seconds


@contextmanager
def connected(
    server: Scripted | Inbox,
    password: str | None = None,
    root: Path = Path(),
    outside: Outside | None = None,
    **options: Any,
) -> Iterator[Waited]:
    """A connection to a server, in clear unless told otherwise."""
    values = {"kind": "smtp", "host": server.host, "port": server.port, "security": "none", **options}
    secret = SecretStr(password) if password is not None else None
    transport = smtp.build(smtp.Options.model_validate(values), root=root, password=secret, outside=outside)
    connection = Waited(transport.connect())
    try:
        yield connection
    finally:
        connection.close()


def send(server: Scripted | Inbox, mail: bytes = MAIL, **options: Any) -> str:
    """Send one mail over a new connection."""
    with connected(server, **options) as connection:
        return connection.send(SENDER, ADA, mail).reference


def error_of(server: Scripted, **options: Any) -> BroadsheetError:
    """The error that sending one mail gives; whatever it is, it names nobody."""
    with pytest.raises(BroadsheetError) as caught:
        send(server, **options)
    assert "ada.secret" not in str(caught.value)
    assert SENDER not in str(caught.value)
    return caught.value


# -------------------------------------------------------------------------------------------------- success


def test_a_mail_arrives_as_it_was_written() -> None:
    with inbox() as server:
        reference = send(server)
    assert server.mails == [Mail(SENDER, (ADA,), MAIL)]
    assert reference == f"250 2.0.0 Ok: queued as Q1 ({server.host}:{server.port})"


@both_ways
def test_every_mail_has_its_own_transaction_on_one_connection(ehlo: tuple[str, ...]) -> None:
    with Scripted(ehlo=ehlo) as server, connected(server) as connection:
        for recipient in (ADA, BOB, ADA):
            connection.send(SENDER, recipient, MAIL)
    assert [mail.recipients for mail in server.mails] == [(ADA,), (BOB,), (ADA,)]
    assert server.verbs == ["EHLO", *["MAIL", "RCPT", "DATA"] * 3, "QUIT"]
    assert len(server.wires) == 1


def test_helo_is_for_relays_that_do_not_know_ehlo_and_not_for_busy_ones() -> None:
    with Scripted({"EHLO": reply(421, "4.3.2 too busy")}) as server:
        error = error_of(server)
    assert (type(error), getattr(error, "charged", None)) == AWAY
    assert server.verbs == ["EHLO"]


def test_the_envelope_announces_the_size() -> None:
    with Scripted() as server:
        send(server)
    assert f"MAIL FROM:<{SENDER}> SIZE={len(MAIL)}" in server.commands


def test_a_server_without_extensions_is_spoken_to_plainly() -> None:
    with Scripted({"EHLO": reply(502, "no")}, ehlo=()) as server:
        send(server)
    assert server.commands[1:4] == ["helo example.org", f"MAIL FROM:<{SENDER}>", f"RCPT TO:<{ADA}>"]


@pytest.mark.parametrize(("helo", "said"), [(None, "example.org"), ("bot.example.net", "bot.example.net")])
def test_the_greeting_is_the_senders_domain_or_what_is_set(helo: str | None, said: str) -> None:
    with Scripted() as server:
        send(server, helo=helo)
    assert server.commands[0].lower() == f"ehlo {said}"


@both_ways
@pytest.mark.parametrize("code", [250, 251, 252])
def test_a_server_may_forward_instead(ehlo: tuple[str, ...], code: int) -> None:
    with Scripted({"RCPT": reply(code, "will forward")}, ehlo=ehlo) as server:
        send(server)
    assert len(server.mails) == 1


@both_ways
def test_a_yes_on_several_lines_is_one_yes(ehlo: tuple[str, ...]) -> None:
    yes = reply(250, "2.0.0 one", "2.0.0 two")
    with Scripted({"MAIL": yes, "RCPT": yes, "dot": yes}, ehlo=ehlo) as server:
        assert send(server) == f"250 2.0.0 one 2.0.0 two ({server.host}:{server.port})"


@pytest.mark.parametrize("code", [250, 251, 200])
def test_any_yes_after_the_dot_means_sent(code: int) -> None:
    with Scripted({"dot": reply(code, "taken")}) as server:
        assert send(server) == f"{code} taken ({server.host}:{server.port})"


@pytest.mark.parametrize(
    ("mail", "wire"),
    [
        (b"a\r\n.\r\nb\r\n", b"a\r\n..\r\nb\r\n"),
        (b".a\r\n..b\r\n", b"..a\r\n...b\r\n"),
        (b"no end", b"no end\r\n"),
        (b"", b"\r\n"),
        (b"a.\r\n", b"a.\r\n"),
        (b"a\r\n\r\n.", b"a\r\n\r\n..\r\n"),
    ],
)
def test_dots_are_stuffed_exactly(mail: bytes, wire: bytes) -> None:
    with Scripted() as server:
        send(server, mail)
    assert server.mails[0].content == wire
    assert server.wires[0].received.endswith(b"\r\n" * (not wire.startswith(b"\r")) + wire + b".\r\nQUIT\r\n")


LINES = st.lists(st.sampled_from([b".", b"..", b"a", b"", b"From x", b".a"]), max_size=6).map(b"\r\n".join)


@given(LINES, st.lists(st.integers(0, 40)))
def test_dots_are_found_however_a_mail_is_cut_into_pieces(mail: bytes, cuts: list[int]) -> None:
    ends = [0, *sorted(cuts), len(mail)]
    pieces = [mail[start:end] for start, end in pairwise(ends)]
    joined = b"".join(pieces)
    doubled = (b"\r\n" + joined).replace(b"\r\n.", b"\r\n..")
    assert b"\r\n" + stuffed(pieces) == doubled + END[joined.endswith(b"\r\n")]


END = {False: b"\r\n.\r\n", True: b".\r\n"}


@given(st.lists(LINES, min_size=1, max_size=5))
@settings(max_examples=15, suppress_health_check=[HealthCheck.too_slow])
def test_any_lines_arrive_as_they_were(mails: list[bytes]) -> None:
    with Scripted() as server, connected(server) as connection:
        for mail in mails:
            connection.send(SENDER, ADA, mail)
    read = [b"\r\n".join(line[line[:1] == b"." :] for line in m.content.split(b"\r\n")) for m in server.mails]
    assert read == [mail if mail.endswith(b"\r\n") else mail + b"\r\n" for mail in mails]


# -------------------------------------------------------------------------------------------------- replies

AWAY, LATER = (TransientError, False), (TransientError, True)
NEVER, POLICY, STOP = (PermanentError, None), (PolicyError, None), (StopRunError, None)
DOUBT = (InDoubtError, None)
TABLE = [
    ("connect", reply(421, "too busy"), AWAY),
    ("connect", reply(450, "later"), AWAY),
    ("connect", reply(554, "5.7.1 you are on a list"), STOP),
    ("connect", garbage, STOP),
    ("connect", close, AWAY),
    ("connect", reset, AWAY),
    ("EHLO", close, AWAY),
    ("EHLO", reset, AWAY),
    ("MAIL", reply(421, "4.3.2 shutting down"), AWAY),
    ("MAIL", then_close(reply(421, "4.3.2 shutting down")), AWAY),
    ("MAIL", reply(451, "4.3.0 try later"), AWAY),
    ("MAIL", reply(452, "4.3.1 no room"), AWAY),
    ("MAIL", reply(501, "5.1.7 bad sender"), STOP),
    ("MAIL", reply(530, "5.7.0 log in first"), STOP),
    ("MAIL", reply(550, "5.7.1 not you"), STOP),
    ("MAIL", then_close(reply(550, "5.7.1 not you")), STOP),
    ("MAIL", reply(552, "5.3.4 too large"), STOP),
    ("MAIL", garbage, STOP),
    ("MAIL", close, LATER),
    ("MAIL", reset, LATER),
    ("MAIL", long_line, STOP),
    ("RCPT", reply(421, "4.7.0 slow down"), AWAY),
    ("RCPT", then_close(reply(421, "4.7.0 slow down")), AWAY),
    ("RCPT", reply(450, "4.2.1 greylisted"), LATER),
    ("RCPT", reply(451, "4.7.1 greylisted"), LATER),
    ("RCPT", reply(452, "4.2.2 mailbox full"), LATER),
    ("RCPT", reply(452, "4.5.3 too many recipients"), LATER),
    ("RCPT", reply(552, "5.5.3 too many recipients"), LATER),
    ("RCPT", reply(550, "5.1.1 no such user"), NEVER),
    ("RCPT", reply(550, "User unknown"), NEVER),
    ("RCPT", reply(550, f"5.1.1 <{ADA}>: Recipient address rejected", f"5.1.1 {ADA} unknown"), NEVER),
    ("RCPT", then_close(reply(550, "5.1.1 no such user")), NEVER),
    ("RCPT", reply(551, "user not local"), NEVER),
    ("RCPT", reply(552, "5.2.2 mailbox full"), NEVER),
    ("RCPT", reply(553, "mailbox name not allowed"), NEVER),
    ("RCPT", reply(556, "5.1.10 takes no mail"), NEVER),
    ("RCPT", reply(550, "5.4.1 recipient address rejected: access denied"), NEVER),
    ("RCPT", reply(550, "5.7.1 blocked by policy"), POLICY),
    ("RCPT", reply(554, "your address is on a list"), POLICY),
    ("RCPT", reply(554, "5.7.1 relay access denied"), STOP),
    ("RCPT", reply(530, "5.7.0 authentication required"), STOP),
    ("RCPT", reply(503, "5.5.1 bad sequence"), STOP),
    ("RCPT", garbage, STOP),
    ("RCPT", close, LATER),
    ("RCPT", reset, LATER),
    ("DATA", reply(421, "4.3.2 shutting down"), AWAY),
    ("DATA", reply(451, "4.3.0 try later"), LATER),
    ("DATA", reply(502, "5.5.1 no such command"), STOP),
    ("DATA", reply(554, "5.7.1 not this one"), POLICY),
    ("DATA", garbage, STOP),
    ("DATA", close, LATER),
    ("DATA", reset, LATER),
    ("dot", reply(421, "4.3.2 shutting down"), AWAY),
    ("dot", reply(451, "4.7.1 try later"), LATER),
    ("dot", reply(452, "4.3.1 no room"), LATER),
    ("dot", reply(550, "5.1.1 no such user"), NEVER),
    ("dot", reply(552, "5.2.2 mailbox full"), NEVER),
    ("dot", reply(552, "5.3.4 too large"), STOP),
    ("dot", reply(550, "5.7.1 looks like spam"), POLICY),
    ("dot", reply(554, "refused"), POLICY),
    ("dot", reply(354, "go on"), DOUBT),
    ("dot", garbage, DOUBT),
    ("dot", long_line, DOUBT),
    ("dot", close, DOUBT),
    ("dot", reset, DOUBT),
]  # fmt: skip


@both_ways
@pytest.mark.parametrize(("phase", "act", "expected"), TABLE)
def test_what_an_answer_means(
    ehlo: tuple[str, ...], phase: str, act: Act, expected: tuple[type[BroadsheetError], bool | None]
) -> None:
    with Scripted({phase: act}, ehlo=ehlo) as server:
        error = error_of(server)
    assert (type(error), getattr(error, "charged", None)) == expected
    assert server.mails == []


@both_ways
@pytest.mark.parametrize("phase", ["connect", "MAIL", "RCPT", "DATA", "dot"])
def test_silence_is_an_end_too(ehlo: tuple[str, ...], phase: str) -> None:
    with Scripted({phase: hang}, ehlo=ehlo) as server:
        error = error_of(server, outside=Outside(patience=hurried(0.2)))
    assert type(error) is (InDoubtError if phase == "dot" else TransientError)


@both_ways
@pytest.mark.parametrize(("phase", "code"), [("MAIL", 354), ("RCPT", 354), ("DATA", 250)])
def test_a_relay_out_of_step_is_left(ehlo: tuple[str, ...], phase: str, code: int) -> None:
    with Scripted({phase: [reply(code, "odd")]}, ehlo=ehlo) as server, connected(server) as connection:
        with pytest.raises(StopRunError, match="no answer to"):
            connection.send(SENDER, ADA, MAIL)
        connection.send(SENDER, BOB, MAIL)
    assert [mail.recipients for mail in server.mails] == [(BOB,)]
    assert len(server.wires) == 2


def test_why_a_relay_listens_no_more_in_the_middle_of_a_mail_is_heard() -> None:
    def enough(wire: Wire) -> int:
        wire.say(b"354 go on\r\n")
        wire.line()
        wire.say(b"552 5.3.4 that is too large\r\n")
        return hang(wire)

    with (
        Scripted({"DATA": enough}, ehlo=()) as server,
        connected(server, outside=Outside(patience=replace(PATIENCE, block=0.2))) as connection,
        pytest.raises(StopRunError, match=r"552 5\.3\.4 that is too large"),
    ):
        connection.send(SENDER, ADA, LARGE)


def test_a_relay_that_hangs_up_in_the_middle_of_a_mail_has_not_taken_it() -> None:
    def half(wire: Wire) -> int:
        wire.say(b"354 go on\r\n")
        wire.line()
        return reset(wire)

    with (
        Scripted({"DATA": half}, ehlo=()) as server,
        pytest.raises(TransientError, match=f"{server.host}:{server.port}"),
        connected(server) as to,
    ):
        to.send(SENDER, ADA, LARGE)


@pytest.mark.parametrize(
    ("ehlo", "data"),
    [
        (ONE_BY_ONE, []),
        (PIPELINED, []),
        (PIPELINED, [reply(354, "go on")]),
        (PIPELINED, [reply(554, "5.5.1 no")]),
    ],
)
def test_nothing_is_delivered_when_the_recipient_is_refused(ehlo: tuple[str, ...], data: list[Act]) -> None:
    script = {"RCPT": [reply(550, "5.1.1 no such user")], "DATA": data}
    with Scripted(script, ehlo=ehlo) as server, connected(server) as connection:
        with pytest.raises(PermanentError):
            connection.send(SENDER, ADA, MAIL)
        connection.send(SENDER, BOB, MAIL)
    assert [mail.recipients for mail in server.mails] == [(BOB,)]


# ---------------------------------------------------------------------------------------------- connections


@both_ways
@pytest.mark.parametrize("phase", ["RCPT", "DATA"])
def test_a_refused_mail_is_cleared_before_the_next(ehlo: tuple[str, ...], phase: str) -> None:
    with Scripted({phase: [reply(451, "4.3.0 later")]}, ehlo=ehlo) as server, connected(server) as connection:
        with pytest.raises(TransientError):
            connection.send(SENDER, ADA, MAIL)
        connection.send(SENDER, BOB, MAIL)
    assert [mail.recipients for mail in server.mails] == [(BOB,)]
    assert len(server.wires) == 1
    assert "RSET" in server.verbs


@both_ways
@pytest.mark.parametrize("phase", ["RCPT", "DATA", "dot"])
def test_a_421_ends_the_connection(ehlo: tuple[str, ...], phase: str) -> None:
    clock = Clock()
    with (
        Scripted({phase: [reply(421, "4.3.2 closing")]}, ehlo=ehlo) as server,
        connected(server, outside=Outside(clock=clock)) as connection,
    ):
        with pytest.raises(TransientError):
            connection.send(SENDER, ADA, MAIL)
        clock.later(FIRST_PAUSE)
        connection.send(SENDER, BOB, MAIL)
    assert len(server.wires) == 2
    assert [mail.recipients for mail in server.mails] == [(BOB,)]


def test_a_server_that_does_not_know_rset_is_called_anew() -> None:
    script: dict[str, Act | list[Act]] = {"RCPT": [reply(450, "later")], "RSET": reply(502, "what?")}
    with Scripted(script) as server, connected(server) as connection:
        with pytest.raises(TransientError):
            connection.send(SENDER, ADA, MAIL)
        connection.send(SENDER, BOB, MAIL)
    assert len(server.wires) == 2


@both_ways
def test_after_a_fault_of_ours_the_connection_is_not_used_again(
    ehlo: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    with Scripted(ehlo=ehlo) as server, connected(server) as connection:
        with monkeypatch.context() as patched:
            patched.setattr(_transaction, "stuffed", lambda *_: 1 / 0)
            with pytest.raises(ZeroDivisionError):
                connection.send(SENDER, ADA, MAIL)
        connection.send(SENDER, BOB, MAIL)
    assert [mail.recipients for mail in server.mails] == [(BOB,)]
    assert len(server.wires) == 2


@both_ways
def test_a_connection_that_went_stale_is_opened_anew_once(ehlo: tuple[str, ...]) -> None:
    with (
        Scripted({"MAIL": [reply(250), close, reply(250)]}, ehlo=ehlo) as server,
        connected(server) as connection,
    ):
        connection.send(SENDER, ADA, MAIL)
        connection.send(SENDER, BOB, MAIL)
    assert [mail.recipients for mail in server.mails] == [(ADA,), (BOB,)]
    assert len(server.wires) == 2


def test_a_connection_hung_up_while_idle_is_opened_anew() -> None:
    with Scripted() as server, connected(server) as connection:
        connection.send(SENDER, ADA, MAIL)
        server.hang_up()
        connection.send(SENDER, BOB, MAIL)
    assert len(server.mails) == 2


def test_a_connection_on_which_all_were_refused_goes_stale_as_well() -> None:
    with (
        Scripted({"RCPT": [reply(550, "5.1.1 no")], "MAIL": [reply(250), close]}) as server,
        connected(server) as connection,
    ):
        with pytest.raises(PermanentError):
            connection.send(SENDER, ADA, MAIL)
        connection.send(SENDER, BOB, MAIL)
    assert len(server.mails) == 1


def test_a_connection_that_timed_out_with_a_421_is_opened_anew() -> None:
    idle = then_close(reply(421, "4.4.2 timeout exceeded"))
    with Scripted({"MAIL": [reply(250), idle]}) as server, connected(server) as connection:
        connection.send(SENDER, ADA, MAIL)
        connection.send(SENDER, BOB, MAIL)
    assert len(server.mails) == 2


def test_a_fresh_connection_that_breaks_is_not_tried_again() -> None:
    with Scripted({"MAIL": [reply(250), close, close]}) as server, connected(server) as connection:
        connection.send(SENDER, ADA, MAIL)
        with pytest.raises(TransientError):
            connection.send(SENDER, BOB, MAIL)
    assert len(server.wires) == 2


def test_a_connection_carries_so_many_mails_and_no_more() -> None:
    with Scripted() as server, connected(server, messages_per_connection=2) as connection:
        for _ in range(5):
            connection.send(SENDER, ADA, MAIL)
    assert len(server.mails) == 5
    assert len(server.wires) == 3
    assert server.verbs.count("QUIT") == 3


def test_refused_mails_count_as_well() -> None:
    with (
        Scripted({"RCPT": reply(450, "later")}) as server,
        connected(server, messages_per_connection=1) as connection,
    ):
        for _ in range(2):
            with pytest.raises(TransientError):
                connection.send(SENDER, ADA, MAIL)
    assert len(server.wires) == 2


def test_nobody_listening_is_no_readers_fault() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with pytest.raises(TransientError, match=f"127.0.0.1:{port}: .*transport.host and port") as caught:
        send(Inbox(port=port))
    assert not caught.value.charged


@pytest.mark.parametrize("host", ["relay..example.org", f"{'x' * 64}.example.org"])
def test_a_host_that_is_no_name_is_said_so(host: str) -> None:
    with pytest.raises(StopRunError, match="host"):
        send(Inbox(host=host, port=25))


def test_closing_a_connection_that_was_never_opened_is_nothing() -> None:
    with connected(Inbox(port=1)) as connection:
        connection.close()
        connection.close()


# ---------------------------------------------------------------------------------------- limits and policy


def test_a_mail_too_large_for_the_relay_is_not_offered() -> None:
    with Scripted(ehlo=("SIZE 10",)) as server:
        error = error_of(server)
    assert type(error) is StopRunError
    assert "takes 10 bytes" in str(error)
    assert "MAIL" not in server.verbs


@pytest.mark.parametrize("limit", ["SIZE", "SIZE 0", "SIZE what"])
def test_a_relay_without_a_limit_takes_any_size(limit: str) -> None:
    with Scripted(ehlo=(limit,)) as server:
        send(server)
    assert len(server.mails) == 1


def test_three_policy_answers_in_a_row_stop_the_run() -> None:
    with Scripted({"RCPT": reply(550, "5.7.1 blocked")}) as server, connected(server) as connection:
        for expected in (PolicyError, PolicyError, StopRunError):
            with pytest.raises(BroadsheetError) as caught:
                connection.send(SENDER, ADA, MAIL)
            assert type(caught.value) is expected
    assert "3 such answers in a row" in str(caught.value)


def test_strikes_count_over_all_connections_and_a_mail_taken_clears_them() -> None:
    blocked = reply(550, "5.7.1 blocked")
    with Scripted({"RCPT": [blocked, blocked, reply(250), blocked, blocked, blocked]}) as server:
        options = smtp.Options(kind="smtp", host=server.host, port=server.port, security="none")
        transport = smtp.build(options, root=Path(), password=None)
        connections = [Waited(transport.connect()) for _ in range(2)]
        found: list[type[Exception] | None] = []
        for n in range(6):
            try:
                connections[n % 2].send(SENDER, ADA, MAIL)
                found.append(None)
            except BroadsheetError as error:
                found.append(type(error))
        for connection in connections:
            connection.close()
    assert found == [PolicyError, PolicyError, None, PolicyError, PolicyError, StopRunError]


def test_a_strike_counts_after_a_stale_connection_too() -> None:
    script: dict[str, list[Act]] = {
        "MAIL": [reply(250), close],
        "RCPT": [reply(250), *[reply(550, "5.7.1 blocked")] * 3],
    }
    with Scripted(script, ehlo=()) as server, connected(server) as connection:
        connection.send(SENDER, ADA, MAIL)
        for expected in (PolicyError, PolicyError, StopRunError):
            with pytest.raises(BroadsheetError) as caught:
                connection.send(SENDER, ADA, MAIL)
            assert type(caught.value) is expected


@pytest.mark.parametrize(
    "address",
    [
        "a@b\r\nRCPT TO:<x@y.z>",
        "a@b>\n",
        "a b@c",
        "<a@b>",
        "a@b\x00",
        "zoë@exämple.org",
        "zoë\u2028@example.org",
        "zoë\u00a0x@example.org",
        "\u202ezoë@example.org",
        "\ud800@example.org",
        "nobody",
        "@",
        "",
    ],
)
@pytest.mark.parametrize("side", ["sender", "recipient"])
def test_an_address_that_could_say_more_is_refused_before_anything_is_said(address: str, side: str) -> None:
    envelope = {"sender": SENDER, "recipient": ADA, side: address}
    with Scripted() as server, connected(server) as connection:
        with pytest.raises(PermanentError, match="cannot stand in an envelope"):
            connection.send(message=MAIL, **envelope)
        assert server.wires == []


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("550 <ada@example.org>: unknown", "550 <…>: unknown"),
        ("ada@example.org\r\nbob@example.org", "<…> <…>"),
        ("bell\x07 and\ttab", "bell and tab"),
        ("x" * 500, "x" * 300),
    ],
)
def test_a_relays_words_are_kept_bounded_and_without_addresses(said: str, kept: str) -> None:
    assert cleaned(said) == kept


# ---------------------------------------------------------------------------------------- what is offered

ZOE = "zoë@xn--exmple-cua.org"
WIDE = "To: zoë@xn--exmple-cua.org\r\n\r\nHello\r\n".encode()
EIGHT = "Subject: x\r\n\r\nHellö\r\n".encode()
ALL = ("size", "8bitmime", "smtputf8", "pipelining")
NEEDS_UTF8, NEEDS_8BIT = "SMTPUTF8", "8BITMIME"


@pytest.mark.parametrize(
    ("recipient", "mail", "offered", "said"),
    [
        # an ordinary mail asks for nothing, whatever is offered
        (ADA, MAIL, (), ""),
        (ADA, MAIL, ALL, f" SIZE={len(MAIL)}"),
        (ADA, MAIL, ("smtputf8", "8bitmime"), ""),
        # a reader or a header in UTF-8
        (ZOE, MAIL, ALL, f" SIZE={len(MAIL)} BODY=8BITMIME SMTPUTF8"),
        (ZOE, WIDE, ALL, f" SIZE={len(WIDE)} BODY=8BITMIME SMTPUTF8"),
        (ADA, WIDE, ALL, f" SIZE={len(WIDE)} BODY=8BITMIME SMTPUTF8"),
        (ZOE, WIDE, ("smtputf8", "8bitmime"), " BODY=8BITMIME SMTPUTF8"),
        (ZOE, MAIL, ("smtputf8",), " SMTPUTF8"),
        (ZOE, MAIL, (), NEEDS_UTF8),
        (ZOE, MAIL, ("size", "8bitmime"), NEEDS_UTF8),
        (ADA, WIDE, ("size", "8bitmime"), NEEDS_UTF8),
        (ADA, WIDE, ("smtputf8",), NEEDS_8BIT),
        # a text in UTF-8
        (ADA, EIGHT, ALL, f" SIZE={len(EIGHT)} BODY=8BITMIME"),
        (ADA, EIGHT, ("8bitmime",), " BODY=8BITMIME"),
        (ADA, EIGHT, ("size", "smtputf8"), NEEDS_8BIT),
    ],
)
def test_a_mail_asks_for_what_it_needs_where_it_is_offered(
    recipient: str, mail: bytes, offered: tuple[str, ...], said: str
) -> None:
    if said in {NEEDS_UTF8, NEEDS_8BIT}:
        with pytest.raises(PermanentError, match=f"needs {said}, which relay:25 does not offer"):
            parameters(recipient, [mail], offered, "relay:25")
    else:
        assert parameters(recipient, [mail], offered, "relay:25") == said


@given(st.sets(st.sampled_from(ALL)), st.sampled_from([ADA, ZOE]), st.sampled_from([MAIL, WIDE, EIGHT]))
def test_nothing_is_asked_for_that_is_not_offered(offered: set[str], recipient: str, mail: bytes) -> None:
    try:
        said = parameters(recipient, [mail], offered, "relay:25")
    except PermanentError:
        said = ""
    words = [word.partition("=")[2 if word.startswith("BODY") else 0].lower() for word in said.split()]
    assert set(words) <= offered


@both_ways
def test_a_reader_beyond_ascii_is_written_to_where_that_is_offered(ehlo: tuple[str, ...]) -> None:
    with (
        Scripted(ehlo=(*ehlo, "8BITMIME", "SMTPUTF8")) as server,
        connected(server) as connection,
    ):
        connection.send(SENDER, ZOE, WIDE)
        connection.send(SENDER, ADA, MAIL)
    assert f"MAIL FROM:<{SENDER}> SIZE={len(WIDE)} BODY=8BITMIME SMTPUTF8" in server.commands
    assert f"MAIL FROM:<{SENDER}> SIZE={len(MAIL)}" in server.commands
    assert server.mails == [Mail(SENDER, (ZOE,), WIDE), Mail(SENDER, (ADA,), MAIL)]


@both_ways
@pytest.mark.parametrize(("recipient", "mail"), [(ZOE, WIDE), (ADA, WIDE), (ADA, EIGHT)])
def test_elsewhere_that_reader_alone_fails_and_nothing_is_said(
    ehlo: tuple[str, ...], recipient: str, mail: bytes
) -> None:
    with Scripted(ehlo=ehlo) as server, connected(server) as connection:
        with pytest.raises(PermanentError, match=f"which {server.host}:{server.port} does not offer"):
            connection.send(SENDER, recipient, mail)
        assert server.verbs == ["EHLO"]
        connection.send(SENDER, BOB, MAIL)
    assert [one.recipients for one in server.mails] == [(BOB,)]


def test_a_real_server_takes_a_reader_beyond_ascii() -> None:
    with inbox(enable_SMTPUTF8=True) as server, connected(server) as connection:
        connection.send(SENDER, ZOE, WIDE)
    assert server.mails == [Mail(SENDER, (ZOE,), WIDE)]


def test_a_relay_that_takes_back_its_offer_fails_that_reader_alone() -> None:
    no = [reply(550, "5.6.7 not through here"), reply(250)]
    with (
        Scripted({"MAIL": no}, ehlo=(*PIPELINED, "8BITMIME", "SMTPUTF8")) as server,
        connected(server) as connection,
    ):
        with pytest.raises(PermanentError):
            connection.send(SENDER, ZOE, WIDE)
        connection.send(SENDER, BOB, MAIL)
    assert len(server.wires) == 1


def test_what_is_offered_within_tls_is_what_counts(pem: Path) -> None:
    with (
        Scripted(ehlo=("STARTTLS", "SMTPUTF8", "8BITMIME"), ehlo_in_tls=(), certificate=pem) as server,
        connected(server, security="starttls", root=pem.parent, ca_file=pem.name) as connection,
        pytest.raises(PermanentError, match="SMTPUTF8"),
    ):
        connection.send(SENDER, ZOE, WIDE)


# --------------------------------------------------------------------------------------------------- log in


@pytest.mark.parametrize("mechanisms", ["PLAIN", "LOGIN", "LOGIN PLAIN", "CRAM-MD5 LOGIN"])
def test_the_log_in_is_utf_8(mechanisms: str) -> None:
    script = {
        "AUTH": [reply(334, "VXNlcm5hbWU6")] if "PLAIN" not in mechanisms else [],
        "W7XZZXI=": [reply(334, "UGFzc3dvcmQ6")],
        b64encode(PASSWORD.encode()).decode().upper(): [reply(235, "2.7.0 welcome")],
    }
    with Scripted(script, ehlo=(f"AUTH {mechanisms}", "PIPELINING")) as server:
        send(server, user="üser", password=PASSWORD)
    said = [command.split(" ")[-1] for command in server.commands[1:-4] if command != "AUTH LOGIN"]
    assert b"".join(map(b64decode, said)).replace(b"\0", b"").decode() == f"üser{PASSWORD}"
    assert len(server.mails) == 1


def test_a_real_server_takes_the_log_in() -> None:
    seen: list[Any] = []

    def take(server: object, session: object, envelope: object, mechanism: str, data: Any) -> AuthResult:
        seen.append((mechanism, data.login.decode(), data.password.decode()))
        return AuthResult(success=True)

    with inbox(authenticator=take, auth_require_tls=False) as server:
        send(server, user="üser", password=PASSWORD)
    assert seen == [("PLAIN", "üser", PASSWORD)]
    assert len(server.mails) == 1


@pytest.mark.parametrize("mechanisms", ["PLAIN", "LOGIN"])
def test_a_wrong_password_stops_the_run_and_stays_secret(mechanisms: str) -> None:
    with Scripted({"AUTH": reply(535, "5.7.8 no")}, ehlo=(f"AUTH {mechanisms}",)) as server:
        error = error_of(server, user="user", password=PASSWORD)
    assert type(error) is StopRunError
    assert "535 5.7.8 no" in str(error)
    assert PASSWORD not in repr(error.__dict__) + str(error)
    assert len(server.commands) == 2  # no more than AUTH: the password is not said to who did not ask


def test_a_relay_that_offers_no_way_to_log_in_that_we_know_stops_the_run() -> None:
    with Scripted(ehlo=("AUTH CRAM-MD5 XOAUTH2",)) as server:
        error = error_of(server, user="user", password=PASSWORD)
    assert type(error) is StopRunError
    assert "PLAIN or LOGIN" in str(error)


def test_a_log_in_that_must_wait_charges_nobody() -> None:
    with Scripted({"AUTH": reply(454, "4.7.0 later")}, ehlo=("AUTH PLAIN",)) as server:
        error = error_of(server, user="user", password=PASSWORD)
    assert (type(error), getattr(error, "charged", None)) == AWAY


def test_a_user_without_a_password_is_an_input_error() -> None:
    options = smtp.Options(kind="smtp", host="localhost", user="user")
    with pytest.raises(InputError, match="BROADSHEET_SMTP_PASSWORD"):
        smtp.build(options, root=Path(), password=None)


# ------------------------------------------------------------------------------------------------------ TLS


@pytest.fixture(scope="module")
def pem(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not has_openssl():
        pytest.skip("no openssl on this machine to make a certificate with")
    return certificate(tmp_path_factory.mktemp("certificate"))


def test_starttls_that_is_not_offered_is_not_done_without() -> None:
    with Scripted() as server:
        error = error_of(server, security="starttls")
    assert type(error) is StopRunError
    assert "offers no STARTTLS" in str(error)
    assert server.verbs == ["EHLO"]


def test_starttls_that_is_refused_is_not_done_without() -> None:
    with Scripted({"STARTTLS": reply(501, "no")}, ehlo=("STARTTLS",)) as server:
        assert type(error_of(server, security="starttls")) is StopRunError
    assert server.verbs == ["EHLO", "STARTTLS"]


def test_a_mail_goes_through_starttls(pem: Path) -> None:
    with Scripted(ehlo=("STARTTLS",), ehlo_in_tls=("PIPELINING",), certificate=pem) as server:
        send(server, security="starttls", root=pem.parent, ca_file=pem.name)
    assert server.verbs == ["EHLO", "STARTTLS", "EHLO", "MAIL", "RCPT", "DATA", "QUIT"]
    assert len(server.mails) == 1


def test_what_is_said_in_clear_after_starttls_is_forgotten(pem: Path) -> None:
    injected = reply(220, "go on\r\n250-evil\r\n250 AUTH PLAIN")
    script = {"STARTTLS": injected}
    with (
        Scripted(script, ehlo=("STARTTLS",), ehlo_in_tls=("AUTH LOGIN",), certificate=pem) as server,
        pytest.raises(BroadsheetError),
    ):
        send(
            server,
            security="starttls",
            root=pem.parent,
            ca_file=pem.name,
            user="user",
            password=PASSWORD,
        )
    assert not any(command.startswith("AUTH PLAIN") for command in server.commands)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_mail_goes_through_tls_from_the_first_byte(pem: Path, host: str) -> None:
    with Scripted(certificate=pem, tls=True) as server:
        send(server, security="tls", root=pem.parent, ca_file=pem.name, host=host)
    assert len(server.mails) == 1


@pytest.mark.parametrize("security", ["starttls", "tls"])
def test_a_certificate_nobody_vouches_for_stops_the_run(pem: Path, security: str) -> None:
    with Scripted(ehlo=("STARTTLS",), certificate=pem, tls=security == "tls") as server:
        error = error_of(server, security=security)
    assert type(error) is StopRunError
    assert "certificate is not trusted" in str(error)
    assert "ca_file" in str(error)
    assert "MAIL" not in server.verbs


@pytest.mark.parametrize("content", [None, "no certificate"])
def test_a_ca_file_that_is_none_is_an_input_error(tmp_path: Path, content: str | None) -> None:
    if content:
        (tmp_path / "ca.pem").write_text(content)
    with Scripted(ehlo=("STARTTLS",)) as server, pytest.raises(InputError, match="ca_file"):
        send(server, security="starttls", root=tmp_path, ca_file="ca.pem")


def test_a_relay_in_clear_behind_a_tls_port_is_no_readers_fault() -> None:
    with Scripted() as server:
        error = error_of(server, security="tls")
    assert (type(error), getattr(error, "charged", None)) == AWAY
