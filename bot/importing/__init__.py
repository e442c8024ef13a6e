"""Turns newsletters into content files: once, whatever form they come in, and never over a person's work.

file → text → source.read → Found… → which week? → there already? → content file
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, tzinfo
from pathlib import Path

from bot.errors import InputError
from bot.importing.form import in_our_form
from bot.importing.matching import Comparison, compare, fingerprints, shares
from bot.importing.opening import kinds, source_of, text_of
from bot.importing.report import Counts, ImportReport, Outcome, State, counts_of, report_of
from bot.models import Issue, Week, errors_of
from bot.sources import Doubt, Found, Given, Reading
from bot.sources.markdown import dump, read_issue, read_issue_bytes

__all__ = ["Counts", "ImportReport", "Outcome", "State", "import_file", "kinds"]


def import_file(
    path: Path,
    *,
    kind: str | None = None,
    week: Week | None = None,
    year: int | None = None,
    newsletter: str,
    folder: Path,
    dry_run: bool = False,
    zone: tzinfo = UTC,
) -> ImportReport:
    """Import a file into `folder` (`content/<newsletter>`); InputError where it cannot be used at all.

    `week` names the week of a file that holds one issue, and picks one of a file that holds several; `year`
    is that of dates that name none.
    """
    text = text_of(path)
    kind, source = source_of(path, text, kind)
    given = Given(newsletter, path.name, week, year, zone)
    reading = _picked(source.read(text, given), given)
    if not any(found.entries for found in reading.issues):
        mend = f"say --as one of {', '.join(kinds())}"
        raise InputError(str(path), f"no entry found in it, read as {kind}", mend)
    shelf = _Shelf(folder, newsletter, dry_run, list(folder.glob("*.md")))
    issues = map(in_our_form, reading.issues)
    outcomes = [_settle(shelf, found, given, single=not reading.several) for found in issues]
    _refuse_single(path, outcomes)
    return report_of(reading, outcomes, file=str(path), kind=kind, newsletter=newsletter, dry_run=dry_run)


def _picked(reading: Reading, given: Given) -> Reading:
    """Of a file with several issues only the one that `week` names."""
    if not reading.several or given.week is None:
        return reading
    issues = tuple(found for found in reading.issues if found.week == given.week)
    if not issues:
        there = ", ".join(str(found.week) for found in reading.issues[:3] if found.week)
        raise InputError(given.name, f"no issue of {given.week} in it", f"it has {there} …" if there else "")
    return replace(reading, issues=issues)


def _refuse_single(path: Path, outcomes: list[Outcome]) -> None:
    """A file of which nothing can be used for want of a date is a wrong call, not a report."""
    undated = [outcome for outcome in outcomes if outcome.week is None]
    if len(undated) < len(outcomes):
        return
    what = undated[0].found.undated or "nothing says which week it is of"
    raise InputError(str(path), what, "say which with --year 2025 or --week 2025-W17")


# ------------------------------------------------------------------------------------------------ shelf


@dataclass(slots=True)
class _Shelf:
    """The issues of a newsletter's folder, each read when it is asked for, and those of this import."""

    folder: Path
    newsletter: str
    dry_run: bool
    unseen: list[Path]
    """Files of which nobody has yet asked what entries they hold."""
    known: dict[Path, Issue | None] = field(default_factory=dict)
    written: dict[Path, str] = field(default_factory=dict)
    prints: dict[Path, Counter[tuple[str, ...]]] = field(default_factory=dict)
    """The words of each issue's entries: what it is known again by."""
    holders: defaultdict[tuple[str, ...], set[Path]] = field(default_factory=lambda: defaultdict(set))
    """The issues that hold an entry of these words, so that no issue is held against all others."""

    def file(self, week: Week) -> Path:
        """Where the issue of a week is, or would be."""
        return self.folder / f"{week}.md"

    def text(self, path: Path) -> str | None:
        """The text that is there, None where there is no file; what is no UTF-8 equals no text of ours."""
        if path in self.written:
            return self.written[path]
        try:
            return path.read_text("utf-8", errors="replace")
        except FileNotFoundError:
            return None
        except OSError as error:
            raise InputError(str(path), f"cannot be read: {error.strerror}") from error

    def issue(self, path: Path) -> Issue | None:
        """The issue that is there, as far as it can be read."""
        if path not in self.known:
            issue, findings = read_issue(path, self.newsletter, str(path))
            self.known[path] = None if list(errors_of(findings)) and issue is None else issue
        return self.known[path]

    def keep(self, path: Path, issue: Issue, text: str) -> None:
        """Write a new file, unless this is a dry run."""
        self.known[path] = issue
        self.written[path] = text
        self.unseen.append(path)
        if not self.dry_run:
            _write(path, text)

    def like(self, found: Found) -> Iterator[tuple[Path, Issue]]:
        """The issues that have most of their entries in common with one that came in."""
        self._take_stock()
        ours = fingerprints(found.entries)
        some = set[Path]().union(*(self.holders[words] for words in ours if words in self.holders))
        for path in sorted(some):
            if (issue := self.issue(path)) and shares(ours, self.prints[path]):
                yield path, issue

    def _take_stock(self) -> None:
        """Learn the issues that are new to the shelf."""
        while self.unseen:
            path = self.unseen.pop()
            issue = self.issue(path)
            self.prints[path] = fingerprints(issue.entries if issue else ())
            for words in self.prints[path]:
                self.holders[words].add(path)


