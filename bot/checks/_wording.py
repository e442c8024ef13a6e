"""Rules about the words themselves: what a copy editor would mark in the margin."""

import re
from collections.abc import Iterator
from functools import cached_property

from bot.checks._material import Material
from bot.checks._passages import HEADINGS, LINES, TEXTS, Kind, Passage, Then, flaw, flaw_at, shown
from bot.checks._rules import Flaw
from bot.models import Severity

# ------------------------------------------------------------------------------------------- doubled words

_TWICE = re.compile(r"(?<![\w'\u2019/.-])([^\W\d_]+)\s+\1(?![\w'\u2019/-]|\.\w)", re.IGNORECASE)
_DOUBLED_RIGHTLY = {
    "en": "that had so very really no bye ha hey blah much far long many again knock win ping who you her",
    "de": "die der das den dem sie ihr ihnen sehr ganz wo so ja nein na da was",
    "fr": "nous vous très bien si non oui tout",
    "es": "muy no sí ya casi que",
    "it": "man piano via molto pian quasi così a",
    "pt": "muito não sim logo quase que",
    "nl": "die dat zij ze heel zo wat er het",
    "sv": "som det att mycket",
    "da": "som det at meget der",
    "nb": "som det at meget der",
    "no": "som det at meget der",
    "pl": "bardzo już tak nie",
    "ru": "\u043e\u0447\u0435\u043d\u044c \u0434\u0430 \u043d\u0435\u0442",  # very, yes, no
}
_REPEATING = (
    *("id", "ms", "jv", "su", "tl", "fil", "vi", "th", "km", "lo", "my", "tr", "az", "kk", "uz", "ky"),
    *("hi", "ur", "bn", "ta", "te", "mr", "sw", "haw", "mi", "sm", "hu", "fi", "et"),
)
"""Languages that say things twice as a matter of grammar or style."""
_SMALL = "the|of|to|in|on|at|for|by|a|an|and|is|it|as|with|from|or|be"
_PAIR_TWICE = re.compile(rf"\b((?:{_SMALL})\s+(?:{_SMALL}))\s+\1\b", re.IGNORECASE)


def doubled_word(material: Material) -> Iterator[Flaw]:
    """A word stands twice in a row, as in “the the”.

    Writers do not see it, since the eye jumps from line to line; readers do.
    """
    for passage in material.passages:
        for found in _TWICE.finditer(passage.prose):
            if not _is_right(found, passage.language):
                yield _twice(material, passage, found)
        if passage.kind is not Kind.CODE:
            yield from (_twice(material, passage, found) for found in _PAIR_TWICE.finditer(passage.prose))


def _is_right(found: re.Match[str], language: str) -> bool:
    """Whether a word may well stand twice: by grammar, as a name, as a sound or a letter."""
    words = found[0]
    first, second = words.split(maxsplit=1)[0], words.rsplit(maxsplit=1)[-1]
    if "\n" in words or second[:1].isupper() or (len(first) == 1 and first not in "aA"):
        return True
    if language in _REPEATING and second not in ("the", "of", "and", "to"):
        return True
    if second in ("is", "was"):  # what it is is a wheel
        return bool(_CLAUSE.search(found.string[max(found.start() - 20, 0) : found.start()]))
    return second.lower() in f"{_DOUBLED_RIGHTLY['en']} {_DOUBLED_RIGHTLY.get(language, '')}".split()


_CLAUSE = re.compile(r"\b(?:it|that|this|there|here|what|who|he|she|one)\s+$", re.IGNORECASE)


def _twice(material: Material, passage: Passage, found: re.Match[str]) -> Flaw:
    return flaw_at(material, passage, found.span(), "{0}: one is enough: {1}", "delete one")


# ---------------------------------------------------------------------------------------------- punctuation

_FAULTS = re.compile(
    r",\s?,|;\s?;|(?<=[\w)\]\"\u201d])\.\.(?=\s|$)|,\.(?!\w)|\.\s\.(?=\s|$)(?<!\.\s\.\s\.)"
    r"|\?\.(?=\s|$)|(?<!\.)\.\?(?=\s|$)|(?<!\u3002)\u3002\u3002(?!\u3002)|\u3001\u3001|\uff0c\uff0c|\uff0c\u3002"
    r"|(?<=[^\W\d_]),(?=(?:and|but|the|which|so|or|it|we|they)\b)"
    r"|(?<=[a-z]{2})[.](?=(?:The|This|These|In|It|We|They|And|But|However|For|A)\s)"
)
_SPLIT = re.compile(
    r"(?<=[^\W\d_]{2})-\s(?!(?:and|or|to|vs|as|und|oder|bis|sowie|et|ou|y|o|e|en|of|och|og|i)\b)(?=[^\W\d_]{2})"
)
_LOUD = re.compile(r"(?<=\S)!!+|(?<=\w)\?\?+|(?:!\?){2,}|(?:\?!){2,}|(?<=\w)\.{4,}(?!\.)")
_LOOSE = re.compile(r"(?<=\w) +[,.](?=\s|$)|(?<=\w) +[;:!?](?=\s|$)|[([] +(?=\w)|(?<=\w) +[)\]]")
_SPACED_BEFORE_MARKS = frozenset({"fr", "br", "eo"})
"""Languages that put a blank before `;`, `:`, `!` and `?`."""


