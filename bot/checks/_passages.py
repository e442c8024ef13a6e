"""The visible words of issues and entries, one passage after the other: what a copy editor reads."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from enum import StrEnum
from functools import wraps
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from bot.checks._rules import Flaw, Rule
from bot.models import Entry, Issue, Reference, Section, Severity
from bot.text import (
    Block,
    Blocks,
    Bullets,
    Code,
    CodeBlock,
    Heading,
    Inline,
    Inlines,
    LineBreak,
    Paragraph,
    Quote,
    Table,
    Text,
)

if TYPE_CHECKING:
    from bot.checks._material import Material

CODE = "\ufffc"
"""Stands in the prose of a passage where code stands in its words."""
_SHOWN = 60
"""Characters of somebody's words that a message quotes."""


class Kind(StrEnum):
    """What a passage is."""

    TITLE = "title"
    SUBJECT = "subject"
    PREHEADER = "preheader"
    SECTION = "section"
    ENTRY = "entry"  # an entry's title
    LABEL = "label"  # what a link of the line of links is called
    PARAGRAPH = "paragraph"
    ITEM = "item"
    HEADING = "heading"
    CELL = "cell"
    CODE = "code"


class Then(StrEnum):
    """What follows a passage."""

    END = "end"  # of its entry, or of the introduction
    PARAGRAPH = "paragraph"
    ITEM = "item"  # of the same list
    OTHER = "other"


_BESIDE = 15
"""Characters of it on each side."""

LINES = frozenset({Kind.TITLE, Kind.SUBJECT, Kind.PREHEADER})
"""What an inbox shows of an issue."""
HEADINGS = frozenset({Kind.TITLE, Kind.SUBJECT, Kind.SECTION, Kind.ENTRY})
"""What is read before all else."""
TEXTS = frozenset({Kind.PARAGRAPH, Kind.ITEM})
"""What is written in sentences."""


class Passage(NamedTuple):
    """One stretch of visible words."""

    kind: Kind
    words: str
    """As readers see them; a line break of the author's is a line feed."""
    prose: str
    """The same, with `CODE` in place of what is shown as code."""
    place: str
    """Of the entry, or of the issue."""
    issue: str | None
    """The issue's key; None for single entries."""
    language: str
    """The newsletter's: `pt` of `pt-BR`."""
    then: Then = Then.OTHER
    intro: bool = False


def passages_of(material: "Material") -> Iterator[Passage]:
    """Every passage of the issues to look at, and of the single entries."""
    languages = {one.name: one.language.partition("-")[0].lower() for one in material.newsletters}
    for issue in material.issues:
        yield from _of_issue(issue, languages.get(issue.newsletter, ""))
    for newsletter, entries in material.entries.items():
        for entry in entries:
            yield from _of_entry(entry, None, languages.get(newsletter, ""))


def _of_issue(issue: Issue, language: str) -> Iterator[Passage]:
    lines = ((Kind.TITLE, issue.title), (Kind.SUBJECT, issue.subject), (Kind.PREHEADER, issue.preheader))
    for kind, words in lines:
        if words:
            yield Passage(kind, words, words, issue.place, issue.key, language)
    like = Passage(Kind.PARAGRAPH, "", "", issue.place, issue.key, language, intro=True)
    yield from _of_blocks(issue.intro, like, Then.END)
    for section in issue.sections:
        yield from _of_section(section, issue, language)


def _of_section(section: Section, issue: Issue, language: str) -> Iterator[Passage]:
    if section.title:
        place = section.entries[0].place if section.entries else issue.place
        yield Passage(Kind.SECTION, section.title, section.title, place, issue.key, language)
    for entry in section.entries:
        yield from _of_entry(entry, issue.key, language)


def _of_entry(entry: Entry, issue: str | None, language: str) -> Iterator[Passage]:
    yield Passage(Kind.ENTRY, entry.title, entry.title, entry.place, issue, language)
    yield from (_of_label(reference, entry, issue, language) for reference in entry.references)
    like = Passage(Kind.PARAGRAPH, "", "", entry.place, issue, language)
    yield from _of_blocks(entry.blocks, like, Then.END)


def _of_label(reference: Reference, entry: Entry, issue: str | None, language: str) -> Passage:
    return Passage(Kind.LABEL, reference.label, reference.label, entry.place, issue, language)


# ---------------------------------------------------------------------------------------------- blocks


def _of_blocks(blocks: Sequence[Block], like: Passage, end: Then) -> Iterator[Passage]:
    for at, block in enumerate(blocks):
        follows = blocks[at + 1] if at + 1 < len(blocks) else None
        then = end if follows is None else _then(follows)
        yield from _of_block(block, like._replace(then=then))


def _then(block: Block) -> Then:
    return Then.PARAGRAPH if isinstance(block, Paragraph) else Then.OTHER


def _of_block(block: Block, like: Passage) -> Iterator[Passage]:
    match block:
        case Paragraph(children):
            yield _said(children, like)
        case Heading(children):
            yield _said(children, like._replace(kind=Kind.HEADING))
        case Quote(children):
            yield from _of_blocks(children, like, like.then)
        case Bullets(items):
            yield from _of_items(items, like)
        case Table(rows):
            cells = (cell for row in rows for cell in row)
            yield from (_said(cell, like._replace(kind=Kind.CELL, then=Then.OTHER)) for cell in cells)
        case CodeBlock(value):
            yield like._replace(kind=Kind.CODE, words=value, prose=CODE)


