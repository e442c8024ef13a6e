"""The command that asks whether everything is fit to go out: check."""

from collections import Counter
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bot.cli.session import Session, no

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from rich.console import Console

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
""",
)
@click.argument("issues", nargs=-1, metavar="[ISSUE|FILE]...")
@click.pass_obj
def check_(session: Session, issues: tuple[str, ...]) -> None:
    """Hold configuration, content and what would go out against every rule; exit 1 where one finds an error.

    Mails and messages are judged as they would go out, of each ISSUE named or held by a FILE, or else of all
    that were not published yet. A FILE that holds no issue stands for all of them.
    """
    from bot.checks import as_json, github
    from bot.models import errors_of

    with _judging(session) as watch:
        findings = session.app.check(issues, session.now, watch)
    if session.form == "github":
        click.echo(github(findings, _folder(session)), nl=bool(findings))
    else:
        session.answer(as_json(findings), lambda out: show_findings(out, findings))
    if any(errors_of(findings)):
        no()


def _folder(session: Session) -> str:
    """Where the installation is, seen from here: in a workflow, the repository's top."""
    root, here = session.app.settings.root.resolve(), Path.cwd()
    return root.relative_to(here).as_posix() if root != here and root.is_relative_to(here) else ""


@contextmanager
def _judging(session: Session) -> "Iterator[Callable[[int, int], object]]":
    """A progress bar for issues being judged: to set an archive takes its time."""
    from rich.progress import Progress

    with Progress(console=session.watched, transient=True) as bar:
        task = bar.add_task("judging issues", total=None, visible=False)
        yield lambda done, every: bar.update(task, completed=done, total=every, visible=True)


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
    out.print(Text(_plain(file), style="bold underline"), soft_wrap=True)
    for place, finding in zip(places, findings, strict=True):
        line = Text.assemble(
            (f"  {place:<{width}}  " if width else "  ", "dim"),
            (f"{finding.severity:<8}", STYLES[finding.severity]),
        )
        indent = " " * len(line)
        line.append(_plain(finding.message)).append(f"  {finding.rule}", style="dim")
        if finding.fix:
            line.append(f"\n{indent}{_plain(finding.fix)}", style="dim")
        out.print(line, soft_wrap=True)
    out.print()


def _plain(text: str) -> str:
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
