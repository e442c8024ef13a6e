"""Each reader gets an issue once, whatever answers, whatever ends, whoever else sends."""

import threading
from collections import Counter
from collections.abc import Callable
from datetime import timedelta

import pytest
from sqlalchemy import func, select, update

from bot import outbox, subscriptions
from bot.channels import Audience, Wait
from bot.errors import InDoubtError, InputError, PermanentError, StopRunError, TransientError
from bot.models import Balance, Delivery, DeliveryState, Receipt
from bot.outbox import Halt, work
from bot.store import Store, balances, ledger, readers, rulings, tables
from tests.recording import (
    LETTER,
    NOW,
    PAYLOAD,
    Clock,
    Recorder,
    add_readers,
    conversation,
    crowd,
    published,
    receipt,
    terms,
)  # fmt: skip
from tests.servers.postgres import Database


def run(store: Store, issue: int, clock: Clock | None = None, **channels: Recorder) -> dict[str, Halt]:
    """Work off what is due."""
    return work(store, issue, channels, dict.fromkeys(channels, PAYLOAD), terms(clock))


def stands(store: Store, issue: int, channel: str = "email") -> Balance:
    with store.read() as connection:
        return balances.of_channel(connection, issue, channel)


def rows(store: Store) -> list[tuple[str, str | None, int]]:
    """State, reason and charged attempts of each delivery."""
    columns = (tables.deliveries.c.state, tables.deliveries.c.reason, tables.deliveries.c.attempts)
    with store.read() as connection:
        found = connection.execute(select(*columns).order_by(tables.deliveries.c.id))
        return [(row.state, row.reason, row.attempts) for row in found]


def nothing_is_left_behind(store: Store) -> bool:
    """No worker is entered, and no row belongs to one."""
    with store.read() as connection:
        held = select(func.count()).where(tables.deliveries.c.worker_id.is_not(None))
        there = select(func.count()).select_from(tables.workers)
        return not connection.execute(held).scalar() and not connection.execute(there).scalar()


def answering(**answers: Exception) -> Callable[[Delivery], Receipt]:
    """A far side that answers some readers, or some parts (`_2`), with an error."""

    def answer(delivery: Delivery) -> Receipt:
        name = delivery.reader.name if delivery.reader else f"_{delivery.part}"
        if name in answers:
            raise answers[name]
        return receipt(delivery)

    return answer


# ------------------------------------------------------------------------------------------------ answers


def test_everybody_gets_it_once(store: Store) -> None:
    add_readers(store, ["ann", "bob", "eve"])
    email = Recorder()
    issue = published(store, email=email)
    assert run(store, issue, email=email) == {}
    assert run(store, issue, email=email) == {}
    assert email.names == ["ann", "bob", "eve"]
    assert (email.opened, email.closed) == (1, 1)
    assert stands(store, issue) == Balance(sent=3)
    assert nothing_is_left_behind(store)


def test_a_courier_is_told_all_that_a_letter_needs(store: Store) -> None:
    add_readers(store, ["ann"])
    email = Recorder()
    run(store, published(store, email=email), email=email)
    [one] = email.delivered
    assert one.reader
    assert (one.issue, one.channel, one.part, one.attempts) == ("letter/2025-W17", "email", 0, 0)
    assert (one.reader.email, one.reader.name, len(one.reader.token)) == ("ann@example.org", "ann", 22)


def test_the_receipt_is_kept(store: Store) -> None:
    add_readers(store, ["ann"])
    email = Recorder()
    run(store, published(store, email=email), email=email)
    with store.read() as connection:
        kept = connection.execute(select(tables.deliveries)).one()
    assert (kept.receipt, kept.settled_at, kept.attempts) == (f"250 ok {kept.id}", NOW, 1)


def test_what_fails_for_now_waits_and_goes_later(store: Store) -> None:
    add_readers(store, ["ann", "bob"])
    clock, email = Clock(), Recorder(answering(bob=TransientError("450 greylisted")))
    issue = published(store, email=email)
    assert run(store, issue, clock, email=email) == {}
    assert rows(store) == [("sent", None, 1), ("queued", "450 greylisted", 1)]
    clock.later(minutes=4.9)
    run(store, issue, clock, email=email)
    assert email.names == ["ann", "bob"]
    email.answer = receipt
    clock.later(minutes=0.1)
    run(store, issue, clock, email=email)
    assert email.names == ["ann", "bob", "bob"]
    assert rows(store) == [("sent", None, 1), ("sent", None, 2)]


