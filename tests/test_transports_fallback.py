"""Several relays in order, over real sockets: when the next one is used, and when never."""

import re
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from pydantic import SecretStr

from bot.errors import BroadsheetError, InDoubtError, InputError, PermanentError, StopRunError, TransientError
from bot.steps import Loop, Steps
from bot.transports import Transport, smtp
from bot.transports._patience import hurried
from bot.transports._relays import BREAKS, FIRST_PAUSE, LONGEST_PAUSE
from bot.transports._replies import PolicyError
from bot.transports.smtp import Outside, Probe, probe
from tests.servers.smtp import Act, Script, Scripted, close, garbage, hang, reply, reset
from tests.test_transports_smtp import ADA, BOB, MAIL, SENDER, Clock
from tests.waited import Waited

OFFERED = ("PIPELINING", "SIZE 10000000", "AUTH PLAIN", "STARTTLS")


def table(server: Scripted, **options: Any) -> dict[str, Any]:
    return {"host": server.host, "port": server.port, "security": "none", **options}


def options(first: dict[str, Any], *others: dict[str, Any]) -> smtp.Options:
    return smtp.Options.model_validate({"kind": "smtp", **first, "fallback": others})


def over(
    first: dict[str, Any], *others: dict[str, Any], clock: Clock | None = None, seconds: float = 30
) -> Transport:
    outside = Outside(clock=clock or Clock(), jitter=lambda: 0, patience=hurried(seconds))
    return smtp.build(options(first, *others), root=Path(), password=SecretStr("secret"), outside=outside)


@contextmanager
def relays(*scripts: Script) -> Iterator[list[Scripted]]:
    with ExitStack() as stack:
        yield [stack.enter_context(Scripted(script, ehlo=OFFERED)) for script in scripts]


def sent(transport: Transport, *readers: str) -> list[str | type[Exception]]:
    """The receipts, or the errors, of mails to each reader over one connection."""
    connection = Waited(transport.connect())
    found: list[str | type[Exception]] = []
    for reader in readers:
        try:
            found.append(connection.send(SENDER, reader, MAIL).reference)
        except BroadsheetError as error:
            found.append(type(error))
    connection.close()
    return found


NEXT: list[tuple[dict[str, Act], dict[str, Any]]] = [
    ({"connect": reply(421, "4.3.2 too busy")}, {}),
    ({"connect": reply(450, "later")}, {}),
    ({"connect": close}, {}),
    ({"connect": reset}, {}),
    ({"EHLO": reply(421, "4.3.2 too busy")}, {}),
    ({"EHLO": close}, {}),
    ({"STARTTLS": reply(454, "4.7.0 no TLS just now")}, {"security": "starttls"}),
    ({"AUTH": reply(454, "4.7.0 try later")}, {"user": "user"}),
    ({"AUTH": close}, {"user": "user"}),
    ({"MAIL": reply(421, "4.3.2 closing")}, {}),
    ({"MAIL": reply(452, "4.3.1 no room")}, {}),
    ({"RCPT": reply(421, "4.3.2 closing")}, {}),
    ({"DATA": reply(421, "4.3.2 closing")}, {}),
]  # fmt: skip


@pytest.mark.parametrize(("script", "keys"), NEXT)
def test_a_relay_that_is_away_is_passed_over(script: dict[str, Act], keys: dict[str, Any]) -> None:
    with relays(script, {}) as (first, second):
        found = sent(over(table(first, **keys), table(second)), ADA)
    assert found == [f"250 2.0.0 Ok: queued as Q1 ({second.host}:{second.port})"]
    assert (first.mails, len(second.mails)) == ([], 1)


def test_nobody_listening_is_away_too() -> None:
    with relays({}) as (second,):
        nobody = {"host": "127.0.0.1", "port": free_port(), "security": "none"}
        sent(over(nobody, table(second)), ADA, BOB)
    assert [mail.recipients for mail in second.mails] == [(ADA,), (BOB,)]


def free_port() -> int:
    with Scripted() as server:
        return server.port


def test_silence_at_the_door_is_away_too() -> None:
    with relays({"connect": hang}, {}) as (first, second):
        sent(over(table(first), table(second), seconds=0.2), ADA)
        first.release()
    assert len(second.mails) == 1


