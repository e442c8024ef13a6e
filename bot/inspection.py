"""Gathers what the rules about content look at from desks: everything there is, or the issues named."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from bot.checks import Material
from bot.desk import Desk
from bot.models import Entry, Finding, Issue, Week
from bot.settings import Settings


def everything(settings: Settings, desks: Iterable[Desk], now: datetime) -> Material:
    """All content, each file as it was written."""
    content = {desk.newsletter.name: desk.content for desk in desks}
    return Material(
        settings,
        issues=tuple(issue for one in content.values() for issue in one.issues),
        entries={name: one.entries for name, one in content.items()},
        findings=tuple(finding for one in content.values() for finding in one.findings),
        now=now,
        texts={place: text for one in content.values() for place, text in one.texts.items()},
    )


def only(settings: Settings, named: Sequence[tuple[Desk, Week]], now: datetime) -> Material:
    """Some issues, each with the single entries that it would take; the others are only to compare with.

    InputError where one is not there: neither a file of its week, nor entries for it.
    """
    issues: list[Issue] = []
    findings: list[Finding] = []
    for desk, week in named:
        issue = desk.picked(week, now).issue
        read = list(_about(desk, week, issue))
        if issue is None and all(finding.issue is None for finding in read):
            desk.issue(week, now)  # raises: there is none
        issues += [issue] if issue else []
        findings += read
    keys = {f"{desk.newsletter.name}/{week}" for desk, week in named}
    content = {desk.newsletter.name: desk.content for desk, _ in named}
    return Material(
        settings,
        issues=tuple(issues),
        findings=tuple(findings),
        earlier=tuple(one for each in content.values() for one in each.issues if one.key not in keys),
        now=now,
        texts={place: text for one in content.values() for place, text in one.texts.items()},
    )


def _about(desk: Desk, week: Week, issue: Issue | None) -> Iterator[Finding]:
    """What reading has found in an issue's file, and in the files of entries that it takes or may take."""
    key, content = f"{desk.newsletter.name}/{week}", desk.content
    taken = {_file(entry) for entry in (issue.entries if issue else ())}
    elsewhere = {_file(entry) for entry in content.entries} - taken
    for finding in content.findings:
        if finding.issue == key or (finding.issue is None and _file(finding) not in elsewhere):
            yield finding


def _file(placed: Entry | Finding) -> str:
    return placed.place.partition(":")[0]
