"""A curator's yes is bound to what was read, and a hold holds until it is released."""

from collections.abc import Callable

import pytest
from sqlalchemy import select

from bot import approvals
from bot.errors import InputError
from bot.models import Approval, Week
from bot.store import Store, issues, tables
from tests.recording import LETTER, NOW, WEEK, Recorder, published

Step = Callable[[Store], None]


def approve(content_hash: str) -> Step:
    return lambda store: approvals.approve(store, LETTER, WEEK, content_hash, NOW)


def hold(store: Store) -> None:
    approvals.hold(store, LETTER, WEEK, "hash", NOW)


def release(store: Store) -> None:
    approvals.release(store, LETTER, WEEK, NOW)


def decision(store: Store) -> Approval | None:
    with store.read() as connection:
        return issues.approval(connection, LETTER, WEEK)


YES = Approval("approved", "hash", NOW)
HELD = Approval("held", "hash", NOW)


@pytest.mark.parametrize(
    ("steps", "after"),
    [
        ([], None),
        ([approve("hash")], YES),
        ([approve("old"), approve("hash")], YES),
        ([hold], HELD),
        ([hold, hold], HELD),
        ([approve("hash"), hold], HELD),
        ([hold, release], None),
        ([approve("hash"), hold, release], None),
        ([hold, release, approve("hash")], YES),
    ],
)
def test_the_last_word_counts(store: Store, steps: list[Step], after: Approval | None) -> None:
    for step in steps:
        step(store)
    assert decision(store) == after


@pytest.mark.parametrize(
    ("steps", "last", "words"),
    [
        ([hold], approve("hash"), "letter/2025-W17: it is held: release it first"),
        ([], release, "letter/2025-W17: it is not held: nothing to release"),
        ([approve("hash")], release, "letter/2025-W17: it is not held: nothing to release"),
    ],
)
def test_a_word_that_does_not_fit_is_refused_and_changes_nothing(
    store: Store, steps: list[Step], last: Step, words: str
) -> None:
    for step in steps:
        step(store)
    before = decision(store)
    with pytest.raises(InputError) as caught:
        last(store)
    assert (str(caught.value), decision(store)) == (words, before)


@pytest.mark.parametrize("step", [approve("hash"), hold])
def test_nothing_is_decided_of_a_published_issue(store: Store, step: Step) -> None:
    published(store, email=Recorder())
    with pytest.raises(InputError, match="it is published already"):
        step(store)
    assert decision(store) is None


def test_a_decision_is_of_one_week_of_one_newsletter(store: Store) -> None:
    approve("hash")(store)
    approvals.hold(store, "another", WEEK, "hash", NOW)
    approvals.hold(store, LETTER, Week(2025, 18), "other", NOW)
    with store.read() as connection:
        assert issues.approval(connection, LETTER, WEEK) == YES
        assert issues.approval(connection, LETTER, Week(2025, 18)) == Approval("held", "other", NOW)
        assert issues.approval(connection, "another", WEEK) == Approval("held", "hash", NOW)
        assert issues.approval(connection, "another", Week(2025, 18)) is None


def test_every_decision_is_kept_as_an_event(store: Store) -> None:
    for step in (approve("old"), approve("hash"), hold, release):
        step(store)
    with store.read() as connection:
        rows = connection.execute(select(tables.events).order_by(tables.events.c.id)).all()
    assert [(row.kind, row.detail) for row in rows] == [
        ("approved", "old"),
        ("approved", "hash"),
        ("held", "hash"),
        ("released", ""),
    ]


@pytest.mark.parametrize(
    ("approval", "content_hash", "worth"),
    [(YES, "hash", "approved"), (YES, "changed", "void"), (HELD, "hash", "held"), (HELD, "changed", "held")],
)
def test_a_yes_is_void_once_the_content_changed(approval: Approval, content_hash: str, worth: str) -> None:
    assert approval.stands_for(content_hash) == worth
