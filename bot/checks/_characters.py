"""Characters that readers do not see, cannot see, or see as something else."""

import re
import unicodedata
from collections.abc import Iterator

# ------------------------------------------------------------------------------------------- directions

_EMBEDDINGS, _ISOLATES = "\u202a\u202b\u202d\u202e", "\u2066\u2067\u2068"
_POP, _POP_ISOLATE = "\u202c", "\u2069"
OVERRIDES = "\u202d\u202e"
"""They show letters in another order than they are read in."""
DIRECTIONS = re.compile(f"[{_EMBEDDINGS}{_POP}{_ISOLATES}{_POP_ISOLATE}]")


def unpaired(text: str) -> str | None:
    """The first bidirectional control that is never closed, or closes nothing (UAX #9, X1 to X8)."""
    open_ones: list[str] = []
    for found in DIRECTIONS.finditer(text):
        control = found[0]
        if control in _EMBEDDINGS or control in _ISOLATES:
            open_ones.append(control)
        elif not open_ones or (open_ones.pop() in _ISOLATES) is not (control == _POP_ISOLATE):
            return control
    return open_ones[0] if open_ones else None


def sides(text: str) -> tuple[str, str] | None:
    """The direction of the first letter, and that of most words: `ltr` or `rtl`; None without letters."""
    letters = [side for character in text if (side := _SIDES.get(unicodedata.bidirectional(character)))]
    if not letters:
        return None
    return letters[0], "rtl" if 2 * letters.count("rtl") > len(letters) else "ltr"


_SIDES = {"L": "ltr", "R": "rtl", "AL": "rtl"}
HAS_RTL = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]")

# -------------------------------------------------------------------------------------------- invisible

_UNSEEN = re.compile(
    "[\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200d\u2060-\u2064\u206a-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e007f]"
)
_FLAG = re.compile("\U0001f3f4[\U000e0061-\U000e007a\U000e0030-\U000e0039]{2,6}\U000e007f")
SOFT_HYPHEN = "\u00ad"
_JOINERS = "\u200c\u200d"
_WITHOUT_BLANKS = (
    "THAI",
    "LAO",
    "KHMER",
    "MYANMAR",
    "TIBETAN",
    "JAVANESE",
    "BALINESE",
    "CJK",
    "HIRAGANA",
    "KATAKANA",
)
_WITHOUT_JOINING = (
    "LATIN",
    "CYRILLIC",
    "GREEK",
    "CJK",
    "HIRAGANA",
    "KATAKANA",
    "HANGUL",
    "DIGIT",
    "SPACE",
    "HEBREW",
)


def unseen(text: str) -> Iterator[re.Match[str]]:
    """Each invisible character that nothing beside it needs; joiners belong into many scripts and emoji."""
    if text.isprintable() and not _FILLERS.search(text):  # format characters are none that print
        return
    text = _FLAG.sub(lambda found: "\U0001f3f4" * len(found[0]), text)
    for found in _UNSEEN.finditer(text):
        if not _is_needed(
            found[0], text[max(found.start() - 1, 0) : found.start()], text[found.end() : found.end() + 1]
        ):
            yield found


_FILLERS = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u3164\uffa0]")


_SELECTORS = re.compile(
    "[\ufe00-\ufe0f\U000e0100-\U000e01ef]{2,}|(?<=[A-Za-z\\s])[\ufe00-\ufe0f\U000e0100-\U000e01ef]"
)


def selectors(text: str) -> "re.Match[str] | None":
    """Variation selectors that choose no look of a character: behind a letter, or several in a row."""
    return None if text.isascii() else _SELECTORS.search(text)


def is_tag(character: str) -> bool:
    """Whether it is one of the tag characters, by which text can be smuggled past everybody's eyes."""
    return "\U000e0000" <= character <= "\U000e007f"


def _is_needed(character: str, before: str, after: str) -> bool:
    if character in _JOINERS:
        return bool(before and after) and (_joins(before) or _joins(after)) and not after.isspace()
    if character == "\u200b":
        return _is_of(before, _WITHOUT_BLANKS) or _is_of(after, _WITHOUT_BLANKS)
    if character == SOFT_HYPHEN:
        return before.isalpha() and after.isalpha()
    if "\u180b" <= character <= "\u180e":
        return _is_of(before, ("MONGOLIAN",))
    if character in "\u115f\u1160":
        return _is_of(before, ("HANGUL",)) or _is_of(after, ("HANGUL",))
    return False


def _joins(character: str) -> bool:
    """Whether it is of a script whose letters join, or an emoji."""
    return bool(character) and not _is_of(character, _WITHOUT_JOINING) and not character.isascii()


