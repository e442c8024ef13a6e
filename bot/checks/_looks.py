"""What colours the words of a mail have, and what is behind them, as far as its own styles decide that.

Three ways of looking at it: light, dark where a program obeys `prefers-color-scheme`, and the dark of
Outlook.com, which recolours by itself and can be told only what `[data-ogsc]` and `[data-ogsb]` rules say.
What an image, a gradient, a transparency or a program of its own decides is unknown here, and stays unsaid.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache
from itertools import count

from cssselect2 import ElementWrapper
from lxml.etree import _Element

from bot.checks._colours import BLACK, WHITE, Colour, colour_in, over, solid
from bot.inline import css, selectors
from bot.inline.css import Declaration, Group, Item
from bot.inline.selectors import Selector


class Scheme(StrEnum):
    """How a mail program shows mails."""

    LIGHT = "light"
    DARK = "dark"
    OUTLOOK = "the dark of Outlook.com"


@dataclass(frozen=True, slots=True)
class Look:
    """How the words of an element are shown; None for a colour that cannot be known."""

    ink: Colour | None
    paper: Colour | None
    size: float = 16
    """In pixels."""
    bold: bool = False
    shown: bool = True
    """Whether it is there, and nothing around it is transparent."""

    @property
    def is_large(self) -> bool:
        """Large as WCAG has it: 24 pixels, or 18⅔ where it is bold."""
        return self.size >= (18.66 if self.bold else 24)


Looks = Mapping[Scheme, Look]

_LINK = Colour(0, 0, 0.933)
_DARK_PAGE = Colour(0.118, 0.118, 0.118)
"""What is behind a mail that declares a dark scheme and paints nothing: about this in Apple Mail."""

_ASKED = frozenset(
    ("color", "background", "background-color", "background-image", "opacity", "display", "font",
     "font-size", "font-weight")
)  # fmt: skip
_SCHEME = re.compile(
    r"@media\s+(?:(?:only\s+)?(?:screen|all)\s+and\s+)?\(\s*prefers-color-scheme\s*:\s*(dark|light)\s*\)\s*",
    re.IGNORECASE,
)
_OUTLOOK = re.compile(r"\[data-og(?:sc|sb|ac|ab)\]\s+", re.IGNORECASE)
_NAMED = re.compile(r"\[\s*([\w-]+)")
_BESIDE = re.compile(r"[+~]|:[a-z-]*(?:child|type)|:root", re.IGNORECASE)
_PICTURE = re.compile(r"url\(|gradient\(|image-set\(", re.IGNORECASE)
_FONT = re.compile(r"(?:.*?\s)?(\d[\w.%]*)(?:\s*/\s*\S+)?\s+\S")
_HEADINGS = {"h1": 2.0, "h2": 1.5, "h3": 1.17, "h4": 1.0, "h5": 0.83, "h6": 0.67}
_BOLD = {*_HEADINGS, "b", "strong", "th"}
_PIXELS = {"px": 1.0, "pt": 4 / 3, "pc": 16.0, "in": 96.0, "cm": 37.8, "mm": 3.78, "rem": 16.0}
_SIZES = {
    "xx-small": 9, "x-small": 10, "small": 13, "medium": 16, "large": 18, "x-large": 24, "xx-large": 32,
}  # fmt: skip

# ------------------------------------------------------------------------------------------------ the rules


@dataclass(frozen=True, slots=True, eq=False)
class _Branch:
    """One selector of a rule that says something of colours or sizes."""

    selector: Selector
    schemes: tuple[Scheme, ...]
    declarations: tuple[Declaration, ...]


@lru_cache(maxsize=16)
def _branches(sheets: tuple[str, ...]) -> tuple[_Branch, ...]:
    """What stylesheets surely say; the sheets of one theme are mostly the same from issue to issue."""
    order = count()
    read = (css.read(sheet, order, stays=True) for sheet in sheets)
    return tuple(branch for sheet in read for branch in _of_items(sheet.items, (Scheme.LIGHT, Scheme.DARK)))


def _of_items(items: Iterable[Item], schemes: tuple[Scheme, ...]) -> Iterator[_Branch]:
    for item in items:
        if isinstance(item, Group):
            if (found := _SCHEME.fullmatch(item.header)) and Scheme(found[1].lower()) in schemes:
                yield from _of_items(item.items, (Scheme(found[1].lower()),))
        elif not isinstance(item, str):
            asked = tuple(one for one in item.declarations if one.name in _ASKED)
            for selector in item.selectors if asked else ():
                yield from _of_selector(selector, asked, schemes)


def _of_selector(
    selector: Selector, asked: tuple[Declaration, ...], schemes: tuple[Scheme, ...]
) -> Iterator[_Branch]:
    if found := _OUTLOOK.match(selector.text):
        for inner in selectors.read(selector.text[found.end() :]):
            yield from _of_selector(inner, asked, (Scheme.OUTLOOK,))
    elif selector.static and selector.matches and selector.specificity is not None:
        yield _Branch(selector, schemes, asked)


# --------------------------------------------------------------------------------------------- the elements


def looks(page: _Element, sheets: tuple[str, ...], *, declares_dark: bool) -> dict[_Element, Looks]:
    """How the words of each element are shown, in each scheme."""
    elements = list(ElementWrapper.from_html_root(page).iter_subtree())
    return _Looking(elements, _branches(sheets), _first(declares_dark=declares_dark)).found()


def _first(*, declares_dark: bool) -> Looks:
    """What a page begins with."""
    light = Look(BLACK, WHITE)
    dark = Look(WHITE, _DARK_PAGE) if declares_dark else light
    return {Scheme.LIGHT: light, Scheme.DARK: dark, Scheme.OUTLOOK: Look(None, None)}


class _Looking:
    """One walk through a page: elements that stand and are styled alike look alike, and are asked once."""

    def __init__(self, elements: list[ElementWrapper], branches: Sequence[_Branch], first: Looks) -> None:
        self._elements, self._first = elements, first
        self._by_subject = defaultdict[tuple[str, str], list[_Branch]](list)
        self._beside = dict[_Branch, set[_Element]]()
        for branch in branches:
            if self._is_there(branch):
                self._by_subject[branch.selector.subject].append(branch)
        texts = " ".join(branch.selector.text for branch in branches)
        self._attributes = ("class", "id", "style", "bgcolor", "color", "text", "link", "background",
                            *dict.fromkeys(_NAMED.findall(texts)))  # fmt: skip
        self._kinds = dict[tuple[object, ...], int]()
        self._known = dict[int, Looks]()

    def _is_there(self, branch: _Branch) -> bool:
        """Whether a branch can match; where that depends on what stands beside an element, find it now."""
        test = branch.selector.matches
        if test is None or not _BESIDE.search(branch.selector.text):
            return test is not None
        self._beside[branch] = {each.etree_element for each in self._elements if test(each)}
        return bool(self._beside[branch])

    def found(self) -> dict[_Element, Looks]:
        kinds = dict[_Element | None, int]()
        for each in self._elements:
            element = each.etree_element
            above = kinds.get(element.getparent(), -1)
            kinds[element] = self._kind(above, element)
            if kinds[element] not in self._known:
                self._known[kinds[element]] = self._look(each, self._known.get(above, self._first))
        return {element: self._known[kind] for element, kind in kinds.items() if element is not None}

    def _kind(self, above: int, element: _Element) -> int:
        beside = tuple(element in some for some in self._beside.values())
        key = (above, element.tag, "href" in element.attrib, beside, *map(element.get, self._attributes))
        return self._kinds.setdefault(key, len(self._kinds))

    def _look(self, each: ElementWrapper, above: Looks) -> Looks:
        element = each.etree_element
        branches = [
            branch
            for subject in _subjects(each)
            for branch in self._by_subject.get(subject, ())
            if branch.selector.matches and branch.selector.matches(each)
        ]
        own = _of_attributes(element)
        return {
            scheme: _shown(element, outer, _winners(own, branches, scheme), scheme)
            for scheme, outer in above.items()
        }


def _subjects(each: ElementWrapper) -> Iterator[tuple[str, str]]:
    yield "any", ""
    yield "tag", each.local_name
    if each.id:
        yield "id", each.id
    yield from (("class", name) for name in each.classes)


_Rank = tuple[bool, bool, tuple[int, int, int], int]
_Winners = dict[str, tuple[_Rank, str, bool]]
"""Property → rank, value, and whether a rule for Outlook.com said it."""
_HINT = (-1, 0, 0)


def _of_attributes(element: _Element) -> _Winners:
    """What an element's own attributes say, old ones first."""
    found: _Winners = {}
    hints = {"background-color": "bgcolor", "color": "text" if element.tag == "body" else "color",
             "background-image": "background"}  # fmt: skip
    for name, attribute in hints.items():
        if value := element.get(attribute):
            found[name] = (
                (False, False, _HINT, 0),
                f"url({value})" if attribute == "background" else value,
                False,
            )
    for one in _own(element.get("style") or ""):
        _raise(found, one.name, ((one.important, True, (0, 0, 0), one.order), one.value, False))
    return found


