"""The cascade: what each element gets into its tag, and what must change in the head to look the same.

A declaration in a tag beats all in the head that are not important. So whatever stays in the head (a media
rule, a hovered link) and used to win must become important, and whatever used to lose must not. Where both
cannot be had, the declaration stays in the head for the elements concerned: always right, and rarely needed.

    rules × elements → Case (the rules that one kind of element matches)
    cases × families of properties → which become important, which stay → Plan
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain, combinations, product

from bot.inline.css import Declaration
from bot.inline.properties import EVERYTHING
from bot.inline.selectors import Specificity

Rank = tuple[bool, bool, int, Specificity, int]
"""Important, in a tag, layer, specificity, order: the higher wins."""

_NO_SPECIFICITY = (0, 0, 0)


@dataclass(frozen=True, slots=True)
class Claim:
    """A declaration, as far as it concerns one kind of element."""

    declaration: Declaration
    sure: bool
    """Whether it surely applies; if not, it depends on a state, a screen or a mail program."""
    rank: Rank | None
    """None where it is not known."""
    raisable: bool = False
    """Whether it can be made important without another change."""
    hoped: bool = False
    """Whether it applies to nothing here, but may in a mail program that puts something around the page."""


def claim(
    declaration: Declaration,
    specificity: Specificity | None,
    *,
    sure: bool,
    layered: bool = False,
    measured: bool = True,
    hoped: bool = False,
) -> Claim:
    """The claim of a declaration under a selector of this specificity."""
    layer = 0 if not layered else 1 if declaration.important else -1
    known = specificity is not None and measured
    rank = (
        (declaration.important, False, layer, specificity, declaration.order)
        if known and specificity is not None
        else None
    )
    raisable = not sure and known and not layered and not declaration.important
    return Claim(declaration, sure, rank, raisable, hoped)


def own_claim(declaration: Declaration) -> Claim:
    """The claim of a declaration in the element's own style attribute."""
    rank = (declaration.important, True, 0, _NO_SPECIFICITY, declaration.order)
    return Claim(declaration, sure=True, rank=rank)


@dataclass(frozen=True, eq=False)
class Case:
    """All that one kind of element is told: the same for every element that matches the same rules."""

    claims: tuple[Claim, ...]
    in_tag: bool = True
    """Whether it has a tag that a style attribute can be written into."""

    @cached_property
    def is_told(self) -> bool:
        """Whether any rule surely applies, besides what the element says itself."""
        return any(each.sure and not is_own(each) for each in self.claims)


@dataclass(frozen=True, eq=False)
class Contest:
    """The claims of one case on one family of properties."""

    case: Case
    claims: tuple[Claim, ...]

    @cached_property
    def sure(self) -> tuple[Claim, ...]:
        """What can go into the tag, lowest first, without what a value known to be good overrides."""
        return tuple(_live(sorted(_highest(each for each in self.claims if each.sure), key=_rank)))

    @cached_property
    def unsure(self) -> tuple[Claim, ...]:
        """What stays in the head."""
        return tuple(each for each in self.claims if not each.sure and not each.hoped)

    @cached_property
    def hoped(self) -> tuple[Claim, ...]:
        """What stays in the head for some mail program, and could win there."""
        return tuple(each for each in self.claims if each.hoped and each.raisable)

    @cached_property
    def is_measured(self) -> bool:
        """Whether all ranks are known."""
        return all(each.rank is not None for each in self.claims if not each.hoped)

    def needs(self) -> set[Declaration]:
        """What must become important, so as to win over the tag as it wins now."""
        return {
            each.declaration
            for each in self.unsure
            if not each.declaration.important and any(_rank(each) > _rank(sure) for sure in self.sure)
        }