def punctuation(material: Material) -> Iterator[Flaw]:
    """Two marks stand where one belongs, a blank stands before a mark, or none behind it.

    Most often a word was taken out between the two, or two sentences were joined.
    """
    for passage in material.passages:
        prose = passage.prose
        for found in _FAULTS.finditer(prose):
            yield _marked(material, passage, found, "is not how a sentence goes")
        for found in _LOOSE.finditer(prose):
            if _is_loose(found[0], passage):
                yield _marked(material, passage, found, "has a blank too many", Severity.HINT)
        for found in _SPLIT.finditer(prose):
            yield _marked(material, passage, found, "parts a word", Severity.HINT)
        for found in _LOUD.finditer(prose):
            yield _marked(material, passage, found, "shouts", Severity.HINT)


def _is_loose(words: str, passage: Passage) -> bool:
    mark = words.strip()
    return mark in (",", ".", "(", "[", ")", "]") or passage.language not in _SPACED_BEFORE_MARKS


def _marked(
    material: Material, passage: Passage, found: re.Match[str], what: str, severity: Severity | None = None
) -> Flaw:
    return flaw_at(material, passage, found.span(), f"{{0}} {what}: {{1}}", "mend the sentence", severity)


# --------------------------------------------------------------------------------------------- capitals

_MIN_WORDS, _MIN_LETTERS = 2, 12


def capitals(material: Material) -> Iterator[Flaw]:
    """A title or a subject is in capitals throughout.

    It reads as shouting, screen readers may spell it, and spam filters count it.
    """
    for passage in material.passages:
        if (passage.kind in HEADINGS or passage.kind in LINES) and _shouts(passage.words):
            severity = None if passage.kind in LINES else Severity.HINT
            message = f"{passage.kind}: {shown(passage.words)} is all in capitals"
            yield flaw(material, passage, passage.words, message, "write it in small letters", severity)


def _shouts(words: str) -> bool:
    """Whether a text is all capitals, and longer than names and acronyms are."""
    if not words.isupper():
        return False
    # Of the letters of Hebrew, Persian or Japanese none is a capital, and none a small one.
    long_words = [word for word in re.findall(r"[^\W\d_]+", words) if len(word) > 1 and word.isupper()]
    return len(long_words) >= _MIN_WORDS and sum(map(len, long_words)) >= _MIN_LETTERS


# ------------------------------------------------------------------------------------- brackets and quotes

_PAIRS = dict(zip(")]}\uff09\u300d\u300f\u3011\u300b", "([{\uff08\u300c\u300e\u3010\u300a", strict=True))
_BRACKET = re.compile("[" + re.escape("".join((*_PAIRS, *_PAIRS.values()))) + "]")
_NUMBERS = re.compile(r"(?:^|(?<=[\s(;,:]))(?:\d{1,3}|[A-Za-z]|[ivx]{1,4})\)")  # 1) a) iv)
_FACES = re.compile(r"(?<![\w)])[:;=8xX]['\u2019]?-?[()\[\]]+|\(:|\^\)")
_SPANS = re.compile(r"[\[(]\s?[-\u2212]?[\w.]{1,12}\s?,\s?[-+\u2212]?[\w.\u221e]{1,12}\s?[\])]")  # [0, 1)
_ENGLISH_QUOTES = frozenset(["en", "es", "pt", "zh", "ko"])


def brackets(material: Material) -> Iterator[Flaw]:
    """A bracket or a quotation mark is opened and not closed, or closed and never opened.

    A word is missing, or a link was not written as Markdown reads it.
    """
    for passage in material.passages:
        prose = passage.prose
        if passage.kind is Kind.CODE or prose.endswith(("\u2026", "...")):
            continue
        if (odd := _odd_bracket(prose)) is not None and "](" not in prose:  # which links.not-made tells
            yield flaw_at(
                material, passage, (odd, odd + 1), "{0} has no partner: {1}", "close it, or delete it"
            )
        elif (odd := _odd_quote(prose, passage.language)) is not None:
            what, fix = "{0} has no partner: {1}", "close it, or delete it"
            yield flaw_at(material, passage, (odd, odd + 1), what, fix, Severity.HINT)


