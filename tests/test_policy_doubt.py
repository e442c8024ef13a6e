"""What follows from looking for a delivery in doubt: a table, and the waits between the looks."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest

from bot.channels import sought
from bot.errors import InDoubtError
from bot.policy import LOOKED_AT, LOOKS, Doubt, Sight, after_looks, next_look

THERE, ABSENT, UNREADABLE = Sight.THERE, Sight.ABSENT, Sight.UNREADABLE


@pytest.mark.parametrize(
    ("sights", "first_time", "after_a_second_post"),
    [
        ((), Doubt.LOOK, Doubt.LOOK),
        ((THERE,), Doubt.SENT, Doubt.SENT),
        ((ABSENT,), Doubt.LOOK, Doubt.LOOK),
        ((UNREADABLE,), Doubt.HELD, Doubt.HELD),
        ((ABSENT, THERE), Doubt.SENT, Doubt.SENT),
        ((ABSENT, ABSENT), Doubt.AGAIN, Doubt.LATER),
        ((ABSENT, UNREADABLE), Doubt.HELD, Doubt.HELD),
    ],
)
def test_what_is_seen_decides(
    sights: tuple[Sight, ...], first_time: Doubt, after_a_second_post: Doubt
) -> None:
    assert after_looks(sights, again=False) is first_time
    assert after_looks(sights, again=True) is after_a_second_post


def test_two_looks_lie_ten_seconds_apart() -> None:
    assert LOOKS == (3.0, 10.0)


class Eyes:
    """Sees one thing after the other, and notes how long it waited before each."""

    def __init__(self, *seen: str | None, ends_after: int = 9) -> None:
        self.seen, self.waited, self.ends_after = list(seen), list[float](), ends_after

    def look(self) -> str | None:
        seen = self.seen.pop(0)
        if seen == "unreadable":
            raise InDoubtError("no scope")
        return seen

    def wait(self, seconds: float) -> bool:
        self.waited.append(seconds)
        return len(self.waited) <= self.ends_after


DOUBT = InDoubtError("no answer")


def test_what_is_there_is_seen_at_the_first_look() -> None:
    eyes = Eyes("1.2")
    assert sought(eyes.look, eyes.wait, DOUBT) == ("1.2", Doubt.SENT)
    assert eyes.waited == [3.0]


def test_what_shows_late_is_seen_at_the_second() -> None:
    eyes = Eyes(None, "1.2")
    assert sought(eyes.look, eyes.wait, DOUBT) == ("1.2", Doubt.SENT)
    assert eyes.waited == [3.0, 10.0]


def test_only_two_looks_make_sure_that_it_is_absent() -> None:
    eyes = Eyes(None, None)
    assert sought(eyes.look, eyes.wait, DOUBT) == (None, Doubt.AGAIN)
    assert sought(Eyes(None, None).look, eyes.wait, DOUBT, again=True) == (None, Doubt.LATER)


@pytest.mark.parametrize("seen", [("unreadable",), (None, "unreadable")])
def test_what_cannot_be_seen_stays_in_doubt_and_says_both_reasons(seen: tuple[str | None, ...]) -> None:
    eyes = Eyes(*seen)
    with pytest.raises(InDoubtError, match="no answer; no scope"):
        sought(eyes.look, eyes.wait, DOUBT)


@pytest.mark.parametrize("ends_after", [0, 1])
def test_a_run_that_ends_meanwhile_leaves_the_doubt(ends_after: int) -> None:
    eyes = Eyes(None, None, ends_after=ends_after)
    with pytest.raises(InDoubtError, match="no answer"):
        sought(eyes.look, eyes.wait, DOUBT)


@pytest.mark.parametrize(
    ("age", "next_age"),
    [
        (timedelta(), timedelta(minutes=1)),
        (timedelta(seconds=59), timedelta(minutes=1)),
        (timedelta(minutes=1), timedelta(minutes=5)),
        (timedelta(minutes=5), timedelta(minutes=15)),
        (timedelta(minutes=16), timedelta(hours=1)),
        (timedelta(hours=3), timedelta(hours=4)),
        (timedelta(hours=12), timedelta(hours=24)),
        (timedelta(days=3), timedelta(hours=24)),
        (-timedelta(minutes=5), timedelta(minutes=1)),
    ],
)
def test_a_doubt_is_looked_at_again_in_growing_pauses_up_to_a_day(
    age: timedelta, next_age: timedelta
) -> None:
    doubt_at = datetime(2025, 4, 25, 9, tzinfo=UTC)
    assert next_look(doubt_at, doubt_at + age) == doubt_at + next_age


def test_each_pause_between_looks_is_longer_than_the_one_before() -> None:
    pauses = [later - earlier for earlier, later in pairwise(LOOKED_AT)]
    assert pauses == sorted(set(pauses))
