"""One issue as it would be mailed, as the rules about mail look at it."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from lxml import html
from lxml.etree import ParserError, _Element, iterwalk

from bot.models import Issue, Rendered
from bot.settings import Newsletter

_HIDDEN = re.compile(r"\bdisplay\s*:\s*none\b", re.IGNORECASE)
_NO_WORDS = {"head", "script", "style", "title", "template"}
_INLINE = frozenset(
    ("a", "abbr", "b", "bdi", "bdo", "cite", "code", "del", "dfn", "em", "font", "i", "ins", "kbd", "mark",
     "q", "s", "samp", "small", "span", "strike", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr")
)  # fmt: skip
"""Elements that part no words."""
_SILENT = re.compile(r"\{#.*?#\}|/\*.*?\*/", re.DOTALL)


@dataclass(frozen=True)  # without slots, so that what is parsed can be kept
class Mail:
    """An issue, rendered."""

    issue: Issue
    newsletter: Newsletter
    rendered: Rendered
    web_url: str
    """Where the issue is read on the web."""
    size: int
    """Bytes of its HTML for the reader with the longest name and address."""
    sources: Mapping[str, str]
    """The text of its theme and of the templates that it is made of, by name, the theme first."""

    @property
    def issues(self) -> tuple[Issue, ...]:
        return (self.issue,)

    @property
    def newsletters(self) -> tuple[Newsletter, ...]:
        return (self.newsletter,)

    @cached_property
    def page(self) -> _Element:
        """The HTML as it would go out."""
        # As bytes: a text that names its own encoding would be refused. No depth is too deep to be looked at.
        parser = html.HTMLParser(encoding="utf-8", huge_tree=True)
        try:
            return html.document_fromstring(self.rendered.html.encode("utf-8", "replace"), parser)
        except ParserError:  # no element in it
            return html.document_fromstring("<html></html>")

    @cached_property
    def elements(self) -> tuple[_Element, ...]:
        """Every element in its order; comments, and so what only Outlook sees, are none."""
        return tuple(self.page.iter("*"))

    def tags(self, *names: str) -> Iterator[_Element]:
        """The elements of some names."""
        return (element for element in self.elements if element.tag in names)

    @cached_property
    def head_styles(self) -> tuple[str, ...]:
        """The stylesheets that go out in the mail."""
        return tuple(style.text or "" for style in self.tags("style"))

    @cached_property
    def hidden(self) -> frozenset[_Element]:
        """The elements that readers do not see, each with all that is in it."""
        found = set[_Element]()
        for element in self.elements:
            if element.tag in _NO_WORDS or element.getparent() in found or _is_hidden(element):
                found.add(element)
        return frozenset(found)

    @cached_property
    def words(self) -> str:
        """What readers see, with a blank between what stands in different boxes."""
        seen: list[str] = []
        for event, node in iterwalk(self.page, events=("start", "end", "comment")):
            hidden = node in self.hidden if event == "start" else node.getparent() in self.hidden
            text = None if hidden else node.text if event == "start" else node.tail
            if event != "comment" and node.tag not in _INLINE:
                seen.append(" ")
            if text:
                seen.append(text)
        return "".join(seen)

    @cached_property
    def letters(self) -> str:
        """What readers see, without its blanks and in small letters, for looking words up in it."""
        return letters(self.words)

    def has_words(self, link: _Element) -> bool:
        """Whether a reader can see or hear what a link is about."""
        if link in self.hidden:
            return False
        images = (image.get("alt") for image in link.iter("img"))
        words = "".join(map(str, (*link.itertext("*"), link.get("aria-label") or "", *filter(None, images))))
        return any(character.isprintable() and not character.isspace() for character in words)

    def place(self, *patterns: str) -> str:
        """`templates/…:line` of the first pattern that the theme's sources have, or else the theme's file."""
        for pattern in patterns:
            for name, source in self.spoken.items():
                if found := re.search(pattern, source, re.IGNORECASE):
                    return f"templates/{name}:{source.count(chr(10), 0, found.start()) + 1}"
        return f"templates/themes/{self.newsletter.theme}.html.j2"

    @cached_property
    def spoken(self) -> dict[str, str]:
        """The sources without what is commented out; each line stays where it is."""
        return {name: _SILENT.sub(_blank, source) for name, source in self.sources.items()}


def _is_hidden(element: _Element) -> bool:
    return "hidden" in element.attrib or bool(_HIDDEN.search(element.get("style") or ""))


def _blank(comment: re.Match[str]) -> str:
    return "\n" * comment[0].count("\n")


def letters(text: str) -> str:
    """A text without its blanks and in small letters."""
    return "".join(text.split()).casefold()
