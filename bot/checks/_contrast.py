"""The rule about colours: whether words can be read on what is behind them, in light and in dark."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from lxml.etree import _Element

from bot.checks import Flaw, Mail, Rule
from bot.checks._colours import Colour, contrast
from bot.checks._looks import Scheme, looks
from bot.checks._styles import loosely
from bot.models import Severity

ENOUGH = 4.5
"""Contrast that text needs (WCAG 2.2, 1.4.3), and large text after it."""
ENOUGH_FOR_LARGE = 3.0
WORDS = 40
"""Characters of the words that a message repeats."""

_LETTER = re.compile(r"[^\W_]")
_DARK = re.compile(r"(?<![\w-])color-scheme\s*:[^;}]*\bdark\b", re.IGNORECASE)


@dataclass(slots=True)
class Meeting:
    """Where two colours meet in a mail."""

    words: str
    """The first that have them."""
    enough: float
    """The contrast that the smallest of the words need."""
    schemes: list[Scheme] = field(default_factory=list)


def low_contrast(mail: Mail) -> Iterator[Flaw]:
    """Words have too little contrast with what is behind them, in light or dark: 4.5:1 or, if large, 3:1.

    Readers with old eyes, and everybody in the sun, cannot read them. Only colours that the mail's own styles
    decide are known: nothing is said of words on images and gradients, nor of what a program recolours.
    """
    for (ink, paper), met in _meetings(mail).items():
        ratio = contrast(ink, paper)
        if ratio < met.enough:
            message = (
                f"in {' and '.join(met.schemes)}, {met.words[:WORDS]!r} is {ink} on {paper}: "
                f"contrast {_floor(ratio)}:1, where {met.enough:g}:1 is readable"
            )
            fix = "choose colours that differ more"
            yield Flaw(_place(mail, ink, paper), message, fix, mail.issue.key)


def _floor(ratio: float) -> float:
    """Rounded down, so that what is just too little does not look like enough."""
    return int(ratio * 10) / 10


def _meetings(mail: Mail) -> dict[tuple[Colour, Colour], Meeting]:
    """The colours of words and of what is behind them, as often as the two differ from any others."""
    found = dict[tuple[Colour, Colour], Meeting]()
    for element, each in looks(mail.page, mail.head_styles, declares_dark=_declares_dark(mail)).items():
        if element not in mail.hidden and (words := _own_words(element)):
            for scheme, look in each.items():
                if look.shown and look.ink and look.paper:
                    met = found.setdefault((look.ink, look.paper), Meeting(words, 0))
                    met.schemes += [] if scheme in met.schemes else [scheme]
                    met.enough = max(met.enough, ENOUGH_FOR_LARGE if look.is_large else ENOUGH)
    return found


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


def _place(mail: Mail, *colours: Colour) -> str:
    """Where the theme names the first of the colours that it names."""
    return mail.place(*(loosely(one.written) for one in colours if one.written))


RULES = (
    Rule(
        "mail.contrast",
        Severity.WARNING,
        low_contrast,
        example='<p style="color: #999999; background-color: #ffffff">Words</p>',
        mend="Darken the one colour or lighten the other, in the theme's light and dark styles.",
    ),
)
