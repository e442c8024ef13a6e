"""Where a text may be cut, so that nothing that a reader sees as one character is torn (after UAX #29).

The standard library has no segmentation of text, and the rules below need no table beyond its `unicodedata`.
"""

import unicodedata

_JOINER = "\u200d"
_VIRAMA = 9
"""The combining class of signs that join two letters of an Indic script."""
_FURTHEST = 2000
"""Characters looked back: a cluster that is longer is cut."""


def start_of(text: str, at: int) -> int:
    """The start of the cluster that the character at `at` belongs to; `at` itself where one begins there."""
    if at >= len(text):
        return len(text)
    lowest = max(at - _FURTHEST, 0)
    for place in range(at, lowest, -1):
        if not _joined(text, place):
            return place
    return 0 if lowest == 0 else at


def shortened(text: str, limit: int) -> str:
    """A text of at most `limit` characters, with an ellipsis where something is left out."""
    if len(text) <= limit:
        return text
    return text[: start_of(text, limit - 1)].rstrip() + "…"


def _joined(text: str, at: int) -> bool:
    """Whether the character at `at` belongs together with the one before it."""
    before, here = text[at - 1], text[at]
    if before < "\u0300" and here < "\u0300":
        return before == "\r" and here == "\n"
    return (
        _extends(here)
        or before == _JOINER
        or unicodedata.combining(before) == _VIRAMA
        or _is_syllable(before, here)
        or (_is_regional(here) and _regionals_before(text, at) % 2 == 1)
    )


def _extends(character: str) -> bool:
    """Whether a character only changes the one before: accents, selectors, skin tones, tags."""
    return (
        unicodedata.category(character)[0] == "M"
        or character in {_JOINER, "\u200c", "\u0e33", "\u0eb3"}
        or "\U0001f3fb" <= character <= "\U0001f3ff"
        or "\U000e0020" <= character <= "\U000e007f"
    )


def _is_regional(character: str) -> bool:
    """Whether two of these make a flag."""
    return "\U0001f1e6" <= character <= "\U0001f1ff"


def _regionals_before(text: str, at: int) -> int:
    begin = at
    while begin and at - begin < _FURTHEST and _is_regional(text[begin - 1]):
        begin -= 1
    return at - begin


def _is_syllable(before: str, here: str) -> bool:
    """Whether two parts of a Hangul syllable stand together: leading, vowel, trailing."""
    one, two = _hangul(before), _hangul(here)
    allowed = {"L": {"L", "V", "LV", "LVT"}, "V": {"V", "T"}, "LV": {"V", "T"}, "T": {"T"}, "LVT": {"T"}}
    return two in allowed.get(one, ())


def _hangul(character: str) -> str:
    if "\uac00" <= character <= "\ud7a3":
        return "LVT" if (ord(character) - 0xAC00) % 28 else "LV"
    if "\u1100" <= character <= "\u115f" or "\ua960" <= character <= "\ua97c":
        return "L"
    if "\u1160" <= character <= "\u11a7" or "\ud7b0" <= character <= "\ud7c6":
        return "V"
    if "\u11a8" <= character <= "\u11ff" or "\ud7cb" <= character <= "\ud7fb":
        return "T"
    return ""
