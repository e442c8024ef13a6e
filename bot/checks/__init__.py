"""Is everything fit to go out? Settings, content and mails in, findings out; one file per family of rules.

A family is a module of this folder with a list `RULES`, and `LOOKS_AT`: whether they are about the `Material`
of an installation or about one `Mail`. A rule is a function from that to flaws; its first docstring line says
what it finds, its id is `family.name` and stays what it is for ever.
"""

import inspect
import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from importlib import import_module
from typing import Any, Generic, TypeVar

from bot import plugins
from bot.checks._answers import as_json, github
from bot.checks._mail import Mail
from bot.models import Entry, Finding, Issue, Severity
from bot.settings import Newsletter, Settings

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


@dataclass(frozen=True)  # without slots, so that rules can keep what they make of it once
class Material:
    """A configuration, and the content to look at."""

    settings: Settings
    issues: tuple[Issue, ...] = ()
    entries: Mapping[str, tuple[Entry, ...]] = field(default_factory=dict)
    """Single entries, by newsletter."""
    findings: tuple[Finding, ...] = ()
    """What reading the content has found already."""
    earlier: tuple[Issue, ...] = ()
    """Further issues of the same newsletters, only to compare with."""
    now: datetime | None = None
    """The present instant; without one, rules about time have nothing to say."""
    texts: Mapping[str, str] = field(default_factory=dict)
    """The text of each content file, its line ends plain, by its path as places name it."""

    @property
    def newsletters(self) -> tuple[Newsletter, ...]:
        return tuple(self.settings.newsletters.values())

    def spot(self, place: str, needle: str) -> str:
        """`file:line:column` of a needle at or after a place's line and before the next entry begins.

        The place itself where it is not found: a parser may have read the words otherwise than they are
        written. Lines and columns count from 1, columns in characters.
        """
        file, _, line = place.rpartition(":")
        if not needle or not line.isdecimal() or file not in self.texts:
            return place
        return next(_spots(file, self._lines[file], self._reach(file, int(line)), needle), place)

    @cached_property
    def _lines(self) -> "_Lines":
        return _Lines(self.texts)

    def _reach(self, file: str, line: int) -> range:
        """The lines of what begins at a line: up to the next entry, or to the file's end."""
        begins = self._begins[file]
        following = bisect_right(begins, line)
        end = begins[following] if following < len(begins) else len(self._lines[file]) + 1
        return range(line, end)

    @cached_property
    def _begins(self) -> Mapping[str, list[int]]:
        """The lines on which entries begin, by file, in order."""
        begins = defaultdict[str, list[int]](list)
        for entry, _ in self.all_entries():
            file, _, line = entry.place.rpartition(":")
            if line.isdecimal():
                begins[file].append(int(line))
        return defaultdict(list, {file: sorted(lines) for file, lines in begins.items()})

    def all_entries(self) -> Iterator[tuple[Entry, str | None]]:
        """Every entry, with the key of its issue if it is in an issue's file."""
        yield from ((entry, issue.key) for issue in self.issues for entry in issue.entries)
        yield from ((entry, None) for entries in self.entries.values() for entry in entries)


class _Lines(dict[str, list[str]]):
    """The lines of each text, divided when they are first asked for."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        super().__init__()
        self._texts = texts

    def __missing__(self, file: str) -> list[str]:
        self[file] = self._texts[file].split("\n")
        return self[file]


def _spots(file: str, lines: Sequence[str], reach: Iterable[int], needle: str) -> Iterator[str]:
    for number in reach:
        if number <= len(lines) and (column := lines[number - 1].find(needle)) >= 0:
            yield f"{file}:{number}:{column + 1}"


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
    example: str | Mapping[str, str] = field(default="", kw_only=True)
    """What makes it fire, put where it looks: one text, or several by the names of their files."""
    mend: str = field(default="", kw_only=True)
    """How such flaws are mended, in one sentence."""
    binding: bool = field(default=False, kw_only=True)
    """Whether it protects from harm, so that nobody can switch it off or make it milder."""

    @property
    def finds(self) -> str:
        """What it finds: the first sentence of its docstring."""
        return self._said[0]

    @property
    def why(self) -> str:
        """Why that is bad: the second paragraph of its docstring."""
        return self._said[1]

    @property
    def _said(self) -> tuple[str, str]:
        paragraphs = inspect.cleandoc(self.look.__doc__ or "").split("\n\n")
        first, second = (*(" ".join(one.split()) for one in paragraphs), "")[:2]
        return first, second

    def findings(self, given: T) -> Iterator[Finding]:
        yield from map(self.finding, self.look(given))

    def finding(self, flaw: Flaw) -> Finding:
        severity = flaw.severity or self.severity
        return Finding(self.id, severity, flaw.place, flaw.message, flaw.fix, flaw.issue)


def rules(about: type | None = None) -> tuple[Rule[Any], ...]:
    """Every rule of every family, sorted by id, or those that look at something of the type `about`."""
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


def _order(finding: Finding) -> tuple[str, int, int, int, str, str]:
    found = re.fullmatch(r"(.*?)(?::(\d+))?(?::(\d+))?", finding.place, re.DOTALL)
    file, line, column = found.groups() if found else (finding.place, None, None)
    severity = list(Severity).index(finding.severity)
    return file, int(line or 0), int(column or 0), severity, finding.rule, finding.message
