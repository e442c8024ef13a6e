"""The studio's first page: the newsletters, and their latest issues."""

from collections.abc import Iterator
from itertools import islice
from typing import Any

from flask import Blueprint, Response, g

from bot.errors import InputError
from bot.overview import coming, listing
from bot.settings import Newsletter
from bot.web.studio.answers import page
from bot.web.studio.installation import Studio

SHOWN = 12
"""Issues of each newsletter."""


def add(pages: Blueprint, studio: Studio) -> None:
    """`/studio`, with and without a slash at its end."""
    views = _Views(studio)
    pages.add_url_rule("", "front", views.front)
    pages.add_url_rule("/", "front_slash", views.front)


class _Views:
    def __init__(self, studio: Studio) -> None:
        self._studio = studio

    def front(self) -> Response:
        """Every newsletter that the curator may see."""
        return page("front", shown=list(self._shown()))

    def _shown(self) -> Iterator[dict[str, Any]]:
        now = self._studio.clock()
        for newsletter in g.newsletters.values():
            yield {"newsletter": newsletter, **self._issues(newsletter, now)}

    def _issues(self, newsletter: Newsletter, now: Any) -> dict[str, Any]:
        """Its issues; or what keeps them from being read, which hides no other newsletter."""
        desk = g.app.desk(newsletter)
        try:
            rows = list(islice(listing(desk, now), SHOWN))
            return {"issues": rows, "next": next(coming(desk, now, 1), None), "fault": None}
        except InputError as error:
            return {"issues": [], "next": None, "fault": error}
