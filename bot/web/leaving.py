"""Where a reader leaves: the page behind the link in their mail, and the one-click way of RFC 8058.

Nothing but a POST changes anything: programs that look at mail follow every link in it.
"""

from flask import Blueprint, Response, request

from bot.links import is_test
from bot.models import Consent
from bot.store.memberships import Membership
from bot.subscriptions.leaving import leave, membership, take_back, undoable
from bot.web.site import Site


def blueprint(site: Site) -> Blueprint:
    """`/u/<token>`: GET shows one button, POST does what it says."""
    pages, views = Blueprint("leaving", __name__), _Views(site)
    pages.add_url_rule("/u/<path:token>", "ask", views.ask, methods=["GET"])
    pages.add_url_rule("/u/<path:token>", "act", views.act, methods=["POST"])
    return pages


class _Views:
    def __init__(self, site: Site) -> None:
        self._site = site

    def ask(self, token: str) -> Response:
        """How the reader stands, and the button that changes it."""
        if is_test(token):
            return _private(
                self._site.page("leave", self._site.masthead, standing="test", email="", button="")
            )
        return self._answer(membership(self._site.store, token))

    def act(self, token: str) -> Response:
        """Leave, or take it back; a POST that asks for neither is answered as a GET is (RFC 8058 §3.2)."""
        if is_test(token):
            return self.ask(token)
        if request.form.get("List-Unsubscribe") == "One-Click" or "leave" in request.form:
            return self._answer(leave(self._site.store, token, self._site.clock()))
        if "undo" in request.form:
            return self._answer(take_back(self._site.store, token, self._site.clock()))
        return self.ask(token)

    def _answer(self, member: Membership | None) -> Response:
        """The page of a reader, or of nobody."""
        newsletter = self._site.settings.newsletters.get(member.newsletter) if member else None
        if member is None or newsletter is None:
            response = self._site.page(
                "leave", self._site.masthead, status=404, standing="unknown", email="", button=""
            )
        else:
            standing, button = self._standing(member)
            response = self._site.page(
                "leave", newsletter, standing=standing, email=masked(member.email), button=button
            )
        return _private(response)

    def _standing(self, member: Membership) -> tuple[str, str]:
        """What the page says, and its button."""
        if member.consent is not Consent.UNSUBSCRIBED:
            return "subscribed", "leave"
        return "left", "undo" if undoable(member, self._site.clock()) else ""


def _private(response: Response) -> Response:
    """A page that no other may keep, find by searching, or learn of from a link on it."""
    response.headers["Cache-Control"] = "no-store"
    response.headers["Referrer-Policy"] = "no-referrer"
    response.headers["X-Robots-Tag"] = "noindex, nofollow"
    return response


def masked(email: str) -> str:
    """An address that its owner knows again, and nobody else learns: `a…@e….org`."""
    local, _, domain = email.rpartition("@")
    name, dot, rest = domain.partition(".")
    return f"{local[:1]}…@{name[:1]}…{dot}{rest}"
