"""Commands of the web: serve, site."""

import logging
import sys
from pathlib import Path
from threading import Event

import click

from bot.cli.session import Session


@click.command(
    "serve", epilog="\b\nExample:\n  broadsheet serve    the pages at [web] listen, http://127.0.0.1:8000"
)
@click.pass_obj
def serve_(session: Session) -> None:
    """Serve the web pages alone: archive, issues, feeds, leaving. `run` serves them beside the bot."""
    from bot.schedule import stopping
    from bot.web.serving import serving
    from bot.web.studio import Studio

    _log_to_stderr()
    stop = Event()
    studio = Studio(session.app, session.clock, say=session.note)
    with stopping(stop, lambda _: None), serving(session.app, session.clock, studio) as address:
        session.note(f"serving {address}; Ctrl-C ends it")
        if link := studio.invite(address):
            session.note(f"the studio opens once, within ten minutes, at {link}")
        stop.wait()


def _log_to_stderr() -> None:
    """Each request and each fault as a line: here it is all that this command has to say."""
    shown = logging.StreamHandler(sys.stderr)
    shown.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
    pages = logging.getLogger("bot.web")
    pages.addHandler(shown)
    pages.setLevel(logging.INFO)
    pages.propagate = False


@click.command(
    "site",
    epilog="\b\nExample:\n  broadsheet site --out public    again after each issue: it writes what changed",
)
@click.option(
    "--out", type=click.Path(path_type=Path, file_okay=False), required=True, help="Where the files go."
)
@click.pass_obj
def site_(session: Session, out: Path) -> None:
    """Write the public site as static files: archive, issues, feeds. Leaving needs `serve` or `run`."""
    from bot.links import leads_somewhere
    from bot.web.files import write_site

    if not leads_somewhere(url := session.app.settings.url):
        session.note(f"base_url is {url}: links in the feeds lead to the reader's own machine")
    done = write_site(session.app, out, session.now)
    document = {"out": str(out), "written": list(done.written), "unchanged": len(done.unchanged)}
    session.answer(
        document,
        lambda console: console.print(f"{out}: {len(done.written)} written, {len(done.unchanged)} unchanged"),
    )
