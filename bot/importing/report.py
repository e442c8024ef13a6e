"""What an import did: per issue what came in, what became of it, and every doubt with its line."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from bot.importing.links import urls_in
from bot.sources import Doubt, Found, Left, Reading
from bot.text import Block, Bullets, Quote


class State(StrEnum):
    """What became of an issue that an import brought."""

    NEW = "new"
    """Written; in a dry run: it would be."""
    UNCHANGED = "unchanged"
    """Already there, word for word and mark for mark."""
    SAME = "same"
    """Already there in another form that holds all of it; kept as it is."""
    DIFFERS = "differs"
    """There is other content for this week; kept as it is, for a person to decide."""
    REFUSED = "refused"
    """Not written: nothing says which week it is of, or its content cannot be a file of ours."""


@dataclass(frozen=True, slots=True)
class Counts:
    """What came in."""

    entries: int = 0
    links: int = 0
    """Of the entries' lines of links."""
    text_links: int = 0
    """Within texts."""
    bullets: int = 0

    def __add__(self, other: "Counts") -> "Counts":
        mine, theirs = asdict(self), asdict(other)
        return Counts(**{name: mine[name] + theirs[name] for name in mine})


@dataclass(frozen=True, slots=True)
class Outcome:
    """One issue of an import."""

    found: Found
    week: str | None
    state: State
    counts: Counts
    file: str | None = None
    """Where the content is: written now, or there before."""
    differences: tuple[str, ...] = ()
    """How what is there differs from what came in."""
    doubts: tuple[Doubt, ...] = ()


@dataclass(frozen=True, slots=True)
class ImportReport:
    """An import: its issues, and what of the input is in none of them."""

    file: str
    kind: str
    newsletter: str
    dry_run: bool
    issues: tuple[Outcome, ...]
    doubts: tuple[Doubt, ...]
    left: tuple[Left, ...]

    @property
    def clean(self) -> bool:
        """Whether all that came in is in content files now: nothing refused, nothing different."""
        return not any(outcome.state in {State.REFUSED, State.DIFFERS} for outcome in self.issues)

    @property
    def totals(self) -> Counts:
        return sum((outcome.counts for outcome in self.issues), Counts())

    @property
    def states(self) -> dict[str, int]:
        """How many issues are in each state; states that no issue is in are left out."""
        return dict(Counter(str(outcome.state) for outcome in self.issues))

    def document(self) -> dict[str, Any]:
        """The report as the JSON document of `--format json`."""
        return {
            "file": self.file,
            "kind": self.kind,
            "newsletter": self.newsletter,
            "dry_run": self.dry_run,
            "totals": {"issues": len(self.issues), **asdict(self.totals), "states": self.states},
            "issues": [_issue(outcome) for outcome in self.issues],
            "doubts": _doubts(self.doubts),
            "left": [{"line": left.line, "what": left.text} for left in self.left],
        }


def report_of(
    reading: Reading, outcomes: Iterable[Outcome], *, file: str, kind: str, newsletter: str, dry_run: bool
) -> ImportReport:
    """The report of one file."""
    return ImportReport(file, kind, newsletter, dry_run, tuple(outcomes), reading.doubts, reading.left)


def counts_of(found: Found) -> Counts:
    """What an issue holds."""
    blocks = [block for entry in found.entries for block in entry.blocks]
    return Counts(
        entries=len(found.entries),
        links=sum(len(entry.references) for entry in found.entries),
        text_links=len(list(urls_in([*found.intro, *blocks]))),
        bullets=_bullets(blocks),
    )


def _bullets(blocks: Iterable[Block]) -> int:
    total = 0
    for block in blocks:
        if isinstance(block, Bullets):
            total += len(block.items) + sum(_bullets(element) for element in block.items)
        elif isinstance(block, Quote):
            total += _bullets(block.children)
    return total


def _issue(outcome: Outcome) -> dict[str, Any]:
    found = outcome.found
    span = [found.span.start.isoformat(), found.span.end.isoformat()] if found.span else None
    return {
        "week": outcome.week,
        "range": span,
        "title": found.title,
        "line": found.line,
        "state": str(outcome.state),
        "file": outcome.file,
        **asdict(outcome.counts),
        "differences": list(outcome.differences),
        "doubts": _doubts(outcome.doubts),
    }


def _doubts(doubts: Iterable[Doubt]) -> list[dict[str, Any]]:
    return [{"line": doubt.line, "what": doubt.what} for doubt in doubts]