def _write(path: Path, text: str) -> None:
    """Write a file that is not there; one that has come meanwhile stays."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("xb") as stream:
            stream.write(text.encode("utf-8"))
    except FileExistsError as error:
        raise InputError(str(path), "has come into being meanwhile", "import again") from error
    except OSError as error:
        path.unlink(missing_ok=True)
        raise InputError(
            str(path), f"cannot be written: {error.strerror}", "the issues before it are written"
        ) from error


# -------------------------------------------------------------------------------------------- decisions


def _settle(shelf: _Shelf, found: Found, given: Given, *, single: bool) -> Outcome:
    """Find the week of one issue, and write it unless it is there."""
    week, doubts = _week(found, given, single=single)
    if not found.entries:
        return _outcome(found, week, State.REFUSED, None, doubts=[Doubt(found.line, "it has no entries")])
    if week is None:
        return _matched(shelf, found)
    outcome = _outcome(found, week, State.NEW, shelf.file(week), doubts=doubts)
    issue = found.issue(given, week)
    text = dump(issue)
    there = shelf.text(shelf.file(week))
    if there is None:
        return _elsewhere(shelf, outcome) or _kept(shelf, outcome, issue, text)
    if there == text:
        shelf.known[shelf.file(week)] = issue
        return replace(outcome, state=State.UNCHANGED)
    return _held_against(outcome, shelf.issue(shelf.file(week)), issue)


def _week(found: Found, given: Given, *, single: bool) -> tuple[Week | None, list[Doubt]]:
    """The week a person gave for the one issue of a file, else the week it says."""
    if not single or given.week is None or given.week == found.week:
        return found.week, []
    said = f"{found.span} is {found.week}" if found.span and found.week else ""
    if found.week is None and found.dates:
        said = _contradiction(found, given.week)
    doubt = Doubt(found.line, f"the file says otherwise: {said}; taken for {given.week}, as was asked")
    return given.week, [doubt] if said else []


def _contradiction(found: Found, week: Week) -> str:
    """What days without a year say against a week: nothing where they are in it in its year."""
    return "" if found.dates is None or _fits(found, week) else f"{found.dates.text!r}"


def _fits(found: Found, week: Week) -> bool:
    """Whether the days of an issue, in some year, are that week."""
    for year in (week.year - 1, week.year, week.year + 1):
        try:
            if found.dates and found.dates.in_year(year).week == week:
                return True
        except ValueError:
            continue
    return False


def _kept(shelf: _Shelf, outcome: Outcome, issue: Issue, text: str) -> Outcome:
    """Write a new issue, once it is certain that its file reads back as what came in."""
    back, faults = _read_back(issue, text)
    doubts = (*outcome.doubts, *(Doubt(outcome.found.line, f"the content file: {fault}") for fault in faults))
    if back is None:
        return replace(outcome, state=State.REFUSED, file=None, doubts=doubts)
    shelf.keep(shelf.file(issue.week), back, text)
    return replace(outcome, doubts=doubts)


def _read_back(issue: Issue, text: str) -> tuple[Issue | None, list[str]]:
    """What our own reader makes of the text: the issue, and how it is not what came in."""
    content = text.encode("utf-8", errors="backslashreplace")
    back, findings = read_issue_bytes(content, f"{issue.week}.md", issue.newsletter)
    faults = [finding.message for finding in errors_of(findings)]
    if back and back != issue:
        faults += compare(back, issue).differences or ["reads back with other marks"]
    return back, faults


def _elsewhere(shelf: _Shelf, outcome: Outcome) -> Outcome | None:
    """The same issue under another week: never a second one."""
    for path, issue in shelf.like(outcome.found):
        what = f"these entries are already the issue {issue.week}, not {outcome.week}: kept there"
        compared = compare(issue, outcome.found)
        state = State.SAME if compared.same else State.DIFFERS
        doubts = (*outcome.doubts, Doubt(outcome.found.line, what))
        return replace(
            outcome,
            week=str(issue.week),
            state=state,
            file=str(path),
            doubts=doubts,
            differences=compared.differences,
        )
    return None


def _matched(shelf: _Shelf, found: Found) -> Outcome:
    """An issue without a week is the one issue with the same entries, whose week its days must fit."""
    like = [(path, issue) for path, issue in shelf.like(found) if _may_be(found, issue.week)]
    if len(like) != 1:
        doubt = Doubt(found.line, f"{found.undated}: say which week it is of")
        return _outcome(found, None, State.REFUSED, None, doubts=[doubt])
    path, issue = like[0]
    doubt = Doubt(found.line, f"{found.undated}: it is {issue.week} by its entries, which are there already")
    return _held_against(_outcome(found, issue.week, State.SAME, path, doubts=[doubt]), issue, None)


def _may_be(found: Found, week: Week) -> bool:
    return found.dates is None or _fits(found, week)


def _held_against(outcome: Outcome, there: Issue | None, came: Issue | None) -> Outcome:
    """What is there stays; say how it differs."""
    if there is None:
        compared = Comparison(same=False, differences=("the file that is there cannot be read: check it",))
    elif there == came:
        return replace(outcome, state=State.UNCHANGED)
    else:
        compared = compare(there, outcome.found)
    differences = compared.differences or ("only its marks or its settings differ",)
    return replace(outcome, state=State.SAME if compared.same else State.DIFFERS, differences=differences)


def _outcome(
    found: Found, week: Week | None, state: State, path: Path | None, *, doubts: list[Doubt]
) -> Outcome:
    return Outcome(
        found=found,
        week=str(week) if week else None,
        state=state,
        counts=counts_of(found),
        file=str(path) if path else None,
        doubts=(*found.doubts, *doubts),
    )