def _of_items(items: Sequence[Blocks], like: Passage) -> Iterator[Passage]:
    like = like._replace(kind=Kind.ITEM)
    for at, item in enumerate(items):
        yield from _of_blocks(item, like, like.then if at + 1 == len(items) else Then.ITEM)


def _said(inlines: Inlines, like: Passage) -> Passage:
    if len(inlines) == 1 and isinstance(inlines[0], Text):
        words = prose = inlines[0].value
    else:
        words, prose = "".join(_words(inlines, "")), "".join(_words(inlines, CODE))
    return like._replace(words=words, prose=prose)


def _words(inlines: Iterable[Inline], code: str) -> Iterator[str]:
    """The words of a text; where `code` is given, it stands in the place of each stretch of code."""
    for inline in inlines:
        match inline:
            case Text(value):
                yield value
            case Code(value):
                yield code or value
            case LineBreak():
                yield "\n"
            case _:
                yield from _words(inline.children, code)


# ----------------------------------------------------------------------------------------------- flaws


def flaw(
    material: "Material",
    passage: Passage,
    needle: str,
    message: str,
    fix: str = "",
    severity: Severity | None = None,
) -> Flaw:
    """What is wrong with a passage, placed where `needle` stands in its file."""
    return Flaw(_place(material, passage, needle), message, fix, passage.issue, severity)


def flaw_at(
    material: "Material",
    passage: Passage,
    span: tuple[int, int],
    what: str,
    fix: str = "",
    severity: Severity | None = None,
) -> Flaw:
    """What is wrong with a stretch of a passage's prose.

    In `what`, `{0}` is the stretch, and `{1}` the stretch with some words beside it.
    """
    start, end = span
    begin, stop = _reach(passage.prose, start, end)
    where = passage.prose[begin:stop]
    message = what.format(shown(passage.prose[start:end].strip()), shown(where))
    place = _place_of(material, passage, (start, end), (begin, stop))
    return Flaw(place, message, fix, passage.issue, severity)


def _place_of(material: "Material", passage: Passage, span: tuple[int, int], reach: tuple[int, int]) -> str:
    """Where a stretch stands: as far as its words beside it are written as they are shown, with them."""
    (start, end), (begin, stop) = span, reach
    for first, last in ((begin, stop), (start, stop), (begin, end), (start, end)):
        needle = passage.prose[first:last]
        if len(needle.strip()) == 1 and needle.isascii():  # a bracket alone may be any bracket
            continue
        place = _place(material, passage, needle)
        if place != passage.place:
            return _moved(material, place, passage.prose[start:end], start - first)
    return passage.place


def _reach(prose: str, start: int, end: int) -> tuple[int, int]:
    """A stretch with some of the words on both sides of it, but not over a line's end or code."""
    begin = max(prose.rfind(" ", 0, max(start - _BESIDE, 0)) + 1 if start > _BESIDE else 0, 0)
    for edge in ("\n", CODE):
        begin = max(begin, prose.rfind(edge, 0, start) + 1)
    stop = prose.find(" ", end + _BESIDE)
    stops = (prose.find(edge, end) for edge in ("\n", CODE))
    return begin, min(
        (stop if stop >= 0 else len(prose)), *(one if one >= 0 else len(prose) for one in stops)
    )


def _moved(material: "Material", place: str, words: str, by: int) -> str:
    """The place of some words, or of what of them stands before the line's end, behind another place."""
    pieces = dict.fromkeys((words.strip(), *words.split()[:1]))
    moved = (material.further(place, piece, by) for piece in pieces if piece and by)
    return next((one for one in moved if one != place), place)


def _place(material: "Material", passage: Passage, needle: str) -> str:
    """Where the needle stands; for the title of an entry in an issue's file, nowhere but in its heading."""
    place = material.spot(passage.place, needle)
    in_heading = passage.kind is Kind.ENTRY and passage.issue is not None
    return passage.place if in_heading and not place.startswith(f"{passage.place}:") else place


def shown(words: str) -> str:
    """Somebody's words as a message quotes them: in one line, shortened, and nothing in them invisible."""
    words = " ".join(words.replace(CODE, "\u2026").split())
    return repr(words if len(words) <= _SHOWN else f"{words[: _SHOWN - 1]}…")


def paragraphs_of(texts: Iterable[Blocks]) -> Iterator[str]:
    """The words of every paragraph and item of some texts."""
    like = Passage(Kind.PARAGRAPH, "", "", "", None, "")
    return (
        said.words for blocks in texts for said in _of_blocks(blocks, like, Then.END) if said.kind in TEXTS
    )


_MOST = 1000


def bounded(rules: Iterable[Rule["Material"]]) -> tuple[Rule["Material"], ...]:
    """Rules that tell no more than a thousand flaws each: nobody reads more, and each must be looked up."""
    return tuple(replace(rule, look=_bounded(rule.look)) for rule in rules)


def _bounded(look: Callable[["Material"], Iterator[Flaw]]) -> Callable[["Material"], Iterator[Flaw]]:
    @wraps(look)
    def told(material: "Material") -> Iterator[Flaw]:
        return islice(look(material), _MOST)

    return told
