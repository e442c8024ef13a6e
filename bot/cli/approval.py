"""Commands by which curators decide: approve, hold, release."""

import click

from bot.cli.session import Session


def _decide(session: Session, issue: str, verb: str) -> None:
    desk, week = session.app.issue(issue)
    content_hash = desk.decide(week, verb, session.now)
    name = f"{desk.newsletter.name}/{week}"
    document = {"issue": name, "decision": verb, "hash": content_hash}
    session.answer(document, lambda out: out.print(f"{name}: {verb}, content {content_hash[:12]}"))


@click.command("approve", epilog="\b\nExample:\n  broadsheet approve 2025-W17")
@click.argument("issue")
@click.pass_obj
def approve_(session: Session, issue: str) -> None:
    """Say yes to an issue as its content is now; any change voids the yes."""
    _decide(session, issue, "approved")


@click.command("hold", epilog="\b\nExample:\n  broadsheet hold 2025-W17")
@click.argument("issue")
@click.pass_obj
def hold_(session: Session, issue: str) -> None:
    """Keep an issue from going out, by the schedule or by hand, until it is released."""
    _decide(session, issue, "held")


@click.command("release", epilog="\b\nExample:\n  broadsheet release 2025-W17")
@click.argument("issue")
@click.pass_obj
def release_(session: Session, issue: str) -> None:
    """Lift a hold. An approval that is required must be given anew."""
    _decide(session, issue, "released")
