"""The preview of one issue: its panes, what was found in it, what changed, and the buttons that decide."""

from flask import Blueprint, Response, g, request

from bot.previews import since_approved, since_last_week
from bot.settings import Newsletter
from bot.templates import shipped
from bot.web.studio import facts, frames
from bot.web.studio.answers import page
from bot.web.studio.deciding import done
from bot.web.studio.installation import Studio
from bot.web.studio.issues import named
from bot.web.studio.shelf import Shelf


def add(pages: Blueprint, studio: Studio) -> None:
    """`/<name>/<week>`, and below it what stands in its panes."""
    shelf = Shelf(studio)
    pages.add_url_rule("/<name>/<week>", "preview", _Views(studio, shelf).preview)
    frames.add(pages, studio, shelf)


class _Views:
    def __init__(self, studio: Studio, shelf: Shelf) -> None:
        self._studio, self._shelf = studio, shelf

    def preview(self, name: str, week: str) -> Response:
        """Everything about an issue; what cannot be read is shown in its place, and no older state of it."""
        desk, found = named(name, week)
        who, letters = request.args.get("as", ""), request.args.get("find", "")
        frames.reader_of(desk, who)  # 404: nobody
        look, now, app = self._shelf.fresh(desk, found), self._studio.clock(), g.app
        payloads = frames.payloads_of(desk, look, look.made) if look.made else {}
        return page(
            "preview",
            newsletter=desk.newsletter,
            week=str(found),
            title=look.issue.title if look.issue else look.gone.title if look.gone else str(found),
            made=look.made is not None,
            said=done(desk, found, now),
            decision=facts.decision(desk, look),
            sending=facts.sending(desk, look, now),
            sizes=facts.sizes(desk, look, payloads, app.settings.url) if look.made else None,
            panes=list(facts.panes(desk, look, payloads, who)) if look.made else [],
            findings=facts.findings(look),
            faults=facts.faults(look, [app.settings.root, shipped().parent]),
            changed=[
                facts.compared(desk, since_approved(desk, look)),
                facts.compared(desk, since_last_week(desk, look)),
            ],
            seen=facts.seen_as(desk, who, letters),
            own=_own_address(desk.newsletter),
            together=facts.TOGETHER,
        )


def _own_address(newsletter: Newsletter) -> str:
    """Where the curator who looks is written to; '' where that is not known."""
    known = newsletter.curators.get(g.curator.key_in(newsletter))
    return (known.email or known.slack or "") if known else ""
