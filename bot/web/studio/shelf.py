"""Looks at issues for the studio's pages: one at a time, as a page and its panes all ask at once."""

from threading import Lock

from bot.desk import Desk
from bot.models import Week
from bot.previews import Look, look_at
from bot.web.studio.installation import Studio


class Shelf:
    """The first who asks has an issue set; whoever asks meanwhile waits, and finds it made."""

    def __init__(self, studio: Studio) -> None:
        self._studio, self._lock = studio, Lock()

    def look(self, desk: Desk, week: Week) -> Look:
        """The issue as it is at this moment; InputError where that cannot even be told."""
        with self._lock:
            return look_at(desk, week, self._studio.clock())
