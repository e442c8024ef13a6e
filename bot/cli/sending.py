"""Commands that send, or say who was sent what: plan, publish, status, retry, resolve."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event
from typing import TYPE_CHECKING, Any, Literal

import click

from bot.cli.holding import show_why, unless_held
from bot.cli.session import Session, no, table

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.console import Console

    from bot.desk import Desk
    from bot.models import Balance, Week

COLUMNS = ("planned", "sent", "failed", "suppressed", "skipped", "in_doubt", "waiting")


@click.command("plan", epilog="\b\nExample:\n  broadsheet plan 2025-W17")
@click.argument("issue", required=False)
@click.pass_obj
def plan_(session: Session, issue: str | None) -> None:
    """Show who would get what, when and how, and who would not and why. Writes nothing."""
    from bot.overview import plan

    desk, week = session.app.issue(issue, session.now)
    document = plan(desk, week, session.now)
    session.answer(document, lambda out: _show_plan(out, document))
    if document["why"] and document["why"]["findings"]:
        no()


def _show_plan(out: "Console", document: dict[str, Any]) -> None:
    out.print(f"[bold]{document['issue']}[/], due {document['due']}")
    shown = table("channel", "by", "recipients", "left out")
    for name, channel in document["channels"].items():
        excluded = ", ".join(f"{count} {reason}" for reason, count in channel["excluded"].items())
        shown.add_row(name, channel["by"], str(channel["recipients"]), excluded)
    out.print(shown)
    show_why(out, document)


@click.command(
    "publish",
    epilog="""\b
Examples:
  broadsheet publish             the issue whose time it is
  broadsheet publish 2025-W17    this one; run again to go on where it stopped, nobody gets it twice
""",
)
@click.argument("issue", required=False)
@click.pass_obj
def publish_(session: Session, issue: str | None) -> None:
    """Put an issue into the outbox and work the outbox until it is settled."""
    session.refuse_time_travel(leaves_the_machine=session.app.leaves_the_machine)
    desk, week = session.app.issue(issue, session.now)
    with unless_held(session, f"{desk.newsletter.name}/{week}"):
        for finding in desk.publish(week, session.now):
            session.note(str(finding))
    _work(session, desk, week)


@click.command("retry", epilog="\b\nExample:\n  broadsheet retry 2025-W17")
@click.argument("issue")
@click.pass_obj
def retry_(session: Session, issue: str) -> None:
    """Send the failed deliveries of an issue again, and no others."""
    session.refuse_time_travel(leaves_the_machine=session.app.leaves_the_machine)
    desk, week = session.app.issue(issue)
    count = desk.retry(week, session.now)
    session.note(f"{desk.newsletter.name}/{week}: {count} failed deliveries are queued again")
    _work(session, desk, week)


@click.command(
    "resolve",
    epilog="""\b
Examples:
  broadsheet resolve 2025-W17 --sent      they arrived: count them as sent
  broadsheet resolve 2025-W17 --resend    send them again, at the risk of a second copy
