"""What a piece of running text is called: an entry needs a title, and not every newsletter gives one."""

import re
from dataclasses import dataclass

from bot.markup import inline_words, normalise_inlines
from bot.models import Reference
from bot.sources._leads import links_in
from bot.text import Code, Emphasis, Inline, Inlines, LineBreak, Link, Strong, Struck, Text

_SENTENCE_END = re.compile(
    r"[.!?][\u201d\u2019\"')\]]{0,3}\s+(?=[A-Z\u201c\"(\[])|(?:(?<=[\u3002\uff01\uff1f]))(?=.)"
)
_SEPARATOR = re.compile(r"\s*[:\u2013\u2014-](?:\s+|$)|\s+[|\u00b7]\s+|\s*\.\s*$")
_MOST_TITLE_WORDS = 20
_NAME_WORDS = range(3, 16)
_EXTRACT_WORDS = 10


@dataclass(frozen=True, slots=True)
class Titled:
    """A text taken apart: title, the links that stood in it, and what is left to say."""

    title: str
    references: tuple[Reference, ...]
    rest: Inlines
    extracted: bool = False
    """Whether the title only repeats words of the text, so that `rest` is all of it."""


def titled(inlines: Inlines) -> Titled:
    """A marked opening (`[Title](…): text`), else the first sentence if it is short, else an extract."""
    return _marked_opening(inlines) or _first_sentence(inlines) or _extract(inlines)


def references_in(inlines: Inlines) -> tuple[Reference, ...]:
    """The links of a text as references, called by their words."""
    return tuple(Reference(inline_words(link.children) or link.url, link.url) for link in links_in(inlines))


def _marked_opening(inlines: Inlines) -> Titled | None:
    if not inlines or not isinstance(opening := inlines[0], Link | Strong):
        return None
    following = inlines[1] if len(inlines) > 1 else Text(":")
    if not isinstance(following, Text) or not (mark := _SEPARATOR.match(following.value)):
        return None
    rest = (Text(following.value[mark.end() :]), *inlines[2:])
    return _titled((opening,), rest)


def _first_sentence(inlines: Inlines) -> Titled | None:
    found = _SENTENCE_END.search(_flat(inlines))
    parts = _cut(inlines, found.end()) if found else (inlines, ())
    if parts is None or len(_flat(parts[0]).split()) > _MOST_TITLE_WORDS:
        return None
    return _titled(*parts)


def _titled(head: Inlines, rest: Inlines) -> Titled | None:
    title = " ".join(_flat(head).split())
    if title.endswith(".") and not title.endswith(".."):
        title = title[:-1]
    return Titled(title, references_in(head), normalise_inlines(rest)) if title.strip() else None


def _extract(inlines: Inlines) -> Titled:
    names = (inline_words(link.children) for link in links_in(inlines))
    named = next((name for name in names if len(name.split()) in _NAME_WORDS and name[0].isupper()), "")
    words = inline_words(inlines).split()
    short = " ".join(words[:_EXTRACT_WORDS])
    return Titled(named or f"{short[:200]}\u2026", (), inlines, extracted=True)


def _flat(inlines: Inlines) -> str:
    """The words with a line break as one blank, so that lengths add up."""
    return "".join(_flat_one(inline) for inline in inlines)


def _flat_one(inline: Inline) -> str:
    match inline:
        case Text() | Code():
            return inline.value
        case Link() | Strong() | Emphasis() | Struck():
            return _flat(inline.children)
        case LineBreak():
            return " "


def _cut(inlines: Inlines, at: int) -> tuple[Inlines, Inlines] | None:
    """Cut a text after so many characters; None where that is inside a link or other marked words."""
    for number, inline in enumerate(inlines):
        length = len(_flat_one(inline))
        if at < length and isinstance(inline, Text):
            head, tail = Text(inline.value[:at]), Text(inline.value[at:])
            return (*inlines[:number], head), (tail, *inlines[number + 1 :])
        if at < length:
            return (inlines[:number], inlines[number:]) if at == 0 else None
        at -= length
    return inlines, ()
