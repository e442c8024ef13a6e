"""What stands in the panes of a preview: the files of `broadsheet render`, Slack as drawn, a feed's entry.

Each is a document of its own for a sandboxed frame, and answers with the policy that keeps it one.
"""

import json
from collections.abc import Mapping

from flask import Blueprint, Response, abort, g, request
from markupsafe import Markup

from bot.calendar import day_in, send_at
from bot.desk import Desk
from bot.drawing import drawn
from bot.models import Reader
from bot.overview import files_for
from bot.pages import Page
from bot.previews import PERSONAS, Look, conversations
from bot.proofs import Print
from bot.store import readers
from bot.store.issues import PAGE
from bot.web.studio.answers import framed
from bot.web.studio.installation import Studio
from bot.web.studio.issues import named
from bot.web.studio.shelf import Shelf

MAIL = {"email.html", "email.txt", "page.html"}
"""Files that a reader gets, or sees, as they are."""


def add(pages: Blueprint, studio: Studio, shelf: Shelf) -> None:
    """`/<name>/<week>/frame/<file>`, and `…/frame/slack/<channel>`."""
    views = _Views(studio, shelf)
    pages.add_url_rule("/<name>/<week>/frame/<file>", "frame", views.file)
    pages.add_url_rule("/<name>/<week>/frame/slack/<channel>", "slack", views.slack)


class _Views:
    def __init__(self, studio: Studio, shelf: Shelf) -> None:
        self._studio, self._shelf = studio, shelf

    def file(self, name: str, week: str, file: str) -> Response:
        """`email.html`, `email.txt`, `page.html`, byte for byte, or `feed.html`; `as` says for whom."""
        desk, look, made = self._made(name, week)
        if file == "feed.html":
            return framed(self._feed(desk, look, made))
        if file not in MAIL:
            abort(404)
        reader = reader_of(desk, request.args.get("as", ""))
        files = files_for(desk, look.week, made, reader, self._studio.clock())
        if file not in files:
            abort(404)
        answer = framed(files[file], images=request.args.get("images") != "off")
        if file.endswith(".txt"):
            answer.content_type = "text/plain; charset=utf-8"
        return answer

    def slack(self, name: str, week: str, channel: str) -> Response:
        """A conversation as it would show the issue, in light or dark."""
        desk, look, made = self._made(name, week)
        payloads = payloads_of(desk, look, made)
        if channel not in conversations(desk, payloads):
            abort(404)
        layout = getattr(desk.newsletter.channels[channel], "layout", "")
        posts = drawn(json.loads(payloads[channel]), name=desk.newsletter.title, in_thread=layout == "thread")
        dark = request.args.get("scheme") == "dark"
        return framed(self._filled("slack-frame", desk, posts=posts, scheme="dark" if dark else "light"))

    def _feed(self, desk: Desk, look: Look, made: Print) -> str:
        """The issue's entry as a program that reads feeds shows it."""
        page = Page.load(payloads_of(desk, look, made)[PAGE])
        at = look.gone.at if look.gone else send_at(desk.newsletter.schedule, look.week)
        title = look.gone.title if look.gone else look.issue.title if look.issue else ""
        day = str(day_in(desk.newsletter.schedule.zone, at))
        article = Markup(page.article)  # noqa: S704 (ours, as feeds carry it; the frame runs nothing)
        return self._filled("feed-frame", desk, title=title, day=day, summary=page.summary, article=article)

    def _filled(self, template: str, desk: Desk, **words: object) -> str:
        filled: str = g.app.templates.html(
            f"studio/{template}.html.j2", {"newsletter": desk.newsletter, **words}
        )
        return filled

    def _made(self, name: str, week: str) -> tuple[Desk, Look, Print]:
        """The issue as it is now; 404 where nothing could be made of it, which the page around tells."""
        desk, found = named(name, week)
        look = self._shelf.kept(desk, found)
        if look.made is None:
            abort(404)
        return desk, look, look.made


def payloads_of(desk: Desk, look: Look, made: Print) -> Mapping[str, bytes]:
    """What each channel sent of the issue, or would send."""
    return desk.frozen(look.gone) if look.gone else made.payloads


def reader_of(desk: Desk, who: str) -> Reader:
    """Whom an address means by `as`: a persona, or a subscriber by number; 404 where there is none such."""
    if who in PERSONAS or not who:
        return PERSONAS[who or next(iter(PERSONAS))].reader
    if not (who.isascii() and who.isdecimal() and len(who) < 12):  # noqa: PLR2004 (more are nobody's)
        abort(404)
    with desk.store.read() as connection:
        found = readers.numbered(connection, desk.newsletter.name, int(who))
    return found or abort(404)
