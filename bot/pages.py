"""An issue's web page as the ledger keeps it: frozen when the issue is published, and with each correction.

Rendered → freeze_page → (kept in the ledger) → Page → page with what is said of corrections
"""

import json
import re
from dataclasses import asdict, dataclass
from typing import Self

from bot.models import Rendered

_BELOW = [re.compile(form, re.IGNORECASE) for form in (r"</h1\s*>", r"<main\b[^>]*>", r"<body\b[^>]*>")]
"""Where a note stands: below the first heading, or else at the beginning of what is shown."""


@dataclass(frozen=True, slots=True)
class Page:
    """What the web shows of an issue."""

    summary: str
    """One or two plain sentences, for lists of issues."""
    page: str
    """The whole HTML page."""
    article: str
    """The issue alone, as HTML, for feeds."""

    @classmethod
    def load(cls, payload: bytes) -> Self:
        """Read what `freeze_page` wrote; what a later release added is passed over."""
        document = json.loads(payload)
        return cls(*(str(document.get(name, "")) for name in cls.__slots__))


def freeze_page(rendered: Rendered) -> bytes:
    """What the ledger keeps of an issue's page: the same bytes for the same issue."""
    return json.dumps(asdict(Page(rendered.preheader, rendered.page, rendered.article))).encode()


def noted(page: str, note: str) -> str:
    """The page with a note, which is HTML, where readers see it first."""
    for pattern in _BELOW:
        if found := pattern.search(page):
            return f"{page[: found.end()]}\n{note}{page[found.end() :]}"
    return note + page
