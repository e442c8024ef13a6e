"""The normal form of a text: flattened into runs, cleaned there, and grouped again.

So Strong never holds Strong, blanks never stick to a mark's edge, and a Link is never cut in two.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Literal, NamedTuple

from bot.markup.cleaning import one_blank, one_line
from bot.markup.urls import safe_url
from bot.text import (
    Code,
    Emphasis,
    Inline,
    Inlines,
    LineBreak,
    Link,
    Strong,
    Struck,
    Text,
)

BREAK = "\n"


class Run(NamedTuple):  # a text has many of them, and a tuple is made in a third of a dataclass's time
    """A stretch of text of one look; a line break is the run whose text is one line feed."""

    text: str
    bold: bool = False
    italic: bool = False
    code: bool = False
    struck: bool = False
    url: str | None = None
    link: int = 0
    """Numbers the links of one text from 1, so that two neighbours with one URL stay two; 0 is no link."""

    @property
    def look(self) -> tuple[bool, bool, bool, bool, int]:
        return self.bold, self.italic, self.struck, self.code, self.link

    def saying(self, text: str) -> "Run":
        """Other words of the same look."""
        return Run(text, *self[1:])


# ---------------------------------------------------------------------------------------- trees to runs


def runs(inlines: Inlines) -> tuple[Run, ...]:
    """The flat form of a text, for rich_text and the like: no run is empty, no two neighbours look alike."""
    return tuple(normal_runs(_flat(inlines)))


def _flat(inlines: Inlines) -> Iterator[Run]:
    return _flatten(inlines, Run(""), count(1))


def _flatten(inlines: Inlines, look: Run, numbers: Iterator[int]) -> Iterator[Run]:
    for inline in inlines:
        match inline:
            case Text(value):
                yield look.saying(one_line(value))
            case Code(value):
                yield look._replace(text=one_line(value), code=True)
            case LineBreak():
                yield look.saying(BREAK)
            case Strong(children):
                yield from _flatten(children, look._replace(bold=True), numbers)
            case Emphasis(children):
                yield from _flatten(children, look._replace(italic=True), numbers)
            case Struck(children):
                yield from _flatten(children, look._replace(struck=True), numbers)
            case Link(url, children):
                yield from _flatten(children, _linked(look, url, numbers), numbers)


def _linked(look: Run, url: str, numbers: Iterator[int]) -> Run:
    """The look of a link's words; a link within a link, or one with a refused address, is its words."""
    safe = None if look.link else safe_url(url)
    return look._replace(url=safe, link=next(numbers)) if safe else look


# ------------------------------------------------------------------------------------------ normal runs


def normal_runs(flat: Iterable[Run]) -> list[Run]:
    """Runs whose texts are one-line already, in normal form."""
    flat = list(flat)
    if len(flat) == 1:
        return _alone(flat[0])
    joined = _Joined()
    for run in flat:
        _add(joined, run)
    return _renumbered(joined.runs)


def _alone(run: Run) -> list[Run]:
    """What most texts are: one run, of which only blanks at the edges can go."""
    words = run.text.strip()
    return [run._replace(text=words, link=min(run.link, 1))] if words else []


def _add(joined: "_Joined", run: Run) -> None:
    """Add a run as blanks, words, blanks; code has no blanks at its edges."""
    text = run.text
    words = text.strip()
    if text == BREAK:
        joined.line_break()
    elif words == text or run.code:
        joined.words(run if words == text else run.saying(words))
    elif words:
        start = text.index(words)
        joined.blank(text[:start])
        joined.words(run.saying(words))
        joined.blank(text[start + len(words) :])
    else:
        joined.blank(text)


@dataclass(slots=True)
class _Joined:
    """Runs in normal form as they grow; blanks and line breaks wait until words follow, or never come in."""

    runs: list[Run] = field(default_factory=list)
    waiting: list[str] = field(default_factory=list)

    def blank(self, text: str) -> None:
        """Neighbouring blanks are one; there is none at the start or beside a line break."""
        if not text or not self.runs:
            return
        if not self.waiting:
            self.waiting.append(one_blank(text))
        elif self.waiting[-1] != BREAK:
            self.waiting[-1] = one_blank(self.waiting[-1] + text)

    def line_break(self) -> None:
        """A line break takes the place of a blank before it; there is none at the start."""
        if self.waiting and self.waiting[-1] != BREAK:
            self.waiting.pop()
        if self.runs:
            self.waiting.append(BREAK)

    def words(self, run: Run) -> None:
        """Blanks and line breaks look like what both their neighbours have in common."""
        if not run.text:
            return
        if self.waiting:
            before = self.runs[-1]
            for blank in self.waiting:
                self._append(_common(blank, before, run))
            self.waiting.clear()
        self._append(run)

    def _append(self, run: Run) -> None:
        last = self.runs[-1] if self.runs else None
        if last and last[1:] == run[1:] and BREAK not in (last.text, run.text):
            self.runs[-1] = last.saying(last.text + run.text)
        else:
            self.runs.append(run)


