"""Commands about time: next, run."""

from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from bot.cli.session import Session, no, table

if TYPE_CHECKING:
    from rich.console import Console


@click.command("next", epilog="\b\nExample:\n  broadsheet next -n 3")
@click.option(
    "-n", "count", type=click.IntRange(1, 520), default=3, show_default=True, help="How many of each."
)
@click.pass_obj
def next_(session: Session, count: int) -> None:
    """Show the coming sends of each newsletter: window, local time with its zone, UTC."""
    from bot.overview import coming

    rows = [row for desk in session.app.desks() for row in coming(desk, session.now, count)]
    session.answer(rows, lambda out: _show_next(out, rows))


def _show_next(out: "Console", rows: list[dict[str, Any]]) -> None:
    shown = table("issue", "goes out", "zone", "UTC", "entries until", "left out before")
    for row in rows:
        local = datetime.fromisoformat(row["local"])
        until = datetime.fromisoformat(row["window"][1]).astimezone(local.tzinfo)
        cells = (f"{row['newsletter']}/{row['issue']}", f"{local:%a %Y-%m-%d %H:%M %z}", row["zone"])
        utc = datetime.fromisoformat(row["utc"])
        shown.add_row(*cells, f"{utc:%a %H:%MZ}", f"{until:%a %H:%M}", ", ".join(row["skipped"]))
    out.print(shown)


@click.command(
    "run",
    epilog="\b\nExamples:\n  broadsheet run\n  broadsheet run --once    one look at the clock, then end",
)
@click.option("--once", is_flag=True, help="Do what is due now and end; for cron or a try.")
@click.option("--no-web", is_flag=True, help="Without the web pages; where several run, one serves them.")
@click.pass_obj
def run_(session: Session, *, once: bool, no_web: bool) -> None:
    """Be the bot: publish each issue at its minute, work the outbox, serve the pages, until asked to stop.

    With --once, the exit status is 1 where something that was due did not go, the first time that is told.
    """
    from bot.running import run

    session.refuse_time_travel(leaves_the_machine=session.app.leaves_the_machine)
    if not run(session.app, clock=session.clock, once=once, say=session.note, web=not no_web):
        no()