NEVER: list[tuple[dict[str, Act], dict[str, Any], type[Exception]]] = [
    # who refuses us altogether
    ({"connect": reply(554, "5.7.1 not you")}, {}, StopRunError),
    ({"EHLO": reply(550, "5.7.1 not you"), "HELO": reply(550, "5.7.1 not you")}, {}, StopRunError),
    ({"STARTTLS": reply(501, "what?")}, {"security": "starttls"}, StopRunError),
    ({"AUTH": reply(535, "5.7.8 wrong")}, {"user": "user"}, StopRunError),
    ({"MAIL": reply(550, "5.7.1 not you")}, {}, StopRunError),
    ({"RCPT": reply(554, "5.7.1 relay access denied")}, {}, StopRunError),
    ({"connect": garbage}, {}, StopRunError),
    # who refuses a reader, or the mail
    ({"RCPT": reply(550, "5.1.1 no such user")}, {}, PermanentError),
    ({"RCPT": reply(550, "5.7.1 blocked")}, {}, PolicyError),
    ({"RCPT": reply(450, "4.2.0 greylisted")}, {}, TransientError),
    ({"DATA": reply(554, "5.7.1 no")}, {}, PolicyError),
    ({"dot": reply(550, "5.7.1 spam")}, {}, PolicyError),
    ({"dot": reply(451, "4.3.0 later")}, {}, TransientError),
    ({"dot": reply(421, "4.3.2 closing")}, {}, TransientError),
    # who says nothing
    ({"MAIL": close}, {}, TransientError),
    ({"RCPT": reset}, {}, TransientError),
    ({"DATA": close}, {}, TransientError),
    ({"dot": close}, {}, InDoubtError),
    ({"dot": reset}, {}, InDoubtError),
    ({"dot": garbage}, {}, InDoubtError),
    ({"dot": hang}, {}, InDoubtError),
]  # fmt: skip


@pytest.mark.parametrize(("script", "keys", "error"), NEVER)
def test_no_second_relay_is_asked_for_a_mail_that_may_have_gone_or_was_refused(
    script: dict[str, Act], keys: dict[str, Any], error: type[Exception]
) -> None:
    with relays(script, {}) as (first, second):
        seconds = 0.2 if hang in script.values() else 30
        assert sent(over(table(first, **keys), table(second), seconds=seconds), ADA) == [error]
        first.release()
    assert second.wires == []


def test_the_next_relay_takes_the_following_mails_until_the_first_is_tried_again() -> None:
    clock = Clock()
    with relays({"connect": [reply(421, "4.3.2 busy")]}, {}) as (first, second):
        transport = over(table(first), table(second), clock=clock)
        sent(transport, ADA, BOB)
        assert (len(first.wires), len(second.mails)) == (1, 2)
        sent(transport, ADA)
        assert len(first.wires) == 1
        clock.later(FIRST_PAUSE)
        sent(transport, BOB)
    assert [mail.recipients for mail in first.mails] == [(BOB,)]
    assert [mail.recipients for mail in second.mails] == [(ADA,), (BOB,), (ADA,)]


def test_a_relay_is_left_alone_longer_each_time_until_it_takes_a_mail() -> None:
    clock = Clock()
    busy = reply(421, "4.3.2 busy")
    with relays({"connect": [busy, busy, reply(220), busy]}, {}) as (first, second):
        transport = over(table(first), table(second), clock=clock)
        asked = []
        for _ in range(12):
            sent(transport, ADA)
            asked.append(len(first.wires))
            clock.later(FIRST_PAUSE)
    # asked at once, after one pause, after two more; it takes that mail, and the next wait is short again
    assert asked == [1, 2, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]
    assert len(second.mails) == 4


def test_an_open_connection_is_used_as_long_as_it_works() -> None:
    with relays({"connect": [reply(220), reply(421, "4.3.2 full")]}, {}) as (first, second):
        transport = over(table(first), table(second))
        one, other = Waited(transport.connect()), Waited(transport.connect())
        one.send(SENDER, ADA, MAIL)
        other.send(SENDER, BOB, MAIL)
        one.send(SENDER, ADA, MAIL)
        one.close()
        other.close()
    assert (len(first.mails), len(second.mails)) == (2, 1)


