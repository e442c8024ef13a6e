"""The command that sends an issue as a test: to addresses, to Slack conversations."""

from typing import Any

import click

from bot.cli.session import Session


@click.command(
    "test",
    epilog="""\b
Examples:
  broadsheet test 2025-W17 --to ann@example.org
  broadsheet test 2025-W17 --to-slack C0123456789
""",
)
@click.argument("issue")
@click.option("--to", "addresses", metavar="ADDRESS", multiple=True, help="Mail it there; may be repeated.")
@click.option(
    "--to-slack",
    "conversations",
    metavar="CONVERSATION",
    multiple=True,
    help="Post it there: the ID of a conversation, or of a person.",
)
@click.pass_obj
def test_(session: Session, issue: str, addresses: tuple[str, ...], conversations: tuple[str, ...]) -> None:
    """Send an issue as a test, marked, to whom you name: nobody else gets it, and nothing counts as sent.

    Its unsubscribe link works and unsubscribes nobody. Errors that the checks find do not keep it.
    """
    if not addresses and not conversations:
        raise click.UsageError("say where to: --to ADDRESS or --to-slack CONVERSATION.")
    session.refuse_time_travel(leaves_the_machine=session.app.leaves_the_machine or bool(conversations))
    from bot.trials import by_mail, to_slack

    app = session.app
    desk, week = app.issue(issue)
    sent: list[dict[str, Any]] = []
    for address in addresses:
        receipt = by_mail(desk, week, address, session.now)
        sent.append({"to": address, "receipts": [receipt.reference]})
    for conversation in conversations:
        receipts = to_slack(app, desk, week, conversation, session.now)
        sent.append({"to": conversation, "receipts": [one.reference for one in receipts]})
    document = {"issue": f"{desk.newsletter.name}/{week}", "sent": sent}
    lines = [f"{document['issue']}: a test was sent to {one['to']}" for one in sent]
    session.answer(document, lambda out: out.print("\n".join(lines), markup=False))
