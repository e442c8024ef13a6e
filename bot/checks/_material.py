"""The configuration and the content, as the rules about them look at both."""

import re
import sys
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property

from bot.checks._links import Seen, links_of
from bot.checks._passages import Passage, passages_of
from bot.checks._places import located
from bot.checks._rules import Flaw
from bot.models import Entry, Finding, Issue
from bot.settings import Newsletter, Settings

_BLANK = r"(?:[ \t]+|[ \t]*\n[ \t>]*)"
"""What stands between two words of one text: blanks, or a line end and what begins the next line."""

_SOUGHT = 500
"""Characters of a needle that are looked for: where they stand, it begins."""


@dataclass(frozen=True)  # without slots, so that what is made of it once can be kept
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

    def all_entries(self) -> Iterator[tuple[Entry, str | None]]:
        """Every entry, with the key of its issue if it is in an issue's file."""
        yield from ((entry, issue.key) for issue in self.issues for entry in issue.entries)
        yield from ((entry, None) for entries in self.entries.values() for entry in entries)

    def read(self, rule: str) -> Iterator[Flaw]:
        """What reading the content has found under the id of a rule."""
        for one in self.findings:
            if one.rule == rule:
                yield Flaw(one.place, one.message, one.fix, one.issue, one.severity)

    @cached_property
    def links(self) -> tuple[Seen, ...]:
        """Every link, of the issues and the single entries, as it stands in its file."""
        return tuple(links_of(self))

    @cached_property
    def passages(self) -> tuple[Passage, ...]:
        """Every stretch of visible words, of the issues and the single entries."""
        return tuple(passages_of(self))

    def spot(self, place: str, needle: str) -> str:
        """`file:line:column` of a needle at or after a place's line and before the next entry begins.

        A blank in the needle stands for blanks or one line end, since words wrap. The place itself where the
        needle is not found: words may be read otherwise than they are written. Lines and columns count from
        1, columns in characters.
        """
        file, _, line = place.rpartition(":")
        if not needle.strip() or not line.isdecimal() or file not in self.texts:
            return place
        starts = self._starts_of(file)
        begin, end = (starts[min(number, len(starts)) - 1] for number in self._reach(file, max(int(line), 1)))
        at = _index(self.texts[file], needle[:_SOUGHT], begin, end)
        if at is None:
            return place
        found = bisect_right(starts, at)
        return f"{file}:{found}:{at - starts[found - 1] + 1}"

    def further(self, place: str, words: str, by: int) -> str:
        """Where words stand in the line of a place, at least `by` characters behind it; else that place."""
        file, line, column = located(place)
        if not column or file not in self.texts:
            return place
        starts = self._starts_of(file)
        at = self.texts[file].find(words, starts[line - 1] + column - 1 + by, starts[line])
        return place if at < 0 else f"{file}:{line}:{at - starts[line - 1] + 1}"

    def _starts_of(self, file: str) -> Sequence[int]:
        """Where each line of a text starts, and after the last one where the text ends."""
        if file not in self._starts:
            text = self.texts[file]
            ends = (found.end() for found in re.finditer("\n", text))
            self._starts[file] = [0, *ends, len(text) + 1]
        return self._starts[file]

    @cached_property
    def _starts(self) -> dict[str, list[int]]:
        """Those of the texts that were asked for."""
        return {}

    def _reach(self, file: str, line: int) -> tuple[int, int]:
        """The line of what begins there, and that of the next entry or of the file's end."""
        begins = self._begins.get(file, [])
        following = bisect_right(begins, line)
        return line, begins[following] if following < len(begins) else sys.maxsize

    @cached_property
    def _begins(self) -> Mapping[str, list[int]]:
        """The lines on which entries begin, by file, in order."""
        begins = defaultdict[str, list[int]](list)
        for entry, _ in self.all_entries():
            file, _, line = entry.place.rpartition(":")
            if line.isdecimal():
                begins[file].append(int(line))
        return {file: sorted(lines) for file, lines in begins.items()}


def _index(text: str, needle: str, begin: int, end: int) -> int | None:
    """Where a needle first stands in a part of a text."""
    if " " not in needle:
        at = text.find(needle, begin, end)
        return None if at < 0 else at
    words = _BLANK.join(map(re.escape, needle.split()))
    found = re.compile(words).search(text, begin, end)
    return found.start() if found else None
