"""Whatever happens, in whatever order: no reader is lost, and none gets it twice without a person's word."""

import shutil
import tempfile
from collections import Counter
from datetime import timedelta
from functools import lru_cache
from pathlib import Path

from hypothesis import settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from bot.models import Delivery, DeliveryState
from bot.store import Store, balances, ledger, open_store, readers, rulings, workers
from bot.store.ledger import Settlement
from bot.store.pen import Pen
from bot.store.workers import Process
from tests.recording import LETTER, NOW, Recorder, add_readers, published

NAMES = ("ann", "ben", "cid", "dot", "eve")
WORKERS = st.integers(1, 3)
THEIRS = "email"


@lru_cache(maxsize=1)
def migrated() -> bytes:
    """An empty ledger's file: to migrate one takes longer than a whole story."""
    with tempfile.TemporaryDirectory(prefix="broadsheet-ledger-") as folder:
        open_store("sqlite:///ledger.db", Path(folder)).close()
        return Path(folder, "ledger.db").read_bytes()


class Ledger(RuleBasedStateMachine):
    """Three workers, which are killed at will, a moody far side, and readers who change their minds."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="broadsheet-ledger-"))
        (self.folder / "ledger.db").write_bytes(migrated())
        self.store: Store = open_store("sqlite:///ledger.db", self.folder)
        self.now = NOW
        self.alive: dict[int, int] = {}
        """Each living worker's number in the ledger, by its pid."""
        self.claimed: dict[int, list[Delivery]] = {}
        self.sending: dict[int, Delivery] = {}
        self.mistaken: set[int] = set()
        """Workers that live and were taken for dead while they were sending."""
        self.taken: Counter[str] = Counter()
        """How often the far side took a reader's mail."""
        self.risked: Counter[str] = Counter()
        """How often a person said: send it again, twice is better than never."""
        self.vouched: set[str] = set()
        """For whom a person said: count it as sent."""
        self.gone: set[str] = set()
        """Who left, or was barred, while nobody had claimed their row."""

    def teardown(self) -> None:
        self.everything_ends()
        self.store.close()
        shutil.rmtree(self.folder)

    # ---------------------------------------------------------------------------------------- what happens

    @initialize(count=st.integers(1, len(NAMES)), barred=st.booleans())
    def an_issue_is_published(self, count: int, barred: bool) -> None:  # noqa: FBT001 (drawn by hypothesis)
        self.planned = NAMES[:count]
        add_readers(self.store, self.planned)
        if barred:
            self._bar(NAMES[0])
        self.issue = published(self.store, email=Recorder())

    @rule(pid=WORKERS, limit=st.integers(1, 4))
    def a_worker_claims(self, pid: int, limit: int) -> None:
        worker = self._worker(pid)
        with self.store.write() as connection:
            workers.stay(connection, worker, self._process(pid), self.now)
            rows = ledger.claim(connection, self.issue, THEIRS, worker, limit, self.now)
        assert not {self._name(row) for row in rows} & self.gone
        self.claimed[pid] += rows

    @precondition(lambda self: any(self._ready(pid) for pid in self.alive))
    @rule(data=st.data())
    def a_mail_is_begun(self, data: st.DataObject) -> None:
        pid = data.draw(st.sampled_from(sorted(pid for pid in self.alive if self._ready(pid))))
        row = self.claimed[pid].pop(0)
        with Pen.held(self.store, self.alive[pid]) as pen:
            if pen.write([], [row.id]):
                self.sending[pid] = row

    @precondition(lambda self: self.sending)
    @rule(
        data=st.data(), state=st.sampled_from(["sent", "queued", "failed", "in_doubt"]), taken=st.booleans()
    )
    def an_answer_comes(self, data: st.DataObject, state: str, taken: bool) -> None:  # noqa: FBT001 (as above)
        pid = data.draw(st.sampled_from(sorted(self.sending)))
        row = self.sending.pop(pid)
        if state == "sent" or (state == "in_doubt" and taken):
            self.taken[self._name(row)] += 1
        due_at = self.now + timedelta(minutes=5) if state == "queued" else None
        one = Settlement(row.id, DeliveryState(state), self.now, "what they said", due_at=due_at)
        if state == "sent":
            with Pen.held(self.store, self.alive[pid]) as pen:
                pen.write([one], [])
        else:
            with self.store.relaxed() as connection:
                ledger.settle(connection, self.alive[pid], [one])

    @precondition(lambda self: self.alive)
    @rule(data=st.data(), taken=st.booleans())
    def a_worker_is_killed(self, data: st.DataObject, taken: bool) -> None:  # noqa: FBT001 (as above)
        """In the middle of a mail, of which the far side may have the last byte."""
        pid = data.draw(st.sampled_from(sorted(self.alive)))
        if pid in self.sending and taken:
            self.taken[self._name(self.sending[pid])] += 1
        self._forget(pid)

    @precondition(lambda self: any(pid not in self.sending for pid in self.alive))
    @rule(data=st.data())
    def a_worker_ends(self, data: st.DataObject) -> None:
        pid = data.draw(st.sampled_from(sorted(pid for pid in self.alive if pid not in self.sending)))
        with self.store.write() as connection:
            workers.leave(connection, self.alive[pid], self.now)
        self._forget(pid)

    @rule()
    def somebody_clears_up(self) -> None:
        with self.store.write() as connection:
            workers.recover(connection, self._process(99), self.now, self._start_of)

    @precondition(lambda self: self.alive)
    @rule(data=st.data())
    def a_worker_is_taken_for_dead(self, data: st.DataObject) -> None:
        """It was silent too long; it lives, and goes on as if nothing were."""
        pid = data.draw(st.sampled_from(sorted(self.alive)))
        with self.store.write() as connection:
            workers.leave(connection, self.alive[pid], self.now)
        self.mistaken.add(pid)

    @rule(hours=st.integers(1, 30))
    def time_goes_by(self, hours: int) -> None:
        self.now += timedelta(hours=hours)
        with self.store.write() as connection:
            for worker in self.alive.values():
                workers.beat(connection, worker, self.now)

    @rule(name=st.sampled_from(NAMES), barred=st.booleans())
    def a_reader_goes(self, name: str, barred: bool) -> None:  # noqa: FBT001 (as above)
        if barred:
            self._bar(name)
            return
        with self.store.write() as connection:
            readers.leave(connection, f"{name}@example.org", LETTER, self.now)
        self._is_gone(name)

    @rule(word=st.sampled_from(["retry", "sent", "resend"]))
    def a_person_decides(self, word: str) -> None:
        with self.store.write() as connection:
            if word == "retry":
                rulings.requeue(connection, self.issue, DeliveryState.FAILED, None, self.now)
            elif word == "sent":
                self.vouched |= self._in("in_doubt")
                rulings.count_as_sent(connection, self.issue, None, self.now)
            else:
                self.risked.update(self._in("in_doubt"))
                rulings.requeue(connection, self.issue, DeliveryState.IN_DOUBT, None, self.now)

    # ------------------------------------------------------------------------------------ what always holds

    @invariant()
    def the_balance_closes(self) -> None:
        with self.store.read() as connection:
            counted = balances.of_channel(connection, self.issue, THEIRS)
        assert counted.planned == len(self.planned)
        assert sorted(self._states()) == sorted(self.planned)

    @invariant()
    def nobody_gets_it_twice_without_a_person_s_word(self) -> None:
        assert {name: times for name, times in self.taken.items() if times > 1 + self.risked[name]} == {}

    @invariant()
    def what_is_counted_as_sent_was_taken(self) -> None:
        assert self._in("sent") <= {name for name in self.taken if self.taken[name]} | self.vouched

    @invariant()
    def what_may_have_been_taken_is_never_queued_again_by_itself(self) -> None:
        assert {name for name in self._in("queued") if self.taken[name] > self.risked[name]} == set()

    @invariant()
    def what_is_being_sent_is_some_living_worker_s(self) -> None:
        mine = {self._name(row) for pid, row in self.sending.items() if pid not in self.mistaken}
        # One that was taken for dead may still say that it was taken: that is what counts.
        assert mine <= self._in("sending") | self._in("sent")

    def everything_ends(self) -> None:
        """All workers are killed, another works off what is left: then nothing waits, and nobody is lost."""
        for pid in list(self.alive):
            self._forget(pid)
        self.now += timedelta(days=2)
        self.somebody_clears_up()
        self.a_worker_claims(1, len(NAMES))
        worker = self.alive[1]
        with Pen.held(self.store, worker) as pen:
            for row in self.claimed[1]:
                assert pen.write([], [row.id]) == {row.id}
                self.taken[self._name(row)] += 1
                pen.write([Settlement(row.id, DeliveryState.SENT, self.now)], [])
        self.nobody_gets_it_twice_without_a_person_s_word()
        states = self._states()
        assert set(states.values()) <= {"sent", "failed", "in_doubt", "suppressed", "skipped"}
        explained = {name for name, state in states.items() if state != "sent"}
        assert (
            set(self.planned) <= {name for name in self.taken if self.taken[name]} | explained | self.vouched
        )

    # ------------------------------------------------------------------------------------------------ names

    def _worker(self, pid: int) -> int:
        if pid not in self.alive:
            with self.store.write() as connection:
                self.alive[pid] = workers.register(connection, self._process(pid), self.now)
            self.claimed[pid] = []
        return self.alive[pid]

    def _process(self, pid: int) -> Process:
        self.births = getattr(self, "births", 0) + 1
        return Process("here", "boot", pid, str(self.births))

    def _start_of(self, pid: int) -> str | None:
        """When a process began, as the ledger has it, where it lives."""
        if pid not in self.alive:
            return None
        with self.store.read() as connection:
            rows = connection.exec_driver_sql("SELECT started FROM workers WHERE id = ?", (self.alive[pid],))
            started = rows.scalar()
            return str(started) if started else None

    def _forget(self, pid: int) -> None:
        del self.alive[pid]
        self.mistaken.discard(pid)
        self.claimed.pop(pid)
        self.sending.pop(pid, None)

    def _ready(self, pid: int) -> bool:
        return bool(self.claimed[pid]) and pid not in self.sending

    def _bar(self, name: str) -> None:
        with self.store.write() as connection:
            readers.suppress(connection, f"{name}@example.org", "complaint", self.now)
        self._is_gone(name)

    def _is_gone(self, name: str) -> None:
        if not any(self._name(row) == name for rows in self.claimed.values() for row in rows):
            self.gone.add(name)

    def _name(self, row: Delivery) -> str:
        assert row.reader
        return row.reader.name

    def _states(self) -> dict[str, str]:
        question = """SELECT name, deliveries.state FROM deliveries
            JOIN subscribers ON subscribers.id = recipient"""
        with self.store.read() as connection:
            rows = connection.exec_driver_sql(question).all()
        assert len(rows) == len({name for name, _ in rows})
        return dict(tuple(row) for row in rows)

    def _in(self, state: str) -> set[str]:
        return {name for name, its in self._states().items() if its == state}


Ledger.TestCase.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)
TestLedger = Ledger.TestCase
