"""When a delivery is tried again and when it is given up, as tables and as laws."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, strategies as st

from bot.errors import DeliveryError, InDoubtError, PermanentError, TransientError
from bot.models import Delivery, DeliveryState
from bot.policy import FIRST_WAIT, HORIZON, LONGEST_WAIT, OUTAGE_WAIT, Verdict, judge, wait_before

NOW = datetime(2025, 4, 25, 9, tzinfo=UTC)
QUEUED, FAILED, IN_DOUBT = DeliveryState.QUEUED, DeliveryState.FAILED, DeliveryState.IN_DOUBT


def minutes(number: float) -> timedelta:
    return timedelta(minutes=number)


def hours(number: float) -> timedelta:
    return timedelta(hours=number)


def tried(attempts: int, ago: timedelta | None) -> Delivery:
    first = NOW - ago if ago is not None else None
    return Delivery(1, "letter/2025-W17", "email", 0, None, attempts=attempts, first_tried_at=first)


def later(reason: str, retry_after: timedelta | None = None, *, charged: bool = True) -> TransientError:
    return TransientError(reason, retry_after=retry_after, charged=charged)


@pytest.mark.parametrize(
    ("delivery", "error", "verdict"),
    [
        (tried(0, None), PermanentError("550 no such user"), Verdict(FAILED, "550 no such user")),
        (tried(3, hours(2)), PermanentError("550 no such user"), Verdict(FAILED, "550 no such user")),
        (tried(0, None), InDoubtError("no answer"), Verdict(IN_DOUBT, "no answer")),
        (tried(0, None), DeliveryError("what is this"), Verdict(IN_DOUBT, "what is this")),
        (tried(0, None), DeliveryError(), Verdict(IN_DOUBT, "DeliveryError")),
        (tried(0, None), later("450 wait"), Verdict(QUEUED, "450 wait", NOW + minutes(5))),
        (tried(1, minutes(5)), later("450 wait"), Verdict(QUEUED, "450 wait", NOW + minutes(10))),
        (tried(12, hours(22)), later("450 wait"), Verdict(QUEUED, "450 wait", NOW + hours(2))),
        (tried(12, hours(23)), later("450 wait"), Verdict(FAILED, "given up after 23 hours: 450 wait")),
        (tried(0, None), later("429", minutes(30)), Verdict(QUEUED, "429", NOW + minutes(30))),
        (tried(0, None), later("429", hours(24)), Verdict(QUEUED, "429", NOW + hours(24))),
        (tried(0, None), later("429", hours(25)), Verdict(FAILED, "given up after 0 hours: 429")),
        (
            tried(0, None),
            later("gone", charged=False),
            Verdict(QUEUED, "gone", NOW + OUTAGE_WAIT, charged=False),
        ),
        (
            tried(2, hours(48)),
            later("gone", minutes(2), charged=False),
            Verdict(QUEUED, "gone", NOW + minutes(2), charged=False),
        ),
    ],
)
def test_what_an_error_means(delivery: Delivery, error: DeliveryError, verdict: Verdict) -> None:
    assert judge(delivery, error, NOW, lambda: 0.0) == verdict


@pytest.mark.parametrize(
    ("attempt", "jitter", "wait"),
    [
        (1, 0, minutes(5)),
        (1, 1, minutes(7.5)),
        (2, 0, minutes(10)),
        (3, 0, minutes(20)),
        (5, 0, minutes(80)),
        (6, 0, hours(2)),
        (6, 1, hours(3)),
        (10_000, 0, hours(2)),
    ],
)
def test_waits_double_up_to_two_hours_and_are_spread_over_half_as_much_again(
    attempt: int, jitter: float, wait: timedelta
) -> None:
    assert wait_before(attempt, later("wait"), lambda: jitter) == wait


ASKED = st.none() | st.timedeltas()
JITTER = st.floats(0, 1)
ATTEMPT = st.integers(1, 10_000)


@given(one=ATTEMPT, other=ATTEMPT, jitter=JITTER, asked=ASKED, charged=st.booleans())
def test_a_later_attempt_never_waits_less(
    *, one: int, other: int, jitter: float, asked: timedelta | None, charged: bool
) -> None:
    error = later("wait", asked, charged=charged)
    few, many = sorted((one, other))
    assert wait_before(few, error, lambda: jitter) <= wait_before(many, error, lambda: jitter)


@given(ATTEMPT, JITTER, ASKED)
def test_waits_are_bounded(attempt: int, jitter: float, asked: timedelta | None) -> None:
    wait = wait_before(attempt, later("wait", asked), lambda: jitter)
    heard = min(asked or timedelta(), 2 * HORIZON)
    assert max(FIRST_WAIT, heard) <= wait <= max(1.5 * LONGEST_WAIT, heard)


@given(st.integers(0, 100), st.timedeltas(timedelta(), hours(100)), JITTER, ASKED)
def test_nothing_is_tried_after_the_horizon(
    attempts: int, ago: timedelta, jitter: float, asked: timedelta | None
) -> None:
    delivery = tried(attempts, ago)
    verdict = judge(delivery, later("wait", asked), NOW, lambda: jitter)
    if verdict.state is QUEUED:
        assert verdict.due_at
        assert delivery.first_tried_at
        assert NOW < verdict.due_at <= delivery.first_tried_at + HORIZON
    else:
        assert (verdict.state, verdict.due_at) == (FAILED, None)


@given(st.integers(0, 100), st.timedeltas(timedelta(), hours(1000)), ASKED)
def test_an_outage_costs_no_reader_anything_however_long_it_is(
    attempts: int, ago: timedelta, asked: timedelta | None
) -> None:
    verdict = judge(tried(attempts, ago), later("gone", asked, charged=False), NOW, lambda: 1.0)
    assert (verdict.state, verdict.charged) == (QUEUED, False)
    assert verdict.due_at
    assert NOW + OUTAGE_WAIT <= verdict.due_at <= NOW + 2 * HORIZON
