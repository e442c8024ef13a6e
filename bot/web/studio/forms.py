"""Whether a form was sent from a page of ours, by the person whose session it is."""

from flask import Response, g, request

from bot.web.studio.answers import page
from bot.web.studio.sessions import same

SAFE = {"GET", "HEAD", "OPTIONS"}
"""Methods that change nothing (RFC 9110 §9.2.1)."""


def forged(*, needs_word: bool) -> Response | None:
    """The refusal of what another site may have sent; None where it is ours.

    Browsers say where a form was sent from by `Origin`, `Sec-Fetch-Site` or both; what says neither must know
    the session's word.
    """
    if request.method in SAFE:
        return None
    origin, site = request.headers.get("Origin"), request.headers.get("Sec-Fetch-Site")
    foreign = (origin is not None and origin not in g.visit.origins) or site not in {
        None,
        "same-origin",
        "none",
    }
    if foreign or (needs_word and not same(request.form.get("csrf", ""), g.session.word)):
        return page("told", status=403, heading="Not done", words=FORGED)
    return None


FORGED = "This form was not sent from a page of this studio, or its page was too old. Open the page again."