def test_the_far_sides_wish_to_wait_is_heard(store: Store) -> None:
    add_readers(store, ["ann"])
    email = Recorder(answering(ann=TransientError("busy", retry_after=timedelta(hours=1))))
    issue = published(store, email=email)
    run(store, issue, email=email)
    with store.read() as connection:
        assert ledger.next_due(connection, issue, ["email"]) == NOW + timedelta(hours=1)


def test_what_fails_for_a_day_is_given_up(store: Store) -> None:
    add_readers(store, ["ann"])
    clock, email = Clock(), Recorder(answering(ann=TransientError("450 greylisted")))
    issue = published(store, email=email)
    while stands(store, issue).waiting:
        run(store, issue, clock, email=email)
        clock.later(minutes=30)
    [(state, reason, attempts)] = rows(store)
    assert (state, reason) == ("failed", "given up after 24 hours: 450 greylisted")
    assert attempts == len(email.delivered) == 16


def test_a_permanent_answer_fails_one_reader_and_nobody_else(store: Store) -> None:
    add_readers(store, ["ann", "bob", "eve"])
    email = Recorder(answering(bob=PermanentError("550 no such user")))
    issue = published(store, email=email)
    assert run(store, issue, email=email) == {}
    assert stands(store, issue) == Balance(sent=2, failed=1)
    assert rows(store)[1] == ("failed", "550 no such user", 1)


def test_an_answer_that_never_came_is_in_doubt_and_is_not_tried_again(store: Store) -> None:
    add_readers(store, ["ann", "bob"])
    email = Recorder(answering(ann=InDoubtError("no answer to the final dot")))
    issue = published(store, email=email)
    for _ in range(2):
        run(store, issue, email=email)
    assert email.names == ["ann", "bob"]
    assert stands(store, issue) == Balance(sent=1, in_doubt=1)


@pytest.mark.parametrize(
    "error", [StopRunError("535 who are you?"), InputError("templates/x", "is missing", "mend it")]
)
def test_a_refusal_of_us_stops_the_run_and_charges_nobody(store: Store, error: Exception) -> None:
    add_readers(store, ["ann", "bob", "eve"])
    email = Recorder(answering(bob=error))
    issue = published(store, email=email)
    assert run(store, issue, email=email) == {"email": Halt(str(error), away=False)}
    assert rows(store) == [("sent", None, 1), ("queued", str(error), 0), ("queued", None, 0)]
    assert nothing_is_left_behind(store)
    email.answer = receipt
    assert run(store, issue, email=email) == {}
    assert stands(store, issue) == Balance(sent=3)


def test_a_refusal_that_lasted_for_days_leaves_each_reader_their_day(store: Store) -> None:
    add_readers(store, ["ann"])
    clock, email = Clock(), Recorder(answering(ann=StopRunError("535 who are you?")))
    issue = published(store, email=email)
    run(store, issue, clock, email=email)
    clock.later(days=3)
    email.answer = answering(ann=TransientError("450 greylisted"))
    run(store, issue, clock, email=email)
    assert rows(store) == [("queued", "450 greylisted", 1)]


def test_an_outage_stops_the_run_for_a_while_and_charges_nobody(store: Store) -> None:
    add_readers(store, ["ann", "bob", "eve"])
    clock, email = Clock(), Recorder(answering(bob=TransientError("connection refused", charged=False)))
    issue = published(store, email=email)
    assert run(store, issue, clock, email=email) == {"email": Halt("connection refused", away=True)}
    assert email.names == ["ann", "bob"]
    assert rows(store) == [("sent", None, 1), ("queued", "connection refused", 0), ("queued", None, 0)]
    email.answer = receipt
    clock.later(seconds=30)
    assert run(store, issue, clock, email=email) == {}
    assert stands(store, issue) == Balance(sent=3)


