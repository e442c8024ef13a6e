"""The style sheets of a page and all that follows from them alone: read once for all issues of a theme."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import count

from bot.inline import css
from bot.inline.cascade import Case, Claim, claim, own_claim
from bot.inline.css import Rule, Sheet
from bot.inline.selectors import Selector, Test

_MOST_SHEETS = 8
_MOST_CASES = 2048
"""Of as many pages and cases the last are remembered, for a process that runs for months."""

Met = tuple[int, bool]
"""A branch by its number, and whether it is only hoped to match."""


@dataclass(frozen=True, slots=True, eq=False)
class Branch:
    """One selector of one rule."""

    met: Met
    rule: Rule
    selector: Selector
    test: Test
    subject: tuple[str, str]
    sure: bool

    def claims(self, *, hoped: bool) -> Iterator[Claim]:
        """What it claims of the elements that it matches, or may match in a mail program."""
        for each in self.rule.declarations:
            yield claim(
                each,
                self.selector.specificity,
                sure=self.sure and not hoped,
                layered=self.rule.layered,
                measured=self.rule.measured,
                hoped=hoped,
            )


@dataclass(frozen=True, slots=True, eq=False)
class Stylesheets:
    """All style blocks of a page, in order."""

    sheets: tuple[Sheet, ...]
    branches: tuple[Branch, ...]
    """By their numbers."""
    animated: frozenset[str]
    """The families of the properties that animations set."""
    case: Callable[[bool, str, tuple[Met, ...], tuple[Met, ...]], Case]
    """The case of all elements that can take styles or not, have this `style`, and met these branches.

    Those that every element of the page meets come apart, for they are many.
    """


@lru_cache(maxsize=_MOST_SHEETS)
def read(blocks: tuple[tuple[str, bool], ...]) -> Stylesheets:
    """Read the style blocks of a page, each with whether its rules stay in the head."""
    order = count()
    sheets = tuple(css.read(text, order, stays=stays) for text, stays in blocks)
    branches = tuple(_branches(sheets))
    animated = frozenset(name for sheet in sheets for name in sheet.animated())

    @lru_cache(maxsize=_MOST_CASES)
    def case(in_tag: bool, own: str, met: tuple[Met, ...], everywhere: tuple[Met, ...]) -> Case:  # noqa: FBT001 (a cache's key has no names)
        claims = [
            each for number, hoped in (*met, *everywhere) for each in branches[number].claims(hoped=hoped)
        ]
        claims += [own_claim(each) for each in css.read_attribute(own, order)]
        return Case(tuple(claims), in_tag)

    return Stylesheets(sheets, branches, animated, case)


def _branches(sheets: Iterable[Sheet]) -> Iterator[Branch]:
    numbers = count()
    for rule in (rule for sheet in sheets for rule in sheet.rules()):
        movable = rule.movable()
        for each in rule.selectors:
            if each.matches:
                yield Branch((next(numbers), False), rule, each, each.matches, each.subject, each in movable)
