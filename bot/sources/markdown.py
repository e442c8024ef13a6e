"""Reads the curators' own files, `content/<newsletter>/2025-W17.md` and `entries/*.md` (content/README.md).

Every fault is a Finding that reads `file:line: key: what: how to mend`, and no file hides another. An issue
is given back whenever it can be built, for curators to look at: whether it may go out, its findings say.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta, timezone
from functools import lru_cache
from pathlib import Path
from zoneinfo import ZoneInfo

from bot import markup
from bot.front_matter import FrontMatter, Value, bytes_of, open_bytes, open_file
from bot.models import Entry, Finding, Issue, Reference, Severity, Status, Week
from bot.plugins import nearest
from bot.sources._markdown_body import Outline, host_of, led, solid, tell
from bot.sources._markdown_dump import dump, dump_entry
from bot.text import Blocks

__all__ = [
    "Content",
    "dump",
    "dump_entry",
    "read_entry",
    "read_entry_bytes",
    "read_issue",
    "read_issue_bytes",
    "read_newsletter",
]

KEPT = 1000
"""Files that are not read anew while they hold the same bytes."""
_ISSUE_KEYS = ("title", "week", "status", "intro", "subject", "preheader", "checks")
_ENTRY_KEYS = ("title", "date", "section", "link", "links")
_NAMED = re.compile(r"\d{4}-W\d{2}$", re.ASCII)
_ENCODED_WORD = re.compile(r"=\?[^?\s]+\?[bq]\?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Content:
    """All that the curators of one newsletter have written."""

    issues: tuple[Issue, ...] = ()
    entries: tuple[Entry, ...] = ()
    findings: tuple[Finding, ...] = ()
    texts: Mapping[str, str] = field(default_factory=dict)
    """The text of each file by its place, its line ends plain."""


# ----------------------------------------------------------------------------------------- newsletters


def read_newsletter(folder: Path, newsletter: str, zone: ZoneInfo, root: Path) -> Content:
    """Read a newsletter's folder; places are relative to `root`. Two files for one week are no issue."""
    found = [_issue_file(path, newsletter, _place(path, root)) for path in _files(folder)]
    singles = [_entry_file(path, _place(path, root), zone) for path in _files(folder / "entries")]
    single, double = _by_week(one.issue for one in found if one.issue)
    entries = tuple(one.entry for one in singles if one.entry)
    findings = tuple(finding for one in (*found, *singles) for finding in one.findings)
    texts = {one.place: one.text for one in (*found, *singles)}
    return Content(tuple(single), entries, (*findings, *double), texts)


@dataclass(frozen=True, slots=True)
class _File:
    """What one file holds."""

    place: str
    text: str
    findings: tuple[Finding, ...]
    issue: Issue | None = None
    entry: Entry | None = None


def _issue_file(path: Path, newsletter: str, place: str) -> _File:
    content = bytes_of(path, place)
    if isinstance(content, bytes):
        return _known_issue(content, path.stem, newsletter, place)
    return _held(content, path.stem, newsletter)


def _entry_file(path: Path, place: str, zone: ZoneInfo) -> _File:
    content = bytes_of(path, place)
    if isinstance(content, bytes):
        return _known_entry(content, place, zone)
    return _File(place, "", tuple(content.findings))


# By their very bytes: a bot looks at all of them each minute, a curator's preview at every save.
@lru_cache(maxsize=KEPT)
def _known_issue(content: bytes, stem: str, newsletter: str, place: str) -> _File:
    return _held(open_bytes(content, place), stem, newsletter)


@lru_cache(maxsize=KEPT)
def _known_entry(content: bytes, place: str, zone: ZoneInfo) -> _File:
    opened = open_bytes(content, place)
    entry = _opened_entry(opened, zone)
    return _File(place, opened.text, tuple(opened.findings), entry=entry)


def _held(opened: FrontMatter, stem: str, newsletter: str) -> _File:
    issue, findings = _opened_issue(stem, newsletter, opened)
    return _File(opened.place, opened.text, tuple(findings), issue)


def _files(folder: Path) -> list[Path]:
    """The content files of a folder in order of name: not its README, nor what begins with `.` or `_`."""
    files = folder.glob("*.md")
    return sorted(file for file in files if file.name[0] not in "._" and file.name.lower() != "readme.md")


def _place(path: Path, root: Path) -> str:
    return (path.relative_to(root) if path.is_relative_to(root) else path).as_posix()


def _by_week(issues: Iterable[Issue]) -> tuple[list[Issue], list[Finding]]:
    weeks: defaultdict[Week, list[Issue]] = defaultdict(list)
    for issue in issues:
        weeks[issue.week].append(issue)
    single = [found[0] for found in weeks.values() if len(found) == 1]
    return single, [_two_files(found) for found in weeks.values() if len(found) > 1]