def test_a_mail_in_doubt_stays_with_the_relay_and_several_in_a_row_move_the_others() -> None:
    doubts = [InDoubtError] * BREAKS
    with relays({"dot": close}, {}) as (first, second):
        found = sent(over(table(first), table(second)), *[ADA] * BREAKS, BOB)
    assert found[:BREAKS] == doubts
    assert [mail.recipients for mail in second.mails] == [(BOB,)]


def test_all_away_charges_nobody_names_all_and_asks_nobody_for_a_while() -> None:
    clock = Clock()
    busy = reply(421, "4.3.2 busy")
    with relays({"connect": busy}, {"connect": busy}) as servers:
        transport = over(*map(table, servers), clock=clock)
        connection = Waited(transport.connect())
        for _ in range(3):
            with pytest.raises(TransientError) as caught:
                connection.send(SENDER, ADA, MAIL)
            assert not caught.value.charged
            assert caught.value.retry_after is not None
            assert caught.value.retry_after.total_seconds() == FIRST_PAUSE
            assert all(f"{server.host}:{server.port}" in str(caught.value) for server in servers)
        assert [len(server.wires) for server in servers] == [1, 1]


def test_a_relay_that_was_away_for_long_is_tried_within_minutes() -> None:
    clock = Clock()
    with relays({"connect": [reply(421, "4.3.2 busy")] * 20}) as (only,):
        transport = over(table(only), clock=clock)
        for _ in range(20):
            sent(transport, ADA)
            clock.later(LONGEST_PAUSE)
        assert sent(transport, BOB) == [f"250 2.0.0 Ok: queued as Q1 ({only.host}:{only.port})"]


def test_each_relay_has_strikes_of_its_own() -> None:
    blocked = reply(550, "5.7.1 blocked")
    first_script: Script = {"RCPT": [blocked, blocked], "MAIL": [reply(250), reply(250), reply(452, "full")]}
    with relays(first_script, {"RCPT": blocked}) as (first, second):
        found = sent(over(table(first), table(second)), *[ADA] * 5)
    assert found == [PolicyError, PolicyError, PolicyError, PolicyError, StopRunError]
    assert len(second.wires) == 1


def many(transport: Transport, count: int) -> list[BaseException | None]:
    """What becomes of one mail on each of so many connections at once; the first stop ends the run."""
    found: list[BaseException | None] = []

    def one() -> Steps[None]:
        connection = transport.connect()
        try:
            if (yield from connection.ready()):
                yield from connection.send(SENDER, ADA, [MAIL])
                found.append(None)
        except StopRunError as error:
            found.append(error)
        finally:
            yield from connection.close()

    with Loop(ended=lambda: any(found)) as loop:
        loop.run([one() for _ in range(count)])
    return found


def test_a_wrong_password_is_said_once_however_many_connections_there_are() -> None:
    with relays({"AUTH": reply(535, "5.7.8 wrong")}, {}) as (first, second):
        found = many(over(table(first, user="user"), table(second)), 8)
    assert {type(error) for error in found} == {StopRunError}
    assert first.verbs.count("AUTH") == 1
    assert second.wires == []


def test_every_connection_has_its_place_and_no_relay_more_than_it_allows() -> None:
    with relays({"connect": reply(421, "4.3.2 busy")}, {}) as (first, second):
        transport = over(table(first, connections=6), table(second, connections=2))
        assert many(transport, 6) == [None] * 6
    assert transport.connections == 6
    assert len(second.mails) == 6
    assert second.most_at_once <= 2


def test_who_waits_for_a_place_stops_when_the_run_ends() -> None:
    with relays({}) as (only,):
        transport = over(table(only, connections=1))
        holder, waiter = Waited(transport.connect()), Waited(transport.connect())
        holder.send(SENDER, ADA, MAIL)
        assert waiter.ready(lambda _: False) is False
        holder.close()
        waiter.send(SENDER, BOB, MAIL)
        waiter.close()
    assert len(only.mails) == 2


CODES = st.sampled_from([200, 220, 250, 251, 354, 421, 450, 452, 500, 503, 535, 550, 552, 554, 999])
WORDS = st.sampled_from(["", "fine", "4.2.1 later", "5.1.1 no such user", "5.7.1 blocked", "relay denied"])
ACTS = st.one_of(st.builds(reply, CODES, WORDS), st.sampled_from([close, reset, garbage]))
SCRIPTS = st.dictionaries(
    st.sampled_from(["connect", "EHLO", "MAIL", "RCPT", "DATA", "RSET", "dot"]), ACTS, max_size=2
)


