"""The pen writes what the ledger would write, only quicker; and never more than it was asked to."""

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import select, text

from bot.errors import StoreError
from bot.models import Delivery, DeliveryState
from bot.store import Store, ledger, tables, workers
from bot.store.ledger import Settlement
from bot.store.pen import Pen
from bot.store.workers import Process
from tests.recording import NOW, Recorder, crowd, published


def claimed(store: Store, readers: int) -> tuple[int, list[Delivery]]:
    """A worker and the rows it has claimed, one per reader."""
    crowd(store, readers)
    issue = published(store, email=Recorder())
    with store.write() as connection:
        worker = workers.register(connection, Process("here", "boot", 1, "1"), NOW)
        return worker, ledger.claim(connection, issue, "email", worker, readers, NOW)


def row(store: Store, delivery: Delivery) -> dict[str, Any]:
    question = select(tables.deliveries).where(tables.deliveries.c.id == delivery.id)
    with store.read() as connection:
        found = dict(connection.execute(question).mappings().one())
    return {name: value for name, value in found.items() if name not in {"id", "recipient"}}


def test_a_settled_row_is_the_same_by_either_way(store: Store) -> None:
    worker, (one, other) = claimed(store, 2)
    at = NOW + timedelta(microseconds=7)
    with Pen.held(store, worker) as pen:
        pen.write([Settlement(one.id, DeliveryState.SENT, at, receipt="250 ok")], [])
    with store.write() as connection:
        ledger.settle(connection, worker, [Settlement(other.id, DeliveryState.SENT, at, receipt="250 ok")])
    assert row(store, one) == row(store, other)


def test_only_what_is_still_ours_is_marked(store: Store) -> None:
    worker, (ours, settled, released) = claimed(store, 3)
    with store.write() as connection:
        ledger.settle(connection, worker, [Settlement(settled.id, DeliveryState.SKIPPED, NOW)])
    with Pen.held(store, worker) as pen:
        assert pen.write([], [ours.id]) == {ours.id}
        assert pen.write([], [settled.id, released.id]) == {released.id}
    with Pen.held(store, worker + 1) as another:
        assert another.write([], [released.id]) == set()
    assert row(store, ours)["state"] == DeliveryState.SENDING
    assert row(store, settled)["state"] == DeliveryState.SKIPPED


def test_a_worker_that_was_taken_for_dead_can_still_say_that_a_mail_was_taken_and_nothing_else(
    store: Store,
) -> None:
    worker, (taken, put_off) = claimed(store, 2)
    with Pen.held(store, worker) as pen:
        pen.write([], [taken.id, put_off.id])
        with store.write() as connection:
            workers.leave(connection, worker, NOW)
        pen.write([Settlement(taken.id, DeliveryState.SENT, NOW)], [])
    with store.write() as connection:
        ledger.settle(connection, worker, [Settlement(put_off.id, DeliveryState.QUEUED, NOW, due_at=NOW)])
    assert row(store, taken)["state"] == DeliveryState.SENT
    assert row(store, put_off)["state"] == DeliveryState.IN_DOUBT


def test_many_rows_go_into_one_commit(store: Store) -> None:
    worker, rows = claimed(store, 6)
    sent = [Settlement(one.id, DeliveryState.SENT, NOW) for one in rows[:3]]
    with Pen.held(store, worker) as pen:
        assert pen.write(sent, [one.id for one in rows[3:]]) == {one.id for one in rows[3:]}
    states = [row(store, one)["state"] for one in rows]
    assert states == [DeliveryState.SENT] * 3 + [DeliveryState.SENDING] * 3


def test_a_write_that_fails_says_why_in_one_line_and_leaves_nothing(store: Store) -> None:
    worker, (one, other) = claimed(store, 2)
    unfit: Any = object()
    sent = [
        Settlement(one.id, DeliveryState.SENT, NOW, receipt=words)
        for one, words in ((one, "ok"), (other, unfit))
    ]
    with Pen.held(store, worker) as pen:
        with pytest.raises(StoreError) as refused:
            pen.write(sent, [])
        assert "\n" not in str(refused.value)
        assert row(store, one)["state"] == DeliveryState.QUEUED
        assert pen.write([], [one.id]) == {one.id}  # and it can be used again


def test_the_pen_s_connection_is_nobody_else_s(store: Store) -> None:
    """What is relaxed for it must not weaken a commit that has to be on the disk."""
    asks = "PRAGMA synchronous" if store.sqlite else "SHOW synchronous_commit"
    with Pen.held(store, 1):
        pass
    with store.write() as connection:
        assert connection.execute(text(asks)).scalar() == (2 if store.sqlite else "on")
