"""Watches what issues are made of, and counts the changes, for whoever waits for the next.

a file is saved → watchfiles → seen(paths) → number + 1 ⇒ everybody who waits for it is woken
"""

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Condition, Event, Thread

from watchfiles import watch

log = logging.getLogger(__name__)

QUIET = 20
"""Milliseconds without another change after which one is told."""
AT_MOST = 80
"""Milliseconds after which it is told all the same: a person waits for it."""
LOOKED = 1000
"""Milliseconds between two looks for folders that were not there before."""


class Changes:
    """A number that grows, and whoever waits for it to."""

    def __init__(self) -> None:
        self.number = 0
        self._grown, self._over = Condition(), False

    def grow(self) -> None:
        """Something has changed."""
        with self._grown:
            self.number += 1
            self._grown.notify_all()

    def end(self) -> None:
        """Nothing will change any more: let everybody go."""
        with self._grown:
            self._over = True
            self._grown.notify_all()

    def after(self, number: int, seconds: float) -> bool:
        """Wait until the number is another, or for as many seconds; False once all is at its end."""
        with self._grown:
            self._grown.wait_for(lambda: self._over or self.number != number, seconds)
            return not self._over


@contextmanager
def watching(folders: Sequence[Path], seen: Callable[[Sequence[Path]], None]) -> Iterator[None]:
    """Tell `seen` of what changes in these folders and below, for as long as this lasts.

    Folders may come and go. Where nothing can be watched, as where the system has too many watchers, the log
    says so, and that is all.
    """
    stop = Event()
    watched = _there(folders), folders, seen, stop
    thread = Thread(target=_watch, args=watched, name="watching", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def _watch(
    known: list[Path], folders: Sequence[Path], seen: Callable[[Sequence[Path]], None], stop: Event
) -> None:
    there = _there(folders)
    while not stop.is_set():
        try:
            others = [*{*there} ^ {*known}]
            if others:
                seen(others)
            if there:
                _while_there(there, folders, seen, stop, others)
            else:
                stop.wait(LOOKED / 1000)
        except Exception as error:  # noqa: BLE001 (whatever it is: a thread that ended would watch no more)
            log.warning("cannot watch files: %s", type(error).__name__, extra={"action": "not_watched"})
            stop.wait(LOOKED / 1000)
        known, there = there, _there(folders)


def _there(folders: Sequence[Path]) -> list[Path]:
    return [folder for folder in folders if folder.is_dir()]


def _while_there(
    there: Sequence[Path],
    folders: Sequence[Path],
    seen: Callable[[Sequence[Path]], None],
    stop: Event,
    others: Sequence[Path],
) -> None:
    """Watch folders until others are there; `others` have just come or gone, and are told once more.

    What was saved in them before the watching began was seen by nobody.
    """
    watched = watch(
        *there, debounce=AT_MOST, step=QUIET, rust_timeout=LOOKED, yield_on_timeout=True,
        stop_event=stop, raise_interrupt=False,
    )  # fmt: skip
    for changes in watched:
        if changes or others:
            seen([*(Path(path) for _, path in changes), *others])
            others = ()
        if _there(folders) != list(there):
            return
