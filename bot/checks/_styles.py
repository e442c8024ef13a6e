"""What mail programs lose of a stylesheet: statements in, and what of each is lost, where and why.

Gmail reads a `<style>` or a `style` attribute as a whole: one colour that it does not know, or an at-rule
within another, and all of it is gone (caniemail: css-rgb, css-modern-color; hteumeuleu/email-bugs#21). Other
syntax costs the one rule that has it (caniemail: css-nesting, css-at-media, css-pseudo-class-*).
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from bot.checks._stylesheet import Statement

_INNER = r"(?:[^(),]|\([^()]*\))*"  # one level of brackets: calc(), var()
_SPACED = re.compile(
    rf"\b(?:rgba?|hsla?)\(\s*[^\s(),]+\s{_INNER}\)|\b(?:hwb|lab|lch|oklab|oklch|color)\([^)]*\)",
    re.IGNORECASE,
)
_HEIGHT = re.compile(r"(?<![\w-])(?:(?:min|max)-)?(?:device-)?height\b", re.IGNORECASE)
_FUNCTION = re.compile(r":(?:is|where|has|not|matches|any|nth-[a-z-]+)(?=\()", re.IGNORECASE)
_QUOTED = re.compile(r""""(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'""")
_VARIABLE = re.compile(r"\bvar\(\s*(--[^\s,)]+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Loss:
    """Something of a stylesheet that is lost."""

    text: str
    """As its author wrote it, for finding it again."""
    why: str
    whole: bool
    """Whether all of the stylesheet or attribute goes with it."""


def imports(css: Iterable[Statement]) -> Iterator[str]:
    """Each @import."""
    return (one.text for one in css if re.match(r"@import\b", one.text, re.IGNORECASE))


def variables(css: Iterable[Statement]) -> Iterator[str]:
    """The name of each variable that a declaration asks for."""
    return (name for one in css if one.is_declaration for name in _VARIABLE.findall(_unquoted(one)))


def lost_by_syntax(css: Iterable[Statement]) -> Iterator[Loss]:
    """What Gmail cannot read, wherever it stands."""
    for one in css:
        outer = one.within[-1] if one.within else ""
        if one.is_declaration:
            for colour in _SPACED.findall(_unquoted(one)):
                why = f"Gmail drops the whole stylesheet or style attribute that has {colour}"
                yield Loss(colour, why, whole=True)
        elif one.is_at_rule and any(text.startswith("@") for text in one.within):
            why = f"Gmail drops the whole stylesheet that has {_short(one)} within {_name(outer)}"
            yield Loss(one.text, why, whole=True)
        elif one.within and not outer.startswith("@"):
            yield Loss(one.text, f"Gmail drops what is nested: {_short(one)} within {outer}", whole=False)
        elif re.match(r"@media\b", one.text, re.IGNORECASE) and _HEIGHT.search(one.text):
            yield Loss(one.text, f"Gmail drops media rules that ask for a height: {one.text}", whole=False)


def lost_by_selector(css: Iterable[Statement]) -> Iterator[Loss]:
    """The selectors that Gmail does not know; for what was not inlined."""
    for one in css:
        if one.opens and not one.is_at_rule and (found := _FUNCTION.search(one.text)):
            yield Loss(one.text, f"Gmail drops rules with {found[0]}(): {one.text}", whole=False)


def _unquoted(statement: Statement) -> str:
    """Its text with all strings empty: what looks like a function in one is none."""
    return _QUOTED.sub("''", statement.text)


def _short(statement: Statement) -> str:
    return _name(statement.text) if statement.is_at_rule else statement.text


def _name(at_rule: str) -> str:
    return at_rule.replace("(", " ").split(maxsplit=1)[0]


def loosely(text: str) -> str:
    """A pattern for a text however its blanks were set."""
    return r"\s*".join(map(re.escape, re.findall(r"\w+|[^\w\s]", text)))
