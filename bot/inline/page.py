"""A page as its author wrote it and as a browser sees it: the tags in the text, and the tree they make.

What inlining writes is written into the author's own text, tag by tag, so that nothing else of it can change:
doctype, entities, conditional comments and the like stay as they are to the byte.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from io import BytesIO

from lxml import etree
from lxml.etree import HTMLParser, _Element

from bot.errors import InputError

WHERE = "templates"
DOCTYPE = "<!DOCTYPE html>"
_MARK = "data-nth-tag"
_UNREADABLE = re.compile("[\0\ud800-\udfff]")

_SPACE = r"[\s/]"
# As in HTML's own tokenizer: quotes mean something after an equals sign only.
_ATTRIBUTE = r"""([^\s/>][^\s/>=]*+)(?:\s*+=\s*+("[^"]*"|'[^']*'|[^\s"'>][^\s>]*+)?)?+"""
_TAG = re.compile(
    rf"""<!--(?:-?>|.*?(?:--!?>|\Z))
    | <[!?/][^>]*>
    | <(?P<name>[a-z][^\s/>]*+)(?P<attributes>(?:{_SPACE}++|{_ATTRIBUTE})*+)>""",
    re.IGNORECASE | re.DOTALL | re.VERBOSE,
)
_ATTRIBUTES = re.compile(_ATTRIBUTE, re.DOTALL)
_DOCTYPE = re.compile(
    r"\A(?P<before>(?:\s|<!--.*?-->|<\?.*?>)*+)<!doctype(?P<name>[^>]*)>", re.IGNORECASE | re.DOTALL
)
# With any other public name, or without the address after it, browsers would show the page by old rules.
_MODERN = re.compile(
    r"""\s+html\s*(?:(?:SYSTEM\s*["']about:legacy-compat["']
    | PUBLIC\s*["']-//W3C//DTD\ (?:XHTML\ 1\.[01]|HTML\ 4\.01)[^"']*["']\s*["'][^"']+["'])\s*)?\Z""",
    re.IGNORECASE | re.VERBOSE,
)
_RAW = {"style", "script", "title", "textarea", "xmp", "iframe", "noembed", "noframes"}
# A style attribute in these would do nothing but harm; what foreign markup looks like, its own rules say.
_WRAPPERS = {"tr": "tbody", "col": "colgroup"}
_BARE = {"head", "script", "style", "template", "noscript", "svg", "math"}


@dataclass(frozen=True, slots=True)
class Tag:
    """A start tag: where it stands in the text, and its attributes with their places."""

    name: str
    start: int
    attributes_end: int
    """Where another attribute can be written."""
    end: int
    places: dict[str, tuple[int, int]]
    """Name of an attribute → where it stands as a whole, `name="value"`."""
    content: tuple[int, int]
    """Where the text of a `<style>` and its kind stands; empty for other tags."""


@dataclass(frozen=True, slots=True)
class Block:
    """A `<style>` that a browser obeys."""

    tag: Tag
    css: str
    stays: bool
    """Its rules stay in the head: its author says so, or it is for some screens only."""
    in_head: bool


@dataclass(frozen=True, slots=True)
class Page:
    """The text of a page, its tags, its style blocks, and the tree that a browser makes of it."""

    text: str
    tags: tuple[Tag, ...]
    root: _Element

    def blocks(self) -> list[Block]:
        """The style blocks in the order of the page."""
        found = ((self.tag(element), element) for element in self.root.iter("style"))
        return [_block(tag, element) for tag, element in found if tag and _is_obeyed(element)]

    def is_whole(self) -> bool:
        """Whether each tag made an element: a browser mends otherwise, or deeper, than the parser does."""
        return sum(1 for element in self.root.iter() if element.get(_MARK) is not None) == len(self.tags)

    def tag(self, element: _Element) -> Tag | None:
        """The tag that made this element; None where the browser did, as it makes a `<tbody>`."""
        mark = element.get(_MARK)
        return None if mark is None else self.tags[int(mark)]

    def takes_styles(self, element: _Element) -> bool:
        """Whether a style attribute can be written into it."""
        outer = (element, *element.iterancestors())
        return element.get(_MARK) is not None and not any(above.tag in _BARE for above in outer)

    def whole(self, tag: Tag) -> tuple[int, int]:
        """Where a style block stands, with its tags."""
        closing = self.text.find(">", tag.content[1])
        return tag.start, len(self.text) if closing < 0 else closing + 1

    @staticmethod
    def without(name: str, tag: Tag) -> dict[tuple[int, int], str]:
        """The change that takes an attribute, and the blank before it, out of a tag."""
        if name not in tag.places:
            return {}
        start, end = tag.places[name]
        return {(start - 1, end): ""}


def read(html: str) -> Page:
    """Read a page; InputError where it is none or cannot be sent as it is."""
    if not isinstance(html, str):
        raise InputError(WHERE, "its styles cannot be inlined: it is not text", "decode it first")
    if found := _UNREADABLE.search(html):
        raise InputError(
            WHERE,
            f"its styles cannot be inlined: it has the character U+{ord(found[0]):04X}",
            "remove the character",
        )
    text = _with_doctype(html.removeprefix("\ufeff"))
    tags = tuple(_tags(text))
    return Page(text, tags, _tree(text, tags))


def changed(text: str, changes: dict[tuple[int, int], str]) -> str:
    """The text with the parts at these places (from, to) replaced."""
    parts, done = [], 0
    for (start, end), replacement in sorted(changes.items()):
        parts += [text[done:start], replacement]
        done = end
    return "".join([*parts, text[done:]])


def attribute(name: str, value: str) -> str:
    """An attribute as written into a tag."""
    return f'{name}="{escape(value, quote=False).replace(chr(34), "&quot;")}"'


# ------------------------------------------------------------------------------------------------- the text


def _with_doctype(html: str) -> str:
    """A page without one, or with one that asks for the browsers of the nineties, gets the modern one."""
    found = _DOCTYPE.match(html)
    if not found:
        return DOCTYPE + html
    if _MODERN.match(found["name"]):
        return html
    return found["before"] + DOCTYPE + html[found.end() :]


def _tags(text: str) -> Iterator[Tag]:
    at = 0
    while found := _TAG.search(text, at):
        at = found.end()
        if not found["name"]:
            continue
        name = found["name"].lower()
        content = _raw_text(text, name, at)
        at = max(at, content[1])
        yield Tag(name, found.start(), _room(found), found.end(), _places(found), content)


def _raw_text(text: str, name: str, start: int) -> tuple[int, int]:
    if name not in _RAW:
        return start, start
    closing = re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE).search(text, start)
    return start, closing.start() if closing else len(text)