@lru_cache(maxsize=1024)
def _own(style: str) -> tuple[Declaration, ...]:
    return tuple(one for one in css.read_attribute(style, count()) if one.name in _ASKED)


def _winners(own: _Winners, branches: Iterable[_Branch], scheme: Scheme) -> _Winners:
    """What wins of each property."""
    found = dict(own)
    for branch in branches:
        ours = scheme in branch.schemes or (scheme is Scheme.OUTLOOK and Scheme.LIGHT in branch.schemes)
        for one in branch.declarations if ours else ():
            rank = (one.important, False, branch.selector.specificity or (0, 0, 0), one.order)
            _raise(found, one.name, (rank, one.value, Scheme.OUTLOOK in branch.schemes))
    return found


def _raise(found: _Winners, name: str, claim: tuple[_Rank, str, bool]) -> None:
    if name not in found or claim[0] >= found[name][0]:
        found[name] = claim


# ------------------------------------------------------------------------------------------------- the look


def _shown(element: _Element, outer: Look, said: _Winners, scheme: Scheme) -> Look:
    look = replace(outer, size=_size(element, outer, said), bold=_bold(element, outer, said))
    shown = (
        outer.shown and _is(said, "display", "none") is not True and _is(said, "opacity", "1") is not False
    )
    return replace(
        look, ink=_ink(element, look, said, scheme), paper=_paper(outer, said, scheme), shown=shown
    )