""",
)
@click.argument("issue")
@click.option("--sent", "answer", flag_value="sent", help="The deliveries in doubt arrived.")
@click.option("--resend", "answer", flag_value="resend", help="They did not, or twice is better than never.")
@click.option("--channel", help="Only those of this channel.")
@click.pass_obj
def resolve_(
    session: Session, issue: str, answer: Literal["sent", "resend"] | None, channel: str | None
) -> None:
    """Settle the deliveries in doubt: we may or may not have sent them, and you have looked."""
    if answer is None:
        raise click.UsageError("say --sent or --resend.")
    if answer == "resend":
        session.refuse_time_travel(leaves_the_machine=session.app.leaves_the_machine)
    desk, week = session.app.issue(issue)
    count = desk.resolve(week, answer, channel, session.now)
    session.note(f"{desk.newsletter.name}/{week}: {count} deliveries were in doubt")
    if answer == "resend":
        _work(session, desk, week)


@click.command("status", epilog="\b\nExamples:\n  broadsheet status\n  broadsheet status 2025-W17")
@click.argument("issue", required=False)
@click.pass_obj
def status_(session: Session, issue: str | None) -> None:
    """Show the balance: planned = sent + failed + suppressed + skipped + in doubt + waiting."""
    from bot.overview import status, statuses, unsent

    if issue is None:
        documents = [one for desk in session.app.desks() for one in statuses(desk, session.now)]
        session.answer(documents, lambda out: _show_balances(out, documents))
        return
    desk, week = session.app.issue(issue)
    document = status(desk, week) if desk.find(week) else unsent(desk, week, session.now)
    session.answer(document, lambda out: show_status(out, document))
    if document.get("why") or not _well(document):
        no()


def _work(session: Session, desk: "Desk", week: "Week") -> None:
    """Work the outbox under a progress bar, then show the balance; exit 1 where somebody is left out.

    Who asks it to end (Ctrl-C, SIGTERM) gets an end without doubts: what is in hand is finished first.
    """
    from bot.overview import status
    from bot.schedule import stopping

    stop = Event()
    with stopping(stop, session.note), _progress(session, f"{desk.newsletter.name}/{week}") as report:
        halts = desk.work(week, session.clock, report, stop)
    document = status(desk, week)
    session.answer(document, lambda out: show_status(out, document))
    for channel, halt in halts.items():
        session.complain(f"{channel}: {halt.reason}")
    if not _well(document):
        _say_when(session, desk, week, stopped=stop.is_set())
        no(2 if halts else 1)


def _say_when(session: Session, desk: "Desk", week: "Week", *, stopped: bool) -> None:
    if stopped:
        session.note("stopped when asked to; publish again to go on")
    elif due := desk.next_due(week):
        local = due.astimezone(desk.newsletter.schedule.zone)
        session.note(
            f"the next try is due at {local:%Y-%m-%d %H:%M %Z}; `broadsheet run` makes it, or publish again"
        )


def _well(document: dict[str, Any]) -> bool:
    return all(
        balance[state] == 0
        for balance in document["channels"].values()
        for state in ("failed", "in_doubt", "waiting")
    )


@contextmanager
def _progress(session: Session, title: str) -> "Iterator[Callable[[str, Balance], None]]":
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=session.out, transient=True) as bar:
        tasks: dict[str, Any] = {}

        def report(channel: str, balance: "Balance") -> None:
            if channel not in tasks:
                tasks[channel] = bar.add_task(f"{title} {channel}", total=balance.planned)
            bar.update(tasks[channel], completed=balance.planned - balance.waiting, total=balance.planned)

        yield report


def _show_balances(out: "Console", documents: list[dict[str, Any]]) -> None:
    for document in documents:
        _show_balance(out, document)
    if not documents:
        out.print("Nothing was published yet.")


def show_status(out: "Console", document: dict[str, Any]) -> None:
    """Print what became of an issue: its balance, its revisions, and the rows that are not sent."""
    _show_balance(out, document)
    if document.get("revision", 1) > 1:
        _show_revisions(out, document)
    rows = document.get("rows", [])
    for row in rows:
        out.print(f"  {row['state']:<10} {row['channel']} {row['recipient']}: {row['reason']}", markup=False)


def _show_revisions(out: "Console", document: dict[str, Any]) -> None:
    """Which revision stands where, and what keeps a later one from it."""
    latest = document["revision"]
    for one in document["shown"]:
        behind = one["revision"] < latest
        why = "; ".join(one["reasons"]) or ("" if one["correctable"] else "it cannot be changed there")
        count = one["deliveries"]
        where = f"{count} {'delivery' if count == 1 else 'deliveries'}"
        of = f"  {one['channel']}: revision {one['revision']} of {latest} in {where}"
        out.print(f"{of}: {why}" if behind and why else of, markup=False)


def _show_balance(out: "Console", document: dict[str, Any]) -> None:
    out.print(f"[bold]{document['issue']}[/] {document['state']}")
    show_why(out, document)
    if not document["channels"]:
        return
    shown = table("channel", *(name.replace("_", " ") for name in COLUMNS))
    for name, balance in document["channels"].items():
        shown.add_row(name, *(_number(state, balance[state]) for state in COLUMNS))
    out.print(shown)


def _number(state: str, count: int) -> str:
    """Zero is quiet, and what needs a person is loud."""
    if not count:
        return "[dim]0[/]"
    colour = {"sent": "green", "failed": "red", "in_doubt": "yellow", "waiting": "cyan"}.get(state)
    return f"[{colour}]{count}[/]" if colour else str(count)
