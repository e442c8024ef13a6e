"""What a command says of an issue that does not go out: why, and what the checks found."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from bot.cli.session import Session, no
from bot.errors import HeldError
from bot.models import Severity

if TYPE_CHECKING:
    from rich.console import Console

    from bot.models import Finding


@contextmanager
def unless_held(session: Session, issue: str) -> Iterator[None]:
    """Answer with the findings, by file, and exit 1 where the checks hold what is done within."""
    try:
        yield
    except HeldError as error:
        from bot.checks import as_json

        findings = telling(error.findings)
        document = {"issue": issue, "state": "held", "findings": as_json(findings)}
        session.answer(document, lambda out: show_held(out, issue, findings))
        no()


def telling(findings: "Sequence[Finding]") -> "list[Finding]":
    """The findings that tell who would send something what to do; hints are for `check`."""
    from bot.checks import in_order

    return in_order(finding for finding in findings if finding.severity is not Severity.HINT)


def show_held(out: "Console", issue: str, findings: "Sequence[Finding]") -> None:
    """Print that an issue is held, and by what."""
    from bot.cli.checking import show_findings

    out.print(f"[bold]{issue}[/] [red]held[/]: the checks found errors; mended, it can go out\n")
    show_findings(out, findings)


def show_why(out: "Console", document: dict[str, Any]) -> None:
    """Print why an issue that is due does not go out, if there is a reason, with the first errors."""
    if why := document.get("why"):
        reason = ": ".join(filter(None, (why["reason"], why["remedy"])))
        out.print(f"{document['issue']}: {reason}", style="yellow", markup=False, soft_wrap=True)
        for line in why["first"]:
            out.print(f"  {line}", markup=False, soft_wrap=True)