@dataclass(frozen=True, slots=True)
class Styles:
    """What goes into the tag of a case, in its order, each with whether it is important there."""

    declarations: tuple[tuple[Declaration, bool], ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be done with a page."""

    styles: dict[Case, Styles]
    kept: frozenset[Declaration]
    """Declarations that stay in the head for some elements, though they go into the tags of others."""
    raised: frozenset[Declaration]
    """Declarations in the head that become important."""


@lru_cache(maxsize=64)
def plan(cases: tuple[Case, ...], animated: frozenset[str]) -> Plan:
    """Decide about all cases of a page; `animated` are the families that its animations set.

    Pages of one theme often have the same cases; a plan is not changed once it is made.
    """
    contests = list(_contests(cases))
    styles: dict[Case, list[tuple[Claim, bool]]] = {case: [] for case in cases}
    kept: set[Declaration] = set()
    raised: set[Declaration] = set()
    for name, about in contests:
        settled = _Settlement(about, is_animated=bool({name, EVERYTHING} & animated)).settle()
        kept |= settled.kept
        raised |= settled.raised
        for contest in about:
            styles[contest.case] += settled.in_tag(contest)
    return Plan({case: _styles(found) for case, found in styles.items()}, frozenset(kept), frozenset(raised))


def _styles(found: list[tuple[Claim, bool]]) -> Styles:
    ordered = sorted(found, key=lambda each: (each[1], _rank(each[0])))
    return Styles(tuple((each.declaration, important) for each, important in ordered))


def _contests(cases: Iterable[Case]) -> Iterator[tuple[str, list[Contest]]]:
    """The contests of a page, family by family; one family only, where `all` is used."""
    families = {each.declaration.family for case in cases for each in case.claims}
    merged = EVERYTHING in families
    about: dict[str, list[Contest]] = defaultdict(list)
    for case in cases:
        claims: dict[str, list[Claim]] = defaultdict(list)
        for each in case.claims:
            name = each.declaration.family
            claims[EVERYTHING if merged and not name.startswith("--") else name].append(each)
        for name, some in claims.items():
            about[name].append(Contest(case, tuple(some)))
    yield from about.items()


def _rank(each: Claim) -> Rank:
    if each.rank is None:
        raise ValueError("a claim without rank cannot be compared")
    return each.rank


def _highest(claims: Iterable[Claim]) -> Iterable[Claim]:
    """Of one declaration under several selectors, the claim that counts."""
    found: dict[Declaration, Claim] = {}
    for each in claims:
        other = found.get(each.declaration)
        if other is None or _rank(each) > _rank(other):
            found[each.declaration] = each
    return found.values()


def _live(claims: list[Claim]) -> Iterator[Claim]:
    for number, each in enumerate(claims):
        later = (one.declaration for one in claims[number + 1 :])
        if not any(one.sure and one.name == each.declaration.name for one in later):
            yield each


# ---------------------------------------------------------------------------------------- one family settled


class _Settlement:
    """The search for what must become important and what must stay in the head, for one family of properties.

    It starts from all in tags and gives up one thing a round, so it ends: at the latest with all in the head.
    """

    def __init__(self, contests: list[Contest], *, is_animated: bool) -> None:
        self.contests = contests
        self.is_animated = is_animated
        unsure = [each for contest in contests for each in contest.unsure]
        # An animation wins over all but what is important, so that nothing animated may become so.
        self.stuck = {each.declaration for each in unsure if is_animated or not each.raisable}
        self.staying = {contest for contest in contests if not contest.case.in_tag or not contest.is_measured}
        self.raised: set[Declaration] = set()
        self.kept: set[Declaration] = set()

    def settle(self) -> "_Settlement":
        """Give up as little as needed."""
        while self._gave_up_something():
            pass
        self.raised |= self._hoped()
        return self

    def _hoped(self) -> set[Declaration]:
        """What is for some mail program, and would lose to tags there though it did not before.

        It matches nothing in the page as it is, so that nothing else is given up for it.
        """
        wins: set[Declaration] = set()
        loses = {each.declaration for contest in self.contests for each in contest.unsure}
        for contest in self.contests:
            for hoped, sure in product(contest.hoped, contest.sure):
                (wins if _rank(hoped) > _rank(sure) else loses).add(hoped.declaration)
        return wins - loses

    def _gave_up_something(self) -> bool:
        self._spread()
        broken = {contest: set(self._broken(contest)) for contest in self.contests}
        stuck = self.raised & set(chain.from_iterable(broken.values()))
        staying = {contest for contest, some in broken.items() if some} - self.staying
        if stuck:
            self.stuck |= stuck
        else:
            self.staying |= staying
        return bool(stuck or staying)

    def _spread(self) -> None:
        """What follows from what is stuck and what stays."""
        needs = {contest: contest.needs() for contest in self.contests if contest not in self.staying}
        self.staying |= {contest for contest, some in needs.items() if some & self.stuck}
        self.raised = {
            each for contest, some in needs.items() if contest not in self.staying for each in some
        }
        self.kept = {
            each.declaration
            for contest in self.staying
            for each in contest.claims
            if each.sure and not is_own(each)
        }

    def in_tag(self, contest: Contest) -> list[tuple[Claim, bool]]:
        """What goes into the tag, each with whether it is important there."""
        if contest not in self.staying:
            return [(each, self._is_important(contest, each)) for each in contest.sure]
        own = (each for each in contest.claims if is_own(each))
        return [(each, each.declaration.important) for each in own]

    def _is_important(self, contest: Contest, sure: Claim) -> bool:
        """A word `!important` in the tag: to win over what is below, unless something must win over it."""
        above = any(_rank(each) > _rank(sure) for each in contest.unsure)
        below = any(_rank(each) < _rank(sure) and self._is_strong(each) for each in contest.unsure)
        return (sure.declaration.important or below) and not above

    def _is_strong(self, each: Claim) -> bool:
        return each.declaration.important or each.declaration in self.raised

    def _broken(self, contest: Contest) -> Iterator[Declaration]:
        """The declarations that would change places in the cascade."""
        if not contest.is_measured:
            yield from (each.declaration for each in contest.unsure)
            return
        ranks = self._ranks(contest)
        for low, high in combinations(sorted(ranks, key=_rank), 2):
            if ranks[low] > ranks[high]:
                yield low.declaration
                yield high.declaration
        if contest not in self.staying:
            yield from self._loud(contest)

    def _ranks(self, contest: Contest) -> dict[Claim, Rank]:
        """The ranks as they will be."""
        ranks = {each: _raised(each) if self._is_strong(each) else _rank(each) for each in contest.unsure}
        if contest in self.staying:
            return ranks | {each: _rank(each) for each in contest.sure}
        for place, each in enumerate(contest.sure):
            ranks[each] = (self._is_important(contest, each), True, 0, _NO_SPECIFICITY, place)
        return ranks

    def _loud(self, contest: Contest) -> Iterator[Declaration]:
        """What changes importance though it must not, or loses to what other elements keep in the head."""
        kept = [
            _rank(each)
            for each in contest.claims
            if each.sure and each.declaration.important and each.declaration in self.kept
        ]
        for each in contest.sure:
            important = self._is_important(contest, each)
            changed = self.is_animated and important != each.declaration.important
            if changed or (not important and any(rank < _rank(each) for rank in kept)):
                yield each.declaration


def is_own(each: Claim) -> bool:
    """Whether it is of the element's own style attribute."""
    return each.sure and each.rank is not None and each.rank[1]


def _raised(each: Claim) -> Rank:
    _, in_tag, layer, specificity, order = _rank(each)
    return True, in_tag, layer, specificity, order
