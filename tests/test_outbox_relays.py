"""A whole run over relays that fail: everybody gets the issue once, or it is known who did not."""

import threading
import time
from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr
from sqlalchemy import select

from bot.models import Balance, Delivery, Receipt
from bot.outbox import Halt, work
from bot.steps import Steps
from bot.store import Store, balances, tables
from bot.transports import Connection, Transport, smtp
from tests.recording import PAYLOAD, Recorder, crowd, published, terms
from tests.servers.smtp import Act, Scripted, Wire, close, reply
from tests.test_transports_smtp import MAIL, SENDER

READERS = 30
KEYS = {"security": "none", "connections": 4, "messages_per_connection": 5}


@dataclass
class _Courier:
    connection: Connection

    def standing_by(self) -> Steps[bool]:
        return self.connection.ready()

    def delivering(self, delivery: Delivery, now: datetime) -> Steps[Receipt]:
        assert delivery.reader
        return self.connection.send(SENDER, delivery.reader.email, [MAIL])

    def leaving(self) -> Steps[None]:
        return self.connection.close()


@dataclass
class Mailing(Recorder):
    """A channel that mails over relays."""

    transport: Transport | None = None

    def courier(self, payload: bytes) -> Any:
        assert self.transport
        return _Courier(self.transport.connect())


def mailing(*servers: Scripted, **keys: Any) -> Mailing:
    first, *others = [{"host": one.host, "port": one.port, **KEYS} for one in servers]
    options = smtp.Options.model_validate({"kind": "smtp", **first, **keys, "fallback": others})
    transport = smtp.build(options, root=Path(), password=SecretStr("secret"))
    return Mailing(transport=transport, concurrency=transport.connections)


def run(store: Store, channel: Mailing, stop: threading.Event | None = None) -> tuple[Halt | None, Balance]:
    issue = published(store, email=channel)
    halts = work(store, issue, {"email": channel}, {"email": PAYLOAD}, terms(stop=stop))
    with store.read() as connection:
        return halts.get("email"), balances.of_channel(connection, issue, "email")


def reached(*servers: Scripted) -> Counter[str]:
    """How often each reader was written to."""
    return Counter(mail.recipients[0] for server in servers for mail in server.mails)


def after(count: int, act: Act, usual: Act) -> list[Act]:
    """Answer well so often, and otherwise from then on."""
    return [usual] * count + [act] * READERS


@pytest.mark.parametrize(
    "script",
    [
        {"connect": reply(421, "4.3.2 busy")},
        {"connect": after(3, close, reply(220))},
        {"MAIL": after(7, reply(452, "4.3.1 full"), reply(250))},
        {"RCPT": after(7, reply(421, "4.3.2 closing"), reply(250))},
    ],
)
def test_when_the_first_relay_goes_away_the_second_takes_the_rest(
    store: Store, script: dict[str, Any]
) -> None:
    names = crowd(store, READERS)
    with Scripted(script) as first, Scripted() as second:
        halt, balance = run(store, mailing(first, second))
    assert (halt, balance) == (None, Balance(sent=READERS))
    assert reached(first, second) == Counter(f"{name}@x.org" for name in names)
    assert len(second.mails) > 0


def test_receipts_say_which_relay_took_it(store: Store) -> None:
    crowd(store, READERS)
    with Scripted({"MAIL": after(7, reply(452, "full"), reply(250))}) as first, Scripted() as second:
        run(store, mailing(first, second))
    with store.read() as connection:
        kept = list(connection.scalars(select(tables.deliveries.c.receipt)))
    by = {
        server: sum(one.endswith(f"({server.host}:{server.port})") for one in kept)
        for server in (first, second)
    }
    assert by == {first: len(first.mails), second: len(second.mails)}


def test_what_is_in_doubt_goes_to_no_second_relay(store: Store) -> None:
    crowd(store, READERS)

    def swallow(wire: Wire) -> int:
        return close(wire)

    with Scripted({"dot": after(5, swallow, reply(250, "ok"))}) as first, Scripted() as second:
        _, balance = run(store, mailing(first, second))
    assert balance.in_doubt >= 3
    assert balance.sent + balance.in_doubt == READERS
    assert balance.sent == len(first.mails) + len(second.mails)
    assert max(reached(first, second).values()) == 1


def test_a_wrong_password_ends_the_run_with_one_attempt_and_everybody_waiting(store: Store) -> None:
    crowd(store, READERS)
    with Scripted({"AUTH": reply(535, "5.7.8 wrong")}, ehlo=("AUTH PLAIN",)) as first, Scripted() as second:
        halt, balance = run(store, mailing(first, second, user="user"))
    assert halt is not None
    assert "535 5.7.8 wrong" in halt.reason
    assert not halt.away
    assert balance == Balance(waiting=READERS)
    assert first.verbs.count("AUTH") == 1
    assert second.wires == []


def test_a_run_that_is_stopped_while_it_keeps_its_pace_ends_at_once_and_leaves_no_doubt(store: Store) -> None:
    crowd(store, READERS)
    stop = threading.Event()

    def stopping(wire: Wire) -> int:
        stop.set()
        return reply(250, "ok")(wire)

    with Scripted({"dot": stopping}) as server:
        a_quarter_of_an_hour_apart = mailing(server, messages_per_second=0.001)
        _, balance = run(store, a_quarter_of_an_hour_apart, stop)
    assert balance == Balance(sent=1, waiting=READERS - 1)


def test_a_relay_that_takes_long_to_greet_holds_up_no_other_connection(store: Store) -> None:
    crowd(store, READERS)
    seen: list[int] = []

    def late(wire: Wire) -> int:
        latest = time.monotonic() + 30
        while len(server.mails) < READERS - 1 and time.monotonic() < latest:
            wire.released.wait(0.01)
        seen.append(len(server.mails))
        return reply(220)(wire)

    with Scripted({"connect": [reply(220), late]}) as server:
        _, balance = run(store, mailing(server, messages_per_connection=READERS))
    assert balance == Balance(sent=READERS)
    assert seen == [READERS - 1]
