"""Is everything fit to go out? Settings and content in, findings out; one file per family of rules.

A family is a module of this folder with a list `RULES`. A rule is a function from `Material` to flaws; its
first docstring line says what it finds, its id is `family.name` and stays what it is for ever.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module

from bot import plugins
from bot.checks._answers import as_json, github
from bot.models import Entry, Finding, Issue, Severity
from bot.settings import Settings

__all__ = ["Flaw", "Material", "Rule", "as_json", "github", "reference", "rules", "run"]


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


@dataclass(frozen=True, slots=True)
class Rule:
    """One thing to look for, under a stable id."""

    id: str
    severity: Severity
    look: Callable[[Material], Iterator[Flaw]]

    @property
    def finds(self) -> str:
        """What it finds, in one sentence."""
        return (self.look.__doc__ or "").partition("\n")[0]

    def findings(self, material: Material) -> Iterator[Finding]:
        for flaw in self.look(material):
            yield Finding(self.id, self.severity, flaw.place, flaw.message, flaw.fix, flaw.issue)


def rules() -> tuple[Rule, ...]:
    """Every rule of every family, sorted by id."""
    families = [import_module(f"bot.checks.{family}") for family in plugins.kinds("checks")]
    return tuple(sorted((rule for family in families for rule in family.RULES), key=lambda rule: rule.id))


def run(material: Material, *, only: Collection[str] = ()) -> list[Finding]:
    """Every finding, in a stable order: by place, then by how bad it is.

    `only` names issues by key: then of the content, what concerns those.
    """
    found = [finding for rule in rules() for finding in rule.findings(material)]
    wanted = (one for one in (*material.findings, *found) if _concerns(one, only))
    return sorted(dict.fromkeys(wanted), key=_order)


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
