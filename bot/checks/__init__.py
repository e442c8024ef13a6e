"""Is everything fit to go out? Settings, content and mails in, findings out; one file per family of rules.

A family is a module of this folder with a list `RULES`, and `LOOKS_AT`: whether they are about the `Material`
of an installation or about one `Mail`. A rule is a function from that to flaws; its first docstring line says
what it finds, its id is `family.name` and stays what it is for ever.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any, Generic, TypeVar

from bot import plugins
from bot.checks._answers import as_json, github
from bot.checks._mail import Mail
from bot.models import Entry, Finding, Issue, Severity
from bot.settings import Settings

__all__ = [
    "Flaw",
    "Mail",
    "Material",
    "Rule",
    "as_json",
    "github",
    "judge",
    "reference",
    "rules",
    "run",
]

T = TypeVar("T")
"""What a rule looks at."""


@dataclass(frozen=True, slots=True)
class Material:
    """What is looked at."""

    settings: Settings
    issues: tuple[Issue, ...] = ()
    entries: Mapping[str, tuple[Entry, ...]] = field(default_factory=dict)
    """Single entries, by newsletter."""
    findings: tuple[Finding, ...] = ()
    """What reading the content has found already."""

    def all_entries(self) -> Iterator[tuple[Entry, str | None]]:
        """Every entry, with the key of its issue if it is in an issue's file."""
        yield from ((entry, issue.key) for issue in self.issues for entry in issue.entries)
        yield from ((entry, None) for entries in self.entries.values() for entry in entries)


@dataclass(frozen=True, slots=True)
class Flaw:
    """One thing that a rule found; the rule adds its id and how bad it is."""

    place: str
    message: str
    fix: str = ""
    issue: str | None = None
    severity: Severity | None = None
    """Where this one is not as bad as its rule says."""


@dataclass(frozen=True, slots=True)
class Rule(Generic[T]):
    """One thing to look for, under a stable id."""

    id: str
    severity: Severity
    """How bad it is, at its worst."""
    look: Callable[[T], Iterator[Flaw]]

    @property
    def finds(self) -> str:
        """What it finds, in one sentence."""
        return (self.look.__doc__ or "").partition("\n")[0]

    def findings(self, given: T) -> Iterator[Finding]:
        yield from map(self.finding, self.look(given))

    def finding(self, flaw: Flaw) -> Finding:
        severity = flaw.severity or self.severity
        return Finding(self.id, severity, flaw.place, flaw.message, flaw.fix, flaw.issue)


def rules(about: type | None = None) -> tuple[Rule[Any], ...]:
    """Every rule of every family, sorted by id, or those `about` Material or Mail."""
    families = [import_module(f"bot.checks.{family}") for family in plugins.kinds("checks")]
    chosen = [family for family in families if about in {None, family.LOOKS_AT}]
    return tuple(sorted((rule for family in chosen for rule in family.RULES), key=lambda rule: rule.id))


def run(material: Material, *, only: Collection[str] = ()) -> list[Finding]:
    """Every finding, in a stable order: by place, then by how bad it is.

    `only` names issues by key: then of the content, what concerns those.
    """
    found = [finding for rule in rules(Material) for finding in rule.findings(material)]
    wanted = (one for one in (*material.findings, *found) if _concerns(one, only))
    return sorted(_told_once(wanted), key=_order)


def judge(mail: Mail) -> list[Finding]:
    """Every finding of one issue as mail, in the order of `run`."""
    return sorted((finding for rule in rules(Mail) for finding in rule.findings(mail)), key=_order)


def _told_once(findings: Iterable[Finding]) -> Iterator[Finding]:
    """Each finding once; what is the matter with many issues in the same words is said of all together."""
    issues = defaultdict[Finding, list[str]](list)
    for finding in dict.fromkeys(findings):
        issues[replace(finding, issue=None)].append(finding.issue or "")
    for finding, (first, *others) in issues.items():
        if others:
            yield replace(finding, message=f"{finding.message} (in {len(others) + 1} issues)")
        else:
            yield replace(finding, issue=first or None)


def reference() -> str:
    """The rules as a Markdown table, for the reference pages."""
    lines = [f"| `{rule.id}` | {rule.severity} | {rule.finds} |" for rule in rules()]
    return "\n".join(("| rule | severity | finds |", "| --- | --- | --- |", *lines, ""))


def _concerns(finding: Finding, only: Collection[str]) -> bool:
    return not only or finding.issue in only or finding.rule.partition(".")[0] == "config"


def _order(finding: Finding) -> tuple[str, int, int, str, str]:
    found = re.fullmatch(r"(.*?)(?::(\d+))?", finding.place, re.DOTALL)
    file, line = found.groups() if found else (finding.place, None)
    return file, int(line or 0), list(Severity).index(finding.severity), finding.rule, finding.message
