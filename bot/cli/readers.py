"""Commands about the readers: subscribers import, export, add, remove, list."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bot.cli.session import Session, no, table

if TYPE_CHECKING:
    from rich.console import Console


@click.group("subscribers")
def subscribers_() -> None:
    """The readers: who they are, and what they agreed to."""


@subscribers_.command(
    "import",
    epilog="""\b
Examples:
  broadsheet subscribers import readers.csv --dry-run
  broadsheet subscribers import readers.csv --newsletter ai-papers --confirmed
""",
)
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--newsletter", "name", help="Which newsletter they read, where there are several.")
@click.option(
    "--confirmed", "consent", flag_value="confirmed", help="They said yes elsewhere; I vouch for it."
)
@click.option(
    "--pending",
    "consent",
    flag_value="pending",
    default="pending",
    help="They have not said yes yet (default).",
)
@click.option("--dry-run", is_flag=True, help="Write nothing; only report.")
@click.pass_obj
def import_(session: Session, file: Path, name: str | None, consent: str, *, dry_run: bool) -> None:
    """Take readers from a CSV file with the columns email, name, language.

    A row that cannot be read is reported by its line and the others go in. Nobody who left, and no suppressed
    address, comes back this way.
    """
    from dataclasses import asdict

    from bot.models import Consent
    from bot.subscriptions import import_csv

    app = session.app
    read = import_csv(
        app.store, file, app.newsletter(name).name, Consent(consent), session.now, dry_run=dry_run
    )
    report = asdict(read)
    session.answer(report, lambda out: _show_import(out, report))
    if report["rejected"]:
        no()


def _show_import(out: "Console", report: dict[str, Any]) -> None:
    for row in report["rejected"]:
        out.print(f"{report['file']}:{row['line']}: {row['reason']}", style="yellow", markup=False)
    counts = {
        key: value for key, value in report.items() if isinstance(value, int) and not isinstance(value, bool)
    }
    words = ", ".join(f"{count} {key.replace('_', ' ')}" for key, count in counts.items())
    out.print(
        f"{words}, {len(report['rejected'])} rejected" + (", nothing written" if report["dry_run"] else "")
    )


@subscribers_.command("export", epilog="\b\nExample:\n  broadsheet subscribers export > readers.csv")
@click.option("--newsletter", "name", help="Only this newsletter's.")
@click.pass_obj
def export(session: Session, name: str | None) -> None:
    """Write every reader as CSV to stdout, with their state."""
    from bot.subscriptions import export_csv

    export_csv(session.app.store, sys.stdout, session.app.newsletter(name).name if name else None)


@subscribers_.command(
    "add", epilog="\b\nExample:\n  broadsheet subscribers add ada@example.org --name 'Ada' --confirmed"
)
@click.argument("email")
@click.option("--name", "full_name", default="", help="What to call them.")
@click.option("--language", default="", help="A language tag such as en or pt-BR.")
@click.option("--newsletter", "name", help="Which newsletter, where there are several.")
@click.option(
    "--confirmed", "consent", flag_value="confirmed", help="They said yes elsewhere; I vouch for it."
)
@click.option(
    "--pending",
    "consent",
    flag_value="pending",
    default="pending",
    help="They have not said yes yet (default).",
)
@click.pass_obj
def add(session: Session, email: str, full_name: str, language: str, name: str | None, consent: str) -> None:
    """Add one reader."""
    from bot import subscriptions
    from bot.models import Consent

    app = session.app
    state = subscriptions.add(
        app.store, app.newsletter(name).name, email, full_name, language, Consent(consent), session.now
    )
    session.answer({"email": email, "state": state}, lambda out: out.print(f"{email}: {state}", markup=False))


@subscribers_.command("remove", epilog="\b\nExample:\n  broadsheet subscribers remove ada@example.org")
@click.argument("email")
@click.option("--newsletter", "name", help="Only from this newsletter; else from all.")
@click.pass_obj
def remove(session: Session, email: str, name: str | None) -> None:
    """Unsubscribe a reader. The row stays, so that no later import brings them back."""
    from bot import subscriptions

    chosen = session.app.newsletter(name).name if name else None
    left = subscriptions.remove(session.app.store, email, chosen, session.now)
    words = ", ".join(left) or "nothing: not subscribed"
    session.answer(
        {"email": email, "left": left}, lambda out: out.print(f"{email} left {words}", markup=False)
    )


@subscribers_.command("list", epilog="\b\nExample:\n  broadsheet subscribers list --format json")
@click.option("--newsletter", "name", help="Only this newsletter's.")
@click.pass_obj
def list_(session: Session, name: str | None) -> None:
    """List the readers and how they stand to each newsletter."""
    from dataclasses import asdict

    from bot.store import readers

    chosen = session.app.newsletter(name).name if name else None
    with session.app.store.read() as connection:
        listed = [asdict(one) for one in readers.every(connection, chosen)]
    session.answer(listed, lambda out: _show_readers(out, listed))


def _show_readers(out: "Console", readers: list[dict[str, Any]]) -> None:
    shown = table("email", "name", "language", "subscriptions", "suppressed")
    for reader in readers:
        stands = ", ".join(f"{name}: {state}" for name, state in reader["subscriptions"].items())
        cells = (reader["email"], reader["name"], reader["language"], stands, reader["suppressed"] or "")
        shown.add_row(*cells)
    out.print(shown)
    out.print(f"{len(readers)} readers")
