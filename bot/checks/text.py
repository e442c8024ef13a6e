"""Rules about the characters: what is not seen, what is seen wrong, and what was lost on the way."""

import html
import re
from collections.abc import Iterator

from bot.checks import Flaw, Material, Rule
from bot.checks._characters import (
    FULL_WIDTH,
    SOFT_HYPHEN,
    STYLED,
    decomposed,
    disguised,
    has_words,
    heaped,
    is_tag,
    mojibake,
    named,
    selectors,
    unseen,
)
from bot.checks._directions import directions, mixed_direction
from bot.checks._passages import HEADINGS, LINES, Kind, Passage, bounded, flaw, shown
from bot.models import Severity


def invisible(material: Material) -> Iterator[Flaw]:
    """An invisible character stands where no script needs it: a zero width space, a mark of the file's start.

    It parts words for search and copying, screen readers spell it, and it is how text is hidden from people
    and read by machines.
    """
    for passage in material.passages:
        for character, where in _unseen(passage).items():
            message = f"{named(character)} in {shown(where)}"
            severity = Severity.ERROR if is_tag(character) else None
            yield flaw(material, passage, character, message, "delete it", severity)
        if found := selectors(passage.words):
            message = f"{len(found[0])} variation selectors in {shown(passage.words)}"
            smuggled = len(found[0]) > 1
            fix = "delete them"
            yield flaw(material, passage, found[0], message, fix, Severity.ERROR if smuggled else None)


def _unseen(passage: Passage) -> dict[str, str]:
    """The invisible characters of a passage, each with the words about it; inboxes show soft hyphens."""
    words = passage.words
    at = dict[str, int]()
    for found in unseen(words):
        at.setdefault(found[0], found.start())
    if passage.kind in LINES and SOFT_HYPHEN in words:
        at.setdefault(SOFT_HYPHEN, words.index(SOFT_HYPHEN))
    return {character: words[max(start - 15, 0) : start + 15] for character, start in at.items()}


_LOST = re.compile("[\ufffd\ud800-\udfff]+")


def lost(material: Material) -> Iterator[Flaw]:
    """A character was lost, and � stands in its place.

    The text went through a program that did not know its encoding.
    """
    for passage in material.passages:
        for found in _LOST.finditer(passage.prose):
            where = passage.prose[max(found.start() - 20, 0) : found.end() + 20]
            yield flaw(material, passage, found[0], f"a character was lost: {shown(where)}", "write it anew")


def wrongly_read(material: Material) -> Iterator[Flaw]:
    """Text was read in a wrong encoding: `â€™` where ’ was, `Ã©` where é was.

    Readers see the heap of letters, in a subject before all else.
    """
    for passage in material.passages:
        for words, was in dict(mojibake(passage.prose)).items():
            yield flaw(material, passage, words, f"{shown(words)} was {shown(was)}", f"write {was}")


_ENTITY = re.compile(
    r"&(?:(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});|(?:nbsp|amp|quot)\b)"
)


def visible_entity(material: Material) -> Iterator[Flaw]:
    """A character is shown as HTML spells it: `&amp;`, `&nbsp;`.

    It was escaped twice, or stands in a title, which is plain words.
    """
    for passage in material.passages:
        for found in _ENTITY.finditer(passage.prose) if "&" in passage.prose else ():
            if (means := html.unescape(found[0])) != found[0]:
                message = f"{shown(found[0])} is shown as it stands"
                yield flaw(material, passage, found[0], message, f"write {means.strip() or 'a blank'}")


def private(material: Material) -> Iterator[Flaw]:
    """A character is one for private use, which is another in every font.

    It comes from an icon font or a program of its own; readers see an empty box.
    """
    for passage in material.passages:
        if found := _PRIVATE.search(passage.words):
            message = f"U+{ord(found[0]):04X} has no meaning outside its font, in {shown(passage.words)}"
            yield flaw(material, passage, found[0], message, "write a word or an emoji")


_PRIVATE = re.compile("[\ue000-\uf8ff\U000f0000-\U000ffffd\U00100000-\U0010fffd]")


def apart(material: Material) -> Iterator[Flaw]:
    """A letter and its accent are two characters, where Unicode has one for both.

    They look alike and are not the same: search does not find them, and some mail programs set the accent
    beside its letter. File names from macOS are written so.
    """
    for passage in material.passages:
        if two := decomposed(passage.words):
            message = f"{passage.kind}: {shown(two)} is a letter and {named(two[1])}"
            severity = None if passage.kind in HEADINGS or passage.kind in LINES else Severity.HINT
            yield flaw(
                material, passage, two, message, "put the text into Unicode's normal form NFC", severity
            )


def heap(material: Material) -> Iterator[Flaw]:
    """Many accents are heaped on one letter.

    They run over the lines above and below, and screen readers spell every one.
    """
    for passage in material.passages:
        if found := heaped(passage.words):
            message = f"{len(found[0])} marks on one letter in {shown(passage.words)}"
            yield flaw(material, passage, found[0], message, "delete them")


def disguise(material: Material) -> Iterator[Flaw]:
    """A word of Latin letters has Cyrillic or Greek ones in it that look the same.

    Search does not find it, screen readers stumble, and spam filters take it for a trick.
    """
    for passage in material.passages:
        for word in dict.fromkeys(disguised(passage.words)):
            strange = ", ".join(named(one) for one in dict.fromkeys(word) if not one.isascii())
            yield flaw(material, passage, word, f"{word!r} holds {strange}", "write it in Latin letters")