@given(SCRIPTS, SCRIPTS, st.sampled_from([OFFERED, ()]))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_whatever_relays_answer_a_mail_is_taken_once_and_then_there_is_a_receipt(
    first: Script, second: Script, ehlo: tuple[str, ...]
) -> None:
    with Scripted(first, ehlo=ehlo) as one, Scripted(second, ehlo=ehlo) as other:
        (found,) = sent(over(table(one), table(other)), ADA)
    taken = len(one.mails) + len(other.mails)
    assert taken == (1 if isinstance(found, str) else 0)
    if found is InDoubtError:
        assert one.mails == other.mails == []
        assert sum(MAIL in wire.received for server in (one, other) for wire in server.wires) == 1


# ---------------------------------------------------------------------------------------------- passwords


@pytest.mark.parametrize("text", ["hush", "hush\n"])
def test_each_relay_in_reserve_has_a_password_of_its_own(tmp_path: Path, text: str) -> None:
    (tmp_path / "secret").write_text(text)
    with relays({"connect": reply(421, "busy")}, {}) as (first, second):
        chosen = options(table(first, user="one"), table(second, user="two", password_file=Path("secret")))
        transport = smtp.build(chosen, root=tmp_path, password=SecretStr("never said"))
        assert len(sent(transport, ADA)) == 1
    assert second.commands[1] == "AUTH PLAIN AHR3bwBodXNo"
    assert "AUTH" not in first.verbs


def test_a_password_that_cannot_be_read_names_its_key(tmp_path: Path) -> None:
    chosen = options({"host": "a"}, {"host": "b", "user": "two", "password_file": "nowhere"})
    with pytest.raises(InputError, match=r"transport\.fallback\.0\.password_file: nowhere: No such file"):
        smtp.build(chosen, root=tmp_path, password=None)


def test_what_a_transport_is_called_names_every_relay() -> None:
    transport = smtp.build(options({"host": "a"}, {"host": "b", "port": 25}), root=Path(), password=None)
    assert transport.by == "smtp a:587, else b:25"


def test_the_relays_that_the_how_to_shows_can_be_configured(tmp_path: Path) -> None:
    page = (Path(__file__).parents[1] / "docs/how-to/send-through-smtp.md").read_text("utf-8")
    shown = [tomllib.loads(block) for block in re.findall(r"```toml\n(.*?)```", page, re.DOTALL)]
    (shown_with_fallback,) = (one["transport"] for one in shown if "fallback" in one.get("transport", {}))
    (tmp_path / "secrets").mkdir()
    (tmp_path / "secrets/reserve").write_text("hush")
    chosen = smtp.Options.model_validate(shown_with_fallback)
    transport = smtp.build(chosen, root=tmp_path, password=SecretStr("secret"))
    assert transport.by == "smtp smtp.example.org:587, else smtp.example.net:587, else localhost:25"


# ------------------------------------------------------------------------------------------------- asking


def asked(*tables: dict[str, Any]) -> Sequence[Probe]:
    return probe(options(*tables), root=Path(), password=SecretStr("x"), name="example.org", patience=0.3)


def test_each_relay_says_what_it_offers() -> None:
    with relays({}, {"connect": reply(554, "5.7.1 not you")}, {"EHLO": hang}) as servers:
        well, refusing, silent = asked(*map(table, servers))
        servers[2].release()
    assert well == Probe(
        f"127.0.0.1:{servers[0].port}", ("AUTH PLAIN", "PIPELINING", "SIZE 10000000", "STARTTLS")
    )
    assert isinstance(refusing.error, StopRunError)
    assert isinstance(silent.error, TransientError)
    assert servers[0].verbs == ["EHLO", "QUIT"]
    assert servers[0].commands[0].lower() == "ehlo example.org"


def test_asking_logs_in_as_sending_does() -> None:
    with relays({}, {"AUTH": reply(535, "5.7.8 wrong")}) as (one, other):
        (good,) = asked(table(one, user="user"))
        (bad,) = asked(table(other, user="user"))
    assert good.error is None
    assert one.verbs == ["EHLO", "AUTH", "QUIT"]
    assert "535" in str(bad.error)
