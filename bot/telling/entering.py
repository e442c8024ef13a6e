"""The mail with a link that opens the studio, for a curator who asked for one."""

from datetime import timedelta
from typing import TYPE_CHECKING

from bot.inline import inline
from bot.mail.notes import Note
from bot.settings import Newsletter

if TYPE_CHECKING:
    from bot.templates import Templates

ENTER = "studio enter"
"""What the words in the links are signed for."""
LASTS = timedelta(minutes=20)
TEMPLATE = "notices/enter.html.j2"


def entry_note(newsletter: Newsletter, curator: str, email: str, url: str, templates: "Templates") -> Note:
    """What a curator is written who wants to come in."""
    heading = "Open the studio"
    minutes = LASTS // timedelta(minutes=1)
    small = f"The link opens the studio once, within {minutes} minutes. Whoever has it comes in as you."
    why = "You get this because somebody asked for it with your address. If it was not you, do nothing."
    page = templates.html(TEMPLATE, {"heading": heading, "url": url, "small": small, "why": why})
    text = f"{heading}: {url}\n\n{small}\n\n{why}\n"
    return Note(newsletter.known_as(curator), email, f"{heading}: {newsletter.title}", text, inline(page))
