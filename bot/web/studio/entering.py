"""The studio's door: links of the terminal, links by mail, passwords, and the way out.

terminal ─ link, once ──────────────────────────────────┐
mail ─ asked for ─ link ─ page with a button ─ POST ────┼→ Proven → cookie
password ─ POST ────────────────────────────────────────┘
"""

import logging
import re
from datetime import timedelta
from hashlib import sha256

from flask import Blueprint, Response, abort, g, redirect, request
from werkzeug.wrappers import Response as Answer

from bot.app import App
from bot.store import spent
from bot.telling.entering import LASTS
from bot.web.studio import mailed, sessions
from bot.web.studio.answers import page
from bot.web.studio.installation import Studio
from bot.web.studio.passwords import most, proofs
from bot.web.studio.persons import Way
from bot.web.studio.sessions import Proven, Session, found

log = logging.getLogger(__name__)

COOKIE, SECURE_COOKIE = "studio", "__Secure-studio"
LONGEST_ADDRESS, LONGEST_PATH = 254, 200
OLD = "This link was used, is too old, or is not complete. Ask for another."


def add(pages: Blueprint, studio: Studio) -> None:
    """`/studio/sign-in…`, `/studio/enter/<token>`, `/studio/sign-out`."""
    views = _Views(studio)
    pages.add_url_rule("/sign-in", "sign_in", views.sign_in)
    pages.add_url_rule("/sign-in/link", "ask", views.ask, methods=["POST"])
    pages.add_url_rule("/sign-in/password", "password", views.password, methods=["POST"])
    pages.add_url_rule("/sign-in/invite", "invite", views.invite, methods=["POST"])
    pages.add_url_rule("/enter/<token>", "enter", views.enter, methods=["GET"])
    pages.add_url_rule("/enter/<token>", "come_in", views.come_in, methods=["POST"])
    pages.add_url_rule("/sign-out", "sign_out", views.sign_out, methods=["POST"])


def closed(status: int = 403, words: str = "", to: str | None = None) -> Response:
    """What whoever is not signed in is shown, whatever they asked for."""
    to = g.path if to is None and request.method == "GET" else to or g.studio.home
    return page(
        "sign-in",
        status=status,
        words=words,
        to=to,
        by_mail=_by_mail(g.app),
        by_password=_by_password(g.app),
        local=g.visit.local,
    )


def session() -> Session | None:
    """Who is signed in by the cookies of a request.

    Where the pages are behind https, a cookie counts that nobody can set without it; that of a link of the
    terminal counts on its machine.
    """
    studio: Studio = g.studio
    for name in (SECURE_COOKIE, COOKIE):
        word = request.cookies.get(name, "")
        one = found(
            g.app.signing_key, word, g.app.settings.newsletters, studio.house, studio.clock()
        ) if word else None  # fmt: skip
        if one and _counts(one.person.way, secure=name == SECURE_COOKIE) and not _ended(one):
            return one
    return None


def _counts(way: Way, *, secure: bool) -> bool:
    local: bool = g.visit.local
    return local if way is Way.LOCAL else secure or not _secure(g.app)


def _ended(one: Session) -> bool:
    with g.app.store.read() as connection:
        return spent.is_spent(connection, one.id)


