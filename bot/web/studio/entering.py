"""The studio's door: one-time links, links by mail, passwords, and the way out."""

from flask import Blueprint, Response, abort, g, redirect
from werkzeug.wrappers import Response as Answer

from bot.web.studio.answers import page
from bot.web.studio.installation import Studio
from bot.web.studio.persons import Way
from bot.web.studio.sessions import LASTS, Proven, begun


def add(pages: Blueprint, studio: Studio) -> None:
    """`/studio/enter/<token>`."""
    views = _Views(studio)
    pages.add_url_rule("/enter/<token>", "enter", views.enter, methods=["GET"])


def closed() -> Response:
    """What whoever is not signed in is shown, whatever they asked for."""
    return page("sign-in", status=401)


class _Views:
    def __init__(self, studio: Studio) -> None:
        self._studio = studio

    def enter(self, token: str) -> Answer:
        """A link of the terminal opens at once."""
        studio = self._studio
        to = studio.links.use(token, studio.clock()) if g.visit.local else None
        if to is None:
            abort(404)
        proven = Proven(Way.LOCAL, studio.user, frozenset({studio.house}))
        answer = redirect(to or studio.home, 303)
        answer.set_cookie(
            "studio", begun(g.app.signing_key, proven, studio.clock()),
            path=studio.home, max_age=LASTS, httponly=True, samesite="Lax",
        )  # fmt: skip
        return answer
