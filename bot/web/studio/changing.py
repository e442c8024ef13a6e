"""Tells a page that something was saved: it asks, and is answered when that is so."""

import time
from collections.abc import Callable
from threading import BoundedSemaphore

from flask import Blueprint, Response, request

from bot.web.studio.answers import document
from bot.web.studio.installation import Studio

WAITING = 8
"""Pages that wait at the same time, each with a thread of its own; others are told to ask again."""
HELD = 25
"""Seconds after which a page is answered that nothing has changed: no proxy cuts it off before."""
AGAIN = 3
"""Seconds after which a page asks again that could not wait."""
LOOK = 1
"""Seconds between two looks whether the page is still there."""


def add(pages: Blueprint, studio: Studio) -> None:
    """`/studio/changes?after=<number>`."""
    pages.add_url_rule("/changes", "changes", _Views(studio).changes)


class _Views:
    def __init__(self, studio: Studio) -> None:
        self._studio, self._places = studio, BoundedSemaphore(WAITING)

    def changes(self) -> Response:
        """The number as soon as it is another than the page's own, or after a while as it is."""
        after = request.args.get("after", "")
        if self._studio.number != after or not self._places.acquire(blocking=False):
            return self._told(after)
        try:
            wait(self._studio, after, request.environ.get("waitress.client_disconnected", lambda: False))
        finally:
            self._places.release()
        return self._told(after, again=0)

    def _told(self, after: str, again: int = AGAIN) -> Response:
        number = self._studio.number
        return document({"number": number, "again": 0 if number != after else again})


def wait(studio: Studio, after: str, gone: Callable[[], bool]) -> None:
    """Wait until the studio's number is another than `after`, for as long as somebody waits for it."""
    end, seen = time.monotonic() + HELD, int(after.rpartition(".")[2])
    while studio.number == after and not gone() and (left := end - time.monotonic()) > 0:
        if not studio.changes.after(seen, min(LOOK, left)):
            return
