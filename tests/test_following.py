"""What stands in Slack of a draft is what was drawn last, however many bring it up to date at once."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from bot.channels import Wait
from bot.models import Delivery, DeliveryState, Receipt, Week
from bot.policy import Verdict
from bot.settings import Newsletter
from bot.store import Store, notices
from bot.store.notices import Address, Kept
from bot.telling import DRAFT, TRIES, Document, Way, follow
from tests.website import TABLE

NOW = datetime(2025, 4, 24, 7, tzinfo=UTC)
WEEK = Week(2025, 17)
OLD = Document("ai-papers/2025-W17", "h1", "Draft", "", "It waits.", decided=False)
NEW = replace(OLD, stands="Approved.", decided=True)


@dataclass
class Slack:
    """Where one message stands; `meanwhile` happens while it is being written."""

    shows: str = "nothing"
    written: int = 0
    meanwhile: list[Callable[[], None]] = field(default_factory=list)

    def messenger(self, message: dict[str, Any]) -> "_Messenger":
        return _Messenger(self, "Approved." if "Approved." in str(message["blocks"]) else "It waits.")


@dataclass
class _Messenger:
    slack: Slack
    stands: str

    def ready(self, wait: Wait) -> bool:
        return wait(0)

    def deliver(self, delivery: Delivery, now: datetime) -> Receipt:
        raise AssertionError((delivery, now))

    def look(self, delivery: Delivery) -> Receipt | None:
        raise AssertionError(delivery)

    def correct(self, delivery: Delivery, standing: Receipt) -> Receipt:
        assert delivery.part == 1
        self.slack.shows, self.slack.written = self.stands, self.slack.written + 1
        if self.slack.meanwhile:
            self.slack.meanwhile.pop(0)()
        return standing

    def close(self) -> None:
        """Nothing is open."""


def way(slack: Slack) -> Way:
    newsletter = Newsletter.model_validate({**TABLE, "name": "ai-papers"})
    return Way(newsletter, "https://papers.example.org/studio", slack.messenger, lambda *_: Receipt(""))


def kept(store: Store) -> Kept:
    with store.read() as connection:
        (one,) = notices.about(connection, "ai-papers", WEEK, DRAFT)
    return one


def shown(store: Store, document: Document = OLD) -> None:
    """A draft that was posted."""
    with store.write() as connection:
        notices.add(
            connection, "ai-papers", WEEK, DRAFT, Address("slack", "C0DRAFTS01"), document.dump(), NOW
        )
    with store.write() as connection:
        notices.settle(connection, kept(store), Verdict(DeliveryState.SENT, ""), "C0DRAFTS01:1.2", NOW)


def test_it_follows_what_is_drawn_and_is_written_once(store: Store) -> None:
    shown(store)
    slack = Slack()
    for _ in range(3):
        follow(store, way(slack), WEEK, lambda: NEW)
    assert (slack.shows, slack.written) == ("Approved.", 1)
    assert kept(store).payload == NEW.dump()


def test_an_older_drawing_that_is_written_last_is_put_right(store: Store) -> None:
    """A drew before the decision, B after it; B's stands there and is noted, then A writes over it."""
    shown(store, replace(OLD, heading="Draft as it was first"))
    slack = Slack()
    drawings = iter([OLD, NEW, NEW])

    def b_was_quicker() -> None:
        with store.write() as connection:
            assert notices.replace_payload(connection, kept(store), NEW.dump())

    slack.meanwhile.append(b_was_quicker)
    follow(store, way(slack), WEEK, lambda: next(drawings))
    assert (slack.shows, slack.written) == ("Approved.", 2)
    assert kept(store).payload == NEW.dump()


def test_who_never_comes_to_an_end_stops(store: Store) -> None:
    shown(store)
    slack = Slack()

    def another() -> None:
        with store.write() as connection:
            other = replace(OLD, small=str(slack.written))
            assert notices.replace_payload(connection, kept(store), other.dump())

    slack.meanwhile += [another] * 100
    follow(store, way(slack), WEEK, lambda: NEW)
    assert slack.written == TRIES


def test_what_changed_while_it_waited_is_not_sent_as_it_was(store: Store) -> None:
    with store.write() as connection:
        notices.add(connection, "ai-papers", WEEK, DRAFT, Address("slack", "C0DRAFTS01"), OLD.dump(), NOW)
    before = kept(store)
    follow(store, way(Slack()), WEEK, lambda: NEW)
    with store.write() as connection:
        assert not notices.claim(connection, before, NOW)
        assert notices.claim(connection, kept(store), NOW)
