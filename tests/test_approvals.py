"""A curator's yes is bound to what was read, and a hold holds until it is released."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from bot import approvals
from bot.approvals import Outcome, Word
from bot.errors import InputError
from bot.models import Approval, Origin, Week
from bot.store import Store, decisions
from bot.store.decisions import Verb
from tests.recording import LETTER, NOW, WEEK, Recorder, published

Step = Callable[[Store], object]
LATER = NOW + timedelta(minutes=5)


def say(
    store: Store,
    verb: Verb,
    content_hash: str = "hash",
    *,
    by: str = "ann",
    letter: str = LETTER,
    week: Week = WEEK,
    now: datetime = NOW,
) -> Outcome:
    return approvals.decide(store, letter, week, verb, Word(content_hash, "[]", by, Origin.STUDIO), now)


def approve(content_hash: str) -> Step:
    return lambda store: say(store, "approved", content_hash)


def hold(store: Store) -> None:
    say(store, "held")


def release(store: Store) -> None:
    say(store, "released")


def decision(store: Store, letter: str = LETTER, week: Week = WEEK) -> Approval | None:
    with store.read() as connection:
        return decisions.standing(connection, letter, week)


YES = Approval("approved", "hash", NOW, "ann", Origin.STUDIO)
HELD = Approval("held", "hash", NOW, "ann", Origin.STUDIO)


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
    say(store, "held", letter="another")
    say(store, "held", "other", week=Week(2025, 18))
    assert decision(store) == YES
    assert decision(store, week=Week(2025, 18)) == replace(HELD, hash="other")
    assert decision(store, "another") == HELD
    assert decision(store, "another", Week(2025, 18)) is None


def test_every_decision_is_kept_with_who_took_it_and_from_where(store: Store) -> None:
    say(store, "approved", "old")
    say(store, "approved", by="bo", now=LATER)
    say(store, "held", by="bo", now=LATER)
    say(store, "released", "newer", now=LATER)
    with store.read() as connection:
        kept = decisions.every(connection, LETTER, WEEK)
        yes = decisions.last_approved(connection, LETTER, WEEK)
    assert [(verb, word.hash, word.by, word.at, word.origin) for verb, word in kept] == [
        ("approved", "old", "ann", NOW, Origin.STUDIO),
        ("approved", "hash", "bo", LATER, Origin.STUDIO),
        ("held", "hash", "bo", LATER, Origin.STUDIO),
        ("released", "newer", "ann", LATER, Origin.STUDIO),
    ]
    assert yes == Approval("approved", "hash", LATER, "bo", Origin.STUDIO)


@pytest.mark.parametrize("verb", ["approved", "held"])
def test_the_same_word_twice_is_one_decision_of_who_was_first(store: Store, verb: Verb) -> None:
    first = say(store, verb)
    second = say(store, verb, by="bo", now=LATER)
    assert (first.new, second.new) == (True, False)
    assert second.standing == first.standing == decision(store)
    with store.read() as connection:
        assert len(decisions.every(connection, LETTER, WEEK)) == 1


def test_curators_who_click_at_once_take_one_decision(store: Store) -> None:
    with ThreadPoolExecutor(8) as pool:
        outcomes = list(pool.map(lambda n: say(store, "approved", by=f"curator-{n}"), range(8)))
    assert [outcome.new for outcome in outcomes].count(True) == 1
    assert {outcome.standing for outcome in outcomes} == {decision(store)}


def test_the_words_of_what_was_decided_on_are_kept_once(store: Store) -> None:
    say(store, "approved")
    approvals.decide(store, LETTER, WEEK, "held", Word("hash", "other"), LATER)
    with store.read() as connection:
        assert decisions.find(connection, "hash") == "[]"
        assert decisions.find(connection, "never decided on") is None


@pytest.mark.parametrize(
    ("approval", "content_hash", "worth"),
    [(YES, "hash", "approved"), (YES, "changed", "void"), (HELD, "hash", "held"), (HELD, "changed", "held")],
)
def test_a_yes_is_void_once_the_content_changed(approval: Approval, content_hash: str, worth: str) -> None:
    assert approval.stands_for(content_hash) == worth