def test_our_own_bugs_are_in_doubt_and_stop_the_run_after_three_in_a_row(store: Store) -> None:
    add_readers(store, [f"r{number}" for number in range(9)])
    bugs = {f"r{number}": KeyError("r0@example.org") for number in (0, 1, 3, 4, 5, 6)}
    email = Recorder(answering(**bugs))
    issue = published(store, email=email)
    halts = run(store, issue, email=email)
    assert halts == {"email": Halt("a fault of ours: KeyError in answer, 3 times in a row", away=False)}
    assert [row[0] for row in rows(store)] == ["in_doubt"] * 2 + ["sent"] + ["in_doubt"] * 3 + ["queued"] * 3
    assert all("@" not in (reason or "") for _, reason, _ in rows(store))


def test_what_could_not_be_settled_when_a_run_broke_off_is_in_doubt(store: Store) -> None:
    add_readers(store, ["ann", "bob"])
    email = Recorder(answering(ann=SystemExit()))  # type: ignore[arg-type]  # no error of delivering
    issue = published(store, email=email)
    with pytest.raises(SystemExit):
        run(store, issue, email=email)
    assert rows(store)[0][:2] == ("in_doubt", "the run broke off before the answer was written down")
    assert stands(store, issue) == Balance(in_doubt=1, waiting=1)
    assert nothing_is_left_behind(store)


def test_an_event_is_kept_of_all_but_plain_success(store: Store) -> None:
    add_readers(store, ["ann", "bob", "eve"])
    email = Recorder(answering(bob=PermanentError("550 no"), eve=TransientError("450 wait")))
    run(store, published(store, email=email), email=email)
    of_deliveries = tables.events.c.delivery_id.is_not(None)
    with store.read() as connection:
        kept = connection.execute(
            select(tables.events).where(of_deliveries).order_by(tables.events.c.id)
        ).all()
    assert [(row.kind, row.detail) for row in kept] == [("failed", "550 no"), ("deferred", "450 wait")]


def test_the_wish_to_end_is_obeyed_between_two_deliveries(store: Store) -> None:
    add_readers(store, ["ann", "bob", "eve"])
    stop = threading.Event()

    def answer(delivery: Delivery) -> Receipt:
        stop.set()
        return receipt(delivery)

    email = Recorder(answer)
    issue = published(store, email=email)
    assert work(store, issue, {"email": email}, {"email": PAYLOAD}, terms(stop=stop)) == {}
    assert stands(store, issue) == Balance(sent=1, waiting=2)
    assert nothing_is_left_behind(store)


def test_whoever_watches_sees_the_balance_close(store: Store) -> None:
    add_readers(store, ["ann", "bob", "eve"])
    email = Recorder(answering(bob=PermanentError("550 no")))
    issue = published(store, email=email)
    subscriptions.remove(store, "eve@example.org", LETTER, NOW)
    seen: list[Balance] = []
    watched = outbox.Terms(Clock(), lambda: 0.0, report=lambda _channel, balance: seen.append(balance))
    work(store, issue, {"email": email}, {"email": PAYLOAD}, watched)
    assert {balance.planned for balance in seen} == {3}
    assert seen[-1] == Balance(sent=1, failed=1, skipped=1) == stands(store, issue)


# ------------------------------------------------------------------------------------------- conversations


def test_the_parts_of_a_conversation_come_in_order_under_the_first(store: Store) -> None:
    slack = conversation(4)
    issue = published(store, slack=slack)
    assert run(store, issue, slack=slack) == {}
    assert slack.names == ["1", "2", "3", "4"]
    first = slack.delivered[0].id
    assert [one.root for one in slack.delivered] == [None] + [Receipt(f"250 ok {first}")] * 3


def test_conversations_go_before_mail(store: Store) -> None:
    add_readers(store, ["ann"])
    order: list[str] = []

    def answer(delivery: Delivery) -> Receipt:
        order.append(delivery.channel)
        return receipt(delivery)

    email, slack = Recorder(answer), conversation(2, answer)
    run(store, published(store, email=email, slack=slack), email=email, slack=slack)
    assert order == ["slack", "slack", "email"]


