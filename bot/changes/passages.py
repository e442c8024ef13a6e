"""An issue as the words that readers see of it, in pieces that can be compared and kept."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass

from bot.markup import words
from bot.models import Entry, Issue
from bot.text import (
    Block,
    Blocks,
    Bullets,
    Emphasis,
    Heading,
    Inline,
    Link,
    Paragraph,
    Quote,
    Strong,
    Struck,
    Table,
)

HEAD = "The head"
"""What the passage of an issue's own words is called: its subject, preheader and intro."""


@dataclass(frozen=True, slots=True)
class Passage:
    """One entry, or the head of the issue."""

    title: str
    words: str
    """What stands under the title, the lines of links included."""
    key: str = ""
    """Where it leads; '' where it leads nowhere."""
    section: str = ""


def passages(issue: Issue) -> tuple[Passage, ...]:
    """The head first, then the entries in their order."""
    head = [issue.title, issue.subject or "", issue.preheader or "", *_words(issue.intro)]
    entries = (
        Passage(entry.title, _joined(_entry(entry)), entry.url or "", section.title or "")
        for section in issue.sections
        for entry in section.entries
    )
    return Passage(HEAD, _joined(head)), *entries


def to_json(given: Iterable[Passage]) -> str:
    """Passages as text to be kept."""
    return json.dumps([asdict(one) for one in given], ensure_ascii=False, separators=(",", ":"))


def from_json(text: str) -> tuple[Passage, ...]:
    """Passages as `to_json` wrote them."""
    return tuple(Passage(**one) for one in json.loads(text))


def _entry(entry: Entry) -> Iterator[str]:
    yield from (f"{reference.label} {reference.url}" for reference in entry.references)
    yield from _words(entry.blocks)


def _words(blocks: Blocks) -> Iterator[str]:
    """The words of each block, and below them where they lead: a link that changed is a change."""
    for block in blocks:
        yield words((block,))
        yield from _targets((block,))


def _targets(blocks: Iterable[Block]) -> Iterator[str]:
    for block in blocks:
        match block:
            case Paragraph(children) | Heading(children):
                yield from _led_to(children)
            case Quote(children):
                yield from _targets(children)
            case Bullets(items):
                for item in items:
                    yield from _targets(item)
            case Table(rows):
                for row in rows:
                    for cell in row:
                        yield from _led_to(cell)


def _led_to(inlines: Iterable[Inline]) -> Iterator[str]:
    for inline in inlines:
        if isinstance(inline, Link):
            yield inline.url
        elif isinstance(inline, Strong | Emphasis | Struck):
            yield from _led_to(inline.children)


def _joined(lines: Iterable[str]) -> str:
    return "\n".join(line for line in lines if line)
