"""A curator finds a reader by a few letters, in both databases."""

from datetime import UTC, datetime

import pytest

from bot.models import Consent
from bot.store import Store, readers
from bot.subscriptions import add, key_of

NOW = datetime(2025, 4, 25, 7, tzinfo=UTC)
PEOPLE = {
    "ada@example.org": "Countess Lovelace",
    "Adam@example.org": "",
    "bo_b@example.org": "100% Bo",
    "bob@example.org": "Özlem",
    "zoe@example.org": "adamant",
}


@pytest.fixture
def full(store: Store) -> Store:
    for email, name in PEOPLE.items():
        add(store, "ai-papers", email, name, "en", Consent.CONFIRMED, NOW)
    add(store, "ai-papers", "adi@example.org", "", "en", Consent.PENDING, NOW)
    add(store, "other", "ado@example.org", "", "en", Consent.CONFIRMED, NOW)
    add(store, "ai-papers", "adu@example.org", "", "en", Consent.CONFIRMED, NOW)
    with store.write() as connection:
        readers.suppress(connection, key_of("adu@example.org"), "hard bounce", NOW)
    return store


@pytest.mark.parametrize(
    ("letters", "found"),
    [
        ("ad", ["Adam@example.org", "ada@example.org", "zoe@example.org"]),
        ("ADAM", ["Adam@example.org", "zoe@example.org"]),
        ("count", ["ada@example.org"]),
        ("Öz", ["bob@example.org"]),
        ("bo_", ["bo_b@example.org"]),
        ("bo%", []),
        ("100%", ["bo_b@example.org"]),
        ("lovelace", []),  # it does not begin so
        ("adi", []),  # has not confirmed
        ("ado", []),  # reads another newsletter
        ("adu", []),  # may not be mailed
        ("'; drop table subscribers; --", []),
    ],
)
def test_a_reader_is_found_by_how_their_address_or_name_begins(
    full: Store, letters: str, found: list[str]
) -> None:
    with full.read() as connection:
        rows = readers.beginning(connection, "ai-papers", letters, 20)
        assert sorted(email for _, email, _ in rows) == found
        assert {name for _, email, name in rows} <= set(PEOPLE.values())
        for number, email, name in rows:
            reader = readers.numbered(connection, "ai-papers", number)
            assert reader
            assert (reader.email, reader.name) == (email, name)
            assert readers.numbered(connection, "other", number) is None


def test_no_more_are_found_than_are_asked_for(full: Store) -> None:
    with full.read() as connection:
        every = readers.beginning(connection, "ai-papers", "a", 20)
        assert readers.beginning(connection, "ai-papers", "a", 2) == every[:2]
