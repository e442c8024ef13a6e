"""Politeness: no host is asked by many at once, nor again at once."""

import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import BoundedSemaphore, Lock


class Hosts:
    """Whose turn it is, for each host apart."""

    def __init__(
        self,
        *,
        at_once: int = 2,
        pause: float = 0.5,
        wait: Callable[[float], object] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`pause` is seconds between the beginnings of two requests to one host."""
        self._pause, self._wait, self._clock = pause, wait, clock
        self._lock = Lock()
        self._places = defaultdict[str, BoundedSemaphore](lambda: BoundedSemaphore(at_once))
        self._free = defaultdict[str, float](float)

    @contextmanager
    def turn(self, host: str) -> Iterator[None]:
        """Wait for a turn at a host, and keep others back meanwhile."""
        with self._lock:
            place = self._places[host]
        with place:
            if (pause := self._due(host)) > 0:
                self._wait(pause)
            yield

    def _due(self, host: str) -> float:
        """Seconds until this request may begin; the next one may only begin a pause later."""
        with self._lock:
            now = self._clock()
            begin = max(now, self._free[host])
            self._free[host] = begin + self._pause
            return begin - now
