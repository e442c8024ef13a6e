"""Commands about content: import, issues, render."""

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bot.cli.holding import show_why
from bot.cli.session import Session, no, table

if TYPE_CHECKING:
    from rich.console import Console

    from bot.importing import ImportReport

TITLE = 40
"""Characters of a title that a table shows."""


class _Week(click.ParamType[Any]):
    name = "week"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        from bot.models import Week

        try:
            return value if isinstance(value, Week) else Week.parse(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)


@click.command(
    "import",
    epilog="""\b
Examples:
  broadsheet import README.md --dry-run            what would come in, and every doubt
  broadsheet import weekly-issue.txt --year 2025   a pasted issue that names no year
  broadsheet import archive.txt --week 2025-W45    one that names no date at all
""",
)
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--as", "kind", help="Read the file as this kind instead of guessing from its content.")
@click.option(
    "--week", type=_Week(), help="The week of a file that names none, or the one to take out of many."
)
@click.option("--year", type=click.IntRange(1970, 9999), help="The year of dates that name none.")
@click.option("--newsletter", "name", help="Which newsletter, where there are several.")
@click.option("--dry-run", is_flag=True, help="Write nothing; only report.")
@click.pass_obj
def import_(
    session: Session,
    file: Path,
    kind: str | None,
    week: Any,
    year: int | None,
    name: str | None,
    *,
    dry_run: bool,
) -> None:
    """Turn an existing newsletter into content files.

    The same file twice changes nothing, an issue that another import already brought is recognised, and what
    a person has edited is never overwritten.
    """
    from bot.importing import import_file

    newsletter = session.app.newsletter(name)
    report = import_file(
        file,
        kind=kind,
        week=week,
        year=year,
        newsletter=newsletter.name,
        folder=session.app.content_folder(newsletter),
        dry_run=dry_run,
        zone=newsletter.schedule.zone,
    )
    session.answer(report.document(), lambda out: _show_import(out, report))
    if not report.clean:
        no()


def _show_import(out: "Console", report: "ImportReport") -> None:
    shown = table("week", "title", "entries", "links", "bullets", "doubts", "state")
    for outcome in report.issues:
        counts = outcome.counts
        numbers = (counts.entries, counts.links + counts.text_links, counts.bullets, len(outcome.doubts))
        shown.add_row(outcome.week or "?", outcome.found.title, *map(str, numbers), str(outcome.state))
    out.print(shown)
    for outcome in report.issues:
        for doubt in (*outcome.doubts, *outcome.differences):
            _say_doubt(out, report.file, doubt)
    for doubt in report.doubts:
        _say_doubt(out, report.file, doubt)
    states = ", ".join(f"{count} {state}" for state, count in report.states.items())
    totals = report.totals
    out.print(
        f"[bold]{len(report.issues)} issues[/] ({states}): {totals.entries} entries, "
        f"{totals.links} links and {totals.text_links} within texts, {totals.bullets} bullets"
        + (", nothing written" if report.dry_run else "")
    )


def _say_doubt(out: "Console", file: str, doubt: Any) -> None:
    line, what = getattr(doubt, "line", None), getattr(doubt, "what", str(doubt))
    out.print(f"{file}:{line}: {what}" if line else f"{file}: {what}", style="yellow", markup=False)


@click.command("issues")
@click.option("--newsletter", "name", help="Only this newsletter's.")
@click.pass_obj
def issues_(session: Session, name: str | None) -> None:
    """List the issues known: state, entries, approval, when they go or went."""
    from bot.overview import listing

    rows = [row for desk in session.app.desks(name) for row in listing(desk, session.now)]
    session.answer(rows, lambda out: _show_issues(out, rows))


def _show_issues(out: "Console", rows: list[dict[str, Any]]) -> None:
    if not rows:
        out.print("No issues yet: write content/<newsletter>/2025-W17.md, or import a newsletter you have.")
        return
    shown = table("issue", "title", "state", "entries", "approval", "due", "published")
    for row in rows:
        cells = (row["issue"], _short(row["title"]), row["state"], row["entries"], row["approval"])
        times = (_minute(row["due"]), _minute(row["published"]))
        shown.add_row(*("" if cell is None else str(cell) for cell in (*cells, *times)))
    out.print(shown)
    for row in rows:
        show_why(out, {**row, "issue": f"{row['newsletter']}/{row['issue']}"})


def _short(title: str) -> str:
    return title if len(title) <= TITLE else f"{title[: TITLE - 1]}…"


def _minute(instant: str | None) -> str:
    return f"{datetime.fromisoformat(instant).astimezone(UTC):%Y-%m-%d %H:%MZ}" if instant else ""


@click.command("render")
@click.argument("issue")
@click.option(
    "--out", type=click.Path(path_type=Path, file_okay=False), required=True, help="Where the files go."
)
@click.option("--as", "email", metavar="EMAIL", help="As this subscriber gets it.")
@click.pass_obj
def render_(session: Session, issue: str, out: Path, email: str | None) -> None:
    """Write the mail, its parts, the page and the Slack messages, exactly as they would go out."""
    from bot.overview import rendered_files

    desk, week = session.app.issue(issue)
    files = rendered_files(desk, week, email, session.now)
    out.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        (out / name).write_bytes(data)
    paths = [str(out / name) for name in files]
    session.answer(
        {"issue": f"{desk.newsletter.name}/{week}", "files": paths},
        lambda console: console.print(*paths, sep="\n"),
    )
