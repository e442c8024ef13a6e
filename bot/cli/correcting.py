"""The command that changes what was posted."""

from threading import Event

import click

from bot.cli.holding import unless_held
from bot.cli.sending import show_status
from bot.cli.session import Session, no


@click.command(
    "correct",
    epilog="""\b
Example:
  broadsheet correct 2025-W17    after an edit of what was published; run again to go on
""",
)
@click.argument("issue")
@click.pass_obj
def correct_(session: Session, issue: str) -> None:
    """Change the messages of a published issue to what its content says now. Mail is not sent again."""
    from bot.overview import status
    from bot.schedule import stopping

    session.refuse_time_travel(leaves_the_machine=session.app.leaves_the_machine)
    desk, week = session.app.issue(issue)
    with unless_held(session, f"{desk.newsletter.name}/{week}"):
        new = desk.revise(week, session.now)
    stop = Event()
    with stopping(stop, session.note):
        halts, shortfalls = desk.correct(week, session.clock, stop)
    document = status(desk, week)
    session.note(
        f"{document['issue']}: revision {document['revision']}" + ("" if new else ", no newer content")
    )
    session.answer(document, lambda out: show_status(out, document))
    for channel, halt in halts.items():
        session.complain(f"{channel}: {halt.reason}")
    for one in shortfalls:
        session.complain(f"{one.channel}, part {one.part}: {one.reason}")
    behind = [
        one for one in document["shown"] if one["correctable"] and one["revision"] < document["revision"]
    ]
    if halts or shortfalls or behind:
        no(2 if halts else 1)
