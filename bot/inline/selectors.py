"""Selectors: which elements of a page one surely matches, and which it may match in some state or program.

A `static` selector is decided here and now. Of any other, everything that depends on a state is left out;
what is left matches all elements that it can ever match, which is enough to keep its rule's rank.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import tinycss2
from cssselect2 import ElementWrapper, SelectorError, compile_selector_list
from cssselect2.compiler import CompiledSelector
from cssselect2.parser import parse
from tinycss2.ast import FunctionBlock, LiteralToken, Node, SquareBracketsBlock

Specificity = tuple[int, int, int]
Tokens = list[Node]
Test = Callable[[ElementWrapper], bool]

_STATIC = {
    "root", "link", "any-link", "first-child", "last-child", "only-child",
    "first-of-type", "last-of-type", "only-of-type",
}  # fmt: skip
_STATES = {"hover", "active", "focus", "focus-visible", "focus-within", "visited", "target", "checked"}
_COUNTS = {"nth-child", "nth-last-child", "nth-of-type", "nth-last-of-type"}
_CHOICES = {"is", "where", "not"}
_OLD_PSEUDO_ELEMENTS = {"before", "after", "first-line", "first-letter"}
# The values of these are compared without regard to case (HTML, "Case-sensitivity of selectors").
_CASELESS = {
    "accept", "accept-charset", "align", "alink", "axis", "bgcolor", "charset", "checked", "clear",
    "codetype", "color", "compact", "declare", "defer", "dir", "direction", "disabled", "enctype", "face",
    "frame", "hreflang", "http-equiv", "lang", "language", "link", "media", "method", "multiple", "nohref",
    "noresize", "noshade",
    "nowrap", "readonly", "rel", "rev", "rules", "scope", "scrolling", "selected", "shape", "target", "text",
    "type", "valign", "valuetype", "vlink",
}  # fmt: skip
_WRITTEN = {"style", "bgcolor", "valign"}


@dataclass(frozen=True, slots=True, eq=False)
class Selector:
    """One selector of a rule."""

    text: str
    static: bool
    """Whether it is decided by the page alone."""
    known: bool
    """Whether every browser knows it, so that it cannot make its whole rule void."""
    specificity: Specificity | None
    """None where it is not known."""
    element: bool
    """Whether it is about an element, not about what is drawn in one (`::before`)."""
    with_styles: Test | None
    """Where it looks at an attribute that inlining writes: whether it matches an element as it now is."""
    matches: Test | None
    """None where it matches nothing."""
    subject: tuple[str, str]
    """What to look it up by: kind (`id`, `class`, `tag` or `any`) and name."""


def anything(_element: ElementWrapper) -> bool:
    """The test of a selector that matches every element."""
    return True


_UNREAD = Selector(
    text="",
    static=False,
    known=False,
    specificity=None,
    element=True,
    with_styles=None,
    matches=anything,
    subject=("any", ""),
)


@lru_cache(maxsize=512)
def read(text: str) -> tuple[Selector, ...]:
    """Read a list of selectors; of one that cannot be read, a browser may make anything."""
    try:
        return tuple(_selector(part) for part in _parts(tinycss2.parse_component_value_list(text)))
    except (SelectorError, NotImplementedError):
        return (replace(_UNREAD, text=text),)


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """All that a page has and a selector can name."""

    tags: frozenset[str]
    ids: frozenset[str]
    classes: frozenset[str]

    def of(self, names: frozenset[str]) -> "Vocabulary":
        """As much of it as is among some names."""
        return Vocabulary(self.tags & names, self.ids & names, self.classes & names)


def loosened(text: str, vocabulary: Vocabulary) -> tuple[tuple[str, str], Test] | None:
    """What a selector may match once a mail program has put the page into its own.

    A program adds ids, classes, attributes and elements around what it shows (`#MessageViewBody a`,
    `[data-ogsc] .x`): whatever the page does not have counts as added. None where nothing can be said.
    """
    return _loosened(text, vocabulary.of(_names_in(text)))


@lru_cache(maxsize=512)
def _names_in(text: str) -> frozenset[str]:
    """All that may be the name of an element, an ID or a class in a selector."""
    tokens = (node for node in tinycss2.parse_component_value_list(text) if node.type in {"ident", "hash"})
    return frozenset(name for node in tokens for name in (node.value, getattr(node, "lower_value", "")))


@lru_cache(maxsize=2048)
def _loosened(text: str, vocabulary: Vocabulary) -> tuple[tuple[str, str], Test] | None:
    seen = _Reading()
    tokens = _stripped(_present(tinycss2.parse_component_value_list(text), vocabulary))
    try:
        compiled = _compiled(tokens, seen)
    except (SelectorError, NotImplementedError):
        return None
    if not seen.element or compiled.never_matches:
        return None
    return _subject(compiled), anything if len(tokens) == 1 and tokens[0] == "*" else compiled.test


def _present(tokens: Sequence[Node], vocabulary: Vocabulary) -> Tokens:
    done: Tokens = []
    rest = list(tokens)
    while rest:
        node = rest.pop(0)
        if node == "." and rest and rest[0].type == "ident" and rest[0].value not in vocabulary.classes:
            rest.pop(0)
            done += _nothing(done, _Reading())
        elif node.type == "[] block" or (node.type == "hash" and node.value not in vocabulary.ids):
            done += _nothing(done, _Reading())
        elif node.type == "ident" and node.lower_value not in vocabulary.tags and not _is_named(done):
            done.append(LiteralToken(1, 1, "*"))
        else:
            done.append(node)
    return done


def _is_named(done: Tokens) -> bool:
    """Whether the identifier that comes next is the name of a class or of a pseudo-class."""
    return bool(done) and done[-1] in (".", ":")


def nested(text: str, parent: str) -> str:
    """A selector within a rule for `parent`, written as one that stands alone."""
    return ", ".join(_with_parent(part, parent) for part in _parts(tinycss2.parse_component_value_list(text)))


def _with_parent(part: Tokens, parent: str) -> str:
    part = _stripped(part)
    places = [number for number, node in enumerate(part) if node == "&"]
    alone = "," not in parent and ":" not in parent
    if places == [0] and alone and (len(part) == 1 or part[1].type != "ident"):
        return f"{parent}{tinycss2.serialize(part[1:])}"
    if not _mentions_parent(part):
        return f"{parent if alone else f':is({parent})'} {tinycss2.serialize(part)}"
    written = _put(part, tinycss2.parse_component_value_list(f":is({parent})"))
    return str(tinycss2.serialize(written))


def _mentions_parent(tokens: Sequence[Node]) -> bool:
    return any(
        node == "&" or (node.type == "function" and _mentions_parent(node.arguments)) for node in tokens
    )


def _put(tokens: Sequence[Node], parent: Tokens) -> Tokens:
    done: Tokens = []
    for node in tokens:
        if node == "&":
            done += parent
        elif node.type == "function":
            done.append(_function(node, _put(node.arguments, parent)))
        else:
            done.append(node)
    return done


# ------------------------------------------------------------------------------------------------- reading


def _parts(tokens: Sequence[Node]) -> Iterator[Tokens]:
    part: Tokens = []
    for node in tokens:
        if node == ",":
            yield part
            part = []
        else:
            part.append(node)
    yield part


def _stripped(tokens: Tokens) -> Tokens:
    blank = {"whitespace", "comment"}
    while tokens and tokens[0].type in blank:
        tokens = tokens[1:]
    while tokens and tokens[-1].type in blank:
        tokens = tokens[:-1]
    return tokens


class _Reading:
    """What was seen on the way through one selector."""

    def __init__(self, *, with_styles: bool = False) -> None:
        self.with_styles = with_styles
        """Whether attributes that inlining writes are looked at, or left out as states are."""
        self.static = self.known = self.element = self.measured = True
        self.reads_styles = False
        self.lost = 0
        """How many simple selectors were left out."""


def _selector(part: Tokens) -> Selector:
    part = _stripped(part)
    seen = _Reading()
    compiled = _compiled(part, seen)
    return Selector(
        text=tinycss2.serialize(part),
        static=seen.static,
        known=seen.known,
        specificity=_specificity(part, compiled.specificity, seen),
        element=seen.element,
        with_styles=_compiled(part, _Reading(with_styles=True)).test if seen.reads_styles else None,
        matches=compiled.test if seen.element and not compiled.never_matches else None,
        subject=_subject(compiled),
    )


def _compiled(part: Tokens, seen: _Reading) -> CompiledSelector:
    [compiled] = compile_selector_list(_relaxed(part, seen))
    return compiled


def _subject(compiled: CompiledSelector) -> tuple[str, str]:
    looks = {"id": compiled.id, "class": compiled.class_name, "tag": compiled.lower_local_name}
    return next(((kind, name) for kind, name in looks.items() if name is not None), ("any", ""))


def _specificity(part: Tokens, relaxed: Specificity, seen: _Reading) -> Specificity | None:
    if not seen.measured:
        return None
    if not seen.lost or not seen.element:
        return relaxed
    [parsed] = parse(part)
    a, b, c = parsed.specificity
    return a, b, c


def _relaxed(tokens: Sequence[Node], seen: _Reading) -> Tokens:
    """The selector without what a state decides, ready to be compiled."""
    done: Tokens = []
    rest = list(tokens)
    while rest:
        node = rest.pop(0)
        if node == ":":
            done += _pseudo(rest, seen) or _nothing(done, seen)
        elif node.type == "[] block":
            done += _attribute(node, seen) or _nothing(done, seen)
        else:
            done.append(node)
    return done


def _nothing(done: Tokens, seen: _Reading) -> Tokens:
    """What stands for a simple selector that was left out: where it stood alone, `*`."""
    seen.static = False
    seen.lost += 1
    alone = not done or done[-1].type == "whitespace" or done[-1] in (">", "+", "~", ",")
    return [LiteralToken(1, 1, "*")] if alone else []


def _pseudo(rest: Tokens, seen: _Reading) -> Tokens:
    """The pseudo-class that comes next, taken off `rest`; nothing where it cannot be decided."""
    if not rest:
        raise SelectorError(None, "a colon and nothing after it")
    node = rest.pop(0)
    if node == ":":
        return _pseudo_element(rest, seen)
    if node.type == "ident":
        return _named(node, seen)
    if node.type == "function":
        return _functional(node, seen)
    raise SelectorError(node, "no name after a colon")


def _pseudo_element(rest: Tokens, seen: _Reading) -> Tokens:
    if not rest:
        raise SelectorError(None, "two colons and nothing after them")
    node = rest.pop(0)
    seen.element = False
    seen.known &= node.type == "ident" and node.lower_value in _OLD_PSEUDO_ELEMENTS
    return []


def _named(node: Node, seen: _Reading) -> Tokens:
    name = node.lower_value
    if name in _STATIC:
        return [LiteralToken(1, 1, ":"), node]
    if name in _OLD_PSEUDO_ELEMENTS:
        seen.element = False
    elif name not in _STATES:
        seen.known = False
    return []


def _functional(node: FunctionBlock, seen: _Reading) -> Tokens:
    colon = LiteralToken(1, 1, ":")
    name = node.lower_name
    if name in _COUNTS and not _counts_some(node):
        return [colon, node]
    if name in _CHOICES:
        inner = _Reading(with_styles=seen.with_styles)
        arguments = _relaxed(node.arguments, inner)
        seen.reads_styles |= inner.reads_styles
        if inner.static and inner.element and not any(part == "*" for part in arguments):
            return [colon, _function(node, arguments)]
        seen.known &= inner.known
        return []
    seen.known = seen.measured = False
    seen.reads_styles |= any(name in tinycss2.serialize(node.arguments).lower() for name in _WRITTEN)
    return []


def _counts_some(node: FunctionBlock) -> bool:
    """Whether it counts only such siblings as match another selector: `:nth-child(2 of .a)`."""
    return any(part.type == "ident" and part.lower_value == "of" for part in node.arguments)


def _function(node: FunctionBlock, arguments: Tokens) -> FunctionBlock:
    return FunctionBlock(node.source_line, node.source_column, node.name, arguments)


def _attribute(node: SquareBracketsBlock, seen: _Reading) -> Tokens:
    """An attribute selector; where HTML says so, one that does not look at case."""
    content = _stripped(list(node.content))
    name = content[0].lower_value if content and content[0].type == "ident" else ""
    if name in _WRITTEN:
        seen.reads_styles = True
        if not seen.with_styles:
            return []
    last = content[-1].type if content else ""
    flagged = last == "ident" and len(content) > 1 and content[-2].type in {"whitespace", "string"}
    if name not in _CASELESS or len(content) < 3 or flagged:  # noqa: PLR2004 (name, operator, value)
        return [node]
    flag = tinycss2.parse_component_value_list(" i")
    return [SquareBracketsBlock(node.source_line, node.source_column, [*content, *flag])]
