"""Whom an issue would reach, counted in the ledger, on SQLite and on PostgreSQL."""

from pathlib import Path
from typing import Any

import pytest

from bot import subscriptions
from bot.calendar import week_after
from bot.checks._readership import Crowd, Readership
from bot.errors import InDoubtError
from bot.models import Consent, Delivery, Issue, Receipt, Rendered
from bot.outbox import work
from bot.plugins import Options
from bot.proofs import Print
from bot.readership import Asked, readership
from bot.settings import Newsletter, Settings
from bot.slots import Slots
from bot.store import Store, readers
from tests.recording import (
    LETTER,
    NOW,
    PAYLOAD,
    WEEK,
    Recorder,
    add_readers,
    conversation,
    crowd,
    published,
    receipt,
    terms,
)

SLOTS = Slots("0" * 16)


def newsletter(name: str = LETTER, at: str = "09:00") -> Newsletter:
    return Newsletter.model_validate(
        {
            "name": name,
            "title": "A letter",
            "sender": f"Letter <{name}@example.org>",
            "list_id": f"{name}.example.org",
            "postal_address": "1 Example Street",
            "schedule": {"day": "fri", "at": at, "zone": "Europe/Berlin"},
            "channels": {"email": Options(kind="email")},
        }
    )


def counted(
    store: Store,
    *others: Newsletter,
    html: str = "",
    channels: dict[str, Recorder] | None = None,
    **keys: Any,
) -> Readership:
    """What is counted for an issue of the letter, by mail unless other channels are named."""
    ours, chosen = newsletter(), channels or {"email": Recorder()}
    settings = Settings(root=Path(), newsletters={one.name: one for one in (ours, *others)})
    rendered = Rendered("A title", "", html, "", "", SLOTS.nonce)
    made = Print(rendered, dict.fromkeys(chosen, PAYLOAD), {"name": "templates/themes/plain.html.j2:1"})
    issue = Issue(LETTER, WEEK, "A title", place="content/letter/2025-W17.md:1")
    return readership(store, settings, ours, chosen, Asked(issue, made, None, NOW, **keys))


def mailed(store: Store) -> Crowd:
    (one,) = counted(store).crowds
    return one


def test_confirmed_readers_of_this_newsletter_count_and_nobody_else(store: Store) -> None:
    add_readers(store, ["ann", "bob", "eve", "gus"])
    add_readers(store, ["zoe"], newsletter="another")
    subscriptions.add(store, LETTER, "pat@example.org", "", "", Consent.PENDING, NOW)
    subscriptions.remove(store, "eve@example.org", LETTER, NOW)
    with store.write() as connection:
        readers.suppress(connection, "bob@example.org", "it bounced", NOW)
    assert mailed(store) == Crowd("email", 2, suppressed=1)


def test_readers_without_a_name_are_counted_among_those_who_get_it(store: Store) -> None:
    for name, email in (("", "a@example.org"), ("", "b@example.org"), ("Eve", "c@example.org")):
        subscriptions.add(store, LETTER, email, name, "", Consent.CONFIRMED, NOW)
    subscriptions.add(store, LETTER, "d@example.org", "", "", Consent.PENDING, NOW)
    subscriptions.add(store, "another", "e@example.org", "", "", Consent.CONFIRMED, NOW)
    with store.write() as connection:
        readers.suppress(connection, "b@example.org", "it bounced", NOW)
    assert mailed(store).nameless == 1


def test_last_time_s_readers_are_those_whom_the_newest_issue_was_meant_for(store: Store) -> None:
    names = crowd(store, 6)
    published(store, week_after(WEEK, -2), email=Recorder())
    with store.write() as connection:
        readers.suppress(connection, f"{names[0]}@x.org", "it bounced", NOW)
    published(store, week_after(WEEK, -1), email=Recorder(), slack=conversation(3))
    now = counted(store, channels={"email": Recorder(), "slack": conversation(2), "new": Recorder()})
    assert now.last == week_after(WEEK, -1)
    assert now.crowds == (
        Crowd("email", 5, suppressed=1, last=5),
        Crowd("slack", 2, of_readers=False, last=3),
        Crowd("new", 5, suppressed=1),
    )


def test_the_issue_itself_is_not_its_own_last_time(store: Store) -> None:
    add_readers(store, ["ann"])
    published(store, week_after(WEEK, -1), email=Recorder())
    published(store, WEEK, email=Recorder())
    assert counted(store).last == week_after(WEEK, -1)


def test_what_is_in_doubt_of_the_last_issue_is_counted(store: Store) -> None:
    add_readers(store, ["ann", "bob"])
    number = published(store, week_after(WEEK, -1), email=Recorder())
    assert counted(store).doubts == 0

    def doubtful(delivery: Delivery) -> Receipt:
        if delivery.reader and delivery.reader.name == "ann":
            raise InDoubtError("no answer")
        return receipt(delivery)

    work(store, number, {"email": Recorder(doubtful)}, {"email": PAYLOAD}, terms())
    assert counted(store).doubts == 1


def test_a_ledger_that_knows_nobody_and_nothing_is_fresh(store: Store) -> None:
    assert counted(store).fresh
    subscriptions.add(store, "another", "e@example.org", "", "", Consent.CONFIRMED, NOW)
    assert counted(store).fresh
    subscriptions.add(store, LETTER, "d@example.org", "", "", Consent.PENDING, NOW)
    assert not counted(store).fresh


def test_a_ledger_that_has_sent_is_not_fresh_even_without_readers(store: Store) -> None:
    published(store, week_after(WEEK, -1), email=Recorder())
    assert not counted(store).fresh


@pytest.mark.parametrize(
    ("at", "shared"),
    [("09:30", 2), ("10:00", 2), ("08:00", 2), ("10:01", None), ("07:59", None)],
)
def test_a_newsletter_within_the_hour_is_counted_by_the_readers_of_both(
    store: Store, at: str, shared: int | None
) -> None:
    add_readers(store, ["ann", "bob", "eve", "gus"])
    for name in ("ann", "bob", "eve", "zoe"):
        subscriptions.add(store, "tools", f"{name}@example.org", name, "", Consent.CONFIRMED, NOW)
    subscriptions.add(store, "tools", "gus@example.org", "gus", "", Consent.PENDING, NOW)
    subscriptions.remove(store, "eve@example.org", "tools", NOW)
    found = counted(store, newsletter("tools", at)).neighbours
    assert [one.shared for one in found] == ([] if shared is None else [shared])
    assert all(one.newsletter == "tools" for one in found)


def test_where_nobody_gets_mail_no_reader_is_counted(store: Store) -> None:
    add_readers(store, ["ann"])
    add_readers(store, ["bob"], newsletter="tools")
    found = counted(store, newsletter("tools"), channels={"slack": conversation(2)})
    assert found.crowds == (Crowd("slack", 2, of_readers=False),)
    assert found.neighbours == ()


@pytest.mark.parametrize(("html", "named"), [(f"Hello {SLOTS.name},", True), ("Hello reader,", False)])
def test_whether_a_mail_has_a_place_for_the_name_is_seen(store: Store, html: str, *, named: bool) -> None:
    assert counted(store, html=html).names_readers is named


def test_how_it_is_sent_is_handed_on(store: Store) -> None:
    found = counted(store, sending=True, by_hand=True)
    assert (found.sending, found.by_hand, found.now) == (True, True, NOW)
    assert found.fields == {"name": "templates/themes/plain.html.j2:1"}