@pytest.mark.parametrize(
    ("error", "balance"),
    [
        (InDoubtError("no answer"), Balance(sent=1, in_doubt=1, waiting=2)),
        (PermanentError("too long"), Balance(sent=1, failed=1, waiting=2)),
        (TransientError("busy"), Balance(sent=1, waiting=3)),
    ],
)
def test_a_part_that_did_not_go_holds_the_rest(store: Store, error: Exception, balance: Balance) -> None:
    slack = conversation(4, answering(_2=error))
    issue = published(store, slack=slack)
    for _ in range(2):
        run(store, issue, slack=slack)
    assert slack.names == ["1", "2"]
    assert stands(store, issue, "slack") == balance


def test_a_held_conversation_goes_on_once_a_person_has_looked(store: Store) -> None:
    slack = conversation(3, answering(_2=InDoubtError("no answer")))
    issue = published(store, slack=slack)
    run(store, issue, slack=slack)
    with store.read() as connection:
        assert ledger.next_due(connection, issue, ["slack"]) is None
    with store.write() as connection:
        assert rulings.count_as_sent(connection, issue, None, NOW) == 1
    run(store, issue, slack=slack)
    assert slack.names == ["1", "2", "3"]
    assert stands(store, issue, "slack") == Balance(sent=3)


# ----------------------------------------------------------------------------- readers who left meanwhile


def test_who_left_since_publishing_is_skipped_and_who_is_barred_is_suppressed(store: Store) -> None:
    add_readers(store, ["ann", "bob", "eve"])
    email = Recorder()
    issue = published(store, email=email)
    subscriptions.remove(store, "ann@example.org", LETTER, NOW)
    with store.write() as connection:
        readers.suppress(connection, "bob@example.org", "complained", NOW)
    assert run(store, issue, email=email) == {}
    assert email.names == ["eve"]
    assert rows(store)[:2] == [
        ("skipped", "unsubscribed since the issue was published", 0),
        ("suppressed", "address suppressed: complained", 0),
    ]


def test_a_whole_batch_that_left_does_not_end_the_run(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outbox, "BATCH", 2)
    add_readers(store, ["ann", "bob", "eve", "kim", "lea"])
    email = Recorder()
    issue = published(store, email=email)
    for name in ("ann", "bob", "eve", "kim"):
        subscriptions.remove(store, f"{name}@example.org", LETTER, NOW)
    run(store, issue, email=email)
    assert stands(store, issue) == Balance(sent=1, skipped=4)


def test_an_erased_reader_is_skipped(store: Store) -> None:
    add_readers(store, ["ann"])
    email = Recorder()
    issue = published(store, email=email)
    with store.write() as connection:
        connection.execute(tables.subscriptions.delete())
        connection.execute(tables.subscribers.delete())
    run(store, issue, email=email)
    with store.read() as connection:
        [unsent] = balances.unsent(connection, issue)
    assert (unsent.recipient, unsent.state) == ("a reader who was erased", DeliveryState.SKIPPED)


# ---------------------------------------------------------------------------------------- a person's word


def test_failed_ones_are_tried_again_on_a_persons_word(store: Store) -> None:
    add_readers(store, ["ann", "bob"])
    email = Recorder(answering(ann=PermanentError("550 no")))
    issue = published(store, email=email)
    run(store, issue, email=email)
    email.answer = receipt
    with store.write() as connection:
        assert rulings.requeue(connection, issue, DeliveryState.FAILED, "slack", NOW) == 0
        assert rulings.requeue(connection, issue, DeliveryState.FAILED, "email", NOW) == 1
    run(store, issue, email=email)
    assert email.names == ["ann", "bob", "ann"]
    assert rows(store) == [("sent", None, 1)] * 2


def test_waiting_ones_go_at_once_on_a_persons_word(store: Store) -> None:
    add_readers(store, ["ann"])
    email = Recorder(answering(ann=TransientError("450 wait")))
    issue = published(store, email=email)
    run(store, issue, email=email)
    email.answer = receipt
    with store.write() as connection:
        rulings.hurry(connection, issue, NOW)
    run(store, issue, email=email)
    assert stands(store, issue) == Balance(sent=1)


# -------------------------------------------------------------------------------------------- concurrency


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outbox, "BATCH", 7)