def _two_files(issues: list[Issue]) -> Finding:
    first, *others = (issue.place.rpartition(":")[0] for issue in issues)
    message = f"week: {issues[0].week} stands in {' and '.join([first, *others])}"
    return Finding("content.week", Severity.ERROR, f"{first}:1", message, "keep one of them", issues[0].key)


# --------------------------------------------------------------------------------------------- issues


def read_issue(path: Path, newsletter: str, place: str) -> tuple[Issue | None, list[Finding]]:
    """Read one issue file; `place` names it in findings."""
    return _opened_issue(path.stem, newsletter, open_file(path, place))


def read_issue_bytes(content: bytes, name: str, newsletter: str) -> tuple[Issue | None, list[Finding]]:
    """Read what an issue file called `name` (`2025-W17.md`) would hold."""
    return _opened_issue(Path(name).stem, newsletter, open_bytes(content, name))


def _opened_issue(stem: str, newsletter: str, opened: FrontMatter) -> tuple[Issue | None, list[Finding]]:
    issue = _issue(stem, newsletter, opened)
    key = issue.key if issue else f"{newsletter}/{stem}" if _NAMED.match(stem) else None
    return issue, [replace(finding, issue=key) for finding in opened.findings]


def _issue(stem: str, newsletter: str, opened: FrontMatter) -> Issue | None:
    if opened.findings and not opened.values:
        return None
    opened.refuse_others(_ISSUE_KEYS)
    title, week, status = _title(opened), _week(stem, opened), _status(opened)
    subject, preheader = _line_of(opened, "subject", in_header=True), _line_of(opened, "preheader")
    checks, intro, outline = _checks(opened), _intro(opened), Outline(opened)
    outline.read(opened.body, opened.body_line)
    sections = tuple(outline.sections())
    if title is None or week is None:
        return None
    place = f"{opened.place}:1"
    intro = (*intro, *outline.intro)
    return Issue(newsletter, week, title, sections, subject, preheader, intro, status, place, checks)


def _title(opened: FrontMatter) -> str | None:
    title = _line_of(opened, "title", in_header=True)
    told = any(finding.message.startswith("title:") for finding in opened.findings)
    if title is None and not told:
        line = opened.values["title"].line if "title" in opened.values else 1
        opened.find("title", line, "title: missing", "write title: … between two lines of ---")
    return title


def _line_of(opened: FrontMatter, key: str, *, in_header: bool = False) -> str | None:
    """One line of plain words, or None; what a mail's header could not hold is an error."""
    if not (value := opened.values.get(key)) or not _is_text(opened, key, value):
        return None
    text = (value.text or "").strip()
    if fault := _fault_of_line(text, in_header=in_header):
        rule = "title" if key == "title" else "text"
        opened.find(rule, value.line, f"{key}: {fault}", "write it as plain words in one line")
        return None
    return markup.plain_text(markup.text(text)) or None


def _is_text(opened: FrontMatter, key: str, value: Value) -> bool:
    if not value.is_text:
        rule = "title" if key == "title" else "text"
        opened.find(rule, value.line, f"{key}: a list or a table, not text", f'quote the {key}: {key}: "…"')
    return value.is_text


def _fault_of_line(text: str, *, in_header: bool) -> str | None:
    for character in text:
        category = unicodedata.category(character)
        if category == "Cs":
            return f"lone surrogate U+{ord(character):04X}"
        if category == "Cc" and character in "\r\n":
            return "has a line break"
        if category == "Cc" and character != "\t":
            return f"control character U+{ord(character):04X}"
    if in_header and _ENCODED_WORD.search(text):
        return "looks like an encoded word (=?…?=), which mail programs would decode"
    return None


def _week(stem: str, opened: FrontMatter) -> Week | None:
    """The week of the key, or else of the file's name; they must agree."""
    value = opened.values.get("week")
    if value and value.text == stem:
        return _parsed_week(stem, value.line, opened)
    named = _parsed_week(stem, 1, opened) if _NAMED.match(stem) else None
    if value is None or value.text is None:
        if named is None and not any(finding.rule == "content.week" for finding in opened.findings):
            opened.find(
                "week",
                value.line if value else 1,
                "week: missing",
                "name the file 2025-W17.md, or write week: 2025-W17",
            )
        return named
    week = _parsed_week(value.text, value.line, opened)
    if week and named and week != named:
        opened.find("week", value.line, f"week: {week} in a file called {stem}", "make them agree")
        return None
    return week


def _parsed_week(text: str, line: int, opened: FrontMatter) -> Week | None:
    try:
        return Week.parse(text)
    except ValueError as error:
        opened.find("week", line, f"week: {error}", "write an ISO week such as 2025-W17")
        return None


def _status(opened: FrontMatter) -> Status:
    """What the curator says; a word that is neither is an error, and holds the issue like a draft."""
    value = opened.values.get("status")
    if value is None:
        return Status.READY
    text = value.text or ""
    if text in set(Status):
        return Status(text)
    hint = (
        nearest(text, [str(status) for status in Status]).removeprefix("; ")
        or "write status: draft or status: ready"
    )
    opened.find("status", value.line, f"status: {text!r} is none of draft, ready", hint)
    return Status.DRAFT


