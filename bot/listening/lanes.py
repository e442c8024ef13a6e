"""Does what was heard after it was acknowledged: one thing after the other, on one of two lanes.

A decision is never kept waiting by somebody else's web server; what has no room is left undone.
"""

import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import BoundedSemaphore
from types import TracebackType
from typing import Self

log = logging.getLogger(__name__)

MOST = 50
"""What may wait on a lane, what is being done included."""


class Lane:
    """One thread that does what it is handed, in order."""

    def __init__(self, name: str) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix=name)
        self._room = BoundedSemaphore(MOST)

    def put(self, work: Callable[[], None]) -> bool:
        """Hand over some work, which must not raise; False where too much waits already."""
        if not self._room.acquire(blocking=False):
            return False
        self._thread.submit(work).add_done_callback(lambda _done: self._room.release())
        return True

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Finish what was handed over: it was acknowledged, and Slack will not tell of it again."""
        self._thread.shutdown()
