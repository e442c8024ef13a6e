"""Which relay a new connection goes to: decided from how they stand, and how they come to stand so."""

from dataclasses import replace

import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from bot.transports._relays import (
    BREAKS,
    FIRST_PAUSE,
    LONGEST_PAUSE,
    Away,
    Choice,
    Hold,
    Refused,
    Relays,
    Seat,
    Standing,
    Use,
    choose,
    pause,
)
from tests.test_transports_smtp import Clock

NOW = 1000.0
WELL = Standing(limit=2, known=True)
NEW = Standing(limit=2)
FULL = replace(WELL, open=2)
UNWELL = replace(WELL, failures=1, failed_at=NOW - 5, unwell_until=NOW + 10)
LONGER = replace(UNWELL, unwell_until=NOW + 60)
REFUSED = replace(UNWELL, refused=True)
DUE = replace(UNWELL, unwell_until=NOW)
TRIED = replace(DUE, tried=True, open=1)


@pytest.mark.parametrize(
    ("standings", "choice"),
    [
        ([WELL], Use(0)),
        ([NEW], Use(0)),
        ([WELL, WELL], Use(0)),
        # the next in order, where those before it are unwell
        ([UNWELL, WELL], Use(1)),
        ([UNWELL, UNWELL, WELL], Use(2)),
        ([UNWELL, NEW], Use(1)),
        # the first again, as soon as its time has come
        ([DUE, WELL], Use(0)),
        # while one connection finds out, the others go elsewhere, or wait
        ([TRIED, WELL], Use(1)),
        ([TRIED], Hold()),
        ([TRIED, UNWELL], Hold()),
        ([UNWELL, TRIED], Hold()),
        ([replace(NEW, tried=True, open=1), WELL], Hold()),
        # a full one is waited for: who stands behind it is there for another case
        ([FULL], Hold()),
        ([FULL, WELL], Hold()),
        ([UNWELL, FULL], Hold()),
        ([UNWELL, FULL, WELL], Hold()),
        # nobody is well
        ([UNWELL], Away(10)),
        ([LONGER, UNWELL], Away(10)),
        # who refuses us altogether stops the run, unless another stands before it
        ([REFUSED], Refused(0)),
        ([REFUSED, WELL], Refused(0)),
        ([WELL, REFUSED], Use(0)),
        ([UNWELL, REFUSED], Refused(1)),
        ([replace(REFUSED, unwell_until=NOW), WELL], Use(0)),
    ],
)
def test_a_new_connection_goes_to_the_first_relay_that_is_well(
    standings: list[Standing], choice: Choice
) -> None:
    assert choose(standings, NOW) == choice


@pytest.mark.parametrize(
    ("standings", "passed", "choice"),
    [
        ([WELL, WELL], {0}, Use(1)),
        ([WELL, WELL], {1}, Use(0)),
        ([WELL, UNWELL], {0}, Away(10)),
        ([WELL, WELL], {0, 1}, Away(0)),
        ([REFUSED, WELL], {0}, Use(1)),
    ],
)
def test_no_relay_gets_a_mail_twice_in_one_attempt(
    standings: list[Standing], passed: set[int], choice: Choice
) -> None:
    """It may be well again by now, since it took another mail meanwhile."""
    assert choose(standings, NOW, passed) == choice


@pytest.mark.parametrize(
    ("failures", "chance", "seconds"),
    [
        (1, 0, FIRST_PAUSE),
        (1, 1, FIRST_PAUSE / 2),
        (2, 0, FIRST_PAUSE * 2),
        (3, 0, FIRST_PAUSE * 4),
        (3, 0.5, FIRST_PAUSE * 3),
        (6, 0, LONGEST_PAUSE),
        (10_000, 0, LONGEST_PAUSE),
    ],
)
def test_a_relay_is_left_alone_for_a_growing_while(failures: int, chance: float, seconds: float) -> None:
    assert pause(failures, chance) == seconds


@given(st.integers(1, 10_000), st.floats(0, 1))
def test_a_pause_is_bounded_both_ways(failures: int, chance: float) -> None:
    assert FIRST_PAUSE / 2 <= pause(failures, chance) <= LONGEST_PAUSE


