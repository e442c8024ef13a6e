"""A channel that writes down what it is asked to deliver and answers as told, and a ledger to fill."""

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from sqlalchemy import select

from bot import subscriptions
from bot.channels import Audience, Wait
from bot.models import Consent, Delivery, Issue, Reader, Receipt, Rendered, Week
from bot.outbox import Terms
from bot.publish import Edition, publish
from bot.store import Store, issues, tables

LETTER = "letter"
WEEK = Week(2025, 17)
NOW = datetime(2025, 4, 25, 9, tzinfo=UTC)
PAYLOAD = b"the issue as it was frozen"

Answer = Callable[[Delivery], Receipt]


def receipt(delivery: Delivery) -> Receipt:
    """The answer of a far side that takes everything."""
    return Receipt(f"250 ok {delivery.id}")


@dataclass
class Recorder:
    """Keeps each delivery in the order in which it came, then answers."""

    answer: Answer = receipt
    audience: Audience = Audience.READERS
    concurrency: int = 1
    size: int = 1
    local: bool = True
    by: str = "a recorder"
    ready: Callable[[Wait], bool] = lambda _wait: True
    delivered: list[Delivery] = field(default_factory=list)
    at: list[datetime] = field(default_factory=list)
    opened: int = 0
    closed: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def freeze(self, issue: Issue, rendered: Rendered) -> bytes:
        return PAYLOAD

    def parts(self, payload: bytes) -> int:
        return self.size

    def files(self, payload: bytes, reader: Reader, now: datetime) -> dict[str, bytes]:
        return {}

    def courier(self, payload: bytes) -> "_Courier":
        assert payload == PAYLOAD
        with self.lock:
            self.opened += 1
        return _Courier(self)

    @property
    def names(self) -> list[str]:
        """Whom it was asked to reach: readers by name, parts by number."""
        return [one.reader.name if one.reader else str(one.part) for one in self.delivered]


@dataclass
class _Courier:
    recorder: Recorder

    def ready(self, wait: Wait) -> bool:
        return self.recorder.ready(wait)

    def deliver(self, delivery: Delivery, now: datetime) -> Receipt:
        with self.recorder.lock:
            self.recorder.delivered.append(delivery)
            self.recorder.at.append(now)
        return self.recorder.answer(delivery)

    def close(self) -> None:
        with self.recorder.lock:
            self.recorder.closed += 1


def conversation(parts: int, answer: Answer = receipt) -> Recorder:
    """A chat that takes an issue in some parts."""
    return Recorder(answer, Audience.CONVERSATION, size=parts)


@dataclass
class Clock:
    """A clock that stands until it is told to go on."""

    now: datetime = NOW

    def __call__(self) -> datetime:
        return self.now

    def later(self, **span: float) -> None:
        self.now += timedelta(**span)


def terms(clock: Callable[[], datetime] | None = None, stop: threading.Event | None = None) -> Terms:
    """A run by a clock of the test's own, without chance."""
    return Terms(clock or Clock(), lambda: 0.0, stop or threading.Event())


def add_readers(store: Store, names: Iterable[str], newsletter: str = LETTER) -> None:
    """Confirmed readers, `ann` at ann@example.org."""
    for name in names:
        subscriptions.add(store, newsletter, f"{name}@example.org", name, "", Consent.CONFIRMED, NOW)


def crowd(store: Store, number: int) -> list[str]:
    """Very many confirmed readers at once; their names, in the order in which they are sent to."""
    names = [f"r{one:05}" for one in range(number)]
    people = [{"email": f"{n}@x.org", "email_key": f"{n}@x.org", "name": n, "created_at": NOW} for n in names]
    with store.write() as connection:
        connection.execute(tables.subscribers.insert(), people)
        ids = connection.scalars(select(tables.subscribers.c.id).order_by(tables.subscribers.c.id)).all()
        rows = [
            {
                "subscriber_id": one,
                "newsletter": LETTER,
                "state": "confirmed",
                "token": f"{one:022}",
                "changed_at": NOW,
            }
            for one in ids
        ]
        connection.execute(tables.subscriptions.insert(), rows)
    return names


def edition(channels: Iterable[str], week: Week = WEEK, taken: Iterable[str] = ()) -> Edition:
    return Edition(Issue(LETTER, week, "A title"), "hash", list(taken), dict.fromkeys(channels, PAYLOAD))


def published(store: Store, week: Week = WEEK, **channels: Recorder) -> int:
    """Publish an issue on some channels; its number."""
    assert publish(store, edition(channels, week), channels, NOW)
    with store.read() as connection:
        found = issues.find(connection, LETTER, week)
    assert found
    return found.id