def _common(text: str, one: Run, other: Run) -> Run:
    linked = one.link if one.link == other.link else 0
    return Run(
        text,
        bold=one.bold and other.bold,
        italic=one.italic and other.italic,
        struck=one.struck and other.struck,
        url=one.url if linked else None,
        link=linked,
    )


def _renumbered(merged: list[Run]) -> list[Run]:
    numbers: dict[int, int] = {0: 0}
    return [
        run._replace(link=numbers.setdefault(run.link, len(numbers))) if run.link else run for run in merged
    ]


# ---------------------------------------------------------------------------------------- runs to trees


def tree_of(normal: Sequence[Run]) -> Inlines:
    """The one tree of runs in normal form: the farthest mark is outermost, a link is kept whole."""
    return _grouped(_units(normal))


_Unit = list[Run]
"""What no mark may cut: one run, or all the runs of one link."""


def _units(normal: Sequence[Run]) -> list[_Unit]:
    units: list[_Unit] = []
    for run in normal:
        if run.link and units and units[-1][0].link == run.link:
            units[-1].append(run)
        else:
            units.append([run])
    return units


_Mark = Literal["bold", "italic", "struck"]
_MARKS: dict[_Mark, Callable[[Inlines], Inline]] = {"bold": Strong, "italic": Emphasis, "struck": Struck}
"""In the order in which they stand around words that have several of them."""


def _grouped(units: Sequence[_Unit]) -> Inlines:
    grouped: list[Inline] = []
    at = 0
    while at < len(units):
        first = units[at][0]
        marked = first.bold or first.italic or first.struck  # most words are not, and this is asked of each
        mark, reach = _farthest(units, at) if marked else ("bold", at)
        if reach > at:
            grouped.append(_MARKS[mark](_grouped(_without(units[at:reach], mark))))
            at = reach
        else:
            grouped.append(_plain(units[at]))
            at += 1
    return tuple(grouped)


def _farthest(units: Sequence[_Unit], at: int) -> tuple[_Mark, int]:
    """The mark that goes on for longest from here, and where it ends."""
    return max(((mark, _reach(units, at, mark)) for mark in _MARKS), key=lambda found: found[1])


def _reach(units: Sequence[_Unit], at: int, mark: _Mark) -> int:
    while at < len(units) and all(getattr(run, mark) for run in units[at]):
        at += 1
    return at


def _without(units: Sequence[_Unit], mark: _Mark) -> list[_Unit]:
    return [[_plainer(run, mark) for run in unit] for unit in units]


def _plainer(run: Run, mark: _Mark) -> Run:
    match mark:
        case "bold":
            return run._replace(bold=False)
        case "italic":
            return run._replace(italic=False)
        case "struck":
            return run._replace(struck=False)


def _plain(unit: _Unit) -> Inline:
    first = unit[0]
    if first.url:
        return Link(first.url, _grouped([[run._replace(url=None, link=0)] for run in unit]))
    if first.text == BREAK:
        return LineBreak()
    return Code(first.text) if first.code else Text(first.text)


def text(words: str) -> Inlines:
    """Plain words as a text in normal form."""
    return normalise_inlines((Text(words),))


def normalise_inlines(inlines: Inlines) -> Inlines:
    """A text in normal form."""
    match inlines:
        case (Text(value),):
            words = one_line(value).strip()
            return inlines if words == value and words else (Text(words),) if words else ()
    return tree_of(runs(inlines))


def inline_text(inlines: Inlines) -> str:
    """The words of a text as they stand, a line break as a newline."""
    match inlines:
        case (Text(value),):
            return one_line(value).strip()
    return "".join(run.text for run in runs(inlines))


def inline_words(inlines: Inlines) -> str:
    """The visible words of a text, one blank between them."""
    return " ".join(inline_text(inlines).split())
