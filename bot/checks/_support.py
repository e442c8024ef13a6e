"""Rules about what some mail programs do not know, by the data of caniemail.com, where its loss does harm.

Most of what a program does not know is lost in good order: a corner is square, a rule for the dark is not
obeyed. Only that is told here without which words are hidden, shown that should not be, or pushed about.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from bot.checks import Flaw, Mail, Rule
from bot.checks._styles import loosely
from bot.checks._stylesheet import declarations
from bot.models import Severity

FAMILIES = {"apple-mail": "Apple Mail", "gmail": "Gmail", "outlook": "Outlook", "yahoo": "Yahoo Mail"}
PLATFORMS = {
    "gmail": {"desktop-webmail": "web", "ios": "iOS", "android": "Android", "mobile-webmail": "mobile web"},
    "outlook": {"windows": "Windows", "macos": "Mac", "outlook-com": "Outlook.com", "ios": "iOS",
                "android": "Android"},
    "apple-mail": {"macos": "Mac", "ios": "iOS"},
    "yahoo": {"desktop-webmail": "web", "ios": "iOS", "android": "Android"},
}  # fmt: skip
"""The programs that caniemail tests, in the order in which they are named here."""


@dataclass(frozen=True, slots=True)
class Harm:
    """A declaration, and what happens where it is not known."""

    pattern: re.Pattern[str]
    """Of a whole declaration, in small letters."""
    feature: str
    """What caniemail calls it."""
    harm: str
    severity: Severity = Severity.WARNING


def _harm(pattern: str, feature: str, harm: str, severity: Severity = Severity.WARNING) -> Harm:
    return Harm(re.compile(pattern), feature, harm, severity)


_WIDTHS = r"(?:max-|min-)?width|height|font-size|padding[\w-]*|margin[\w-]*"
HARMS = (
    _harm(r"display:(?:inline-)?flex\b", "css-display-flex", "its parts stand below each other"),
    _harm(r"display:(?:inline-)?grid\b", "css-display-grid", "its parts stand below each other"),
    _harm(r"position:(?:absolute|fixed|sticky)\b", "css-position", "it stands where it is written"),
    _harm(rf"(?:{_WIDTHS}):.*\bcalc\(", "css-unit-calc", "the declaration is not obeyed"),
    _harm(rf"(?:{_WIDTHS}):.*\bclamp\(", "css-function-clamp", "the declaration is not obeyed"),
    _harm(rf"(?:{_WIDTHS}):.*\bmax\(", "css-function-max", "the declaration is not obeyed"),
    _harm(rf"(?:{_WIDTHS}):.*\bmin\(", "css-function-min", "the declaration is not obeyed"),
    _harm(r"transform:(?!none)", "css-transform", "it stands where it is written"),
    _harm(r"visibility:hidden", "css-visibility", "what is hidden is shown"),
    _harm(r"opacity:0(?:\.0*)?%?$", "css-opacity", "what is hidden is shown"),
    _harm(r"float:(?:left|right)", "css-float", "it stands in its own line", Severity.HINT),
    _harm(r"column(?:-count|s):", "css-column-count", "there is one column", Severity.HINT),
    _harm(r"writing-mode:(?!horizontal)", "css-writing-mode", "it is written in lines", Severity.HINT),
    _harm(r"object-fit:", "css-object-fit", "the image is stretched", Severity.HINT),
    _harm(r"clip-path:(?!none)", "css-clip-path", "nothing is cut off", Severity.HINT),
    _harm(r"(?:width|height|font-size):.*\d(?:vw|vh)\b", "css-unit-vw", "it is not obeyed", Severity.HINT),
    _harm(r"background(?:-image)?:.*url\(", "css-background-image", "there is no image", Severity.HINT),
)
_SUSPECT = re.compile(
    r"flex|grid|absolute|fixed|sticky|(?:calc|clamp|max|min|url)\(|transform|hidden|opacity|float|column|writing|"
    r"object-fit|clip-path|\dv[wh]\b",
    re.IGNORECASE,
)
ELEMENTS = {
    "svg": "html-svg", "video": "html-video", "audio": "html-audio", "dialog": "html-dialog",
    "progress": "html-progress", "meter": "html-meter", "marquee": "html-marquee",
}  # fmt: skip
"""Elements that show nothing where they are not known, and what caniemail calls them."""


def unsupported_style(mail: Mail) -> Iterator[Flaw]:
    """A style is not known to some mail programs, and its loss pushes the mail about or shows what is hidden.

    Readers of those programs see columns below each other, or words that were not for them. Styles whose loss
    does no harm, such as round corners, are not told, nor what media rules add.
    """
    for written, harm in dict.fromkeys(_harmful(mail)):
        if names := lacking(harm.feature):
            message = f"{written[:60]} is not known to {names}: {harm.harm}"
            fix = "set it with a table and attributes" if harm.severity is Severity.WARNING else ""
            yield Flaw(mail.place(loosely(written)), message, fix, mail.issue.key, harm.severity)


def _harmful(mail: Mail) -> Iterator[tuple[str, Harm]]:
    seen = (element.get("style") or "" for element in mail.elements if element not in mail.hidden)
    for style in dict.fromkeys(seen):
        if _SUSPECT.search(style):
            yield from _in_style(style)


def _in_style(style: str) -> Iterator[tuple[str, Harm]]:
    for one in declarations(style):
        name, _, value = one.text.lower().partition(":")
        declared = f"{name.strip()}:{value.replace('!important', '').strip()}"
        yield from ((one.text, harm) for harm in HARMS if harm.pattern.match(declared))


def unsupported_element(mail: Mail) -> Iterator[Flaw]:
    """An element such as `<svg>` or `<video>` is shown by few mail programs.

    Readers of the others see nothing in its place, or what stands in it as plain words.
    """
    for element in mail.tags(*ELEMENTS):
        if element not in mail.hidden and (names := lacking(ELEMENTS[str(element.tag)])):
            place = mail.place(rf"<{element.tag}\b")
            message = f"<{element.tag}> is not known to {names}"
            yield Flaw(place, message, "show an image that leads to it", mail.issue.key)


# ----------------------------------------------------------------------------------------------- the programs


@cache
def lacking(feature: str) -> str:
    """The programs that do not know a feature: `Gmail (web, iOS), Outlook (Windows)`; '' for none."""
    found = _data().get(feature, "").split()
    return ", ".join(
        _named(family, [name for key, name in platforms.items() if f"{family}.{key}" in found])
        for family, platforms in PLATFORMS.items()
        if any(f"{family}.{key}" in found for key in platforms)
    )


def _named(family: str, platforms: list[str]) -> str:
    every = len(platforms) == len(PLATFORMS[family])
    return FAMILIES[family] if every else f"{FAMILIES[family]} ({', '.join(platforms)})"


@cache
def _data() -> dict[str, str]:
    """Feature → the programs that lack it; made by tests/node/support.py."""
    found: dict[str, str] = json.loads(Path(__file__).with_name("_support.json").read_text("utf-8"))
    return found


RULES = (
    Rule(
        "mail.css-support",
        Severity.WARNING,
        unsupported_style,
        example='<div style="display: flex"><p>One</p><p>Two</p></div>',
        mend="Set it with a table, or leave it to a media rule.",
    ),
    Rule(
        "mail.html-support",
        Severity.WARNING,
        unsupported_element,
        example='<svg width="9" height="9"><path d="M0 0h9v9z"/></svg>',
        mend="Show a PNG in its place, with a link to what it stands for.",
    ),
)
