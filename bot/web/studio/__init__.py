"""The curators' studio: an issue as readers will get it, and the buttons that decide on it.

request → visit → guard (session → person → newsletters) → form (origin, word) → one group's page → headers

A group is a module with `add(pages, studio)`. What a view needs stands in `flask.g`: see `guard`.
"""

import logging

from flask import Blueprint, Response, g, request

from bot.app import App
from bot.errors import InputError
from bot.web.studio import answers, changing, confirming, deciding, entering, files, front, preview, testing
from bot.web.studio.changing import WAITING
from bot.web.studio.forms import forged
from bot.web.studio.installation import Studio
from bot.web.studio.visits import visit

__all__ = ["WAITING", "Studio", "blueprint"]

log = logging.getLogger(__name__)

DOORS = {"sign_in", "ask", "password", "invite", "enter", "come_in"}
"""The pages that need nobody to be signed in, by their endpoints: they are where one signs in."""
OPEN = {*DOORS, "files", "confirm", "confirmed"}
"""Likewise, because they ask for something else instead, or give nothing away."""


FRAMES = {"studio.frame", "studio.slack"}
"""What stands inside of a page of ours."""
NOT_NOW = "<!DOCTYPE html><title>Not now</title><p>This cannot be shown at the moment.</p>"


def blueprint(studio: Studio) -> Blueprint:
    """`/studio`, with all its groups of pages."""
    pages = Blueprint("studio", __name__, url_prefix="/studio")
    pages.before_request(lambda: guard(studio))
    pages.after_request(_with_headers)
    pages.register_error_handler(InputError, _unreadable)
    for group in (entering, files, changing, front, preview, testing, deciding, confirming):
        group.add(pages, studio)
    return pages


def guard(studio: Studio) -> Response | None:
    """Whoever asks, as `flask.g` has it from here on; the sign-in page where nobody is signed in.

    `g.app` is the installation as it is at this moment, `g.curator` the `Person`, `g.newsletters` what they
    may see, by name, `g.path` the path that was asked for.
    """
    g.studio, endpoint = studio, (request.endpoint or "").rpartition(".")[2]
    # The number first: what is saved while a page is made shall bring it back.
    g.number = studio.number if endpoint != "files" else ""
    app: App = studio.app
    g.app, g.path = app, f"{studio.home}{request.path.removeprefix('/studio')}"
    g.visit = visit(request.environ, app.settings.url, loopback=studio.loopback)
    g.session, g.curator, g.newsletters = None, None, {}
    if endpoint == "files":
        return None
    g.session = entering.session()
    if g.session:
        g.curator, every = g.session.person, app.settings.newsletters
        g.newsletters = {name: every[name] for name in every if name in g.curator.keys}
    elif endpoint not in OPEN:
        return entering.closed()
    return forged(needs_word=endpoint not in OPEN)


def _unreadable(error: Exception) -> Response:
    """Content or templates that cannot be read: where, what, and how to mend it; strangers are not told."""
    if g.session:
        return answers.page("fault", status=422, error=error)
    log.error("%s", error, extra={"action": "page_failed"})
    words = "What this page shows cannot be read. Whoever is signed in sees in the studio why."
    return answers.page("told", status=503, heading="Something is wrong here", words=words)


def _with_headers(response: Response) -> Response:
    if request.endpoint in FRAMES and response.status_code >= 400:  # noqa: PLR2004 (a status)
        # A page of ours would not let itself be framed: the browser would say that we do not answer.
        pane = answers.framed(NOT_NOW)
        pane.status_code, response = response.status_code, pane
    for name, value in answers.HEADERS.items():
        response.headers.setdefault(name, value)
    return response
