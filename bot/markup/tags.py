"""What raw HTML comes to: a few tags say how words look, known elements vanish, all else is words."""

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto

_TAG = re.compile(r"<(?P<close>/?)(?P<name>[A-Za-z][A-Za-z0-9-]*)(?P<rest>[^>]*)>", re.DOTALL)
_HREF = re.compile(r"""\shref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+))""", re.IGNORECASE)

LOOKS = {
    "b": "bold", "strong": "bold", "i": "italic", "em": "italic", "s": "struck", "del": "struck",
    "strike": "struck", "code": "code", "a": "link",
}  # fmt: skip
"""What the elements that say how words look switch on."""
# Understood in pairs only: a lone `<s>` is as likely part of `Vec<s>`.
_PAIRED = {*LOOKS, "sub", "sup", "u", "ins", "mark", "small", "big", "kbd", "q", "span", "font"}
# Elements of HTML whose tags are never words. Names that people and models also use as words of their own
# (output, summary, search, time, title, …) are not among them: those stay, as text.
_VANISHING = set(
    "applet area article aside audio base basefont bgsound blockquote body button canvas caption center col "  # noqa: SIM905 (a table of words reads better)
    "colgroup dd dir div dl dt embed fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 "
    "head header hr html iframe img input label legend li link main map marquee math meta nav nobr noscript "
    "object ol optgroup option p param picture pre script section select source style svg table tbody td "
    "template textarea tfoot th thead tr track ul video wbr xmp".split()
)
# What these hold is for machines.
_SILENT = {"script", "style"}


class Kind(Enum):
    """What one tag comes to."""

    WORDS = auto()
    BREAK = auto()
    OPEN = auto()
    CLOSE = auto()
    NOTHING = auto()
    SILENCE = auto()
    SPEECH = auto()


@dataclass(frozen=True, slots=True)
class Tag:
    """One tag as the parser meets it; `look` is what OPEN and CLOSE switch, "" for none."""

    kind: Kind
    name: str = ""
    look: str = ""
    href: str | None = None


_WORDS = Tag(Kind.WORDS)


def judge(tags: Sequence[str]) -> list[Tag]:
    """What each tag of one text comes to, in order."""
    parsed = [_TAG.fullmatch(tag) for tag in tags]
    matched = _matched(parsed)
    return [_judged(tag, at in matched) if tag else _WORDS for at, tag in enumerate(parsed)]


def _matched(parsed: Sequence["re.Match[str] | None"]) -> set[int]:
    """The places of the tags that have their other half."""
    opened: dict[str, list[int]] = {}
    matched: set[int] = set()
    for at, tag in enumerate(parsed):
        if tag and (name := tag["name"].lower()) in _PAIRED | _SILENT:
            if not tag["close"]:
                opened.setdefault(name, []).append(at)
            elif opened.get(name):
                matched |= {opened[name].pop(), at}
    return matched


def _judged(tag: "re.Match[str]", matched: bool) -> Tag:  # noqa: FBT001 (one of two facts about the tag)
    name = tag["name"].lower()
    if name == "br":
        return Tag(Kind.BREAK)
    if name in _SILENT and matched:
        return Tag(Kind.SPEECH if tag["close"] else Kind.SILENCE, name)
    if name in _PAIRED and matched:
        kind = Kind.CLOSE if tag["close"] else Kind.OPEN
        return Tag(kind, name, LOOKS.get(name, ""), _href(tag["rest"]))
    return Tag(Kind.NOTHING, name) if name in _VANISHING else _WORDS


def _href(attributes: str) -> str | None:
    found = _HREF.search(attributes)
    return html.unescape(next(value for value in found.groups() if value is not None)) if found else None
