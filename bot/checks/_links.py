"""Every link of the content, walked once, with the words it has and the letters it is written in."""

import html
import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import SplitResult, urlsplit

from bot.checks._rules import Flaw
from bot.front_matter import open_bytes
from bot.markup import safe_url
from bot.markup.protected import protected
from bot.models import Edit, Entry, Severity
from bot.text import (
    Block,
    Blocks,
    Bullets,
    Code,
    CodeBlock,
    Emphasis,
    Heading,
    Inlines,
    LineBreak,
    Link,
    Paragraph,
    Quote,
    Strong,
    Struck,
    Table,
    Text,
)

if TYPE_CHECKING:
    from bot.checks._material import Material

_UNSEEN = r"[\u200b-\u200f\u2060\ufeff]"
_ADDRESS = re.compile(rf"(?:(?<!{_UNSEEN}){_UNSEEN}+)?(?:https?|mailto):[^\s<>\"]*", re.IGNORECASE)
_CARRIES_ON = re.compile(r"[\w/%&=#?+~@$-]|[.,:;!'][\w/%]")
"""What makes an address longer where it follows one."""
_ENDS = re.compile(r"[)\]>\"'`*,]")
_SOUGHT = 2000
"""Addresses of one file that are looked at for one link: enough for any real one."""
_PATIENCE = 500_000
"""Addresses of one file that are looked at in all: no real file needs so many."""


@dataclass(frozen=True, slots=True)
class Seen:
    """One link as it is read, and as it is written."""

    url: str
    words: str
    place: str
    """`file:line:column` of the address; of its entry where the file has it in no letters we know."""
    raw: str | None
    """The address as the file has it; None where that is not known."""
    entry: Entry | None
    """None for the introduction's."""
    issue: str | None
    newsletter: str
    in_line: bool
    """Whether it is in the entry's line of links, where its words are its name."""
    loose: bool = False
    """Whether a bracket follows it that nothing opened."""

    @property
    def host(self) -> str:
        """The host in lower case, without port; "" for mail addresses."""
        return parts_of(self.url).hostname or ""


def parts_of(url: str) -> SplitResult:
    """The parts of an address; none of one that cannot exist, such as `https://[`."""
    try:
        return urlsplit(url)
    except ValueError:
        return SplitResult("", "", "", "", "")


class _Found(NamedTuple):
    """A link in a text, before it is sought in the file."""

    url: str
    words: str
    loose: bool = False


# ------------------------------------------------------------------------------------------------- the walk


def links_of(material: "Material") -> Iterator[Seen]:
    """The links of the issues in their order, then those of the single entries."""
    files = Files(material)
    for issue in material.issues:
        for found in found_in(issue.intro):
            raw, place = files.take(found.url, issue.place)
            yield _seen(found, place, raw, None, issue.key, issue.newsletter)
        for entry in issue.entries:
            yield from _of_entry(entry, issue.key, issue.newsletter, files)
    for newsletter, entries in material.entries.items():
        for entry in entries:
            yield from _of_entry(entry, None, newsletter, files)


def _of_entry(entry: Entry, issue: str | None, newsletter: str, files: "Files") -> Iterator[Seen]:
    for reference in entry.references:
        raw, place = files.take(reference.url, entry.place)
        yield Seen(reference.url, reference.label, place, raw, entry, issue, newsletter, in_line=True)
    for found in found_in(entry.blocks):
        raw, place = files.take(found.url, entry.place)
        yield _seen(found, place, raw, entry, issue, newsletter)


def _seen(
    found: _Found, place: str, raw: str | None, entry: Entry | None, issue: str | None, newsletter: str
) -> Seen:
    url, words, loose = found
    return Seen(url, words, place, raw, entry, issue, newsletter, in_line=False, loose=loose)


def found_in(blocks: Blocks) -> Iterator[_Found]:
    """The links of a text with their words."""
    for block in blocks:
        for inlines in texts_of(block):
            if any(not isinstance(inline, Text) for inline in inlines):
                yield from _found(inlines, [0])


def texts_of(block: Block) -> Iterator[Inlines]:
    """The texts of a block, each by itself."""
    match block:
        case Paragraph(children) | Heading(children):
            yield children
        case Quote(children):
            yield from (inlines for inner in children for inlines in texts_of(inner))
        case Bullets(items):
            yield from (inlines for item in items for inner in item for inlines in texts_of(inner))
        case Table(rows):
            yield from (cell for row in rows for cell in row)
        case CodeBlock():
            pass


def _found(inlines: Inlines, opened: list[int]) -> Iterator[_Found]:
    """The links of one text; `opened` counts the brackets that are open at this point of it."""
    for at, inline in enumerate(inlines):
        match inline:
            case Text(value):
                opened[0] = _open_after(value, opened[0])
            case Strong(children) | Emphasis(children) | Struck(children):
                yield from _found(children, opened)
            case Link(url, children):
                follows = inlines[at + 1] if at + 1 < len(inlines) else None
                loose = isinstance(follows, Text) and follows.value.startswith(")") and not opened[0]
                yield _Found(url, words_of(children), loose)


def _open_after(words: str, opened: int) -> int:
    for character in re.findall("[()]", words) if "(" in words or ")" in words else ():
        opened = opened + 1 if character == "(" else max(opened - 1, 0)
    return opened


def words_of(inlines: Inlines) -> str:
    """The words of a link."""
    if len(inlines) == 1 and isinstance(inlines[0], Text):
        return inlines[0].value
    return "".join(_pieces(inlines))


