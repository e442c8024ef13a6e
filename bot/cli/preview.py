"""The command of the studio: preview."""

import os
import sys
import webbrowser
from collections.abc import Mapping
from contextlib import suppress
from threading import Event
from typing import TYPE_CHECKING

import click

from bot.cli.session import Session

if TYPE_CHECKING:
    from bot.app import App


@click.command(
    "preview",
    epilog="""\b
Examples:
  broadsheet preview             the studio on this machine; each save is shown at once
  broadsheet preview 2025-W17    the same, at that issue
""",
)
@click.argument("issue", required=False)
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, help="Where it listens.  [default: a free one]"
)
@click.option(
    "--as",
    "curator",
    metavar="CURATOR",
    help="Who decides in it.  [default: the only one, or your user name]",
)
@click.option("--no-open", is_flag=True, help="Open no browser.")
@click.pass_obj
def preview_(session: Session, issue: str | None, port: int, curator: str | None, *, no_open: bool) -> None:
    """See issues as readers will get them, with what the checks found, and approve or hold them.

    Served to this machine alone, at a link that opens once. It sends nothing, and needs no secrets.
    """
    from bot.schedule import stopping
    from bot.web.serving import serving
    from bot.web.studio import Studio

    app, stop = session.looking(f"127.0.0.1:{port}"), Event()
    to = _page(app, issue)
    studio = Studio(app, session.clock, say=session.note, user=_known(app, curator or ""))
    with stopping(stop, lambda _: None), serving(app, session.clock, studio) as address:
        link = studio.invite(address, f"{studio.home}{to}") or ""
        shown = {"address": address, "link": link, "curator": studio.user}
        session.answer(shown, lambda _out: click.echo(link))  # a console would break it into lines
        session.note("The link opens once, within ten minutes. Ctrl-C ends the studio.")
        if not no_open and _has_screen(os.environ):
            with suppress(webbrowser.Error):
                webbrowser.open(link)
        stop.wait()


def _page(app: "App", issue: str | None) -> str:
    """The path of an issue below the studio's."""
    if issue is None:
        return ""
    desk, week = app.issue(issue)
    return f"/{desk.newsletter.name}/{week}"


def _known(app: "App", named: str) -> str:
    """The curator that `--as` names."""
    from bot.errors import InputError
    from bot.plugins import nearest

    every = {key for newsletter in app.settings.newsletters.values() for key in newsletter.curators}
    if named and named not in every:
        where = f"{named!r} is no curator{nearest(named, every)}"
        raise InputError("--as", where, "add [curators.<name>] to a newsletter's configuration")
    return named


def _has_screen(environment: Mapping[str, str]) -> bool:
    """Whether a browser would open beside the terminal: a browser of text would take its place."""
    named = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
    return sys.platform in {"darwin", "win32"} or any(environment.get(name) for name in named)
