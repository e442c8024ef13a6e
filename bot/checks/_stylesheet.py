"""Reads a stylesheet as a flat list of statements, as far as judging it needs; any text is a stylesheet."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

# A bracket is a piece of its own, so that a `;` within `url(data:…;base64,…)` ends nothing.
_PIECE = re.compile(
    r"""/\*.*?(?:\*/|\Z)
    | <!-- | -->
    | "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*'
    | \\.
    | [{};()]
    | [^{};()"'\\/<-]+
    | .""",
    re.DOTALL | re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Statement:
    """What stands before a `{` or a `;`: a selector, an at-rule or a declaration."""

    text: str
    within: tuple[str, ...]
    """The texts of the blocks around it, outermost first."""
    opens: bool
    """Whether it has a block of its own."""

    @property
    def is_at_rule(self) -> bool:
        return self.text.startswith("@")

    @property
    def is_declaration(self) -> bool:
        return bool(self.within) and not self.opens and not self.is_at_rule


def statements(css: str) -> Iterator[Statement]:
    """Every statement in its order, comments left out, blanks collapsed."""
    within: list[str] = []
    words: list[str] = []
    depth = 0
    for piece in _PIECE.findall(css):
        if piece.startswith("/*") or piece in {"<!--", "-->"}:
            continue
        if piece in "{};" and not (piece == ";" and depth):
            if text := " ".join("".join(words).split()):
                yield Statement(text, tuple(within), piece == "{")
            if piece == "{":
                within.append(text)
            elif piece == "}" and within:
                within.pop()
            words, depth = [], 0
        else:
            depth = max(0, depth + {"(": 1, ")": -1}.get(piece, 0))
            words.append(piece)
    if text := " ".join("".join(words).split()):
        yield Statement(text, tuple(within), opens=False)


def declarations(style: str) -> Iterator[Statement]:
    """The declarations of a `style` attribute."""
    return (one for one in statements(f"style{{{style}}}") if one.is_declaration)