@pytest.mark.usefixtures("small_batches")
def test_many_couriers_reach_everybody_once(store: Store) -> None:
    names = crowd(store, 200)
    email = Recorder(concurrency=8)
    issue = published(store, email=email)
    assert run(store, issue, email=email) == {}
    assert sorted(email.names) == names
    assert stands(store, issue) == Balance(sent=200)
    assert email.opened == email.closed == 8
    assert nothing_is_left_behind(store)


@pytest.mark.usefixtures("small_batches")
def test_many_runs_at_once_reach_everybody_once(database: Database, store: Store) -> None:
    names = crowd(store, 200)
    email = Recorder(concurrency=3)
    issue = published(store, email=email)
    failures: list[BaseException] = []

    def one() -> None:
        opened = database.open()
        try:
            run(opened, issue, email=email)
        except BaseException as error:  # noqa: BLE001 (looked at below)
            failures.append(error)
        finally:
            opened.close()

    threads = [threading.Thread(target=one) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert failures == []
    assert sorted(email.names) == names
    assert stands(store, issue) == Balance(sent=200)


def test_while_it_is_being_sent_a_row_says_so_and_no_more_than_one_per_courier(store: Store) -> None:
    crowd(store, 40)
    most: list[int] = []

    def answer(delivery: Delivery) -> Receipt:
        sending = select(tables.deliveries.c.id).where(tables.deliveries.c.state == "sending")
        with store.read() as connection:
            marked = {row.id for row in connection.execute(sending)}
        assert delivery.id in marked
        most.append(len(marked))
        return receipt(delivery)

    email = Recorder(answer, concurrency=4)
    issue = published(store, email=email)
    assert run(store, issue, email=email) == {}
    assert stands(store, issue) == Balance(sent=40)
    assert max(most) <= 4


def test_answers_of_all_kinds_from_many_couriers_close_the_balance(store: Store) -> None:
    crowd(store, 120)
    kinds = (PermanentError("no"), TransientError("wait"), InDoubtError("?"), None)

    def answer(delivery: Delivery) -> Receipt:
        if error := kinds[delivery.id % 4]:
            raise error
        return receipt(delivery)

    email = Recorder(answer, concurrency=5)
    issue = published(store, email=email)
    run(store, issue, email=email)
    assert stands(store, issue) == Balance(sent=30, failed=30, in_doubt=30, waiting=30)
    assert Counter(email.names).most_common(1)[0][1] == 1


@pytest.mark.usefixtures("small_batches")
def test_a_row_that_was_taken_from_us_is_not_sent(store: Store) -> None:
    add_readers(store, ["ann", "bob", "eve"])

    def answer(delivery: Delivery) -> Receipt:
        if delivery.reader and delivery.reader.name == "ann":
            bob = (tables.deliveries.c.id > delivery.id, tables.deliveries.c.id < delivery.id + 2)
            with store.write() as connection:
                connection.execute(
                    update(tables.deliveries).where(*bob).values(worker_id=None, state="in_doubt")
                )
        return receipt(delivery)

    email = Recorder(answer)
    issue = published(store, email=email)
    run(store, issue, email=email)
    assert email.names == ["ann", "eve"]
    assert email.audience is Audience.READERS
    assert stands(store, issue) == Balance(sent=2, in_doubt=1)


def test_who_waits_for_a_turn_has_written_down_what_is_done_and_marked_nothing(store: Store) -> None:
    crowd(store, 2)
    clock, stop = Clock(), threading.Event()
    seen: list[Counter[str]] = []

    def ready(wait: Wait) -> bool:
        if channel.delivered:  # the second one has to wait, and while it does the run is asked to end
            assert wait(0)
            with store.read() as connection:
                seen.append(Counter(connection.scalars(select(tables.deliveries.c.state))))
            stop.set()
            return wait(3600)
        return True

    channel = Recorder(ready=ready)
    issue = published(store, email=channel)
    work(store, issue, {"email": channel}, {"email": PAYLOAD}, terms(clock, stop))
    assert seen == [Counter(sent=1, queued=1)]
    assert stands(store, issue) == Balance(sent=1, waiting=1)
