"""The rule about colours: whether words can be read on what is behind them, in light and in dark."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from lxml.etree import _Element

from bot.checks import Flaw, Mail, Rule
from bot.checks._colours import Colour, Look, Scheme, contrast, looks
from bot.checks._styles import loosely
from bot.models import Severity

ENOUGH = 4.5
"""Contrast that text needs (WCAG 2.2, 1.4.3), and large text after it."""
ENOUGH_FOR_LARGE = 3.0
WORDS = 40
"""Characters of the words that a message repeats."""

_LETTER = re.compile(r"[^\W_]")
_DARK = re.compile(r"(?<![\w-])color-scheme\s*:[^;}]*\bdark\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Pair:
    """Two colours that are together in one scheme."""

    scheme: Scheme
    ink: Colour
    paper: Colour
    enough: float


def low_contrast(mail: Mail) -> Iterator[Flaw]:
    """Words have too little contrast with what is behind them, in light or dark: 4.5:1 or, if large, 3:1.

    Readers with old eyes, and everybody in the sun, cannot read them. Only colours that the mail's own styles
    decide are known: nothing is said of words on images and gradients, nor of what a program recolours.
    """
    for pair, said in _pairs(mail).items():
        ratio = contrast(pair.ink, pair.paper)
        if ratio < pair.enough:
            message = (
                f"in {pair.scheme}, {said[:WORDS]!r} is {pair.ink} on {pair.paper}: "
                f"contrast {ratio:.1f}:1, where {pair.enough:g}:1 is readable"
            )
            yield Flaw(_place(mail, pair), message, "choose colours that differ more", mail.issue.key)


def _pairs(mail: Mail) -> dict[Pair, str]:
    """The colours that meet in a mail, each with the first words that have them."""
    found = dict[Pair, str]()
    for element, each in looks(mail.page, mail.head_styles, declares_dark=_declares_dark(mail)).items():
        if element not in mail.hidden and (said := _own_words(element)):
            for scheme, look in each.items():
                if pair := _pair(scheme, look):
                    found.setdefault(pair, said)
    return found


def _pair(scheme: Scheme, look: Look) -> Pair | None:
    if not look.shown or look.ink is None or look.paper is None:
        return None
    return Pair(scheme, look.ink, look.paper, ENOUGH_FOR_LARGE if look.is_large else ENOUGH)


def _own_words(element: _Element) -> str:
    """The first words that stand in the element itself; '' where none does."""
    texts = (element.text, *(child.tail for child in element))
    return next((" ".join(text.split()) for text in texts if text and _LETTER.search(text)), "")


def _declares_dark(mail: Mail) -> bool:
    """Whether the mail says that it has a dark look of its own."""
    metas = (one for one in mail.tags("meta") if (one.get("name") or "").lower() == "color-scheme")
    return any("dark" in (one.get("content") or "") for one in metas) or any(
        map(_DARK.search, mail.head_styles)
    )


def _place(mail: Mail, pair: Pair) -> str:
    """Where the theme names the colours: that of the words, or else what is behind them."""
    return mail.place(*(loosely(one.written) for one in (pair.ink, pair.paper) if one.written))


RULES = (
    Rule(
        "mail.contrast",
        Severity.WARNING,
        low_contrast,
        example='<p style="color: #999999; background-color: #ffffff">Words</p>',
        mend="Darken the one colour or lighten the other, in the theme's light and dark styles.",
    ),
)
