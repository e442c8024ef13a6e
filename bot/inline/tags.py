"""What is written into tags: style attributes, and the old attributes that Outlook wants beside them."""

from collections.abc import Iterator

from tinycss2.color4 import parse_color

from bot.inline.cascade import Styles
from bot.inline.page import Tag, attribute

Changes = dict[tuple[int, int], str]
"""Where (from, to) something else is to stand in a page's text."""

_WITH_COLOUR = {"body", "table", "tr", "td", "th"}
_WITH_ALIGNMENT = {"tr", "td", "th"}
_ALIGNMENTS = {"top", "middle", "bottom", "baseline"}
_OPAQUE = 1


def text_of(styles: Styles) -> str:
    """The value of a style attribute."""
    return ";".join(each.written(important=important) for each, important in styles.declarations)


def attributes(tag: Tag, style: str, styles: Styles) -> dict[str, str]:
    """The attributes that a tag gets; one that its author wrote stays, but for its style.

    No widths and heights: as attributes these mean something else, or nothing (`auto`, `calc(…)`).
    """
    old = {name: value for name, value in _old(tag.name, styles) if value and name not in tag.places}
    return old | ({"style": style} if style else {})


def _old(tag: str, styles: Styles) -> Iterator[tuple[str, str]]:
    last = {each.family: each for each, _ in styles.declarations}
    background, alignment = last.get("background"), last.get("baseline")
    if background and background.name == "background-color" and tag in _WITH_COLOUR:
        yield "bgcolor", _hexadecimal(background.value)
    if tag in _WITH_ALIGNMENT and alignment and alignment.value in _ALIGNMENTS:
        yield "valign", alignment.value


def _hexadecimal(value: str) -> str:
    """A colour with six digits, as old mail programs want it; nothing where it is no plain colour."""
    colour = None if "(" in value else parse_color(value)
    if colour is None or colour == "currentcolor" or colour.alpha != _OPAQUE:
        return ""
    return "#" + "".join(f"{round(part * 255):02x}" for part in colour.coordinates)


def changes(tag: Tag, added: dict[str, str]) -> Iterator[tuple[tuple[int, int], str]]:
    """The changes of a page's text that give a tag these attributes."""
    room = (tag.attributes_end, tag.attributes_end)
    new = [attribute(name, value) for name, value in added.items() if name not in tag.places]
    if new:
        yield room, "".join(f" {each}" for each in new)
    for name, value in added.items():
        if name in tag.places:
            yield tag.places[name], attribute(name, value)
