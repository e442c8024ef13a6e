"""What the groups of pages share: the installation, its words and look, and how a page is answered."""

import re
from base64 import b64encode
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from flask import Response, request
from werkzeug.wrappers import Response as Answer

from bot.app import App
from bot.links import home_path
from bot.settings import Newsletter

if TYPE_CHECKING:
    from bot.store import Store

FRESH = 60
"""Seconds for which a page may be shown without asking again: a correction is seen soon."""

_SHEET = re.compile(r"<style\b[^>]*>([^<]*)</style\s*>", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Masthead:
    """What stands on top of a page that belongs to no single newsletter."""

    title: str
    language: str
    direction: str
    tagline: str = ""
    postal_address: str = ""


class Site:
    """One installation as its pages see it. Links begin with `base_url`, whatever a request says."""

    def __init__(self, app: App, clock: Callable[[], datetime]) -> None:
        self.app, self.settings, self.clock = app, app.settings, clock

    @property
    def store(self) -> "Store":
        return self.app.store

    @property
    def only(self) -> Newsletter | None:
        """The newsletter of an installation that has one."""
        every = list(self.settings.newsletters.values())
        return every[0] if len(every) == 1 else None

    @cached_property
    def masthead(self) -> Newsletter | Masthead:
        """The only newsletter, or what stands for several: the host's name, and the language they share."""
        if only := self.only:
            return only
        every = self.settings.newsletters.values()
        spoken = {(one.language, one.direction) for one in every}
        language, direction = spoken.pop() if len(spoken) == 1 else ("en", "ltr")
        return Masthead(urlsplit(self.settings.url).hostname or "", language, direction)

    def home(self, newsletter: Newsletter | Masthead) -> str:
        """The path of its archive, with a slash at the end."""
        name = getattr(newsletter, "name", "")
        return home_path(self.settings.url, name, several=bool(name) and self.settings.several)

    def filled(self, template: str, newsletter: Newsletter | Masthead, **words: Any) -> str:
        """A template of `templates/web/`, filled."""
        given = {"newsletter": newsletter, "home": self.home(newsletter), "title": newsletter.title, **words}
        return self.app.templates.html(f"web/{template}.html.j2", given)

    def page(
        self, template: str, newsletter: Newsletter | Masthead, *, status: int = 200, **words: Any
    ) -> Response:
        """A page as an answer."""
        return html(self.filled(template, newsletter, **words), status)


def html(page: str, status: int = 200) -> Response:
    """A page as an answer, with the policy that allows its own styles and nothing else."""
    response = Response(page, status, content_type="text/html; charset=utf-8")
    response.headers["Content-Security-Policy"] = policy(page)
    return response


def policy(page: str) -> str:
    """No script, no frame, no foreign picture; styles are allowed by their hashes (CSP 3 §2.3.1)."""
    hashes = " ".join(sorted(set(_hashes(page)))) or "'none'"
    return (
        f"default-src 'none'; style-src {hashes}; img-src 'self' data:; form-action 'self'; "
        "base-uri 'none'; frame-ancestors 'none'"
    )


def _hashes(page: str) -> Iterator[str]:
    for sheet in _SHEET.findall(page):
        yield f"'sha256-{b64encode(sha256(sheet.encode()).digest()).decode()}'"


def kept(response: Response, updated: datetime) -> Answer:
    """The answer for who may have it already: 304 where that is so (RFC 9110 §13)."""
    response.set_etag(sha256(response.get_data()).hexdigest()[:32])
    response.last_modified = updated
    response.cache_control.public = True
    response.cache_control.max_age = FRESH
    return response.make_conditional(request)
