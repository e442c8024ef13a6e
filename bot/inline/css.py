"""Style sheets: read by the grammar that browsers use, and written again without what went into the tags.

Nested rules are read as the flat rules they stand for, so that what is left of them works everywhere.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import count

import tinycss2
from tinycss2.ast import AtRule, Declaration as Declared, Node, QualifiedRule

from bot.inline import selectors
from bot.inline.properties import family, is_surely_good
from bot.inline.selectors import Selector

_CONDITIONAL = {"media", "supports", "container"}
_GROUPS = _CONDITIONAL | {"layer", "scope"}


@dataclass(frozen=True, slots=True, eq=False)
class Declaration:
    """One `name: value`; itself and no other, even of the same words."""

    name: str
    value: str
    important: bool
    order: int
    """Its place among all declarations of the page."""
    family: str
    sure: bool
    """Whether every browser takes its value."""

    def written(self, *, important: bool) -> str:
        """The declaration as text; spared blanks count, as mail programs cut what is long."""
        return f"{self.name}:{self.value}{' !important' if important else ''}"


@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """Selectors and what they declare."""

    selectors: tuple[Selector, ...]
    declarations: tuple[Declaration, ...]
    static: bool
    """Whether it holds always and everywhere, so that it can go into the tags."""
    layered: bool
    """Whether it is in a `@layer`, below all that is in none (and above it, where important)."""
    measured: bool
    """Whether its rank is decided by specificity and order alone."""

    def movable(self) -> tuple[Selector, ...]:
        """The selectors whose elements are known before the mail is opened."""
        if not self.static or not all(selector.known for selector in self.selectors):
            return ()
        return tuple(selector for selector in self.selectors if selector.static)


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """Rules under a condition or in a layer."""

    header: str
    items: tuple["Item", ...]


Item = Rule | Group | str
"""A string is what stays as it is: `@font-face`, `@keyframes` and whatever is not known."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """What one style block says."""

    text: str
    items: tuple[Item, ...]
    whole: bool
    """Whether all of it was read, so that its own text can stand for it."""

    def rules(self) -> Iterator[Rule]:
        """All its rules, in order."""
        return _rules(self.items)

    def animated(self) -> set[str]:
        """The families of the properties that its animations set."""
        frames = (item for item in self.items if isinstance(item, str) and "keyframes" in item[:24].lower())
        return {name for item in frames for name in _animated(item)}


@dataclass(frozen=True, slots=True)
class Fate:
    """What becomes of a sheet's rules."""

    moved: frozenset[tuple[Rule, Selector]] = frozenset()
    """What went into tags: all that these selectors of these rules declare."""
    kept: frozenset[Declaration] = frozenset()
    """Declarations that stay in the head, though they went into some tags."""
    raised: frozenset[Declaration] = frozenset()
    """Declarations that become important, so as not to lose to tags."""


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a rule stands."""

    order: Iterator[int] = field(default_factory=count)
    static: bool = True
    layered: bool = False
    measured: bool = True
    parent: str = ""


def read(css: str, order: Iterator[int], *, stays: bool) -> Sheet:
    """Read a sheet; `order` numbers the declarations of a page. No `@import`: nothing is fetched."""
    nodes = tinycss2.parse_stylesheet(css, skip_comments=True, skip_whitespace=True)
    wanted = [node for node in nodes if node.type != "error" and not _is_at(node, "import")]
    stays = stays or any(_is_at(node, "namespace") for node in nodes)
    items = tuple(_items(wanted, _Place(order, static=not stays)))
    return Sheet(css, items, not any(_is_at(node, "import") for node in nodes))


def read_attribute(style: str, order: Iterator[int]) -> tuple[Declaration, ...]:
    """Read the declarations of a style attribute."""
    nodes = tinycss2.parse_blocks_contents(style, skip_comments=True, skip_whitespace=True)
    return tuple(_declaration(node, order) for node in nodes if _is_good(node))


def write(sheet: Sheet, fate: Fate) -> str:
    """What stays of a sheet: its own text where nothing changes, nothing where all went into tags."""
    if sheet.whole and all(_is_untouched(rule, fate) for rule in sheet.rules()):
        return sheet.text
    return "\n".join(_written(sheet.items, fate)).replace("</", "<\\/")


# ------------------------------------------------------------------------------------------------- reading


def _is_at(node: Node, name: str) -> bool:
    return bool(node.type == "at-rule" and node.lower_at_keyword == name)


def _items(nodes: Iterable[Node], place: _Place) -> Iterator[Item]:
    for node in nodes:
        if node.type == "qualified-rule":
            yield from _from_rule(node, place)
        elif node.type == "at-rule":
            yield from _from_at_rule(node, place)


def _from_rule(rule: QualifiedRule, place: _Place) -> Iterator[Item]:
    prelude = tinycss2.serialize(rule.prelude).strip()
    selector = selectors.nested(prelude, place.parent) if place.parent else prelude
    yield from _content(rule.content, replace(place, parent=selector))


def _content(content: Sequence[Node], place: _Place) -> Iterator[Item]:
    """What a rule for `place.parent` contains: declarations, and rules between them."""
    run: list[Declaration] = []
    for node in tinycss2.parse_blocks_contents(content, skip_comments=True, skip_whitespace=True):
        if _is_good(node):
            run.append(_declaration(node, place.order))
        elif node.type in {"qualified-rule", "at-rule"}:
            yield from _rule(run, place)
            run = []
            yield from _items([node], place)
    yield from _rule(run, place)


def _rule(declarations: Sequence[Declaration], place: _Place) -> Iterator[Rule]:
    if declarations:
        found = selectors.read(place.parent)
        yield Rule(found, tuple(declarations), place.static, place.layered, place.measured)


def _from_at_rule(rule: AtRule, place: _Place) -> Iterator[Item]:
    name = rule.lower_at_keyword
    if rule.content is None or name not in _GROUPS:
        yield rule.serialize()
        return
    inner = replace(
        place,
        static=False,
        layered=place.layered or name == "layer",
        measured=place.measured and name != "scope",
    )
    header = f"@{rule.at_keyword}{tinycss2.serialize(rule.prelude).rstrip()}"
    if place.parent:
        items = _content(rule.content, inner)
    else:
        nodes = tinycss2.parse_rule_list(rule.content, skip_comments=True, skip_whitespace=True)
        items = _items(nodes, inner)
    yield Group(header, tuple(items))


def _is_good(node: Node) -> bool:
    if node.type != "declaration" or _has_error(node.value):
        return False
    return node.name.startswith("--") or any(
        token.type not in {"whitespace", "comment"} for token in node.value
    )


def _has_error(tokens: Iterable[Node]) -> bool:
    return any(
        token.type == "error"
        or (token.type == "function" and _has_error(token.arguments))
        or (token.type.endswith(" block") and _has_error(token.content))
        for token in tokens
    )


def _declaration(node: Declared, order: Iterator[int]) -> Declaration:
    name = node.name if node.name.startswith("--") else node.lower_name
    return Declaration(
        name, _value(node.value), node.important, next(order), family(name), is_surely_good(name, node.value)
    )


def _value(tokens: Sequence[Node]) -> str:
    """A value on one line, in quotes that need no escape in an attribute."""
    text = tinycss2.serialize([token for token in tokens if token.type != "comment"]).strip()
    text = " ".join(text.split("\n"))
    return text if "'" in text else text.replace('"', "'")


def _animated(keyframes: str) -> Iterator[str]:
    [rule] = tinycss2.parse_stylesheet(keyframes, skip_comments=True, skip_whitespace=True)
    for frame in tinycss2.parse_rule_list(rule.content or [], skip_comments=True, skip_whitespace=True):
        if frame.type == "qualified-rule":
            yield from (each.family for each in read_attribute(tinycss2.serialize(frame.content), count()))


def _rules(items: Iterable[Item]) -> Iterator[Rule]:
    for item in items:
        if isinstance(item, Rule):
            yield item
        elif isinstance(item, Group):
            yield from _rules(item.items)


# ------------------------------------------------------------------------------------------------- writing


def _is_untouched(rule: Rule, fate: Fate) -> bool:
    moved = any((rule, each) in fate.moved for each in rule.selectors)
    stays = not moved or fate.kept.issuperset(rule.declarations)
    return stays and fate.raised.isdisjoint(rule.declarations)


def _written(items: Iterable[Item], fate: Fate) -> Iterator[str]:
    for item in items:
        if isinstance(item, str):
            yield item
        elif isinstance(item, Rule):
            yield from _written_rule(item, fate)
        else:
            inner = "\n".join(_written(item.items, fate))
            yield f"{item.header} {{\n{inner}\n}}" if inner else f"{item.header} {{}}"


def _written_rule(rule: Rule, fate: Fate) -> Iterator[str]:
    moved = [each for each in rule.selectors if (rule, each) in fate.moved]
    kept = [each.written(important=each.important) for each in rule.declarations if each in fate.kept]
    yield from _text(moved, kept)
    left = [selector for selector in rule.selectors if selector not in moved]
    yield from _text(
        left, [each.written(important=each.important or each in fate.raised) for each in rule.declarations]
    )


def _text(selectors: Sequence[Selector], declarations: Sequence[str]) -> Iterator[str]:
    if selectors and declarations:
        yield f"{', '.join(each.text for each in selectors)} {{{';'.join(declarations)}}}"
