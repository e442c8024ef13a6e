"""Sources: what turns something outside into issues, one file each, found by its name.

A source that can be imported from has two functions, those of `Source`; one without them (our own content
format) is no kind of import. Which kind a file is of, is settled by asking all of them.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, tzinfo
from typing import Protocol

from bot.models import Entry, Issue, Section, Week
from bot.sources._dates import Dates, Span
from bot.text import Blocks

UNKNOWN, POSSIBLE, LIKELY, CERTAIN = range(4)
"""How sure a source is that a text is of its kind."""


@dataclass(frozen=True, slots=True)
class Given:
    """What the person who imports says of a file, since the file may not say it."""

    newsletter: str
    name: str
    """The file's name, without its folder."""
    week: Week | None = None
    year: int | None = None
    """The year of dates that name none."""
    zone: tzinfo = UTC
    """In which an instant falls into a week."""

    def place(self, line: int | None) -> str:
        """`README.md:12`, for messages."""
        return self.name if line is None else f"{self.name}:{line}"


@dataclass(frozen=True, slots=True)
class Doubt:
    """Something a person should look at: what was found, and what was made of it."""

    line: int | None
    """Counts from 1; None where the text has no lines of its own (JSON)."""
    what: str


@dataclass(frozen=True, slots=True)
class Left:
    """Words of the input that became part of no issue."""

    line: int | None
    text: str


@dataclass(frozen=True, slots=True)
class Found:
    """One issue as it stands in the input; without a week as long as nothing says which."""

    title: str
    sections: tuple[Section, ...]
    line: int | None = None
    week: Week | None = None
    span: Span | None = None
    """The days it says it covers."""
    dates: Dates | None = None
    """The same days, where no year is known."""
    intro: Blocks = ()
    doubts: tuple[Doubt, ...] = ()
    undated: str = ""
    """Why there is no week."""

    @property
    def entries(self) -> tuple[Entry, ...]:
        return tuple(entry for section in self.sections for entry in section.entries)

    def issue(self, given: Given, week: Week) -> Issue:
        """The issue of that week."""
        place = given.place(self.line)
        return Issue(given.newsletter, week, self.title, self.sections, intro=self.intro, place=place)


@dataclass(frozen=True, slots=True)
class Reading:
    """All that a source made of a text: issues, and whatever is in none of them."""

    issues: tuple[Found, ...] = ()
    doubts: tuple[Doubt, ...] = ()
    left: tuple[Left, ...] = ()
    several: bool = False
    """Whether this kind of file holds issues of many weeks."""


class Source(Protocol):
    """A module of this folder that can be imported from."""

    @staticmethod
    def recognises(name: str, text: str) -> int:
        """How sure it is that the text is of its kind: UNKNOWN, POSSIBLE, LIKELY or CERTAIN."""

    @staticmethod
    def read(text: str, given: Given) -> Reading:
        """The issues in a text; InputError where it is not of this kind at all."""


def lines_of(text: str) -> Iterator[tuple[int, str]]:
    """The lines with their numbers as editors count them: U+2028, form feeds and the like end no line."""
    yield from enumerate(text.split("\n"), start=1)
