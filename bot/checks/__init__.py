"""Is everything fit to go out? Whatever is to go out in, findings out; one file per family of rules.

A family is a module of this folder with a list `RULES`, and `LOOKS_AT`: the type of what they look at, such
as the `Material` of an installation or one `Mail`. A rule is a function from that to flaws. Its docstring
says what it finds, and below that why it is bad; its id is `family.name` and stays what it is for ever.

    subjects → the rules that look at their types → what newsletters and issues say of those → findings
"""

import traceback
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

from bot import plugins
from bot.checks._answers import as_json, github
from bot.checks._mail import Mail
from bot.checks._material import Material
from bot.checks._places import Spot, located
from bot.checks._posts import Posts
from bot.checks._rules import Flaw, Rule, Subject
from bot.checks._web import Answer, Fault, Step, Web, to_ask
from bot.checks._words import LEVELS, Words, refused
from bot.models import Finding, Severity

__all__ = [
    "LEVELS",
    "Answer",
    "Fault",
    "Flaw",
    "Mail",
    "Material",
    "Posts",
    "Rule",
    "Spot",
    "Step",
    "Subject",
    "Web",
    "as_json",
    "asked",
    "github",
    "in_order",
    "known",
    "located",
    "look",
    "refusal",
    "rules",
    "to_ask",
]

_BOT = Path(__file__).parents[1]
T = TypeVar("T", bound=Subject)


# --------------------------------------------------------------------------------------------------- rules


def failed(_subject: Subject) -> Iterator[Flaw]:
    """A check failed itself: what it looks for may be there or not.

    The other checks have done their work all the same. The fault is in Broadsheet, not in what was looked at;
    but nothing goes out that could not be looked at.
    """
    return iter(())


FAILED = Rule(
    "checks.failed",
    Severity.ERROR,
    failed,
    mend="Report it with the place; until it is mended, switch the check that failed off.",
    example="error bot/checks/links.py:12: check links.shortener failed: KeyError",
    binding=True,
)


@cache
def rules(about: type | None = None) -> tuple[Rule[Any], ...]:
    """Every rule of every family, sorted by id, or those that look at something of the type `about`."""
    families = [import_module(f"bot.checks.{family}") for family in plugins.kinds("checks")]
    chosen = [rule for family in families if about in {None, family.LOOKS_AT} for rule in family.RULES]
    return tuple(sorted([*chosen, *([FAILED] if about is None else [])], key=lambda rule: rule.id))


@cache
def known() -> Mapping[str, Rule[Any]]:
    """Every rule by its id."""
    return {rule.id: rule for rule in rules()}


def refusal(name: str, word: str) -> tuple[str, str] | None:
    """What is wrong with saying `word` of the rule `name`, and how to mend it; None where it can be said."""
    return refused(name, word, known())


# --------------------------------------------------------------------------------------------------- looking


def look(*subjects: Subject) -> list[Finding]:
    """What every rule finds in the subjects, as bad as their newsletters and issues take it, in order."""
    words = Words(
        (newsletter for subject in subjects for newsletter in subject.newsletters),
        (issue for subject in subjects for issue in subject.issues),
    )
    found = (one for subject in subjects for one in asked(rules(type(subject)), subject, words))
    return in_order([*found, *_of_no_rule(subjects)])


def _of_no_rule(subjects: Iterable[Subject]) -> Iterator[Finding]:
    """What was found before, under ids that are no rule's."""
    materials = (subject for subject in subjects if isinstance(subject, Material))
    return (one for material in materials for one in material.findings if one.rule not in known())


def asked(family: Iterable[Rule[T]], subject: T, words: Words) -> Iterator[Finding]:
    """What some rules find in a subject; one that fails is a finding and hides no other."""
    for rule in family:
        if words.asks(rule):
            yield from filter(None, (words.heard(rule, one) for one in _tried(rule, subject)))


def _tried(rule: Rule[T], subject: T) -> Iterator[Finding]:
    try:
        yield from rule.findings(subject)
    except Exception as error:  # noqa: BLE001 (whatever it is, the other rules go on and an issue is held)
        issue = subject.issues[0].key if len(subject.issues) == 1 else None
        yield FAILED.finding(_failure(rule, error, issue))


def _failure(rule: Rule[Any], error: Exception, issue: str | None) -> Flaw:
    """Where in our code a rule failed, and of what; not the error's words, which may hold anything."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if Path(frame.filename).is_relative_to(_BOT)] or frames
    file = Path(ours[-1].filename)
    place = f"bot/{file.relative_to(_BOT).as_posix()}" if file.is_relative_to(_BOT) else file.name
    fix = f'report it; until then, switch it off: "{rule.id}" = "off"'
    return Flaw(f"{place}:{ours[-1].lineno}", f"check {rule.id} failed: {type(error).__name__}", fix, issue)


# --------------------------------------------------------------------------------------------------- order


def in_order(findings: Iterable[Finding]) -> list[Finding]:
    """Findings by place, then by how bad they are, each once.

    What is the matter with many issues in the same words is said of all together.
    """
    return sorted(_told_once(findings), key=_order)


def _told_once(findings: Iterable[Finding]) -> Iterator[Finding]:
    issues = defaultdict[Finding, list[str]](list)
    for finding in dict.fromkeys(findings):
        issues[replace(finding, issue=None)].append(finding.issue or "")
    for finding, (first, *others) in issues.items():
        if others:
            yield replace(finding, message=f"{finding.message} (in {len(others) + 1} issues)")
        else:
            yield replace(finding, issue=first or None)


def _order(finding: Finding) -> tuple[Spot, int, str, str]:
    severity = list(Severity).index(finding.severity)
    return located(finding.place), severity, finding.rule, finding.message