def _is(said: _Winners, name: str, value: str) -> bool | None:
    """Whether a property has a value; None where nobody sets it."""
    return said[name][1].lower() == value if name in said else None


def _ink(element: _Element, outer: Look, said: _Winners, scheme: Scheme) -> Colour | None:
    if claim := said.get("color"):
        _, value, for_outlook = claim
        if value.lower() in {"inherit", "unset", "currentcolor"}:
            return outer.ink
        return None if scheme is Scheme.OUTLOOK and not for_outlook else solid(value)
    if element.tag == "a" and "href" in element.attrib:
        return _LINK if scheme is Scheme.LIGHT else None  # in the dark, programs choose one themselves
    return BLACK if element.tag == "mark" and scheme is Scheme.LIGHT else outer.ink


def _paper(outer: Look, said: _Winners, scheme: Scheme) -> Colour | None:
    claims = [said[name] for name in ("background-color", "background") if name in said]
    images = [said[name] for name in ("background-image", "background") if name in said]
    if images and _PICTURE.search(max(images)[1]):
        return None
    if not claims:
        return outer.paper
    _, value, for_outlook = max(claims)
    if scheme is Scheme.OUTLOOK and not for_outlook:
        return None
    found = colour_in(value)
    return over(found[:3], found[3], outer.paper, value) if found else None


def _size(element: _Element, outer: Look, said: _Winners) -> float:
    """In pixels; that of what is around it where it cannot be known."""
    claims = [said[name] for name in ("font-size", "font") if name in said]
    if not claims:
        return _HEADINGS.get(str(element.tag), 1.0) * outer.size
    value = max(claims)[1].lower()
    if max(claims) == said.get("font") and (found := _FONT.match(value)):
        value = found[1]
    if value in _SIZES:
        return float(_SIZES[value])
    if not (found := re.fullmatch(r"(\d{0,6}\.?\d{1,6})([a-z]+|%)", value)):
        return outer.size
    number, unit = float(found[1]), found[2]
    relative = {"em": outer.size, "%": outer.size / 100}
    return number * ({**_PIXELS, **relative}.get(unit) or outer.size / max(number, 1))


def _bold(element: _Element, outer: Look, said: _Winners) -> bool:
    claims = [said[name] for name in ("font-weight", "font") if name in said]
    if not claims:
        return outer.bold or element.tag in _BOLD
    words = max(claims)[1].lower().split()
    if "inherit" in words:
        return outer.bold
    return any(word in {"bold", "bolder", "700", "800", "900"} for word in words)