def _room(found: re.Match[str]) -> int:
    return found.start("attributes") + len(found["attributes"].rstrip("/ \t\r\n\f"))


def _places(found: re.Match[str]) -> dict[str, tuple[int, int]]:
    places: dict[str, tuple[int, int]] = {}
    for each in _ATTRIBUTES.finditer(found.string, *found.span("attributes")):
        places.setdefault(each[1].lower(), each.span())  # of two, the first counts
    return places


# ------------------------------------------------------------------------------------------------- the tree


def _tree(text: str, tags: tuple[Tag, ...]) -> _Element:
    """The tree of a page, each element with the number of its tag."""
    marks = {(at, at): f' {_MARK}="{number}"' for number, tag in enumerate(tags) for at in [_after_name(tag)]}
    parser = HTMLParser(encoding="utf-8", huge_tree=True, remove_pis=True)
    root = etree.parse(BytesIO(changed(text, marks).encode()), parser).getroot()
    if root is None or not any(isinstance(element.tag, str) for element in root.iter("body", "head")):
        raise InputError(WHERE, "its styles cannot be inlined: it is no page", "write one into the theme")
    for table in root.iter("table"):
        _add_bodies(table)
    return root


def _after_name(tag: Tag) -> int:
    return tag.start + 1 + len(tag.name)


def _add_bodies(table: _Element) -> None:
    """Rows outside of any `<tbody>` get one, and columns a group: browsers make these, libxml2 does not."""
    wrapper: _Element | None = None
    for child in list(table):
        if isinstance(child.tag, str):  # a comment goes where the rows around it go
            wrapper = _wrapper(child, wrapper)
        if wrapper is not None:
            wrapper.append(child)


def _wrapper(child: _Element, current: _Element | None) -> _Element | None:
    """What a child of a table must be in: the current wrapper, a new one before it, or none."""
    needed = _WRAPPERS.get(child.tag)
    if needed is None or (current is not None and current.tag == needed):
        return current if needed else None
    wrapper = etree.Element(needed)
    child.addprevious(wrapper)
    return wrapper


# ----------------------------------------------------------------------------------------------- the blocks


def _is_obeyed(style: _Element) -> bool:
    kind = style.get("type", "").strip().lower()
    return kind in {"", "text/css"} and not any(
        above.tag in {"noscript", "template"} for above in style.iterancestors()
    )


def _block(tag: Tag, style: _Element) -> Block:
    media = style.get("media", "all").strip().lower()
    stays = (
        "data-premailer" in style.attrib
        or "title" in style.attrib  # of several named sets of styles, browsers obey one
        or media not in {"", "all", "screen"}
    )
    in_head = next(style.iterancestors("head"), None) is not None
    return Block(tag, style.text or "", stays, in_head)
