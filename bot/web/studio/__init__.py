"""The curators' studio: an issue as readers will get it, and the buttons that decide on it.

request → visit → guard (session → person → newsletters) → form (origin, word) → one group's page → headers

A group is a module with `add(pages, studio)`. What a view needs stands in `flask.g`: see `guard`.
"""

from flask import Blueprint, Response, g, request

from bot.app import App
from bot.web.studio import answers, entering, files, front
from bot.web.studio.installation import Studio
from bot.web.studio.sessions import found
from bot.web.studio.visits import visit

__all__ = ["Studio", "blueprint"]

OPEN = {"enter", "decide", "files", "sign_in", "ask", "password", "invite"}
"""The pages that need nobody to be signed in, by their endpoints: each asks for something else instead."""


def blueprint(studio: Studio) -> Blueprint:
    """`/studio`, with all its groups of pages."""
    pages = Blueprint("studio", __name__, url_prefix="/studio")
    pages.before_request(lambda: guard(studio))
    pages.after_request(_with_headers)
    for group in (entering, files, front):
        group.add(pages, studio)
    return pages


def guard(studio: Studio) -> Response | None:
    """Whoever asks, as `flask.g` has it from here on; the sign-in page where nobody is signed in.

    `g.app` is the installation as it is at this moment, `g.curator` the `Person`, `g.newsletters` what they
    may see, by name, `g.path` the path that was asked for.
    """
    app: App = studio.app
    settings = app.settings
    g.studio, g.app, g.path = studio, app, f"{studio.home}{request.path.removeprefix('/studio')}"
    g.visit = visit(request.environ, settings.url, loopback=studio.loopback)
    g.session = found(app.signing_key, cookie(), settings.newsletters, studio.house, studio.clock())
    g.curator = g.session.person if g.session else None
    keys = g.curator.keys if g.curator else {}
    g.newsletters = {name: settings.newsletters[name] for name in settings.newsletters if name in keys}
    if g.session or (request.endpoint or "").rpartition(".")[2] in OPEN:
        return None
    return entering.closed()


def cookie() -> str:
    return request.cookies.get("studio", "")


def _with_headers(response: Response) -> Response:
    for name, value in answers.HEADERS.items():
        response.headers.setdefault(name, value)
    return response
