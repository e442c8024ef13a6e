"""Which rules an element matches: surely, perhaps, or in some mail program only."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from cssselect2 import ElementWrapper
from lxml.etree import _Element

from bot.inline import selectors
from bot.inline.cascade import Case
from bot.inline.css import Rule, Sheet
from bot.inline.page import Page
from bot.inline.selectors import Selector, Test, Vocabulary, anything
from bot.inline.stylesheets import Branch, Met, Stylesheets

_Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Matched:
    """The elements of a page, each with its case, and what of the rules can leave the head."""

    elements: list[tuple[_Element, Case]]
    moved: frozenset[tuple[Rule, Selector]]

    def cases(self) -> tuple[Case, ...]:
        """The cases of the page, each once."""
        return tuple(dict.fromkeys(case for _, case in self.elements))


def match(page: Page, read: Stylesheets) -> Matched:
    """Hold every element of the page against every rule."""
    elements = list(ElementWrapper.from_html_root(page.root).iter_subtree())
    found = _found(elements, read.branches)
    matching = {branch for some in found for branch in some}
    idle = (branch for branch in read.branches if branch not in matching)
    hopes = list(_hopes(idle, _vocabulary(elements)))
    hoped = _found(elements, [branch for branch in hopes if branch.test is not anything])
    everywhere = tuple(branch.met for branch in hopes if branch.test is anything)
    return Matched(
        [
            (each.etree_element, case)
            for each, some, more in zip(elements, found, hoped, strict=True)
            if (case := _case(page, read, each, some + more, everywhere))
        ],
        frozenset((branch.rule, branch.selector) for branch in matching if branch.sure),
    )


def is_noticed(root: _Element, sheets: Iterable[Sheet], added: Mapping[_Element, dict[str, str]]) -> bool:
    """Whether a selector that looks at styles (`[style*="16px"]`) sees a difference; writes into the tree."""
    rules = (rule for sheet in sheets for rule in sheet.rules())
    tests = [each.with_styles for rule in rules for each in rule.selectors if each.with_styles]
    if not tests:
        return False
    before = _seen(root, tests)
    for element, attributes in added.items():
        _set(element, attributes)
    return before != _seen(root, tests)


def _set(element: _Element, attributes: dict[str, str]) -> None:
    for name, value in attributes.items():
        element.set(name, value)


def _seen(root: _Element, tests: Sequence[Test]) -> list[list[bool]]:
    return [
        [test(element) for test in tests] for element in ElementWrapper.from_html_root(root).iter_subtree()
    ]


def _case(
    page: Page,
    read: Stylesheets,
    wrapped: ElementWrapper,
    found: Iterable[Branch],
    everywhere: tuple[Met, ...],
) -> Case | None:
    """The case of an element; None where nobody says anything about it."""
    element = wrapped.etree_element
    own, met = element.get("style", ""), tuple(sorted(branch.met for branch in found))
    return read.case(page.takes_styles(element), own, met, everywhere) if met or everywhere or own else None


# ------------------------------------------------------------------------------------------------- branches


def _hopes(idle: Iterable[Branch], vocabulary: Vocabulary) -> Iterator[Branch]:
    """The branches that match nothing here, as they may match in a mail program."""
    for each in idle:
        if loose := selectors.loosened(each.selector.text, vocabulary):
            subject, test = loose
            yield Branch((each.met[0], True), each.rule, each.selector, test, subject, sure=False)


def _vocabulary(elements: Iterable[ElementWrapper]) -> Vocabulary:
    elements = list(elements)
    return Vocabulary(
        frozenset(each.local_name for each in elements),
        frozenset(each.id for each in elements if each.id),
        frozenset(name for each in elements for name in each.classes),
    )


def _found(elements: Iterable[ElementWrapper], branches: Sequence[Branch]) -> list[list[Branch]]:
    """The branches that each element matches."""
    lookup: dict[_Key, list[Branch]] = defaultdict(list)
    for branch in branches:
        lookup[branch.subject].append(branch)
    return [
        [branch for key in _keys(each) for branch in lookup.get(key, ()) if branch.test(each)]
        for each in elements
    ]


def _keys(element: ElementWrapper) -> list[_Key]:
    classes = [("class", name) for name in element.classes]
    return [("any", ""), ("tag", element.local_name), ("id", element.id or ""), *classes]
