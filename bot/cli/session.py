"""What the commands share: the options given, the app behind them, and the two ways to answer."""

import json
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from bot.errors import InputError

if TYPE_CHECKING:  # rich and the app are imported when a command needs them
    from rich.console import Console
    from rich.table import Table

    from bot.app import App


@dataclass
class Session:
    """One command line."""

    config: Path
    form: str
    pretended: datetime | None
    allow_time_travel: bool

    def __init__(self, config: Path, form: str, now: datetime | None, *, allow_time_travel: bool) -> None:
        self.config, self.form, self.pretended = config, form, now
        self.allow_time_travel = allow_time_travel

    @property
    def now(self) -> datetime:
        """The present instant, or the one that --now pretends."""
        return self.pretended or datetime.now(UTC)

    def clock(self) -> datetime:
        """`now` for code that asks again and again."""
        return self.now

    @cached_property
    def app(self) -> "App":
        return self._app(sends=True)

    @cached_property
    def onlooker(self) -> "App":
        """An app for a command that sends nothing: it needs no secrets."""
        return self._app(sends=False)

    def looking(self, listen: str) -> "App":
        """An onlooker whose pages listen there, whatever the configuration says."""
        return self._app(sends=False, BROADSHEET_WEB__LISTEN=listen)

    def _app(self, *, sends: bool, **variables: str) -> "App":
        from bot.app import App
        from bot.settings import load

        environment = {**os.environ, **variables}
        return App(load(self.config, environment), sends=sends, config=self.config, environment=environment)

    @cached_property
    def out(self) -> "Console":
        """Tables and text; on stderr where stdout is kept for one JSON document."""
        from rich.console import Console

        stderr = self.form == "json"
        # Where no person watches, a table must not be cut to some width that nobody chose.
        watched = (sys.stderr if stderr else sys.stdout).isatty()
        return Console(stderr=stderr, highlight=False, width=None if watched else 240)

    @cached_property
    def watched(self) -> "Console":
        """Where a person sees how far something is; nothing is written there where nobody watches."""
        from rich.console import Console

        return Console(stderr=True, quiet=not sys.stderr.isatty())

    def answer(self, document: Any, show: Callable[["Console"], object]) -> None:
        """Print the answer: the document as JSON, or what `show` makes of it for a person."""
        if self.form == "json":
            click.echo(json.dumps(document, ensure_ascii=False, indent=2))
        else:
            show(self.out)

    def note(self, line: str) -> None:
        """Say something in passing, on stderr."""
        click.echo(line, err=True)

    def complain(self, line: str) -> None:
        """Say what went wrong, on stderr."""
        click.echo(f"{click.style('broadsheet:', fg='red')} {line}", err=True)

    def refuse_time_travel(self, *, leaves_the_machine: bool) -> None:
        """A pretended instant must not reach real readers by accident."""
        if self.pretended and leaves_the_machine and not self.allow_time_travel:
            raise InputError(
                "--now", "this command would really send over a network", "add --allow-time-travel to mean it"
            )


def table(*columns: str) -> "Table":
    """A table whose cells stay on their line."""
    from rich.table import Table

    made = Table(box=None, header_style="bold", pad_edge=False)
    for column in columns:
        made.add_column(column, no_wrap=True)
    return made


def no(status: int = 1) -> NoReturn:
    """It ran, and the answer is no."""
    sys.exit(status)