class _Views:
    def __init__(self, studio: Studio) -> None:
        self._studio = studio

    def sign_in(self) -> Response:
        """The door, for whoever comes by themselves."""
        return closed(200, to=_inside(request.args.get("to", "")))

    # ---------------------------------------------------------------------------------------- the terminal

    def invite(self) -> Response:
        """Print another link in the terminal: whoever reads it there is at home."""
        studio = self._studio
        if not g.visit.local:
            abort(404)
        if studio.address and studio.door.print(studio.clock()):
            link = studio.invite(studio.address, _inside(request.form.get("to", "")))
            studio.say(f"the studio opens once, within ten minutes, at {link}")
        return closed(200, "A link stands in the terminal now.", _inside(request.form.get("to", "")))

    # ------------------------------------------------------------------------------------------------ links

    def enter(self, token: str) -> Answer:
        """A link of the terminal opens at once; one from a mail asks first: programs follow those, too."""
        studio = self._studio
        if g.visit.local and (to := studio.links.use(token, studio.clock())) is not None:
            return self._entered(Proven(Way.LOCAL, studio.user, frozenset({studio.house})), to)
        one = mailed.invited(g.app, token, studio.clock())
        if one is None or mailed.is_used(g.app, one):
            return closed(410, OLD, studio.home)
        return page("enter", person=one.person)

    def come_in(self, token: str) -> Answer:
        """The button behind a mail's link: it is used up now."""
        now = self._studio.clock()
        one = mailed.invited(g.app, token, now)
        if one is None or not mailed.use(g.app, one, now):
            return closed(410, OLD, self._studio.home)
        return self._entered(Proven(Way.MAIL, one.email), one.to)

    def ask(self) -> Response:
        """Write a link to a curator. The answer, and how long it takes, are the same for everybody else."""
        studio, now = self._studio, self._studio.clock()
        email, to = request.form.get("email", "").strip(), _inside(request.form.get("to", ""))
        if (
            _by_mail(g.app)
            and len(email) <= LONGEST_ADDRESS
            and studio.door.mail(email.casefold(), g.visit.client, now)
        ):
            studio.aside.submit(mailed.write, g.app, email, to, now)
        minutes = LASTS // timedelta(minutes=1)
        words = (
            f"If a curator has this address, a link is on its way to it; it opens within {minutes} minutes."
        )
        return page("told", heading="Look into your mail", words=words)

    # -------------------------------------------------------------------------------------------- passwords

    def password(self) -> Answer:
        """A name and its password, or the same answer for whatever is wrong with them."""
        studio, now, newsletters = self._studio, self._studio.clock(), g.app.settings.newsletters
        who, to = request.form.get("who", "").strip().casefold(), _inside(request.form.get("to", ""))
        name = sha256(who.encode("utf-8", "replace")).hexdigest()
        if not _by_password(g.app):
            abort(404)
        if left := studio.door.knock(name, g.visit.client, now):
            seconds = max(1, round(left.total_seconds()))
            answer = closed(429, f"Too many tries. Try again in {seconds} seconds.", to)
            answer.headers["Retry-After"] = str(seconds)
            return answer
        shown = proofs(newsletters, who, request.form.get("password", ""))
        if not shown:
            return closed(403, "The name or the password is wrong.", to)
        studio.door.welcome(name, g.visit.client)
        return self._entered(Proven(Way.PASSWORD, who, shown), to)

    # ---------------------------------------------------------------------------------------- in, and out

    def _entered(self, proven: Proven, to: str) -> Answer:
        answer = redirect(to or self._studio.home, 303)
        secure = proven.way is not Way.LOCAL and _secure(g.app)
        word = sessions.begun(g.app.signing_key, proven, self._studio.clock())
        answer.set_cookie(
            SECURE_COOKIE if secure else COOKIE, word,
            path=self._studio.home, max_age=sessions.LASTS, httponly=True, samesite="Lax", secure=secure,
        )  # fmt: skip
        log.info("signed in by %s", proven.way, extra={"action": "signed_in"})
        return answer

    def sign_out(self) -> Answer:
        """End the session, also where somebody else has its cookie."""
        now = self._studio.clock()
        with g.app.store.write() as connection:
            spent.spend(connection, g.session.id, now + sessions.LASTS, now)
        answer = redirect(f"{self._studio.home}/sign-in", 303)
        for name in (COOKIE, SECURE_COOKIE):
            answer.delete_cookie(
                name, path=self._studio.home, secure=name == SECURE_COOKIE, httponly=True, samesite="Lax"
            )
        return answer


def _by_mail(app: App) -> bool:
    """Whether anybody can be written a link; an app that sends nothing is for whoever has its terminal."""
    every = (one for newsletter in app.settings.newsletters.values() for one in newsletter.curators.values())
    return app.sends and any(one.email for one in every)


def _by_password(app: App) -> bool:
    return app.sends and most(app.settings.newsletters) > 0


def _secure(app: App) -> bool:
    return app.settings.url.startswith("https://")


_PATH = re.compile(r"(?:/[A-Za-z0-9._~-]+)*/?", re.ASCII)


def _inside(to: str) -> str:
    """Where to go after signing in: a page of the studio, or else its first."""
    home: str = g.studio.home
    inside = to == home or to.startswith(f"{home}/")
    return to if inside and len(to) <= LONGEST_PATH and _PATH.fullmatch(to) else home
