"""Rules about the styles of a mail: what programs lose of them, where it was written and why it is lost.

Gmail reads a `<style>` or a `style` attribute as a whole: one colour that it does not know, or an at-rule
within another, and all of it is gone (caniemail: css-rgb, css-modern-color; hteumeuleu/email-bugs#21). Other
syntax costs the one rule that has it (caniemail: css-nesting, css-at-media, css-pseudo-class-*).
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from bot.checks import Flaw, Mail, Rule
from bot.checks._stylesheet import Statement, declarations, statements
from bot.models import Severity

STYLES = 16_384
"""Bytes of `<style>` that Gmail reads."""
NEARLY = 0.9
SHOWN = 120
"""Characters of a selector or a value that a message repeats."""

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


# ---------------------------------------------------------------------------------------------------- rules


def imported_styles(mail: Mail) -> Iterator[Flaw]:
    """A stylesheet has an @import.

    Mail programs drop it and nothing here fetches it: what it names is missing from every mail.
    """
    sheets = dict.fromkeys((*mail.rendered.sheets, *mail.head_styles))
    for text in dict.fromkeys(text for sheet in sheets for text in imports(_read(sheet))):
        place = mail.place(loosely(text), r"@import\b")
        yield Flaw(
            place, f"{text[:SHOWN]} is lost in mail", "copy what it names into the theme", mail.issue.key
        )


def unresolved_variables(mail: Mail) -> Iterator[Flaw]:
    """A var() is left in the mail; in a style attribute that is an error.

    Gmail, Outlook and Yahoo drop every declaration that has one: the colour or width is not there at all.
    """
    in_tags = dict.fromkeys(variables(_attributes(mail)))
    in_head = dict.fromkeys(variables(_head(mail)))
    for name in {**in_tags, **in_head}:
        severity = Severity.ERROR if name in in_tags else Severity.WARNING
        place = mail.place(rf"var\(\s*{re.escape(name)}\b")
        message = f"var({name}) is left in the mail, where most programs drop it"
        yield Flaw(place, message, "write the value itself", mail.issue.key, severity)


def lost_in_gmail(mail: Mail) -> Iterator[Flaw]:
    """The styles have a syntax that Gmail does not know; what costs only one rule is a warning.

    For some, Gmail drops the whole stylesheet or style attribute, and the mail loses its look.
    """
    losses = (
        *lost_by_syntax(_head(mail)),
        *lost_by_selector(_head(mail)),
        *lost_by_syntax(_attributes(mail)),
    )
    for loss in dict.fromkeys(losses):
        severity = Severity.ERROR if loss.whole else Severity.WARNING
        yield Flaw(mail.place(loosely(loss.text)), loss.why, _plainer(loss), mail.issue.key, severity)


def _plainer(loss: Loss) -> str:
    colour = loss.whole and not loss.text.startswith("@")
    return "write rgb(0, 0, 0) or #000" if colour else "write it as a rule of its own, or leave it out"


def big_styles(mail: Mail) -> Iterator[Flaw]:
    """The mail's stylesheets have more than the 16,384 bytes that Gmail reads, or (a hint) nearly.

    Gmail drops what follows, which may be what makes a mail fit a phone or the dark.
    """
    size = sum(len(style.encode()) for style in mail.head_styles)
    if size >= STYLES * NEARLY:
        severity = Severity.ERROR if size > STYLES else Severity.HINT
        message = f"{size:,} bytes of <style>, of which Gmail reads {STYLES:,}"
        yield Flaw(mail.place(), message, "leave rules out of kept_styles", mail.issue.key, severity)


def _head(mail: Mail) -> Iterator[Statement]:
    return (one for sheet in mail.head_styles for one in _read(sheet))


@lru_cache(maxsize=32)
def _read(sheet: str) -> tuple[Statement, ...]:
    """The statements of a sheet; several rules ask for them, and the sheets of a theme come again."""
    return tuple(statements(sheet))


def _attributes(mail: Mail) -> Iterator[Statement]:
    styles = dict.fromkeys(element.get("style") or "" for element in mail.elements)
    # Most styles are plain ones: only a bracket can open a function.
    return (one for style in styles if "(" in style for one in declarations(style))


# ----------------------------------------------------------------------------------------------- statements


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
                why = f"Gmail drops the whole stylesheet or style attribute that has {colour[:SHOWN]}"
                yield Loss(colour, why, whole=True)
        elif one.is_at_rule and any(text.startswith("@") for text in one.within):
            why = f"Gmail drops the whole stylesheet that has {_short(one)} within {_name(outer)}"
            yield Loss(one.text, why, whole=True)
        elif one.within and not outer.startswith("@"):
            why = f"Gmail drops what is nested: {_short(one)} within {outer[:SHOWN]}"
            yield Loss(one.text, why, whole=False)
        elif re.match(r"@media\b", one.text, re.IGNORECASE) and _HEIGHT.search(one.text):
            why = f"Gmail drops media rules that ask for a height: {one.text[:SHOWN]}"
            yield Loss(one.text, why, whole=False)


def lost_by_selector(css: Iterable[Statement]) -> Iterator[Loss]:
    """The selectors that Gmail does not know; for what was not inlined."""
    for one in css:
        if one.opens and not one.is_at_rule and (found := _FUNCTION.search(one.text)):
            yield Loss(one.text, f"Gmail drops rules with {found[0]}(): {one.text[:SHOWN]}", whole=False)


def _unquoted(statement: Statement) -> str:
    """Its text with all strings empty: what looks like a function in one is none."""
    return _QUOTED.sub("''", statement.text)


def _short(statement: Statement) -> str:
    return _name(statement.text) if statement.is_at_rule else statement.text[:SHOWN]


def _name(at_rule: str) -> str:
    return at_rule.replace("(", " ").split(maxsplit=1)[0]


def loosely(text: str) -> str:
    """A pattern for the beginning of a text, however its blanks were set."""
    return r"\s*".join(map(re.escape, re.findall(r"\w+|[^\w\s]", text[:SHOWN])))


RULES = (
    Rule(
        "mail.css-import",
        Severity.ERROR,
        imported_styles,
        example='<style>@import url("fonts.css");</style>',
        mend="Copy what it names into the theme.",
    ),
    Rule(
        "mail.css-variable",
        Severity.ERROR,
        unresolved_variables,
        example='<p style="color: var(--ink)">Words</p>',
        mend="Write the value itself.",
    ),
    Rule(
        "mail.css-gmail",
        Severity.ERROR,
        lost_in_gmail,
        example='<p style="color: rgb(0 0 0 / 50%)">Words</p>',
        mend="Write colours as #000 or rgb(0, 0, 0), and rules flat.",
    ),
    Rule(
        "mail.style-size",
        Severity.ERROR,
        big_styles,
        example='<style>{{ "p { color: red } " * 1000 }}</style>',
        mend="Leave rules out of kept_styles.",
    ),
)
