"""The web: one application of several groups of pages, each a blueprint in a file of its own.

request → door (host, path, log) → limits → one group's page → headers that every answer has

A group is a module with `blueprint(site)`, mounted in `application`. What an answer's headers say already is
left alone, so that a group may set a policy of its own.
"""

import logging
import traceback
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

from flask import Flask, Response, abort, request
from werkzeug.exceptions import HTTPException

import bot
from bot.app import App
from bot.errors import BroadsheetError, StoreError
from bot.web import archive, health, leaving
from bot.web.door import Door
from bot.web.site import Site
from bot.web.studio import Studio, blueprint as studio_pages

log = logging.getLogger(__name__)

LONGEST_PATH = 2000
"""Characters of an address, its query included; all browsers send as many."""
LARGEST_BODY = 64 * 1024
"""Bytes that a form may have; a group whose forms are larger sets `request.max_content_length`."""

HEADERS = {
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "strict-origin-when-cross-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}
"""What every answer says, unless it says otherwise itself."""


def application(app: App, clock: Callable[[], datetime], studio: Studio | None = None) -> Flask:
    """The pages of an installation, for any WSGI server; `app` is theirs alone, and so is the `studio`."""
    flask, site = Flask("bot.web", static_folder=None, template_folder=None), Site(app, clock)
    flask.config.update(
        MAX_CONTENT_LENGTH=LARGEST_BODY, MAX_FORM_MEMORY_SIZE=LARGEST_BODY, MAX_FORM_PARTS=100
    )
    # A redirect to the tidier address would name a host.
    flask.url_map.strict_slashes = flask.url_map.merge_slashes = False
    for group in (health, leaving, archive):
        flask.register_blueprint(group.blueprint(site))
    flask.register_blueprint(studio_pages(studio or Studio(app, clock)))
    flask.before_request(_within_limits)
    flask.after_request(_with_headers)
    flask.register_error_handler(HTTPException, _Faults(site).refused)
    flask.register_error_handler(Exception, _Faults(site).failed)
    flask.wsgi_app = Door(flask.wsgi_app, app.settings.url)  # type: ignore[method-assign] # as Flask documents
    return flask


def _within_limits() -> None:
    if len(request.full_path) > LONGEST_PATH:
        abort(414)


def _with_headers(response: Response) -> Response:
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    return response


class _Faults:
    """Answers what cannot be answered, in the same look, and never with what went wrong inside."""

    def __init__(self, site: Site) -> None:
        self._site = site

    def refused(self, error: Any) -> Response:
        """A page that is not there, a method that it does not take, a request that is too large."""
        code = error.code or 500
        message = {404: "missing"}.get(code, "refused" if code < 500 else "wrong")  # noqa: PLR2004 (a status)
        response = self._page(message, code)
        for name, value in error.get_headers():
            if name != "Content-Type":
                response.headers[name] = value
        return response

    def failed(self, error: Exception) -> Response:
        """A fault of ours, or a database that is away; the log has where, the answer has not."""
        log.error("%s", _told(error), extra={"action": "page_failed"})
        response = self._page("wrong", 503 if isinstance(error, StoreError) else 500)
        response.headers["Cache-Control"] = "no-store"
        return response

    def _page(self, message: str, status: int) -> Response:
        try:
            return self._site.page("message", self._site.masthead, status=status, message=message)
        except BroadsheetError:  # a template of the installation's own that cannot be filled
            return Response(f"{status}\n", status, content_type="text/plain; charset=utf-8")


def _told(error: Exception) -> str:
    """What a log may hold of a fault: our own words, or the kind of fault and where in our code it was."""
    if isinstance(error, BroadsheetError):
        return str(error)
    ours = Path(bot.__file__).parent
    frames = [
        one for one in traceback.extract_tb(error.__traceback__) if Path(one.filename).is_relative_to(ours)
    ]
    where = f" at {Path(frames[-1].filename).relative_to(ours.parent)}:{frames[-1].lineno}" if frames else ""
    return f"{type(error).__name__}{where}"