def failed(standing: Standing, *, began: float = NOW) -> Standing:
    return standing.failed(NOW, began, 0, trying=True)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        # one connection asks a relay that nobody knows yet, or that failed
        (NEW, NEW.seated(), (1, True, 0)),
        (WELL, WELL.seated(), (1, False, 0)),
        (DUE, DUE.seated(), (1, True, 1)),
        (TRIED, TRIED.opened(trying=True), (1, False, 1)),
        # failures grow until a mail is taken: that a connection can be opened says little
        (TRIED, failed(TRIED), (1, False, 2)),
        (TRIED.opened(trying=True), failed(TRIED.opened(trying=True)), (1, False, 2)),
        (TRIED, TRIED.opened(trying=True).taken(), (1, False, 0)),
        # those that were under way together fail once
        (failed(WELL), failed(failed(WELL), began=NOW - 1), (0, False, 1)),
        (TRIED, TRIED.opened(trying=False), (1, True, 1)),
        # who gave up without an answer lets the next one ask
        (TRIED, TRIED.left(trying=True), (0, False, 1)),
        (replace(TRIED, open=2), replace(TRIED, open=2).left(trying=False), (1, True, 1)),
    ],
)
def test_how_a_relay_comes_to_stand_so(
    before: Standing, after: Standing, expected: tuple[int, bool, int]
) -> None:
    assert (after.open, after.tried, after.failures) == expected, before


def test_a_mail_that_is_taken_makes_a_relay_well_at_once() -> None:
    assert choose([LONGER.taken()], NOW) == Use(0)
    assert not REFUSED.taken().refused


def test_connections_that_break_off_are_a_failure_when_there_are_several_in_a_row() -> None:
    standing = WELL
    for _ in range(BREAKS - 1):
        standing = standing.broke(NOW, NOW, 0)
    assert choose([standing], NOW) == Use(0)
    assert choose([standing.broke(NOW, NOW, 0)], NOW) == Away(FIRST_PAUSE)
    assert choose([standing.taken().broke(NOW, NOW, 0)], NOW) == Use(0)


# -------------------------------------------------------------------------------------------- many at once


def seat(relays: Relays) -> Seat:
    found = relays.seat()
    assert isinstance(found, Seat)
    return found


def test_one_connection_finds_out_before_others_follow() -> None:
    relays = Relays([3], Clock(), lambda: 0)
    first = seat(relays)
    assert relays.seat() == Hold()
    relays.opened(first)
    assert [seat(relays).number, seat(relays).number] == [0, 0]
    assert relays.seat() == Hold()


def test_who_waits_for_a_place_sees_when_one_becomes_free() -> None:
    relays = Relays([1], Clock(), lambda: 0)
    first = seat(relays)
    relays.opened(first)
    seen = relays.changes
    assert relays.seat() == Hold()
    assert not relays.have_changed(seen)
    relays.left(first)
    assert relays.have_changed(seen)
    assert isinstance(relays.seat(), Seat)


def test_a_relay_is_asked_again_when_its_time_has_come() -> None:
    clock = Clock()
    relays = Relays([1, 1], clock, lambda: 0)
    first = seat(relays)
    relays.failed(first)
    relays.left(first)
    second = seat(relays)
    assert second.number == 1
    relays.opened(second)
    relays.left(second)
    clock.later(FIRST_PAUSE)
    assert seat(relays).number == 0


class Machine(RuleBasedStateMachine):
    """Whatever happens in whatever order: limits hold, one at a time asks, and nobody is stuck for ever."""

    @initialize(limits=st.lists(st.integers(1, 3), min_size=1, max_size=3), chance=st.floats(0, 1))
    def begin(self, limits: list[int], chance: float) -> None:
        self.limits = limits
        self.clock = Clock()
        self.relays = Relays(limits, self.clock, lambda: chance)
        self.seats: list[Seat] = []

    @rule()
    def come(self) -> None:
        place = self.relays.seat()
        if isinstance(place, Seat):
            self.seats.append(place)

    @precondition(lambda self: self.seats)
    @rule(data=st.data(), what=st.sampled_from(["opened", "taken", "broke", "failed", "refused", "left"]))
    def happen(self, data: st.DataObject, what: str) -> None:
        place = data.draw(st.sampled_from(self.seats))
        if what == "opened":
            self.relays.opened(place)
        elif what == "taken":
            self.relays.opened(place)
            self.relays.taken(place)
        elif what == "broke":
            self.relays.broke(place)
        elif what in {"failed", "refused"}:
            self.relays.failed(place, refused=what == "refused")
        if what not in {"opened", "taken"}:
            self.relays.left(place)
            self.seats = [one for one in self.seats if one is not place]

    @rule(seconds=st.floats(0, 400))
    def pass_time(self, seconds: float) -> None:
        self.clock.later(seconds)

    @invariant()
    def limits_hold(self) -> None:
        for number, limit in enumerate(self.limits):
            assert sum(one.number == number for one in self.seats) <= limit

    @invariant()
    def one_at_a_time_asks(self) -> None:
        for number in range(len(self.limits)):
            assert sum(one.number == number and one.trying for one in self.seats) <= 1

    @invariant()
    def when_all_have_left_somebody_can_come_in_time(self) -> None:
        if not self.seats:
            assert not isinstance(choose(self.relays.standings, self.clock()), Hold)
            assert self.relays.back_in() <= LONGEST_PAUSE


TestMachine = Machine.TestCase
TestMachine.settings = settings(max_examples=40, stateful_step_count=25, deadline=None)