def _intro(opened: FrontMatter) -> Blocks:
    """The introduction in the front matter; one at the head of the body follows it."""
    value = opened.values.get("intro")
    if not value or not _is_text(opened, "intro", value):
        return ()
    document = markup.parse_document(value.text or "", first_line=value.line)
    tell(document.doubts, opened)
    return solid(document.parts)


def _checks(opened: FrontMatter) -> dict[str, str]:
    """How bad the issue takes what rules find in it; what cannot be said is an error."""
    value = opened.values.get("checks")
    if value is None or (value.is_text and value.text is None):
        return {}
    if (rows := value.rows()) is None:
        what, fix = "checks: no table of rules", "write `links.shortener: off`, say, indented below it"
        opened.find("checks", value.line, what, fix)
        return {}
    from bot.checks import refusal  # noqa: PLC0415 (slow to import: only for those who say something of one)

    said = {}
    for name, word in rows:
        if refused := refusal(name, word.text or ""):
            opened.find("checks", word.line, f"checks.{name}: {refused[0]}", refused[1])
        else:
            said[name] = word.text or ""
    return said


# -------------------------------------------------------------------------------------- single entries


def read_entry(path: Path, place: str, zone: ZoneInfo) -> tuple[Entry | None, list[Finding]]:
    """Read one file of `entries/`; a date without a zone is in the newsletter's own."""
    opened = open_file(path, place)
    return _opened_entry(opened, zone), opened.findings


def read_entry_bytes(content: bytes, place: str, zone: ZoneInfo) -> tuple[Entry | None, list[Finding]]:
    """Read what a file of `entries/` would hold."""
    opened = open_bytes(content, place)
    return _opened_entry(opened, zone), opened.findings


def _opened_entry(opened: FrontMatter, zone: ZoneInfo) -> Entry | None:
    if opened.findings and not opened.values:
        return None
    opened.refuse_others(_ENTRY_KEYS)
    title, collected = _title(opened), _date(opened, zone)
    document = markup.parse_document(opened.body, first_line=opened.body_line)
    tell(document.doubts, opened)
    references, blocks = led(solid(document.parts))
    section = _line_of(opened, "section")
    linked = (*_linked(opened, "link"), *_linked(opened, "links"), *references)
    if title is None or collected is None:
        return None
    return Entry(title, linked, blocks, section, collected, f"{opened.place}:1")


def _linked(opened: FrontMatter, key: str) -> Iterator[Reference]:
    if value := opened.values.get(key):
        for label, address in value.pairs():
            if url := markup.safe_url(address):
                yield Reference(markup.plain_text(markup.text(label or "")) or host_of(url), url)
            else:
                what = f"{key}: {markup.url_fault(address)}: {address[:80]!r}"
                opened.find("link", value.line, what, "give a full address that begins with https://")


# 2026-11-30 · 2026-11-30 09:00 · 2026-11-30T09:00:00Z · 2026-11-30 09:00 +0200
_DATE = re.compile(
    r"(?P<day>\d{4}-\d{2}-\d{2})"
    r"(?:[T ](?P<time>\d{2}:\d{2}(?::\d{2})?)(?: ?(?P<zone>Z|[+-]\d{2}:?\d{2}))?)?",
    re.ASCII,
)


def _date(opened: FrontMatter, zone: ZoneInfo) -> datetime | None:
    value = opened.values.get("date")
    line = value.line if value else 1
    fix = "write 2026-11-30, 2026-11-30 09:00 or 2026-11-30 09:00 +0200"
    if value is None or value.text is None:
        if not any(finding.message.startswith("date:") for finding in opened.findings):
            opened.find("date", line, "date: missing", fix)
        return None
    try:
        return _instant(value.text.strip(), zone)
    except (ValueError, OverflowError) as error:
        opened.find("date", line, f"date: {error}", fix)
        return None


def _instant(text: str, zone: ZoneInfo) -> datetime:
    """The one reading of a date; ValueError for any other spelling and for days and times there are not."""
    if not (found := _DATE.fullmatch(text)):
        raise ValueError(f"{text!r} is no date")
    try:
        day = date.fromisoformat(found["day"])
        at = time.fromisoformat(found["time"] or "00:00")
    except ValueError as error:
        raise ValueError(f"{text} does not exist") from error
    instant = datetime.combine(day, at, _zone(found["zone"]) if found["zone"] else zone)
    instant.astimezone(UTC)  # raises for the years at which no zone can be told
    return instant


def _zone(text: str) -> timezone:
    if text == "Z":
        return UTC
    hours, minutes = int(text[1:3]), int(text[-2:])
    offset = timedelta(hours=hours, minutes=minutes)
    return timezone(-offset if text[0] == "-" else offset)
