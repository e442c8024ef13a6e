"""Commands by which curators decide: approve, hold, release; and what changed since they did."""

from typing import TYPE_CHECKING, Any

import click

from bot.cli.holding import unless_held
from bot.cli.session import Session

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from rich.console import Console

    from bot.changes import Change
    from bot.store.decisions import Verb

_by = click.option(
    "--by", metavar="CURATOR", help="Who decides: a curator of the configuration.  [default: your user name]"
)
_seen = click.option("--seen", metavar="HASH", help="Only if the content still has this hash (or begins so).")


def _decide(session: Session, issue: str, verb: "Verb", by: str | None, seen: str | None = None) -> None:
    from bot.models import Origin

    desk, week = session.app.issue(issue)
    by = _curator(by, desk.newsletter.curators)
    if seen is not None:
        seen = _whole(seen, desk.proofs.hash_of(desk.issue(week, session.now)))
    name = f"{desk.newsletter.name}/{week}"
    with unless_held(session, name):
        outcome = desk.decide(week, verb, session.now, by=by, origin=Origin.CLI, seen=seen)
    standing = outcome.standing
    document = {
        "issue": name,
        "decision": verb,
        "hash": standing.hash if standing else desk.proofs.hash_of(desk.issue(week, session.now)),
        "by": standing.by if standing else by,
        "new": outcome.new,
    }
    session.answer(document, lambda out: out.print(_said(document), markup=False))


def _curator(by: str | None, curators: "Iterable[str]") -> str:
    """A curator's key as it was given, or the machine's user."""
    from bot.errors import InputError
    from bot.plugins import nearest

    if by is None:
        import getpass

        try:
            return getpass.getuser()[:100]
        except (OSError, KeyError):  # a user without a name, as in some containers
            return ""
    if by not in curators:
        where = f"{by!r} is no curator of this newsletter{nearest(by, curators)}"
        raise InputError("--by", where, "add [curators.<name>] to its configuration")
    return by


def _whole(seen: str, content_hash: str) -> str:
    """The whole hash that `seen` begins, if it is the present content's."""
    from bot.errors import InputError

    if len(seen) < 8:  # noqa: PLR2004 (fewer could be anybody's)
        raise InputError("--seen", f"{seen!r} is too short", "give at least 8 characters of the hash")
    return content_hash if content_hash.startswith(seen) else seen


def _said(document: dict[str, Any]) -> str:
    by = f" by {document['by']}" if document["by"] else ""
    already = "" if document["new"] else " already"
    return f"{document['issue']}: {document['decision']}{already}{by}, content {document['hash'][:12]}"


@click.command(
    "approve",
    epilog="""\b
Examples:
  broadsheet approve 2025-W17
  broadsheet approve 2025-W17 --by ann --seen 3f9c2a7b
""",
)
@click.argument("issue")
@_by
@_seen
@click.pass_obj
def approve_(session: Session, issue: str, by: str | None, seen: str | None) -> None:
    """Say yes to an issue as its content is now; any change voids the yes."""
    _decide(session, issue, "approved", by, seen)


@click.command("hold", epilog="\b\nExample:\n  broadsheet hold 2025-W17")
@click.argument("issue")
@_by
@click.pass_obj
def hold_(session: Session, issue: str, by: str | None) -> None:
    """Keep an issue from going out, by the schedule or by hand, until it is released."""
    _decide(session, issue, "held", by)


@click.command("release", epilog="\b\nExample:\n  broadsheet release 2025-W17")
@click.argument("issue")
@_by
@click.pass_obj
def release_(session: Session, issue: str, by: str | None) -> None:
    """Lift a hold. An approval that is required must be given anew."""
    _decide(session, issue, "released", by)


@click.command(
    "changes",
    epilog="""\b
Examples:
  broadsheet changes 2025-W17           what voided the approval, word by word
""",
)
@click.argument("issue")
@click.pass_obj
def changes_(session: Session, issue: str) -> None:
    """Show what has changed in an issue since it was last approved."""
    desk, week = session.app.issue(issue)
    found = desk.changes(week, session.now)
    name = f"{desk.newsletter.name}/{week}"
    told = [] if found is None else [_as_document(one) for one in found[1]]
    document = {"issue": name, "approved": found[0].hash if found else None, "changes": told}
    session.answer(document, _shown(name, found[1] if found else None))


def _as_document(change: "Change") -> dict[str, Any]:
    runs = [[str(kind), words] for kind, words in change.runs]
    return {"kind": str(change.kind), "title": change.title, "runs": runs}


def _shown(name: str, found: "tuple[Change, ...] | None") -> "Callable[[Console], None]":
    def show(out: "Console") -> None:
        if found is None:
            out.print(f"{name}: nobody has approved it yet", markup=False)
        elif not found:
            out.print(f"{name}: nothing has changed since it was approved", markup=False)
        for change in found or ():
            out.print(f"[bold]{change.kind}[/] ", end="")
            out.print(change.title, markup=False)
            if change.runs:
                out.print(_words(change), soft_wrap=True)

    return show


def _words(change: "Change") -> Any:
    """The words of a change: what went struck and red, what came green, of what stayed the nearest few."""
    from rich.text import Text

    styles = {"removed": "red strike", "added": "green underline", "same": "dim"}
    text = Text("  ")
    for kind, words in change.runs:
        shown = _edges(words) if kind == "same" else words
        text.append(shown.replace("\n", " ") + " ", style=styles[kind])
    return text


def _edges(words: str, around: int = 5) -> str:
    """The first and last few of many words."""
    every = words.split()
    if len(every) <= 2 * around:
        return words
    return " ".join((*every[:around], "…", *every[-around:]))
