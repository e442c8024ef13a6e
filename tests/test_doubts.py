"""What is in doubt in a conversation is looked for before more is sent, on SQLite and on PostgreSQL."""

from dataclasses import dataclass, field
from datetime import timedelta

import pytest
from sqlalchemy import select, update

from bot.channels import LookingCourier
from bot.doubts import waits_since
from bot.errors import InDoubtError, StopRunError
from bot.models import Balance, Delivery, DeliveryState, Receipt
from bot.outbox import Halt, work
from bot.store import Store, balances, doubts, tables
from bot.store.ledger import Settlement
from tests.recording import NOW, PAYLOAD, Clock, Recorder, conversation, published, receipt, terms


@dataclass
class Looking:
    """A courier of a recorder's, which sees what it is told."""

    recorder: Recorder
    there: dict[int, Receipt] = field(default_factory=dict)
    blind: bool = False
    looks: list[Delivery] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._inner = Recorder.courier(self.recorder, PAYLOAD)
        self.ready, self.deliver, self.close = self._inner.ready, self._inner.deliver, self._inner.close

    def look(self, delivery: Delivery) -> Receipt | None:
        self.looks.append(delivery)
        if self.blind:
            raise InDoubtError("no scope")
        return self.there.get(delivery.part)


class Chat(Recorder):
    """A conversation that can be looked into."""

    eyes: Looking

    def courier(self, payload: bytes) -> Looking:  # type: ignore[override]
        return self.eyes


def chat(parts: int, *, blind: bool = False, **there: str) -> Chat:
    made = Chat(receipt, conversation(parts).audience, size=parts)
    made.eyes = Looking(made, {int(part[1:]): Receipt(name) for part, name in there.items()}, blind)
    return made


def doubted(store: Store, team: Recorder) -> int:
    """An issue whose first part was put in doubt a minute ago."""
    issue = published(store, team=team)
    with store.write() as connection:
        connection.execute(
            update(tables.deliveries)
            .where(tables.deliveries.c.part == 1)
            .values(state=DeliveryState.IN_DOUBT, reason="killed", settled_at=NOW - timedelta(minutes=1))
        )
    return issue


def run(store: Store, issue: int, team: Recorder) -> dict[str, Halt]:
    at_once = terms(Clock())
    at_once.stop.wait = lambda timeout=None: at_once.stop.is_set()  # type: ignore[method-assign]
    return work(store, issue, {"team": team}, {"team": PAYLOAD}, at_once)


def stands(store: Store, issue: int) -> Balance:
    with store.read() as connection:
        return balances.of_channel(connection, issue, "team")


def kinds(store: Store) -> list[str]:
    with store.read() as connection:
        return list(connection.scalars(select(tables.events.c.kind).order_by(tables.events.c.id)))


def test_a_recorder_s_courier_cannot_look_and_this_one_can() -> None:
    assert not isinstance(Recorder().courier(PAYLOAD), LookingCourier)
    assert isinstance(chat(1).eyes, LookingCourier)


def test_what_is_found_counts_as_sent_and_the_rest_goes_below_it(store: Store) -> None:
    team = chat(2, _1="C1:1.5")
    issue = doubted(store, team)
    assert run(store, issue, team) == {}
    assert stands(store, issue) == Balance(sent=2)
    [second] = team.delivered
    assert (second.part, second.root) == (2, Receipt("C1:1.5"))
    assert kinds(store) == ["found"]


def test_what_is_surely_not_there_is_sent(store: Store) -> None:
    team = chat(2)
    issue = doubted(store, team)
    assert run(store, issue, team) == {}
    assert stands(store, issue) == Balance(sent=2)
    assert team.names == ["1", "2"]
    assert [one.part for one in team.eyes.looks] == [1, 1]
    assert kinds(store) == ["not_found"]


def test_what_cannot_be_seen_is_left_for_a_person(store: Store) -> None:
    team = chat(2, blind=True)
    issue = doubted(store, team)
    assert run(store, issue, team) == {}
    assert stands(store, issue) == Balance(in_doubt=1, waiting=1)
    assert team.delivered == []
    with store.read() as connection:
        first, _ = balances.unsent(connection, issue)
    assert first.reason == "its answer never came; no scope: look, then `broadsheet resolve`"


def test_a_channel_that_cannot_look_leaves_its_doubts(store: Store) -> None:
    team = conversation(2)
    issue = doubted(store, team)
    assert run(store, issue, team) == {}
    assert stands(store, issue) == Balance(in_doubt=1, waiting=1)


def test_mail_in_doubt_is_not_looked_for(store: Store) -> None:
    mail = chat(1)
    mail.audience = Recorder().audience
    assert run(store, doubted(store, mail), mail) == {}
    assert mail.eyes.looks == []


def test_a_far_side_that_refuses_us_stops_this_channel_alone(store: Store) -> None:
    class Refusing(Recorder):
        def courier(self, payload: bytes) -> Looking:  # type: ignore[override]
            raise StopRunError("who are you?")

    team = Refusing(receipt, conversation(2).audience, size=2)
    issue = doubted(store, team)
    assert run(store, issue, team) == {"team": Halt("who are you?", away=False)}
    assert stands(store, issue) == Balance(in_doubt=1, waiting=1)


def test_of_two_that_look_at_once_the_first_is_believed(store: Store) -> None:
    issue = doubted(store, conversation(1))
    with store.read() as connection:
        [seen] = doubts.in_doubt(connection, issue, "team")
    gone = Settlement(seen.delivery.id, DeliveryState.QUEUED, NOW, due_at=NOW)
    with store.write() as connection:
        assert doubts.clear_up(connection, seen, gone)
    with store.write() as connection:
        assert not doubts.clear_up(connection, seen, gone)
        connection.execute(
            update(tables.deliveries).values(state=DeliveryState.IN_DOUBT, settled_at=NOW)
        )  # sent meanwhile, and in doubt anew
        assert not doubts.clear_up(connection, seen, gone)


@pytest.mark.parametrize(
    ("age", "waits"), [(0.0, (3.0, 10.0)), (2.0, (1.0, 10.0)), (60.0, (0.0, 10.0)), (-5.0, (3.0, 10.0))]
)
def test_an_old_doubt_is_looked_for_at_once(age: float, waits: tuple[float, ...]) -> None:
    assert waits_since(timedelta(seconds=age)) == waits
