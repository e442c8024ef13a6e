"""The pages behind the links in mails to curators: each shows what would be decided, and has one button.

Nobody needs to be signed in: the signed word in the address says who it was written to, and for what.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from flask import Blueprint, Response, g

from bot.drafting import draft
from bot.models import Origin, Week
from bot.signing import said
from bot.store import decisions
from bot.store.decisions import Verb
from bot.telling.letters import DECIDE, LASTS
from bot.web.studio.answers import page
from bot.web.studio.deciding import CHANGED, VERBS, sentence, told, tried
from bot.web.studio.installation import Studio

if TYPE_CHECKING:
    from bot.desk import Desk

BUTTONS: Mapping[Verb, str] = {"approved": "Approve", "held": "Hold", "released": "Release"}


def add(pages: Blueprint, studio: Studio) -> None:
    """`/studio/decide/<word>`."""
    views = _Views(studio)
    pages.add_url_rule("/decide/<word>", "confirm", views.confirm, methods=["GET"])
    pages.add_url_rule("/decide/<word>", "confirmed", views.confirmed, methods=["POST"])


class Asked:
    """What a link says: which issue, of what content, which verb, and whom it was written to."""

    def __init__(self, desk: "Desk", week: Week, verb: Verb, content_hash: str, curator: str) -> None:
        self.desk, self.week, self.verb = desk, week, verb
        self.hash, self.curator = content_hash, curator


class _Views:
    def __init__(self, studio: Studio) -> None:
        self._studio = studio

    def confirm(self, word: str) -> Response:
        """What would be decided, and the button."""
        asked = self._asked(word)
        if isinstance(asked, Response):
            return asked
        desk, now = asked.desk, self._studio.clock()
        document = draft(desk, asked.week, now)
        if document is None:
            return told(desk, asked.week, "Nothing to decide", "There is no such issue any more.", 404)
        changed = asked.verb == "approved" and document.hash != asked.hash
        already = self._already(asked, now)
        return page(
            "confirm",
            document=document,
            verb=BUTTONS[asked.verb],
            curator_name=desk.newsletter.known_as(asked.curator),
            already=already,
            changed=CHANGED if changed and not already else "",
            can=bool(document.hash) and not changed and not already,
        )

    def confirmed(self, word: str) -> Response:
        """Decide."""
        asked = self._asked(word)
        if isinstance(asked, Response):
            return asked
        desk, now = asked.desk, self._studio.clock()
        outcome = tried(
            desk, asked.week, asked.verb, now, by=asked.curator, origin=Origin.MAIL, seen=asked.hash
        )
        if isinstance(outcome, Response):
            return outcome
        words = sentence(desk.newsletter, asked.verb, outcome.standing, now, already=not outcome.new)
        return told(desk, asked.week, BUTTONS[asked.verb], words)

    def _already(self, asked: Asked, now: datetime) -> str:
        """That it was decided so before, by whom, and when."""
        with asked.desk.store.read() as connection:
            standing = decisions.standing(connection, asked.desk.newsletter.name, asked.week)
        if standing is None or standing.stands_for(asked.hash) == "void":
            return ""
        return sentence(asked.desk.newsletter, asked.verb, standing, now, already=True)

    def _asked(self, word: str) -> "Asked | Response":
        """What a word asks, where it is ours and not too old, and its curator is one still."""
        what = said(g.app.signing_key, DECIDE, word, self._studio.clock())
        if what is None:
            return _refused("This link is not complete, or older than its time.", 410)
        name, _, week = what.get("issue", "").rpartition("/")
        newsletter, verb = g.app.settings.newsletters.get(name), VERBS.get(what.get("verb", ""))
        if newsletter is None or verb is None or not _is_week(week):
            return _refused("What this link is about is not here any more.", 410)
        if what.get("curator") not in newsletter.curators:
            return _refused("Whom this link was written to is no curator any more.", 403)
        return Asked(g.app.desk(newsletter), Week.parse(week), verb, what.get("hash", ""), what["curator"])


def _is_week(text: str) -> bool:
    try:
        Week.parse(text)
    except ValueError:
        return False
    return True


def _refused(words: str, status: int) -> Response:
    mend = f"Links in mails are good for {LASTS.days} days. The studio shows how the issue stands."
    return page("told", status=status, heading="Nothing was decided", words=f"{words} {mend}")
