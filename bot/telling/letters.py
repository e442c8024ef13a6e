"""What curators are told, as mails: the same words, and links in the place of buttons.

A link opens a page that asks; nothing is decided by following it, since mail scanners follow every link.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from bot.inline import inline
from bot.mail.notes import Note
from bot.settings import Newsletter
from bot.signing import sign
from bot.telling.documents import Document

if TYPE_CHECKING:
    from bot.templates import Templates

DECIDE = "decide"
"""What the words in the links are signed for."""
LASTS = timedelta(days=8)
"""How long such a link opens its page: until the week after."""
TEMPLATE = "notices/letter.html.j2"

_VERBS = {"approved": "Approve", "held": "Hold"}


def letter(
    document: Document,
    newsletter: Newsletter,
    curator: str,
    base_url: str,
    key: bytes,
    now: datetime,
    templates: "Templates",
) -> Note:
    """What one curator is written."""
    known = newsletter.curators[curator]
    links = [
        *_deciding(document, curator, base_url, key, now),
        ("Open the studio", studio_url(base_url, document)),
    ]
    why = f"You get this because you are a curator of {newsletter.title}."
    page = templates.html(TEMPLATE, {"document": document, "links": links, "why": why})
    lines = [
        document.heading,
        document.small,
        "",
        document.stands,
        *(f"- {line}" for line in document.lines),
        "",
    ]
    text = "\n".join([*lines, *(f"{words}: {url}" for words, url in links), "", why, ""])
    return Note(newsletter.known_as(curator), known.email or "", document.heading, text, inline(page))


def _deciding(
    document: Document, curator: str, base_url: str, key: bytes, now: datetime
) -> Iterator[tuple[str, str]]:
    for verb, words in () if document.decided else _VERBS.items():
        said = {"issue": document.issue, "hash": document.hash, "verb": verb, "curator": curator}
        yield words, f"{base_url}/studio/decide/{sign(key, DECIDE, said, now + LASTS)}"


def studio_url(base_url: str, document: Document) -> str:
    """Where the issue is looked at."""
    return f"{base_url}/studio/{document.issue}"
