"""Sends a test of an issue from the studio: to an address, or to a person or conversation in Slack."""

from flask import Blueprint, Response, g, request

from bot.channels import Audience
from bot.desk import Desk
from bot.errors import BroadsheetError, RefusedError, StoreError
from bot.models import Week
from bot.trials import by_mail, to_slack
from bot.web.studio.deciding import told
from bot.web.studio.installation import Studio
from bot.web.studio.issues import named

LONGEST = 320
"""Characters of an address (RFC 3696, erratum 1690)."""


def add(pages: Blueprint, studio: Studio) -> None:
    """`POST /studio/<newsletter>/<week>/test`."""
    pages.add_url_rule("/<name>/<week>/test", "test", _Views(studio).send, methods=["POST"])


class _Views:
    def __init__(self, studio: Studio) -> None:
        self._studio = studio

    def send(self, name: str, week: str) -> Response:
        """Send it, and say how it left; or say why it did not."""
        (desk, found), to = named(name, week), request.form.get("to", "").strip()[:LONGEST]
        try:
            if not g.app.sends:
                raise RefusedError("this studio was started without the secrets that sending needs")
            by = self._sent(desk, found, to)
        except StoreError:
            raise
        except BroadsheetError as error:
            return told(desk, found, "No test was sent", str(error), 409)
        words = f"It went to {to} by {by}, marked as a test. Nothing else has gone out."
        return told(desk, found, "A test was sent", words)

    def _sent(self, desk: Desk, week: Week, to: str) -> str:
        """Send it by mail, or else to Slack; by which way, in a few words."""
        now = self._studio.clock()
        if "@" not in to:
            to_slack(g.app, desk, week, to, now)
            return "Slack"
        by_mail(desk, week, to, now)
        return next(one.by for one in desk.channels.values() if one.audience is Audience.READERS)
