"""Gathers from desks what the rules look at, everything or the issues named, and holds it to them."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from bot.checks import Material, Web, in_order, known, look, to_ask
from bot.checks._words import Words
from bot.errors import InputError
from bot.models import Entry, Finding, Issue, Week
from bot.settings import Settings

if TYPE_CHECKING:  # a desk asks here for what its own issues are held against
    from bot.app import App
    from bot.desk import Desk
    from bot.lookups import Wire


def check(
    app: "App",
    names: Iterable[str],
    now: datetime,
    watch: Callable[[int, int], object] = lambda _done, _all: None,
    look_up: Callable[[Material], Web] | None = None,
) -> list[Finding]:
    """Every finding of the configuration, of the content and of its mails, or of some issues.

    Issues are named as ever, or by their content files. Mails are judged of those, or else of all that were
    not published yet. `watch` is told how many are judged, and of how many. With `look_up`, the web is asked
    about the links.
    """
    desks = {desk.newsletter.name: desk for desk in app.desks()}
    meant = [_meant(app, name, desks) for name in names]
    named = [] if None in meant else list(filter(None, meant))
    chosen = named or [(desk, week) for desk in desks.values() for week in desk.unpublished(now)]
    findings: list[Finding] = []
    for done, (desk, week) in enumerate(chosen):
        watch(done, len(chosen))
        findings += desk.judged(week, now, named=bool(named))
    material = only(app.settings, named, now) if named else everything(app.settings, desks.values(), now)
    subjects = (material,) if look_up is None else (material, look_up(material))
    return in_order([*look(*subjects), *findings])


def look_up(
    settings: Settings,
    material: Material,
    now: datetime,
    watch: Callable[[int, int], object] = lambda _done, _all: None,
    wire: "Wire | None" = None,
) -> Web:
    """What the web says of the links in some content; what it said lately is in `var/lookups.json`."""
    from bot.lookups import Hosts, Lookups, Memory, Wire  # noqa: PLC0415 (for those who ask the web)

    memory = Memory(settings.root / "var" / "lookups.json", now)
    lookups = Lookups(wire or Wire(), memory, Hosts())
    return Web(material, lookups.look_up(to_ask(material), watch))


def _meant(app: "App", name: str, desks: "Mapping[str, Desk]") -> "tuple[Desk, Week] | None":
    """The issue that a name or a file means; None for a file that is no issue's, and so is about all."""
    if (file := Path(name)).is_file():
        return issue_in(file, desks, app.settings.root)
    if file.suffix:
        raise InputError(name, "no such file", "name one that is there, or a week such as 2025-W17")
    desk, week = app.issue(name)
    return desks[desk.newsletter.name], week


# ------------------------------------------------------------------------------------------ what is looked at


def everything(settings: Settings, desks: "Iterable[Desk]", now: datetime) -> Material:
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


def only(settings: Settings, named: "Sequence[tuple[Desk, Week]]", now: datetime) -> Material:
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


def one(settings: Settings, desk: "Desk", issue: Issue, now: datetime) -> Material:
    """An issue as it was picked; the newsletter's others are only to compare with.

    Of the configuration its own newsletter alone: what is wrong with another is no reason to hold it.
    """
    content, newsletter = desk.content, desk.newsletter
    return Material(
        settings.model_copy(update={"newsletters": {newsletter.name: newsletter}}),
        issues=(issue,),
        findings=tuple(_about(desk, issue.week, issue)),
        earlier=tuple(other for other in content.issues if other.week != issue.week),
        now=now,
        texts=content.texts,
    )


def issue_in(file: Path, desks: "Mapping[str, Desk]", root: Path) -> "tuple[Desk, Week] | None":
    """The issue that a content file holds; None where it holds none, as the configuration and entries do."""
    file, root = file.resolve(), root.resolve()
    place = file.relative_to(root).as_posix() if file.is_relative_to(root) else ""
    match place.split("/"):
        case ["content", name, _] if name in desks:
            weeks = [one.week for one in desks[name].content.issues if _file(one) == place]
            week = weeks[0] if weeks else _week(file.stem)
            return (desks[name], week) if week else None
    return None


def _week(stem: str) -> Week | None:
    """The week in the name of a file that could not be read."""
    try:
        return Week.parse(stem)
    except ValueError:
        return None


def read(desk: "Desk", week: Week, issue: Issue | None) -> Iterator[Finding]:
    """What reading has found in the issue of a week, as bad as newsletter and issue take it."""
    key = f"{desk.newsletter.name}/{week}"
    words = Words((desk.newsletter,), (issue,) if issue else ())
    for finding in desk.content.findings:
        if finding.issue == key or f"/{week}.md" in finding.place:
            rule = known().get(finding.rule)
            if heard := words.heard(rule, finding) if rule else finding:
                yield heard


def _about(desk: "Desk", week: Week, issue: Issue | None) -> Iterator[Finding]:
    """What reading has found in an issue's file, and in the files of entries that it takes or may take."""
    key, content = f"{desk.newsletter.name}/{week}", desk.content
    taken = {_file(entry) for entry in (issue.entries if issue else ())}
    elsewhere = {_file(entry) for entry in content.entries} - taken
    for finding in content.findings:
        if finding.issue == key or (finding.issue is None and _file(finding) not in elsewhere):
            yield finding


def _file(placed: Issue | Entry | Finding) -> str:
    return placed.place.partition(":")[0]
