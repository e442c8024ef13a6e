"""So many mails a second: turns are evenly spaced, fair, and given up as soon as the run ends."""

from itertools import pairwise
from pathlib import Path
from threading import Event

import pytest
from hypothesis import given, strategies as st

from bot.transports import Transport, smtp
from bot.transports._pace import Pace
from bot.transports.smtp import Outside
from tests.servers.smtp import Scripted
from tests.test_transports_smtp import ADA, MAIL, SENDER, Clock
from tests.waited import Waited


@pytest.mark.parametrize(
    ("steps", "turns"),
    [
        ([0, 0, 0], [1000, 1000.5, 1001]),  # whoever asks at once is spaced out
        ([0, 0.5, 0.5], [1000, 1000.5, 1001]),
        ([0, 0.2, 0.2], [1000, 1000.5, 1001]),
        ([0, 10, 0], [1000, 1010, 1010.5]),  # what was missed is not made up for
    ],
)
def test_turns_are_evenly_spaced(steps: list[float], turns: list[float]) -> None:
    clock = Clock()
    pace = Pace(2, clock)
    given_out = []
    for step in steps:
        clock.later(step)
        given_out.append(pace.turn())
    assert given_out == turns


@given(st.floats(0.1, 1000), st.lists(st.floats(0, 5), max_size=50))
def test_no_second_holds_more_than_it_may(per_second: float, steps: list[float]) -> None:
    clock = Clock()
    pace = Pace(per_second, clock)
    turns = []
    for step in steps:
        clock.later(step)
        turns.append(pace.turn())
    assert turns == sorted(turns)
    assert all(later - earlier >= 1 / per_second * 0.999 for earlier, later in pairwise(turns))


def test_without_a_limit_nobody_waits() -> None:
    pace = Pace(None, Clock())
    assert [pace.turn() for _ in range(3)] == [0, 0, 0]


def test_a_turn_that_is_not_used_is_somebody_elses() -> None:
    pace = Pace(1, Clock())
    pace.give_back(pace.turn())
    assert [pace.turn(), pace.turn()] == [1000, 1001]


def test_a_turn_given_back_late_moves_nobody() -> None:
    pace = Pace(1, Clock())
    first, _ = pace.turn(), pace.turn()
    pace.give_back(first)
    assert pace.turn() == 1002


# ----------------------------------------------------------------------------------------- over a transport


class Waiting:
    """Time that passes as it is waited for."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.waits: list[float] = []

    def __call__(self, seconds: float) -> bool:
        self.waits.append(seconds)
        self.clock.later(seconds)
        return True


def paced(server: Scripted, waiting: Waiting, per_second: float = 2) -> Transport:
    options = smtp.Options(
        kind="smtp", host=server.host, port=server.port, security="none", messages_per_second=per_second
    )
    return smtp.build(options, root=Path(), password=None, outside=Outside(clock=waiting.clock))


def test_the_pace_is_kept_over_all_connections() -> None:
    waiting = Waiting()
    with Scripted() as server:
        transport = paced(server, waiting)
        connections = [Waited(transport.connect(), waiting) for _ in range(3)]
        for _ in range(2):
            for connection in connections:
                assert connection.ready()
                connection.send(SENDER, ADA, MAIL)
        closed(connections)
    assert len(server.mails) == 6
    assert waiting.waits == [0.5] * 5


def closed(connections: list[Waited]) -> None:
    for connection in connections:
        connection.close()


def test_who_sends_without_asking_is_paced_as_well() -> None:
    waiting = Waiting()
    with Scripted() as server:
        connection = Waited(paced(server, waiting).connect(), waiting)
        for _ in range(3):
            connection.send(SENDER, ADA, MAIL)
        connection.close()
    assert waiting.waits == [0.5] * 2


def test_asking_twice_takes_one_turn() -> None:
    waiting = Waiting()
    with Scripted() as server:
        connection = Waited(paced(server, waiting).connect(), waiting)
        for _ in range(3):
            connection.ready()
        connection.send(SENDER, ADA, MAIL)
        connection.close()
    assert waiting.waits == []


def test_who_waits_for_a_turn_stops_when_the_run_ends() -> None:
    stop = Event()
    stop.set()
    with Scripted() as server:
        connection = Waited(paced(server, Waiting(), per_second=0.001).connect())
        assert connection.ready(lambda seconds: not stop.wait(seconds))
        connection.send(SENDER, ADA, MAIL)
        assert not connection.ready(lambda seconds: not stop.wait(seconds))
        connection.close()
    assert len(server.mails) == 1


def test_a_refused_mail_has_used_its_turn() -> None:
    waiting = Waiting()
    with Scripted(ehlo=("SIZE 10",)) as server:
        connection = Waited(paced(server, waiting).connect(), waiting)
        for _ in range(2):
            with pytest.raises(Exception, match="takes 10 bytes"):
                connection.send(SENDER, ADA, MAIL)
        connection.close()
    assert waiting.waits == [0.5]