def _is_of(character: str, scripts: tuple[str, ...]) -> bool:
    return bool(character) and unicodedata.name(character, "").startswith(scripts)


# ---------------------------------------------------------------------------------------------- mojibake

_WINDOWS = bytes(byte for byte in range(0x80, 0xA0) if byte not in (0x81, 0x8D, 0x8F, 0x90, 0x9D)).decode(
    "cp1252"
)
_AFTER = f"\u0080-\u00bf{_WINDOWS}"
_CAPITAL_BEFORE_QUOTE = f"(?<![A-Z\u00c0-\u00de])[\u00c2\u00c3][{_WINDOWS}]"  # but \u201cAMANH\u00c3\u201d
_MOJIBAKE = re.compile(
    f"(?:[\u00c2\u00c3][\u0080-\u00bf]|{_CAPITAL_BEFORE_QUOTE})+|\u00e2[{_AFTER}][{_AFTER}]|\u00f0[{_AFTER}]{{3}}|(?:[\u00d0\u00d1][{_AFTER}]){{2,}}"
    f"|(?:[\u00ce\u00cf][{_AFTER}]){{2,}}|(?:[\u00e3-\u00e9][{_AFTER}][{_AFTER}]){{2,}}|\u00ef\u00bb\u00bf"
)


def mojibake(text: str) -> Iterator[tuple[str, str]]:
    """Each stretch of UTF-8 that was read as Windows-1252 or Latin-1, and what it was."""
    if text.isascii():
        return
    for found in _MOJIBAKE.finditer(text):
        if (was := _decoded(found[0])) is not None:
            yield found[0], was


def _decoded(text: str) -> str | None:
    """What the bytes say, if they are UTF-8 and say something that letters are made of."""
    try:
        was = b"".join(_byte(character) for character in text).decode("utf-8")
    except (UnicodeEncodeError, UnicodeDecodeError):
        return None
    return was


def _byte(character: str) -> bytes:
    return bytes([ord(character)]) if ord(character) < 0x100 else character.encode("cp1252")  # noqa: PLR2004


# ------------------------------------------------------------------------------------------- look-alikes

_CYRILLIC_TWINS = frozenset(
    "\u0430\u0441\u0435\u0456\u0458\u043e\u0440\u0455\u0445\u0443\u0410\u0412\u0421\u0415\u041d\u0406\u0408\u041a\u041c\u041e\u0420\u0405\u0422\u0425\u0423"
)
_GREEK_TWINS = frozenset(
    "\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7\u03bf\u03bd"
)
_WORD = re.compile(r"[^\W\d_]+")
_HAS_TWIN = re.compile("[" + "".join(sorted(_CYRILLIC_TWINS | _GREEK_TWINS)) + "]")


def disguised(text: str) -> Iterator[str]:
    """Each word of Latin letters in which some are Cyrillic or Greek ones that look the same."""
    if text.isascii() or not _HAS_TWIN.search(text):
        return
    for found in _WORD.finditer(text):
        letters = [character for character in found[0] if not character.isascii()]
        latin = sum("LATIN" in unicodedata.name(character, "") for character in found[0])
        twins = [
            character for character in letters if character in _CYRILLIC_TWINS or character in _GREEK_TWINS
        ]
        if twins and latin > 1 and latin + len(twins) == len(found[0]):
            yield found[0]


STYLED = re.compile(
    "[\U0001d400-\U0001d7cb\u24b6-\u24e9\U0001f130-\U0001f149\U0001f150-\U0001f169\U0001f170-\U0001f189]{3,}"
)
"""Letters of mathematics, or in circles and squares, in the place of letters."""
FULL_WIDTH = re.compile("[\uff21-\uff3a\uff41-\uff5a]{3,}")
_MARKS = re.compile("[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]{3,}")


def heaped(text: str) -> re.Match[str] | None:
    """Three and more accents on one letter, which run over the lines above and below."""
    return None if text.isascii() else _MARKS.search(unicodedata.normalize("NFC", text))


def decomposed(text: str) -> str | None:
    """The first letter that is written as a base and an accent, where Unicode has one character for both."""
    if text.isascii() or unicodedata.is_normalized("NFC", text):
        return None
    for at, character in enumerate(text[1:], 1):
        if unicodedata.combining(character) and len(unicodedata.normalize("NFC", text[at - 1 : at + 1])) == 1:
            return text[at - 1 : at + 1]
    return None


def has_words(text: str) -> bool:
    """Whether there is a letter or a digit in it that can be read out."""
    return any(unicodedata.category(character)[0] in "LN" for character in text)


def named(character: str) -> str:
    """`U+200B zero width space`."""
    name = unicodedata.name(character, "").lower()
    return f"U+{ord(character):04X} {name}".rstrip()
