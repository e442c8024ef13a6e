"""The clerk writes for all couriers at once, says that its worker lives, and needs no display."""

from datetime import datetime, timedelta

import pytest
from sqlalchemy import select

from bot.clerk import Clerk
from bot.errors import StoreError
from bot.models import Balance, Delivery, DeliveryState
from bot.outbox import Terms, work
from bot.steps import Loop, Steps
from bot.store import Store, ledger, tables, workers
from bot.store.ledger import Settlement
from bot.store.workers import BEAT, Process
from tests.recording import NOW, PAYLOAD, Clock, Recorder, crowd, published


def claimed_of(store: Store, count: int) -> tuple[int, list[Delivery]]:
    """A worker, and so many deliveries that it has claimed."""
    crowd(store, count)
    issue = published(store, email=Recorder())
    with store.write() as connection:
        worker = workers.register(connection, Process("here", "boot", 1, "1"), NOW)
        return worker, ledger.claim(connection, issue, "email", worker, count, NOW)


def test_a_slow_batch_does_not_look_like_a_dead_worker(store: Store) -> None:
    worker, claimed = claimed_of(store, 3)
    beats = []
    with Clerk(store, worker, lambda _settlements: None) as clerk:
        for delivery, later in zip(claimed, (BEAT, 1.5 * BEAT, 2 * BEAT), strict=True):
            clerk.settle(Settlement(delivery.id, DeliveryState.SENT, NOW + later))
            clerk.write()
            beats.append(heartbeat(store) - NOW)
    assert beats == [BEAT, BEAT, 2 * BEAT]


def heartbeat(store: Store) -> datetime:
    with store.read() as connection:
        found: datetime = connection.execute(select(tables.workers.c.heartbeat_at)).scalar_one()
        return found


def test_what_all_hand_in_is_one_commit_a_turn(store: Store) -> None:
    worker, claimed = claimed_of(store, 8)
    commits: list[list[Settlement]] = []
    done = [Settlement(one.id, DeliveryState.SENT, NOW) for one in claimed]

    def courier(one: Settlement) -> Steps[None]:
        assert (yield from clerk.mark(one.delivery))
        clerk.settle(one)

    with Clerk(store, worker, commits.append) as clerk:
        with Loop(clerk.between) as loop:
            loop.run([courier(one) for one in done])
        clerk.write()
    assert commits == [[], done]


def test_a_progress_bar_that_breaks_stops_no_run(store: Store) -> None:
    crowd(store, 5)
    channel = Recorder(concurrency=2)
    issue = published(store, email=channel)
    clock = Clock()
    shown: list[Balance] = []

    def report(_channel: str, balance: Balance) -> None:
        shown.append(balance)
        if 0 < balance.sent < 5:
            raise BrokenPipeError

    terms = Terms(clock, lambda: 0.0, report=report)
    assert work(store, issue, {"email": channel}, {"email": PAYLOAD}, terms) == {}
    assert shown[-1] == Balance(sent=5)
    assert len(channel.delivered) == 5


def test_a_clerk_beats_sooner_than_a_lease_ends() -> None:
    assert timedelta() < 10 * BEAT < workers.LEASE


def test_what_could_not_be_written_is_not_sent_and_what_was_sent_is_written_later(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker, (sent, waiting) = claimed_of(store, 2)
    marked: list[bool] = []

    def courier() -> Steps[None]:
        assert (yield from clerk.mark(sent.id))
        clerk.settle(Settlement(sent.id, DeliveryState.SENT, NOW))
        with monkeypatch.context() as patched:
            patched.setattr(clerk._pen, "write", fails)
            with pytest.raises(StoreError):
                marked.append((yield from clerk.mark(waiting.id)))

    def fails(*_: object) -> set[int]:
        raise StoreError("the disk is full")

    with Clerk(store, worker, lambda _settlements: None) as clerk, Loop(clerk.between) as loop:
        loop.run([courier()])
        clerk.write()
    with store.read() as connection:
        states = connection.scalars(select(tables.deliveries.c.state).order_by(tables.deliveries.c.id)).all()
    assert (marked, states) == ([], ["sent", "queued"])
