"""What `check --fix` does and shows: rounds of mending, and a coloured diff of what came of them."""

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from bot.cli.session import Session

if TYPE_CHECKING:
    from rich.console import Console

    from bot.mending import Mended
    from bot.models import Finding

ROUNDS = 5
"""Two mends of one place are made one after the other; more than a few there never are."""
STYLES = {"+": "green", "-": "red", "@": "cyan", "+++": "bold", "---": "bold"}


def fixed(session: Session, judged: "Callable[[], list[Finding]]", *, dry_run: bool) -> "list[Finding]":
    """Mend what can be mended, show it, and give the findings that are left."""
    from bot.mending import mended, write

    root = session.onlooker.settings.root
    findings = judged()
    made: dict[str, Mended] = {}
    for _ in range(1 if dry_run else ROUNDS):
        changes = mended(root, findings)
        for change in changes:
            if not dry_run and not write(root, change):
                session.complain(f"{change.place}: changed while it was looked at, and is left as it is")
                continue
            first = made.get(change.place, change)
            made[change.place] = replace(
                change,
                before=first.before,
                edits=(*first.edits, *change.edits) if first is not change else change.edits,
            )
        if not changes or dry_run:
            break
        findings = judged()
    _show(_console(session), list(made.values()), dry_run=dry_run)
    return findings


def _console(session: Session) -> "Console":
    """Where the diff goes: not between lines that a machine reads."""
    from rich.console import Console

    return session.out if session.form != "github" else Console(stderr=True, highlight=False)


def _show(out: "Console", made: "list[Mended]", *, dry_run: bool) -> None:
    from rich.text import Text

    from bot.cli.checking import plain
    from bot.mending import diff

    for change in made:
        for line in diff(change):
            style = STYLES.get(line[:3], STYLES.get(line[:1], ""))
            out.print(Text(plain(line), style=style), soft_wrap=True)
    count = sum(len(change.edits) for change in made)
    places = f"{count} place{'' if count == 1 else 's'} in {len(made)} file{'' if len(made) == 1 else 's'}"
    would = "would be mended" if dry_run else "mended"
    out.print(f"[bold]{places} {would}[/]\n" if made else "Nothing to mend without judgement.\n")
