"""The public site as static files: each page as it would be served, for hosting without a program.

archive, issues, feeds → read from the application → written where they differ, each in one step
"""

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from bot.app import App
from bot.errors import BroadsheetError, InputError
from bot.feeds import FORMS
from bot.store import archive
from bot.web import application
from bot.web.archive import PER_PAGE

LIST = ".broadsheet-site.json"
"""Names the files that were written here, so that no other is ever overwritten."""


@dataclass(frozen=True, slots=True)
class Written:
    """What became of the files, by their names below the folder."""

    written: tuple[str, ...]
    unchanged: tuple[str, ...]


def write_site(app: App, out: Path, now: datetime) -> Written:
    """Write the public site below a folder; InputError where a file there is not ours to overwrite.

    A second time writes what has changed. Nothing is ever removed.
    """
    ours = _ours(out)
    pages = dict(_pages(app, now))
    _refuse_foreign(out, pages, ours)
    _put(out / LIST, json.dumps(sorted({*ours, *pages}), indent=1).encode())
    written = tuple(name for name, data in pages.items() if _put(out / name, data))
    return Written(written, tuple(name for name in pages if name not in written))


def _pages(app: App, now: datetime) -> Iterator[tuple[str, bytes]]:
    """Every public page by the name of its file."""
    client = application(app, lambda: now).test_client()
    prefix = f"{app.settings.url}/"
    for path in _paths(app):
        answer = client.get(f"/{path}", base_url=prefix)
        if answer.status_code != 200:  # noqa: PLR2004 (a page that is there)
            raise BroadsheetError(f"/{path}: cannot be made: it answers {answer.status}")
        yield (
            (path if path in FORMS or path.rpartition("/")[2] in FORMS else f"{path}/index.html".lstrip("/")),
            answer.data,
        )
    yield "404.html", client.get("/404.html", base_url=prefix).data


def _paths(app: App) -> Iterator[str]:
    """The addresses of all public pages, without the slash they begin with."""
    several = app.settings.several
    if several:
        yield from ("", *FORMS)
    for name in app.settings.newsletters:
        home = f"{name}/" if several else ""
        with app.store.read() as connection:
            weeks = [one.week for one in archive.shown(connection, name)]
        yield home.rstrip("/")
        yield from (f"{home}page/{number}" for number in range(2, -(-len(weeks) // PER_PAGE) + 1))
        yield from (f"{home}issues/{week}" for week in weeks)
        yield from (f"{home}{file}" for file in FORMS)


def _ours(out: Path) -> list[str]:
    """The files that were written here before."""
    try:
        names = json.loads((out / LIST).read_bytes())
    except FileNotFoundError:
        return []
    except (OSError, ValueError) as error:
        raise InputError(str(out / LIST), "cannot be read", "name an empty folder") from error
    return [name for name in names if isinstance(name, str)] if isinstance(names, list) else []


def _refuse_foreign(out: Path, pages: dict[str, bytes], ours: list[str]) -> None:
    for name in pages.keys() - set(ours):
        if os.path.lexists(out / name):
            raise InputError(str(out / name), "was not written by this command", "name an empty folder")


def _put(file: Path, data: bytes) -> bool:
    """Write a file in one step, for whoever reads it meanwhile; False where it is so already."""
    try:
        if file.is_file() and file.read_bytes() == data:
            return False
        file.parent.mkdir(parents=True, exist_ok=True)
        beside = file.with_name(f".{file.name}.{os.getpid()}")
        try:
            beside.write_bytes(data)
            beside.replace(file)
        finally:
            beside.unlink(missing_ok=True)
    except OSError as error:
        raise InputError(
            str(file), error.strerror or "cannot be written", "name a folder of yours"
        ) from error
    return True
