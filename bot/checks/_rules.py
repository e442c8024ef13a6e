"""What a rule is, and what it finds."""

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from bot.models import Edit, Finding, Issue, Severity
from bot.settings import Newsletter

T = TypeVar("T")
"""What a rule looks at."""


class Subject(Protocol):
    """What rules can look at; the newsletters and issues it is about have their say about the rules."""

    @property
    def newsletters(self) -> Sequence[Newsletter]: ...

    @property
    def issues(self) -> Sequence[Issue]: ...


@dataclass(frozen=True, slots=True)
class Flaw:
    """One thing that a rule found; the rule adds its id and how bad it is."""

    place: str
    message: str
    fix: str = ""
    issue: str | None = None
    severity: Severity | None = None
    """Where this one is not as bad as its rule says."""
    edits: tuple[Edit, ...] = ()
    """How to mend it without judgement, where that can be."""


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
        """What it finds: the first paragraph of its docstring, one sentence."""
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

    def findings(self, subject: T) -> Iterator[Finding]:
        """What it finds in a subject, at the severities it has by itself."""
        yield from map(self.finding, self.look(subject))

    def finding(self, flaw: Flaw) -> Finding:
        severity = flaw.severity or self.severity
        return Finding(self.id, severity, flaw.place, flaw.message, flaw.fix, flaw.issue, flaw.edits)
