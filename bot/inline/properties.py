"""What inlining must know of CSS properties: which touch each other, and which values are surely good.

Both err on the safe side. Two properties that touch by mistake cost a word `!important`; a good value that is
not known as such costs some bytes, as the one that it overrides stays before it.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from tinycss2.ast import Node
from tinycss2.color4 import parse_color

EVERYTHING = "all"
"""The property that sets all others, and the family that holds them where it is used."""

# (beginning, family): the first that fits a name without its maker's prefix. Others have the family of the
# shorthand that they begin with, or are one of their own.
_FAMILIES = tuple(
    (re.compile(names), family)
    for names, family in (
        (r"border-.*radius", "border-radius"),
        (r"border(?!-collapse|-spacing)", "border"),
        (r"font|line-height", "font"),
        (r"(inset|top|right|bottom|left)", "inset"),
        (r"(min|max)-(width|height|inline-size|block-size)", "limits"),
        (r"(width|height|inline-size|block-size)", "size"),
        (r"(page-)?break-", "break"),
        (r"word-wrap|overflow-wrap", "wrap"),
        (r"white-space|text-wrap|text-space", "white-space"),
        (r"(grid-|row-|column-)?gap", "gap"),
        (r"column(s|-count|-width|-rule)|line-clamp|max-lines|block-ellipsis|continue", "columns"),
        (r"(align|justify|place)-", "place"),
        (r"vertical-align|alignment-baseline|baseline-", "baseline"),
    )
)
_SHORTHANDS = (
    "text-decoration", "text-emphasis", "text-box", "text-align", "scroll-margin", "scroll-padding",
    "scroll-timeline", "list-style", "contain-intrinsic", "position-try", "view-timeline",
    "margin", "padding", "background", "flex", "grid", "outline", "overflow", "overscroll", "transition",
    "animation", "mask", "marker", "offset", "caret", "container", "box",
)  # fmt: skip
_PREFIX = re.compile(r"-(webkit|moz|ms|o|khtml|epub)-")


@lru_cache(maxsize=1024)
def family(name: str) -> str:
    """The family of a property: two properties of different families never set the same thing."""
    if name.startswith("--"):
        return name
    bare = _PREFIX.sub("", name, count=1) if name.startswith("-") else name
    for names, common in _FAMILIES:
        if names.match(bare):
            return common
    return next((root for root in _SHORTHANDS if bare == root or bare.startswith(f"{root}-")), bare)


# ----------------------------------------------------------------------------------------- surely good values

_COLOURS = re.compile(r"(background-|border-((top|right|bottom|left)-)?|text-decoration-|outline-)?color")
_LENGTHS = re.compile(
    r"(margin|padding)(-(top|right|bottom|left))?|(min-|max-)?(width|height)|font-size|line-height"
    r"|letter-spacing|border(-(top|right|bottom|left))?-width|border-spacing|text-indent|border-radius"
)
_SIGNED = re.compile(r"margin|letter-spacing|text-indent")
_MANY = re.compile(r"margin|padding|border-width|border-radius")
_NAMED = {"auto": re.compile(r"margin|width|height"), "normal": re.compile(r"line-height|letter-spacing")}
_UNITS = {"px", "em", "rem", "pt"}
_ANYWHERE = {"inherit", "initial", "unset"}
_WORDS = {
    "border-collapse": {"collapse", "separate"},
    "display": {"block", "inline", "inline-block", "none", "table", "table-cell", "table-row"},
    "float": {"left", "right", "none"},
    "font-style": {"normal", "italic"},
    "font-weight": {"normal", "bold", "bolder", "lighter"},
    "overflow": {"visible", "hidden", "auto", "scroll"},
    "text-align": {"left", "right", "center", "justify", "start", "end"},
    "text-decoration": {"none", "underline", "line-through"},
    "text-transform": {"none", "uppercase", "lowercase", "capitalize"},
    "vertical-align": {"top", "middle", "bottom", "baseline"},
    "white-space": {"normal", "nowrap", "pre", "pre-wrap", "pre-line"},
    "word-break": {"normal", "break-all", "break-word", "keep-all"},
}


def is_surely_good(name: str, value: Sequence[Node]) -> bool:
    """Whether every browser takes this value, so that one that it overrides need not stay as a fallback."""
    tokens = [node for node in value if node.type not in {"whitespace", "comment"}]
    if len(tokens) == 1 and tokens[0].type == "ident":
        word = tokens[0].lower_value
        if word in _ANYWHERE or word in _WORDS.get(name, ()):
            return True
    if _COLOURS.fullmatch(name):
        return len(tokens) == 1 and _is_colour(tokens[0])
    if _LENGTHS.fullmatch(name):
        most = 4 if _MANY.match(name) and name.count("-") <= name.startswith("border") else 1
        return 1 <= len(tokens) <= most and all(_is_length(name, node) for node in tokens)
    return name == "font-family" and _are_fonts(tokens)


def _is_colour(node: Node) -> bool:
    return node.type in {"ident", "hash"} and node.value.lower() != "currentcolor" and bool(parse_color(node))


def _is_length(name: str, node: Node) -> bool:
    if node.type == "ident":
        return node.lower_value in _NAMED and bool(_NAMED[node.lower_value].match(name))
    if node.type not in {"number", "dimension", "percentage"}:
        return False
    if node.value < 0 and not _SIGNED.match(name):
        return False
    if node.type == "number":
        return node.value == 0 or name == "line-height"
    if node.type == "percentage":
        return not name.startswith(("border", "letter"))
    return node.lower_unit in _UNITS


def _are_fonts(tokens: Sequence[Node]) -> bool:
    """Names in quotes or of one word, with commas between them."""
    return (
        len(tokens) % 2 == 1
        and all(node.type in {"string", "ident"} for node in tokens[::2])
        and all(node == "," for node in tokens[1::2])
    )
