"""Steps: work that says what it has to wait for, so that one thread goes on with very many at once.

    def greeting(socket) -> Steps[bytes]:
        yield readable(socket, until)      goes on when there is something to read; TimeoutError after `until`
        return socket.recv(4096)

Who needs another's steps takes them by `yield from`. Threads would do the same, but share the interpreter:
with ten of them, half of the time goes into handing it on.
"""

import select
import socket
import time
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from math import inf
from queue import SimpleQueue
from typing import Any, NamedTuple, Self, TypeAlias, TypeVar

_T = TypeVar("_T")

LOOK = 0.5
"""Seconds after which who waits for time to pass looks whether the run has ended."""


class Ready(NamedTuple):
    """Wait for a socket; TimeoutError where it takes too long."""

    descriptor: int
    what: int
    until: float
    """By `time.monotonic`."""


class Pause(NamedTuple):
    """Let time pass, or less where something happens first; its answer is False where the run ends."""

    seconds: float
    happened: Callable[[], bool] = lambda: False


class Aside(NamedTuple):
    """Do something that blocks in a thread of its own; its answer or its error is that of the call."""

    call: Callable[[], Any]


class NextTurn:
    """Wait until all that can go on now has gone on, and what is done between turns is done."""


NEXT_TURN = NextTurn()

Steps: TypeAlias = Generator[Ready | Pause | Aside | NextTurn, Any, _T]


def readable(wanted: socket.socket, until: float) -> Ready:
    """Wait for something to read."""
    return Ready(wanted.fileno(), select.POLLIN, until)


def writable(wanted: socket.socket, until: float) -> Ready:
    """Wait for room to write."""
    return Ready(wanted.fileno(), select.POLLOUT, until)


def finish(steps: Steps[_T]) -> _T:
    """Go on with steps alone until they are done; their answer or their error."""
    answers: list[_T] = []

    def kept() -> Steps[None]:
        answers.append((yield from steps))

    with Loop() as loop:
        loop.run([kept()])
    return answers[0]


class Loop:
    """Goes on with many steps, each as soon as what it waits for is there; all in the calling thread."""

    def __init__(
        self, between: Callable[[], None] = lambda: None, ended: Callable[[], bool] = lambda: False
    ) -> None:
        """`between` is called before each turn; `ended` tells who lets time pass that the run has ended."""
        self._between, self._ended = between, ended
        self._poll = select.poll()
        self._next: list[Steps[Any]] = []
        self._sockets: dict[int, tuple[Steps[Any], float]] = {}
        self._pauses: list[tuple[Steps[Any], Pause, float]] = []
        self._aside = _Threads()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._aside.close()

    def run(self, every: Iterable[Steps[Any]]) -> None:
        """Go on with all of them until the last is done; an error of one is the caller's, at once."""
        for steps in every:
            self._go_on(steps)
        while self._unfinished:
            self._turn()

    @property
    def _unfinished(self) -> bool:
        return bool(self._next or self._sockets or self._pauses or self._aside.count)

    def _turn(self) -> None:
        self._between()
        turn, self._next = self._next, []
        for steps in turn:
            self._go_on(steps)
        self._wait()
        if self._pauses:
            self._end_pauses()

    def _wait(self) -> None:
        """Go on with every socket that is ready, and with those that never will be."""
        soonest = min((until for _, until in self._sockets.values()), default=inf)
        for descriptor, _ in self._poll.poll(self._patience(soonest)):
            if descriptor == self._aside.bell:
                for steps, future in self._aside.back():
                    self._go_on_with(steps, future)
            else:
                self._go_on(self._no_longer(descriptor))
        if soonest < (now := time.monotonic()):
            for descriptor in [one for one, (_, until) in self._sockets.items() if until < now]:
                self._fail(self._no_longer(descriptor), TimeoutError())

    def _patience(self, soonest: float) -> float | None:
        """Milliseconds until somebody may go on without a socket's doing; None is for ever."""
        if self._next or not self._unfinished:
            return 0
        now = time.monotonic()
        if self._pauses:
            soonest = min(soonest, now + LOOK, *(until for _, _, until in self._pauses))
            if any(pause.happened() for _, pause, _ in self._pauses):
                return 0
        return None if soonest == inf else max(soonest - now, 0) * 1000

    def _no_longer(self, descriptor: int) -> Steps[Any]:
        self._poll.unregister(descriptor)
        return self._sockets.pop(descriptor)[0]

    def _end_pauses(self) -> None:
        now, ended = time.monotonic(), self._ended()
        waiting, self._pauses = self._pauses, []
        for steps, pause, until in waiting:
            if ended or until <= now or pause.happened():
                self._go_on(steps, not ended)
            else:
                self._pauses.append((steps, pause, until))

    # ------------------------------------------------------------------------------------------- one of them

    def _go_on(self, steps: Steps[Any], answer: object = None) -> None:
        try:
            wait = steps.send(answer)
        except StopIteration:
            return
        self._note(steps, wait)

    def _fail(self, steps: Steps[Any], error: BaseException) -> None:
        try:
            wait = steps.throw(error)
        except StopIteration:
            return
        self._note(steps, wait)

    def _go_on_with(self, steps: Steps[Any], future: "Future[Any]") -> None:
        if error := future.exception():
            self._fail(steps, error)
        else:
            self._go_on(steps, future.result())

    def _note(self, steps: Steps[Any], wait: Ready | Pause | Aside | NextTurn) -> None:
        """Note what it waits for from now on."""
        if isinstance(wait, Ready):
            self._poll.register(wait.descriptor, wait.what)
            self._sockets[wait.descriptor] = steps, wait.until
        elif isinstance(wait, NextTurn):
            self._next.append(steps)
        elif isinstance(wait, Pause):
            self._pauses.append((steps, wait, time.monotonic() + wait.seconds))
        else:
            self._aside.begin(steps, wait, self._poll)


class _Threads:
    """What blocks, each in a thread of its own, and a bell that rings when one comes back."""

    def __init__(self) -> None:
        self.count = 0
        """How many are away."""
        self.bell = -1
        """The descriptor to poll; -1 before anybody went."""
        self._back: SimpleQueue[tuple[Steps[Any], Future[Any]]] = SimpleQueue()
        self._threads: ThreadPoolExecutor | None = None

    def begin(self, steps: Steps[Any], aside: Aside, poll: "select.poll") -> None:
        if self._threads is None:
            self._threads = ThreadPoolExecutor(max_workers=MOST)
            self._ear, self._rope = socket.socketpair()
            self.bell = self._ear.fileno()
            poll.register(self.bell, select.POLLIN)
        self.count += 1
        self._threads.submit(aside.call).add_done_callback(lambda future: self._came_back(steps, future))

    def _came_back(self, steps: Steps[Any], future: "Future[Any]") -> None:
        self._back.put((steps, future))
        self._rope.send(b".")

    def back(self) -> Iterable[tuple[Steps[Any], "Future[Any]"]]:
        """Those that came back since the bell rang, each with what it brings."""
        for _ in self._ear.recv(MOST):
            self.count -= 1
            yield self._back.get()

    def close(self) -> None:
        if self._threads:
            self._threads.shutdown()
            self._ear.close()
            self._rope.close()


MOST = 100
"""Threads at once: as many as a relay may have connections."""
