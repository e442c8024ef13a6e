"""Commands about curators: who they are, and a password for who signs in with one."""

from typing import TYPE_CHECKING

import click

from bot.cli.session import Session, table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rich.console import Console

SHORTEST = 12
"""Characters of a password, at least."""


@click.group("curators")
def curators_() -> None:
    """Who may preview, approve, hold and publish: the [curators.…] tables of a newsletter."""


@curators_.command("list")
@click.option("--newsletter", "name", help="Only this newsletter's.")
@click.pass_obj
def _list(session: Session, name: str | None) -> None:
    """List the curators, and the ways by which each is known."""
    chosen = session.app.settings.newsletters.values() if name is None else [session.app.newsletter(name)]
    rows = [
        {
            "newsletter": newsletter.name,
            "curator": key,
            "name": newsletter.known_as(key),
            "email": one.email,
            "slack": one.slack,
            "password": one.password_hash is not None,
        }
        for newsletter in chosen
        for key, one in newsletter.curators.items()
    ]
    session.answer(rows, lambda out: _show(out, rows))


def _show(out: "Console", rows: "Sequence[Mapping[str, object]]") -> None:
    if not rows:
        out.print("No curators yet: add [curators.<name>] to config/newsletters/<name>.toml.", markup=False)
        return
    shown = table("newsletter", "curator", "name", "email", "slack", "password")
    for row in rows:
        cells = (*row.values(),)[:-1]
        shown.add_row(*(str(cell or "") for cell in cells), "yes" if row["password"] else "")
    out.print(shown)


@curators_.command("password", epilog="\b\nExample:\n  broadsheet curators password")
@click.password_option(help="The password; asked for, twice, where it is left out.")
@click.pass_obj
def _password(session: Session, password: str) -> None:
    """Print what `password_hash` takes for a password, which itself is kept nowhere."""
    from werkzeug.security import generate_password_hash

    from bot.errors import InputError

    if len(password) < SHORTEST:
        raise InputError("password", f"{len(password)} characters", f"take at least {SHORTEST}")
    made = generate_password_hash(password, method="scrypt")
    session.answer({"password_hash": made}, lambda out: out.print(f'password_hash = "{made}"', markup=False))
