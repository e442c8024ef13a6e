"""One thread goes on with many steps, each as soon as what it waits for is there."""

import socket
import threading
import time
from collections.abc import Iterator

import pytest

from bot.steps import NEXT_TURN, Aside, Loop, Pause, Steps, finish, readable, writable

LONG = 60.0
Pair = tuple[socket.socket, socket.socket]


@pytest.fixture
def pair() -> Iterator[Pair]:
    one, other = socket.socketpair()
    one.setblocking(False)  # noqa: FBT003 (the socket module's own way)
    with one, other:
        yield one, other


def until(seconds: float) -> float:
    return time.monotonic() + seconds


def test_steps_without_a_wait_have_their_answer_at_once() -> None:
    def steps() -> Steps[str]:
        yield from ()
        return "done"

    assert finish(steps()) == "done"


def test_who_waits_for_a_socket_goes_on_when_there_is_something_to_read(pair: Pair) -> None:
    here, there = pair
    order: list[str] = []

    def reader() -> Steps[None]:
        yield readable(here, until(LONG))
        order.append(here.recv(9).decode())

    def writer() -> Steps[None]:
        yield writable(there, until(LONG))
        order.append("written")
        there.send(b"read")

    with Loop() as loop:
        loop.run([reader(), writer()])
    assert order == ["written", "read"]


def test_who_waits_too_long_is_told_so_and_may_wait_for_something_else(pair: Pair) -> None:
    here, there = pair

    def patient() -> Steps[str]:
        with pytest.raises(TimeoutError):
            yield readable(here, until(0.01))
        there.send(b"late")
        yield readable(here, until(LONG))
        return here.recv(9).decode()

    assert finish(patient()) == "late"


def test_one_that_waits_holds_up_no_other(pair: Pair) -> None:
    here, there = pair

    def waiting() -> Steps[None]:
        yield readable(here, until(LONG))

    def busy() -> Steps[None]:
        for _ in range(100):
            yield NEXT_TURN
        there.send(b"now")

    with Loop() as loop:
        loop.run([waiting(), busy()])


def test_an_error_is_that_of_whoever_runs_the_loop() -> None:
    def wrong() -> Steps[None]:
        yield NEXT_TURN
        raise KeyError("a fault")

    with pytest.raises(KeyError):
        finish(wrong())


# --------------------------------------------------------------------------------------------------- turns


def test_all_that_can_go_on_goes_on_before_what_is_done_between_two_turns() -> None:
    order: list[str] = []

    def steps(name: str) -> Steps[None]:
        for _ in range(2):
            order.append(name)
            yield NEXT_TURN

    with Loop(between=lambda: order.append("between")) as loop:
        loop.run([steps("a"), steps("b")])
    assert order == ["a", "b", "between", "a", "b", "between"]


# -------------------------------------------------------------------------------------------------- pauses


def test_a_pause_ends_when_its_time_is_over() -> None:
    def resting() -> Steps[bool]:
        answer: bool = yield Pause(0.01)
        return answer

    assert finish(resting())


@pytest.mark.parametrize("ended", [True, False])
def test_a_pause_ends_when_the_run_does_and_says_so(ended: bool) -> None:  # noqa: FBT001 (a table)
    happened: list[bool] = []
    answers: list[bool] = []

    def resting() -> Steps[None]:
        answers.append((yield Pause(LONG, lambda: bool(happened))))

    def ending() -> Steps[None]:
        yield NEXT_TURN
        happened.append(True)

    with Loop(ended=lambda: ended) as loop:
        loop.run([resting(), ending()])
    assert answers == [not ended]


def test_a_pause_sees_an_end_that_comes_from_another_thread() -> None:
    stop = threading.Event()

    def resting() -> Steps[None]:
        threading.Thread(target=stop.set).start()
        assert not (yield Pause(LONG))

    began = time.monotonic()
    with Loop(ended=stop.is_set) as loop:
        loop.run([resting()])
    assert time.monotonic() - began < LONG / 2


# --------------------------------------------------------------------------------------------------- aside


def test_what_blocks_is_done_in_threads_of_their_own_all_at_once() -> None:
    together = threading.Barrier(5, timeout=LONG / 2)
    here = threading.get_ident()

    def blocking() -> Steps[None]:
        yield Aside(together.wait)
        assert (yield Aside(threading.get_ident)) != here
        assert threading.get_ident() == here

    with Loop() as loop:
        loop.run([blocking() for _ in range(5)])


def test_an_error_aside_is_an_error_here() -> None:
    def blocking() -> Steps[str]:
        try:
            yield Aside(lambda: dict[str, str]()["nothing"])
        except KeyError as error:
            return str(error)
        return "no error"

    assert finish(blocking()) == "'nothing'"
