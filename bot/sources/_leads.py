"""Bold lead-ins and label lines, which plain texts and table cells have lost the marks of."""

import re

from bot.text import Inlines, Link, Strong, Text

_MOST_WORDS = 10
_MOST_LABEL_WORDS = 7
# A lead-in is short, and ends with a colon or a dash that blanks set apart.
_LEAD = re.compile(r"(?P<phrase>[^\n]{1,160}?)(?P<mark>:(?=\s|$)|(?=\s[-\u2013\u2014](?:\s|$)))")
_SENTENCE_END = re.compile(r"[.!?][\u201d\u2019\"')\]]{0,3}\s+")
_NEW_SENTENCE = re.compile(r"[.!?][\u201d\u2019\"')\]]{0,3}\s+[A-Z\u201c\"(]")


def lead_in(text: str) -> str | None:
    """The `Phrase:` or `Phrase` (before ` – `) that a text opens with, if it opens with one."""
    if not (found := _LEAD.match(text)):
        return None
    phrase = found["phrase"]
    if len(phrase.split()) > _MOST_WORDS or _NEW_SENTENCE.search(phrase) or not phrase[0].strip():
        return None
    return found[0]


def with_lead_in(inlines: Inlines) -> Inlines:
    """The same words with the lead-in made to stand out; anything already marked stays as it is."""
    if not inlines or not isinstance(first := inlines[0], Text) or not (lead := lead_in(first.value)):
        return inlines
    rest = first.value[len(lead) :]
    if not rest.strip() and len(inlines) == 1:
        return inlines
    return (Strong((Text(lead),)), *((Text(rest),) if rest else ()), *inlines[1:])


def split_label(text: str) -> tuple[str, str]:
    """A lead and the label line glued to its end (`Key findings:`), which is empty unless that is certain.

    It is certain where a short phrase after the end of a sentence ends in a colon.
    """
    ends = [found.end() for found in _SENTENCE_END.finditer(text)]
    label = text[ends[-1] :].strip() if ends else ""
    if not is_label(label):
        return text, ""
    return text[: ends[-1]].rstrip(), label


def is_label(text: str) -> bool:
    """Whether a line does nothing but announce what follows: `Key findings:`."""
    short = 0 < len(text.split()) <= _MOST_LABEL_WORDS
    return short and text.endswith(":") and text[0].isupper() and "](" not in text


def links_in(inlines: Inlines) -> list[Link]:
    """The links of a run of text, in order."""
    found = []
    for inline in inlines:
        if isinstance(inline, Link):
            found.append(inline)
        children = getattr(inline, "children", ())
        found += links_in(children)
    return found
