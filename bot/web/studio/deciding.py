"""Deciding in the studio: approve, hold, release, of what the curator looked at."""

from datetime import datetime
from typing import TYPE_CHECKING

from flask import Blueprint, Response, g, redirect, request
from werkzeug.wrappers import Response as Answer

from bot.errors import ChangedError, HeldError, InputError
from bot.models import Approval, Origin, Week
from bot.settings import Newsletter
from bot.store import decisions
from bot.store.decisions import Verb
from bot.web.studio.answers import page
from bot.web.studio.installation import Studio
from bot.web.studio.issues import named

if TYPE_CHECKING:
    from bot.approvals import Outcome
    from bot.desk import Desk

VERBS: dict[str, Verb] = {"approved": "approved", "held": "held", "released": "released"}
"""What a form may ask for."""


def add(pages: Blueprint, studio: Studio) -> None:
    """`POST /studio/<newsletter>/<week>/decide`."""
    pages.add_url_rule("/<name>/<week>/decide", "decide", _Views(studio).decide, methods=["POST"])


class _Views:
    def __init__(self, studio: Studio) -> None:
        self._studio = studio

    def decide(self, name: str, week: str) -> Answer:
        """Write it down, and go back to the issue; or say why it was not."""
        desk, found = named(name, week)
        back, verb = f"{self._studio.home}/{name}/{found}", VERBS.get(request.form.get("verb", ""))
        if verb is None:
            return told(desk, found, "Not done", "This form asks for nothing that can be decided.", 400)
        by, seen = g.curator.key_in(desk.newsletter), request.form.get("seen", "")
        outcome = tried(desk, found, verb, self._studio.clock(), by=by, origin=Origin.STUDIO, seen=seen)
        if isinstance(outcome, Response):
            return outcome
        return redirect(f"{back}?done={'' if outcome.new else 'already-'}{verb}", 303)


def tried(
    desk: "Desk", week: Week, verb: Verb, now: datetime, *, by: str, origin: Origin, seen: str
) -> "Outcome | Response":
    """What came of a decision, or the page that says why there is none."""
    try:
        return desk.decide(week, verb, now, by=by, origin=origin, seen=seen)
    except HeldError as error:
        findings = [str(one) for one in error.findings if one.severity == "error"]
        return told(
            desk, week, "Not approved", "The checks found what keeps it from going out.", 409, findings
        )
    except ChangedError:
        return told(desk, week, "This draft changed", CHANGED, 409)
    except InputError as error:
        return told(desk, week, "Not done", str(error), 409, [str(one) for one in error.findings])


CHANGED = "It is not what you looked at any more. Look at it again, then decide."


def told(
    desk: "Desk", week: Week, heading: str, words: str, status: int = 200, lines: list[str] | None = None
) -> Response:
    """A page that says what became of a decision, with the way to the issue."""
    issue = f"{desk.newsletter.name}/{week}"
    return page("told", status=status, heading=heading, words=words, lines=lines or (), issue=issue)


def done(desk: "Desk", week: Week, now: datetime) -> str:
    """What the page of an issue says above everything else when one comes back from deciding on it."""
    already, _, verb = request.args.get("done", "").rpartition("-")
    if verb not in VERBS or already not in {"", "already"}:
        return ""
    with desk.store.read() as connection:
        standing = decisions.standing(connection, desk.newsletter.name, week)
    return sentence(desk.newsletter, VERBS[verb], standing, now, already=bool(already))


def sentence(
    newsletter: Newsletter, verb: Verb, standing: Approval | None, now: datetime, *, already: bool
) -> str:
    """`Already approved by Ann at 09:12.`, by the newsletter's clock; nothing where it is not so any more."""
    if verb == "released":
        return "Released." if standing is None else ""
    if standing is None or standing.decision != verb:
        return ""
    words = f"{verb}{whose(newsletter, standing, now)}."
    return f"Already {words}" if already else f"{words[0].upper()}{words[1:]}"


def whose(newsletter: Newsletter, standing: Approval, now: datetime) -> str:
    """By whom and when: ` by Ann at 09:12`, with the date where that was not today."""
    key, zone = standing.by, newsletter.schedule.zone
    name = newsletter.known_as(key) if key in newsletter.curators else key
    at = standing.at.astimezone(zone)
    day = "" if at.date() == now.astimezone(zone).date() else f" on {at:%a %d %b}"
    return f"{f' by {name}' if name else ''} at {at:%H:%M}{day}"
