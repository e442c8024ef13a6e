"""The command that asks whether everything is fit to go out: check."""

from collections import Counter
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bot.cli.session import Session, no
from bot.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from rich.console import Console

    from bot.checks import Material, Web
    from bot.models import Finding

STYLES = {"error": "bold red", "warning": "yellow", "hint": "cyan"}
"""How each severity is shown."""


@click.command(
    "check",
    epilog="""\b
Examples:
  broadsheet check                     everything that has not gone out
  broadsheet check 2025-W17            one issue, published or not
  broadsheet check content/*/*.md      the issues of some files, as in a commit hook
  broadsheet check --format github     as annotations in a pull request
  broadsheet check 2025-W17 --online   which links are dead, or have moved?
  broadsheet check --fix --dry-run     what can be mended without judgement?
""",
)
@click.argument("issues", nargs=-1, metavar="[ISSUE|FILE]...")
@click.option("--online", is_flag=True, help="Ask the web about the links: which are dead, or have moved?")
@click.option(
    "--port",
    "ports",
    type=click.IntRange(1, 65535),
    multiple=True,
    help="With --online: ask at this port as well as 80 and 443.",
)
@click.option("--fix", is_flag=True, help="Mend in the content files what needs no judgement, and show it.")
@click.option("--dry-run", is_flag=True, help="With --fix: show it, and write nothing.")
@click.pass_obj
def check_(
    session: Session,
    issues: tuple[str, ...],
    ports: tuple[int, ...],
    *,
    online: bool,
    fix: bool,
    dry_run: bool,
) -> None:
    """Hold configuration, content and what would go out against every rule; exit 1 where one finds an error.

    Mails and messages are judged as they would go out, of each ISSUE named or held by a FILE, or else of all
    that were not published yet. A FILE that holds no issue stands for all of them.
    """
    from bot.checks import as_json, github
    from bot.cli.mending import fixed
    from bot.inspection import check
    from bot.models import errors_of

    if (dry_run and not fix) or (ports and not online):
        raise click.UsageError("--dry-run goes with --fix." if dry_run else "--port goes with --online.")

    def judged() -> "list[Finding]":
        with _progress(session) as progress:
            look_up = _asking(session, ports, progress("asking the web")) if online else None
            return check(session.onlooker, issues, session.now, progress("judging issues"), look_up)

    with _annotating(session):
        if alone := session.onlooker.look_only():
            session.complain(alone)
        findings = fixed(session, judged, dry_run=dry_run) if fix else judged()
    if session.form == "github":
        click.echo(github(findings, _folder(session)), nl=bool(findings))
    else:
        session.answer(as_json(findings), lambda out: show_findings(out, findings))
    if any(errors_of(findings)):
        no()


@contextmanager
def _annotating(session: Session) -> "Iterator[None]":
    """Tells GitHub also of a configuration that cannot be read, where the command goes no further."""
    from bot.checks import github

    try:
        yield
    except InputError as error:
        if session.form == "github":
            click.echo(github(error.findings, _folder(session)), nl=bool(error.findings))
        raise


def _folder(session: Session) -> str:
    """Where the installation is, seen from here: in a workflow, the repository's top."""
    root, here = session.config.resolve().parents[1], Path.cwd()
    return root.relative_to(here).as_posix() if root != here and root.is_relative_to(here) else ""


@contextmanager
def _progress(session: Session) -> "Iterator[Callable[[str], Callable[[int, int], object]]]":
    """A progress bar for each thing that takes its time: to set an archive does, and so does the web."""
    from rich.progress import Progress

    with Progress(console=session.watched, transient=True) as bar:

        def begin(what: str) -> "Callable[[int, int], object]":
            task = bar.add_task(what, total=None, visible=False)
            return lambda done, every: bar.update(task, completed=done, total=every, visible=True)

        yield begin


def _asking(
    session: Session, ports: tuple[int, ...], watch: "Callable[[int, int], object]"
) -> "Callable[[Material], Web]":
    """What asks the web about the links of some content."""
    from bot.inspection import look_up
    from bot.lookups import Wire

    wire = Wire(ports=(80, 443, *ports))
    return lambda material: look_up(session.onlooker.settings, material, session.now, watch, wire)


def show_findings(out: "Console", findings: "Sequence[Finding]") -> None:
    """Print findings by file, and how many there are."""
    from bot.checks import located

    files = [
        (file, list(group))
        for file, group in groupby(findings, key=lambda finding: located(finding.place).file)
    ]
    for file, found in files:
        _show_file(out, file, found)
    out.print(_summary(findings, len(files)))


def _show_file(out: "Console", file: str, findings: "Sequence[Finding]") -> None:
    """A file's name, and below it its findings, their places and severities in columns."""
    from rich.text import Text

    places = [finding.place[len(file) :].removeprefix(":") for finding in findings]
    width = max(map(len, places))
    out.print(Text(plain(file), style="bold underline"), soft_wrap=True)
    for place, finding in zip(places, findings, strict=True):
        line = Text.assemble(
            (f"  {place:<{width}}  " if width else "  ", "dim"),
            (f"{finding.severity:<8}", STYLES[finding.severity]),
        )
        indent = " " * len(line)
        line.append(plain(finding.message)).append(f"  {finding.rule}", style="dim")
        if finding.fix:
            line.append(f"\n{indent}{plain(finding.fix)}", style="dim")
        out.print(line, soft_wrap=True)
    out.print()


def plain(text: str) -> str:
    """A text without signs that could steer a terminal or turn its lines around."""
    return "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in text)


def _summary(findings: "Sequence[Finding]", files: int) -> str:
    if not findings:
        return "[green]Everything is in order.[/]"
    counts = Counter(str(finding.severity) for finding in findings)
    told = [f"[{style}]{_count(counts[name], name)}[/]" for name, style in STYLES.items() if counts[name]]
    return f"{', '.join(told)} in {_count(files, 'file')}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
