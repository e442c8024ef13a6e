"""The clerk writes for all couriers at once, says that its worker lives, and needs no display."""

import threading
from datetime import datetime, timedelta

from sqlalchemy import select

from bot.clerk import Clerk
from bot.models import Balance, DeliveryState
from bot.outbox import Terms, work
from bot.store import Store, ledger, tables, workers
from bot.store.ledger import Settlement
from bot.store.workers import BEAT, Process
from tests.recording import NOW, PAYLOAD, Clock, Recorder, crowd, published


def test_a_slow_batch_does_not_look_like_a_dead_worker(store: Store) -> None:
    crowd(store, 3)
    issue = published(store, email=Recorder())
    with store.write() as connection:
        worker = workers.register(connection, Process("here", "boot", 1, "1"), NOW)
        claimed = ledger.claim(connection, issue, "email", worker, 9, NOW)
    beats = []
    with Clerk(store, worker, lambda _settlements: None) as clerk:
        for delivery, later in zip(claimed, (BEAT, 1.5 * BEAT, 2 * BEAT), strict=True):
            assert clerk.write_and_mark(None, delivery.id)
            clerk.write(Settlement(delivery.id, DeliveryState.SENT, NOW + later))
            beats.append(heartbeat(store) - NOW)
    assert beats == [BEAT, BEAT, 2 * BEAT]


def heartbeat(store: Store) -> datetime:
    with store.read() as connection:
        found: datetime = connection.execute(select(tables.workers.c.heartbeat_at)).scalar_one()
        return found


def test_who_waits_for_the_pen_is_written_down_by_whoever_holds_it(store: Store) -> None:
    crowd(store, 8)
    issue = published(store, email=Recorder())
    with store.write() as connection:
        worker = workers.register(connection, Process("here", "boot", 1, "1"), NOW)
        claimed = ledger.claim(connection, issue, "email", worker, 8, NOW)
    commits: list[list[Settlement]] = []
    done = [Settlement(one.id, DeliveryState.SENT, NOW) for one in claimed]
    with Clerk(store, worker, commits.append) as clerk:
        couriers = [threading.Thread(target=clerk.write, args=(one,)) for one in done]
        with clerk._turn:
            for courier in couriers:
                courier.start()
            while len(clerk._tickets) < len(couriers):
                threading.Event().wait(0.001)
        for courier in couriers:
            courier.join()
    assert [sorted(commit, key=lambda one: one.delivery) for commit in commits] == [done]


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