def _pieces(inlines: Inlines) -> Iterator[str]:
    for inline in inlines:
        match inline:
            case Text(value) | Code(value):
                yield value
            case LineBreak():
                yield " "
            case Strong(children) | Emphasis(children) | Struck(children) | Link(_, children):
                yield from _pieces(children)


# ------------------------------------------------------------------------------------------------- the file


class _Spot(NamedTuple):
    line: int
    column: int
    at: int
    text: str
    """The address and all that stands behind it up to a blank."""


class Files:
    """The files that links stand in, each read when it is first asked for."""

    def __init__(self, material: "Material") -> None:
        self._texts = material.texts
        self._read = dict[str, Written]()
        self._begins = defaultdict[str, set[int]](set)
        for entry, _ in material.all_entries():
            self._begins[_file(entry.place)].add(_line(entry.place))

    def take(self, url: str, place: str) -> tuple[str | None, str]:
        """The letters of an address at or after a place's line, before the next entry, and its place."""
        file = _file(place)
        if file not in self._read:
            self._read[file] = Written(self._texts.get(file, ""), sorted(self._begins[file]))
        raw, line, column = self._read[file].take(url, _line(place))
        return raw, place if raw is None else f"{file}:{line}:{column}"


class Written:
    """The addresses of one file, each taken by the link that is made of it."""

    def __init__(self, text: str, begins: Sequence[int]) -> None:
        self._text = text
        self._spots = list(_spots(text)) if ":" in text else []
        self._lines = [spot.line for spot in self._spots]
        self._begins = begins
        self._next = 0
        self._looked = 0

    def take(self, url: str, line: int) -> tuple[str | None, int, int]:
        """The letters of an address at or after a line, before the next entry, with line and column."""
        reach = self._reach(line)
        following = range(max(reach.start, self._next), reach.stop)
        # Links are asked for in the order of the file, but for those whose addresses stand at its end.
        for at in chain(following[:_SOUGHT], reach[:_SOUGHT] if self._looked < _PATIENCE else ()):
            self._looked += 1
            spot = self._spots[at]
            if (raw := _raw(spot.text, url)) is not None and not self._is_code(spot):
                self._next = at + 1
                return raw, spot.line, spot.column
        return None, line, 0

    def _is_code(self, spot: _Spot) -> bool:
        """Whether an address stands in code or a comment, asked only where it stands elsewhere as well."""
        if self._heads[_head(spot.text)] == 1:
            return False
        return any(begin <= spot.at < end for begin, end in self._kept)

    @cached_property
    def _heads(self) -> Counter[str]:
        return Counter(_head(spot.text) for spot in self._spots)

    @cached_property
    def _kept(self) -> list[tuple[int, int]]:
        opened = open_bytes(self._text.encode("utf-8", "replace"), "")
        before = len(self._text) - len(opened.body)
        return [(begin + before, end + before) for begin, end in protected(opened.body)]

    def _reach(self, line: int) -> range:
        """The spots of what begins on a line, up to the next entry or the file's end."""
        following = bisect_right(self._begins, line)
        first = bisect_right(self._lines, line - 1)
        if following == len(self._begins):
            return range(first, len(self._lines))
        return range(first, bisect_right(self._lines, self._begins[following] - 1))


def _head(text: str) -> str:
    """An address up to what may end it: the same for all links of one address, and for some others."""
    return _ENDS.split(text, maxsplit=1)[0]


def _file(place: str) -> str:
    return place.rpartition(":")[0]


def _line(place: str) -> int:
    line = place.rpartition(":")[2]
    return int(line) if line.isdecimal() else 1


def _spots(text: str) -> Iterator[_Spot]:
    line, start, last = 1, 0, 0
    for found in _ADDRESS.finditer(text):
        if passed := text.count("\n", last, found.start()):
            line += passed
            start = text.rindex("\n", last, found.start()) + 1
        last = found.start()
        yield _Spot(line, found.start() - start + 1, found.start(), found[0])


def _raw(text: str, url: str) -> str | None:
    """The letters at the head of a text that are this address."""
    if text.startswith(url):
        return None if _CARRIES_ON.match(text, len(url)) else url
    if text.isascii() and "%" not in url and "&" not in text and "\\" not in text:
        return None  # nothing in it can be read as anything but what it is
    return next((raw for raw in _endings(text) if safe_url(html.unescape(raw)) == url), None)


def _endings(text: str) -> Iterator[str]:
    """Where an address may end: at its end, at the bracket that closes around it, before final stops."""
    depth = 0
    for at, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if depth < 0:
            yield text[:at]
            return
    yield text
    yield text.rstrip(".,:;!?'*_")


# ------------------------------------------------------------------------------------------------- findings

_SHOWN = 80
"""Characters of an address that a message shows."""


def shown(url: str) -> str:
    return url if len(url) <= _SHOWN else f"{url[: _SHOWN - 1]}…"


def flaw(
    seen: Seen, what: str, fix: str, severity: Severity | None = None, edits: tuple[Edit, ...] = ()
) -> Flaw:
    return Flaw(seen.place, f"{shown(seen.url)} {what}", fix, seen.issue, severity, edits)


def becomes(seen: Seen, new: str) -> tuple[Edit, ...]:
    """The edit of a link's address, where the file has it in letters that are known."""
    return (Edit(seen.place, seen.raw, new),) if seen.raw and seen.raw != new else ()