def styled(material: Material) -> Iterator[Flaw]:
    """Words are written in letters of mathematics, in circles or in full width, to look bold or wide.

    Screen readers spell or skip them, search does not find them, and some mail programs show boxes.
    """
    for passage in material.passages:
        if passage.words.isascii():
            continue
        wide = FULL_WIDTH.search(passage.words) if passage.language not in ("zh", "ja", "ko") else None
        if found := STYLED.search(passage.words) or wide:
            severity = None if passage.kind in HEADINGS or passage.kind in LINES else Severity.HINT
            message = f"{shown(found[0])} is not written in letters"
            yield flaw(material, passage, found[0], message, "write it in plain letters", severity)


def wordless(material: Material) -> Iterator[Flaw]:
    """A title or a subject is of emoji and marks alone.

    It cannot be searched, read out or told from another; in a list of mails it says nothing.
    """
    for passage in material.passages:
        named_so = passage.kind in HEADINGS or passage.kind in LINES or passage.kind is Kind.LABEL
        if named_so and passage.words.strip() and not has_words(passage.words):
            severity = Severity.HINT if passage.kind is Kind.LABEL else None
            message = f"{passage.kind}: {shown(passage.words)} has no word"
            yield flaw(material, passage, passage.words, message, "write a word or two", severity)


_ODD_BLANKS = re.compile("[\u1680\u2000-\u200a\u205f]|\u3000|\u00a0{2,}|\t")


def odd_blanks(material: Material) -> Iterator[Flaw]:
    """A title has an unusual blank in it: an em space, a wide one, two that do not break.

    It looks like a gap, and search takes the title for another.
    """
    for passage in material.passages:
        if passage.kind not in HEADINGS and passage.kind not in LINES:
            continue
        found = _ODD_BLANKS.search(passage.words)
        if found and not (found[0] == "\u3000" and passage.language in ("zh", "ja", "ko")):
            message = f"{passage.kind}: {named(found[0][0])} in {shown(passage.words)}"
            yield flaw(material, passage, found[0], message, "write an ordinary blank")


def _titled(title: str) -> str:
    return f"## {title}\n\n[Paper](https://example.org/cheese)\n\nThe authors weigh 400 wheels.\n"


def _said(text: str) -> str:
    return f"## A scaling law for cheese\n\n[Paper](https://example.org/cheese)\n\n{text}\n"


_RULES = (
    Rule(
        "text.direction-control",
        Severity.ERROR,
        directions,
        mend="Delete the control, or close it with U+202C or U+2069 in the same paragraph.",
        example=_said("The authors weigh \u202e400 wheels."),
    ),
    Rule(
        "text.invisible",
        Severity.WARNING,
        invisible,
        mend="Delete the character; `--fix` does so within addresses.",
        example=_said("The authors weigh 400\u200b wheels."),
    ),
    Rule(
        "text.lost-character",
        Severity.WARNING,
        lost,
        mend="Look the character up where the text came from, and write it anew.",
        example=_said("The authors weigh 400 wheels of Gruy\ufffdre."),
    ),
    Rule(
        "text.encoding",
        Severity.WARNING,
        wrongly_read,
        mend="Write the character that was meant, and save files as UTF-8.",
        example=_said("It\u00e2\u20ac\u2122s a wheel."),
    ),
    Rule(
        "text.entity",
        Severity.WARNING,
        visible_entity,
        mend="Write the character itself.",
        example='---\ntitle: "Cheese &amp; butter"\n---\n\n## One\n\nThe authors weigh 400 wheels.\n',
    ),
    Rule(
        "text.private-use",
        Severity.WARNING,
        private,
        mend="Write a word or an emoji in its place.",
        example=_said("The authors weigh 400 \uf0e7 wheels."),
    ),
    Rule(
        "text.decomposed",
        Severity.WARNING,
        apart,
        mend="Put the text into Unicode's normal form NFC; most editors have a command for it.",
        example=_titled("A scaling law for Gruye\u0300re"),
    ),
    Rule(
        "text.heaped-marks",
        Severity.WARNING,
        heap,
        mend="Delete the marks.",
        example=_said("The authors weigh 400 whe\u0301\u0302\u0303\u0304els."),
    ),
    Rule(
        "text.look-alike",
        Severity.WARNING,
        disguise,
        mend="Write the word anew in one alphabet.",
        example=_said("The authors weigh 400 wh\u0435els."),
    ),
    Rule(
        "text.styled-letters",
        Severity.WARNING,
        styled,
        mend="Write plain letters; Markdown makes them bold.",
        example=_titled("A \U0001d5ef\U0001d5f6\U0001d5f4 law for cheese"),
    ),
    Rule(
        "text.no-words",
        Severity.WARNING,
        wordless,
        mend="Write a word or two beside the emoji.",
        example=_titled("\U0001f9c0\U0001f389"),
    ),
    Rule(
        "text.mixed-direction",
        Severity.HINT,
        mixed_direction,
        mend="Put a right-to-left mark (U+200F) or a left-to-right mark (U+200E) before its first letter.",
        example=_titled(
            "GPT \u05d4\u05d5\u05d0 \u05de\u05d5\u05d3\u05dc \u05e9\u05e4\u05d4 \u05d2\u05d3\u05d5\u05dc"
        ),
    ),
    Rule(
        "text.blanks",
        Severity.WARNING,
        odd_blanks,
        mend="Write ordinary blanks.",
        example=_titled("A scaling law\u2003for cheese"),
    ),
)
LOOKS_AT = Material
RULES = bounded(_RULES)
