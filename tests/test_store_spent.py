"""Words that open the studio are used once, whoever asks, and forgotten when they are too old anyway."""

from datetime import UTC, datetime, timedelta

from sqlalchemy import func, select

from bot.store import Store, spent, tables

NOW = datetime(2025, 4, 25, 7, tzinfo=UTC)
LATER = NOW + timedelta(minutes=20)


def spend(store: Store, name: str, now: datetime = NOW) -> bool:
    with store.write() as connection:
        return spent.spend(connection, name, LATER, now)


def is_spent(store: Store, name: str) -> bool:
    with store.read() as connection:
        return spent.is_spent(connection, name)


def test_a_word_is_used_once(store: Store) -> None:
    assert not is_spent(store, "a")
    assert spend(store, "a")
    assert is_spent(store, "a")
    assert not spend(store, "a")
    assert spend(store, "b")


def test_what_is_too_old_anyway_is_forgotten_and_nothing_before(store: Store) -> None:
    spend(store, "a")
    spend(store, "b", LATER - timedelta(seconds=1))
    assert is_spent(store, "a")
    spend(store, "c", LATER)
    with store.read() as connection:
        assert connection.scalar(select(func.count()).select_from(tables.spent)) == 1
