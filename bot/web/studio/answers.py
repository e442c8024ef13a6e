"""How the studio answers: pages in its look with a policy that fits each, frames, and the files they load."""

import json
from hashlib import sha256
from typing import Any

from flask import Response, g, request

from bot.previews import excerpts
from bot.templates import shipped

SHEETS = ("studio.css", "preview.css")
SCRIPT = "studio.js"
TYPES = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8"}

HEADERS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
    # With `no-referrer` a browser would say `Origin: null` where our forms are sent (Fetch, §3.2).
    "Referrer-Policy": "same-origin",
    "X-Robots-Tag": "noindex, nofollow",
}
"""What every answer of the studio says, unless it says otherwise itself."""


def page(template: str, *, status: int = 200, **words: Any) -> Response:
    """A page of `templates/studio/`, filled; the skeleton's own words are given to each."""
    session = g.get("session")
    given = {
        "home": g.studio.home,
        "path": g.path,
        "curator": session.person if session else None,
        "csrf": session.word if session else "",
        "newsletters": g.newsletters,
        "now": g.studio.clock().isoformat(),
        "number": g.number,
        "live": bool(session) and request.method == "GET",  # another cannot be had again without asking
        "fault": g.studio.fault,
        "excerpts": lambda error: excerpts(error, [g.app.settings.root, shipped().parent]),
        "sheets": [address(name) for name in SHEETS],
        "script": address(SCRIPT),
        **words,
    }
    html = g.app.templates.html(f"studio/{template}.html.j2", given)
    response = Response(html, status, content_type="text/html; charset=utf-8")
    response.headers["Content-Security-Policy"] = (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )
    return response


def framed(document: bytes | str, *, images: bool = True) -> Response:
    """A document that is only looked at, for an `<iframe sandbox>` of ours.

    Whatever stands in it, it runs nothing, sends nothing, and loads nothing but pictures. It is of our origin
    so that our page can put it back where it was scrolled to; without scripts that is of no use to it.
    """
    response = Response(document, content_type="text/html; charset=utf-8")
    pictures = "https: data:" if images else "'none'"
    response.headers["Content-Security-Policy"] = (
        "sandbox allow-same-origin allow-popups allow-popups-to-escape-sandbox; default-src 'none'; "
        f"img-src {pictures}; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'; "
        "frame-ancestors 'self'"
    )
    response.headers["Referrer-Policy"] = "no-referrer"
    return response


def document(what: Any, status: int = 200) -> Response:
    """A JSON document, for our own script."""
    return Response(json.dumps(what), status, content_type="application/json")


# ----------------------------------------------------------------------------------------------------- files


def address(name: str) -> str:
    """The address of a file that pages load; another content has another address."""
    stem, _, ending = name.rpartition(".")
    return f"{g.studio.home}/files/{stem}.{_digest(_text(name))}.{ending}"


def file(named: str) -> Response | None:
    """The file at an address; kept for a year by whoever asks for the content that it has."""
    stem, digest, ending = (*named.split("."), "", "")[:3]
    name = f"{stem}.{ending}"
    if name not in {*SHEETS, SCRIPT}:
        return None
    text = _text(name)
    response = Response(text, content_type=TYPES[ending])
    if digest == _digest(text):
        response.headers["Cache-Control"] = "public, max-age=31536000, immutable"
    return response


def _text(name: str) -> str:
    text: str = g.app.templates.text(f"studio/{name}")
    return text


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:12]
