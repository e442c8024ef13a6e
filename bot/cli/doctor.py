"""The command that asks whether this installation is fit to send: doctor."""

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING

import click

from bot.cli.session import Session, no

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from bot.doctor import Diagnosis

STYLES = {"good": "green", "warning": "yellow", "bad": "bold red", "skipped": "dim"}
WIDEST = 44
"""Columns of what a diagnosis is about; what is longer pushes its words to the right."""


@click.command(
    "doctor",
    epilog="""\b
Examples:
  broadsheet doctor                          everything
  broadsheet doctor --offline                what needs no network
  broadsheet doctor --nameserver 192.0.2.53  what a certain name server says of your domain
  broadsheet doctor --format json            for a monitor; exit status 1 where something is bad
""",
)
@click.option("--offline", is_flag=True, help="Leave out what needs the network: relay, DNS, Slack.")
@click.option(
    "--nameserver", metavar="ADDRESS[:PORT]", help="Ask this name server instead of the system's own."
)
@click.pass_obj
def doctor_(session: Session, nameserver: str | None, *, offline: bool) -> None:
    """Examine this installation, and say whether it is fit to send.

    Looks at the configuration, the database, the relay, the DNS (SPF, DKIM, DMARC, MX), Slack, the clock and
    the disk, and says what to mend and what to publish. Sends nothing and changes nothing.
    """
    from bot.doctor import as_json

    found = session.app.examine(session.now, nameserver=nameserver, offline=offline)
    diagnoses = list(found) if session.form == "json" else list(_shown(session.out, found))
    session.answer(as_json(diagnoses), lambda out: _summed_up(out, diagnoses))
    if any(one.state == "bad" for one in diagnoses):
        no()


def _shown(out: "Console", found: "Iterable[Diagnosis]") -> "Iterator[Diagnosis]":
    """Show the diagnoses, each examination's when it is done."""
    for check, group in groupby(found, key=attrgetter("check")):
        diagnoses = list(group)
        out.print(check, style="bold", markup=False)
        width = min(WIDEST, max(len(one.where) for one in diagnoses))
        for one in diagnoses:
            for line in _lines(one, width):
                # Whole lines: a record to publish is copied from here.
                out.print(line, soft_wrap=True)
        yield from diagnoses


def _lines(one: "Diagnosis", width: int) -> "Iterator[Text]":
    from rich.text import Text

    state = (f"  {one.state:<7}  ", STYLES[one.state])
    yield Text.assemble(state, (f"{one.where:<{width}}  ", "bold" if one.state == "bad" else ""), one.message)
    if one.fix:
        yield Text(f"{'':11}{'':{width}}  → {one.fix}", "cyan")


def _summed_up(out: "Console", diagnoses: "list[Diagnosis]") -> None:
    counts = Counter(str(one.state) for one in diagnoses)
    verdict = "not fit to send" if counts["bad"] else "fit to send"
    words = ", ".join(_count(counts[state], state) for state in STYLES if counts[state])
    out.print(f"{words}: {verdict}.", style=STYLES["bad" if counts["bad"] else "good"], markup=False)


def _count(number: int, state: str) -> str:
    return f"{number} {state}s" if state == "warning" and number > 1 else f"{number} {state}"
