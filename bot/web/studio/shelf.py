"""Looks at issues for the studio's pages: one at a time, as a page and its panes all ask at once."""

import time
from collections.abc import Callable
from threading import Lock

from bot.desk import Desk
from bot.models import Week
from bot.previews import Look, look_at
from bot.web.studio.installation import Studio

LASTS = 5.0
"""Seconds for which panes show what their page has looked at, if nothing is seen to change meanwhile."""
KEPT = 8
"""Looks that are kept; one is as large as an issue and all that was made of it."""


class Shelf:
    """The first who asks has an issue set; whoever asks meanwhile waits, and finds it made.

    Issues of one newsletter are set one after the other; those of others do not wait for them.
    """

    def __init__(self, studio: Studio, now: Callable[[], float] = time.monotonic) -> None:
        self._studio, self._now = studio, now
        self._locks: dict[str, Lock] = {}
        self._looks: dict[tuple[str, Week], tuple[str, float, Look]] = {}

    def fresh(self, desk: Desk, week: Week) -> Look:
        """The issue as it is at this moment, for its page; InputError where that cannot even be told."""
        with self._turn(desk):
            return self._looked(desk, week)

    def kept(self, desk: Desk, week: Week) -> Look:
        """The issue as its page has just shown it, for the panes: what was said of it holds for them."""
        with self._turn(desk):
            number, at, look = self._looks.get((desk.newsletter.name, week), ("", 0.0, None))
            if look and number == self._studio.number and self._now() - at < LASTS:
                return look
            return self._looked(desk, week)

    def _turn(self, desk: Desk) -> Lock:
        return self._locks.setdefault(desk.newsletter.name, Lock())

    def _looked(self, desk: Desk, week: Week) -> Look:
        number, key = self._studio.number, (desk.newsletter.name, week)
        self._looks.pop(key, None)
        look = look_at(desk, week, self._studio.clock())
        self._looks[key] = number, self._now(), look
        for oldest in list(self._looks)[:-KEPT]:
            self._looks.pop(oldest, None)  # another turn may have taken it away
        return look
