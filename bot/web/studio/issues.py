"""The issue that an address of the studio names."""

from typing import TYPE_CHECKING

from flask import abort, g

from bot.models import Week

if TYPE_CHECKING:
    from bot.desk import Desk


def named(name: str, week: str) -> "tuple[Desk, Week]":
    """A fresh desk and the week; 404 where the curator may not see the newsletter, or it is no week."""
    newsletter = g.newsletters.get(name)
    try:
        found = Week.parse(week)
    except ValueError:
        abort(404)
    if newsletter is None:
        abort(404)
    return g.app.desk(newsletter), found