def _odd_bracket(prose: str) -> int | None:
    """Where the first bracket without a partner stands; `1)`, `:)` and `[0, 1)` need none."""
    without = _Unpaired(prose)
    open_at: list[int] = []
    for found in _BRACKET.finditer(prose):
        at = found.start()
        if not (partner := _PAIRS.get(found[0])):
            open_at.append(at)
        elif open_at and (prose[open_at[-1]] == partner or at in without.spans):
            open_at.pop()
        elif at not in without.faces and (open_at or at not in without.numbers):
            return at
    return next((at for at in open_at if at not in without.faces), None)


class _Unpaired:
    """Where brackets stand that need no partner, looked for when one has none."""

    def __init__(self, prose: str) -> None:
        self.prose = prose

    @cached_property
    def numbers(self) -> set[int]:
        return self._covered(_NUMBERS)

    @cached_property
    def faces(self) -> set[int]:
        return self._covered(_FACES)

    @cached_property
    def spans(self) -> set[int]:
        return self._covered(_SPANS)

    def _covered(self, pattern: re.Pattern[str]) -> set[int]:
        return {at for found in pattern.finditer(self.prose) for at in range(*found.span())}


def _odd_quote(prose: str, language: str) -> int | None:
    """Where the first quotation mark without a partner stands."""
    for mark in ('"', "\u00ab\u00bb"):
        at = [found.start() for found in re.finditer(f"[{mark}]", prose)]
        if len(at) % 2 and not (mark == '"' and _MEASURE.search(prose)):
            return at[-1]
    return _odd_curl(prose) if language in _ENGLISH_QUOTES else _odd_low(prose)


_MEASURE = re.compile(r"\d\"")  # 27 inches


def _odd_low(prose: str) -> int | None:
    """Where a \u201e stands that nothing closes."""
    opened: int | None = None
    for found in re.finditer('[\u201e\u201c\u201d"]', prose):
        if found[0] == "\u201e" and opened is not None:
            return opened
        opened = found.start() if found[0] == "\u201e" else None
    return opened


def _odd_curl(prose: str) -> int | None:
    opened: int | None = None
    for found in re.finditer("[\u201c\u201d]", prose):
        if (found[0] == "\u201d") is (opened is None):
            return found.start() if opened is None else opened
        opened = found.start() if opened is None else None
    return opened


# ------------------------------------------------------------------------------------------- broken off

_LAST_WORDS = {
    "en": "and or but the a an of with which because than into from via our their its between whose these",
    "de": "und oder aber der den dem des ein eine einen mit von für weil dass zwischen im zum zur",
    "fr": "et ou mais le la les un une des de du avec pour dans que qui au aux",
    "es": "y o pero el la los las un una de del con para en que al",
    "it": "e o ma il lo la gli un una di del della con per in che",
    "pt": "e ou mas o os um uma de do da com para em que",
    "nl": "en of maar de het een van met voor omdat dat",
}
_BREAKS_OFF = re.compile(
    r"(?P<mark>[,;\uff0c\u3001]|(?<=\s)[-\u2013\u2014])\s*$|(?<![\w-])(?P<word>[^\W\d_]+)\s*$"
)
_ANNOUNCES = re.compile(r"[:\uff1a]\s*$")


def broken_off(material: Material) -> Iterator[Flaw]:
    """A text ends in the middle of a sentence: with “and”, “the”, a comma, or a colon that nothing follows.

    The rest was lost when the text was copied or shortened.
    """
    for passage in material.passages:
        if passage.kind not in TEXTS or passage.then is Then.OTHER:
            continue
        if what := _broken(passage):
            end = passage.prose[-40:].partition(" ")[2] or passage.prose
            message = f"the text ends with {what}: {shown(end)}"
            severity = (
                Severity.HINT if passage.then is Then.ITEM else None
            )  # the next ones may be what follows
            yield flaw(material, passage, end.strip(), message, "write the rest of it", severity)


def _broken(passage: Passage) -> str:
    if passage.then is not Then.PARAGRAPH and _ANNOUNCES.search(passage.prose):
        return "a colon, and nothing follows"
    if passage.then is Then.ITEM:  # as in “- bread, and”
        return ""
    if not (found := _BREAKS_OFF.search(passage.prose)):
        return ""
    if found["mark"]:
        return f"{found['mark']!r}" if not _is_greeting(passage) else ""
    words = f"{_LAST_WORDS['en']} {_LAST_WORDS.get(passage.language, '')}".split()
    has_more = len(passage.prose.split()) > 3  # noqa: PLR2004 (a label such as “Work in” may end anyhow)
    return shown(found["word"]) if has_more and found["word"] in words else ""


def _is_greeting(passage: Passage) -> bool:
    """`Hello everybody,` or `Cheers,`: a line of a letter."""
    return passage.then is Then.PARAGRAPH and len(passage.prose.split()) <= 5  # noqa: PLR2004 (words of a greeting)
