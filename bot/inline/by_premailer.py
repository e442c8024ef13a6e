"""premailer at what it does well: plain rules merged into style attributes.

It gets the tree and the rules that go into tags, and nothing to fetch, parse or write besides. What it makes
of them is held against the cascade; where the two differ in one element, its result is not used.
"""

import logging
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from copy import deepcopy

from lxml.etree import _Element
from premailer import Premailer
from premailer.merge_style import csstext_to_pairs

from bot.inline.cascade import Case, Plan, Styles
from bot.inline.css import Sheet
from bot.inline.matching import Matched
from bot.inline.properties import family
from bot.inline.tags import text_of

# Of all others premailer knows less than browsers do: functions, escapes, states.
_PLAIN_SELECTOR = re.compile(r"""(?:[\w\s.#>+-]|\[[\w-]+(?:=["']?[\w-]+["']?)?\])+""", re.ASCII)
_PLAIN_DECLARATIONS = re.compile(r"[a-z][\w\s#%.,':;-]*", re.ASCII)
_SIDES = ("top", "right", "bottom", "left")
_FROM = {1: (0, 0, 0, 0), 2: (0, 1, 0, 1), 3: (0, 1, 2, 1), 4: (0, 1, 2, 3)}
"""Which of so many values is for which side."""
_LOGICAL = re.compile(r"-(inline|block|start|end)\b")

_Ranked = tuple[tuple[int, ...], str, str]
_Left = tuple[str, str]
_READ: dict[tuple[str, int], tuple[list[_Ranked], list[_Left]]] = {}
"""What premailer made of rules, by their text and their place among all."""
_MOST_READ = 64

logging.getLogger("CSSUTILS").setLevel(logging.CRITICAL)  # it complains of every mso- property


def styles(root: _Element, sheets: Sequence[Sheet], matched: Matched, plan: Plan) -> dict[Case, str] | None:
    """The style attributes, case by case; None where premailer would not get them right."""
    rules = list(_rules(sheets, matched))
    if plan.kept or not all(_is_plain(selector, declarations) for selector, declarations in rules):
        return None
    written = _written(root, "\n".join(f"{selector} {{{style}}}" for selector, style in rules))
    found: dict[Case, str] = {}
    for element, case in matched.elements:
        style = written[element]
        if case in found and found[case] == style:
            continue
        if case.in_tag and (case in found or not _agree(style, plan.styles[case])):
            return None
        found[case] = style
    return {case: _in_quotes(style) for case, style in found.items()}


def _in_quotes(style: str) -> str:
    """The style in quotes that need no escape in an attribute, and without blanks to spare."""
    return style.replace('"', "'").replace("; ", ";")


def _rules(sheets: Iterable[Sheet], matched: Matched) -> Iterator[tuple[str, str]]:
    """Selector and declarations of all that goes into tags."""
    for rule in (rule for sheet in sheets for rule in sheet.rules()):
        declarations = ";".join(each.written(important=each.important) for each in rule.declarations)
        yield from ((each.text, declarations) for each in rule.selectors if (rule, each) in matched.moved)


def _is_plain(selector: str, declarations: str) -> bool:
    return bool(_PLAIN_SELECTOR.fullmatch(selector) and _PLAIN_DECLARATIONS.fullmatch(declarations))


def _written(root: _Element, css: str) -> dict[_Element, str]:
    """What premailer writes into the elements of a page."""
    copied = deepcopy(root)
    twins = list(zip(root.iter(), copied.iter(), strict=True))
    for sheet in list(copied.iter("style", "link")):
        _remove(sheet)
    premailer = _Premailer(
        css_text=[css],
        base_url=None,
        allow_network=False,
        allow_loading_external_files=False,
        strip_important=False,
        disable_validation=True,
        align_floating_images=False,
        remove_unset_properties=False,
        cssutils_logging_level=logging.CRITICAL,
    )
    premailer.transform(copied)
    return {element: twin.get("style", "") for element, twin in twins}


class _Premailer(Premailer):  # type: ignore[misc]  # it ships no types
    """premailer, which reads the same rules once for all issues of a theme."""

    def _parse_style_rules(self, css_body: str, ruleset_index: int) -> tuple[list[_Ranked], list[_Left]]:
        key = css_body, ruleset_index
        if key not in _READ:
            if len(_READ) >= _MOST_READ:
                _READ.clear()
            _READ[key] = super()._parse_style_rules(css_body, ruleset_index)
        rules, left = _READ[key]
        return list(rules), list(left)


def _remove(element: _Element) -> None:
    if (parent := element.getparent()) is not None:
        parent.remove(element)


def _agree(style: str, wanted: Styles) -> bool:
    """Whether a style attribute says what the cascade wants: the same, and in order where order counts."""
    text = text_of(wanted)
    if not text or not _PLAIN_DECLARATIONS.fullmatch(text):
        return style == text
    pairs = _pairs(text)
    whole = [name for name, _ in pairs] == [each.name for each, _ in wanted.declarations]
    ours, theirs = _effective(pairs), _effective(_pairs(style))
    return whole and ours == theirs and _ordered(ours) == _ordered(theirs)


def _effective(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """What holds in the end, the last first said last; margins and paddings side by side."""
    found: dict[str, str] = {}
    for name, value in pairs:
        for each, part in _by_side(name, value):
            found.pop(each, None)
            found[each] = part
    return found


def _by_side(name: str, value: str) -> Iterator[tuple[str, str]]:
    parts = value.split()
    if name not in {"margin", "padding"} or len(parts) > len(_SIDES):
        yield name, value
        return
    for number, side in enumerate(_SIDES):
        yield f"{name}-{side}", parts[_FROM[len(parts)][number]]


def _ordered(names: Iterable[str]) -> dict[str, list[str]]:
    """The names of each family in which one sets what another sets too."""
    found: dict[str, list[str]] = defaultdict(list)
    for name in names:
        found[family(name)].append(name)
    return {common: some for common, some in found.items() if not _are_apart(some)}


def _are_apart(names: Sequence[str]) -> bool:
    """Whether no two of these names set the same thing; borders cross each other in many ways."""
    if len(names) == 1:
        return True
    crossing = any(name.startswith("border") or _LOGICAL.search(name) for name in names)
    return not crossing and not any(
        one != other and other.startswith(one) for one in names for other in names
    )


def _pairs(style: str) -> Sequence[tuple[str, str]]:
    pairs: Sequence[tuple[str, str]] = csstext_to_pairs(style, validate=False)
    return pairs
