"""The commands: they print, exit and decide nothing. Each imports what it uses when it is used."""

import os
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any

import click

from bot import __version__
from bot.errors import BroadsheetError, InputError, StopRunError, StoreError

# Which module holds a command; the order is the order of `--help`.
COMMANDS = {
    "import": "content",
    "issues": "content",
    "check": "checking",
    "render": "content",
    "preview": "preview",
    "test": "testing",
    "plan": "sending",
    "publish": "sending",
    "status": "sending",
    "retry": "sending",
    "resolve": "sending",
    "correct": "correcting",
    "approve": "approval",
    "hold": "approval",
    "release": "approval",
    "changes": "approval",
    "next": "clock",
    "run": "clock",
    "serve": "serving",
    "site": "serving",
    "subscribers": "readers",
    "curators": "curators",
    "doctor": "doctor",
}
GLOBAL = {"--config": 1, "--format": 1, "--now": 1, "--allow-time-travel": 0}


class _Instant(click.ParamType[datetime]):
    name = "instant"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> datetime:
        """Read an ISO instant with a zone; a naive one could mean any of two dozen instants."""
        if isinstance(value, datetime):
            return value
        try:
            instant = datetime.fromisoformat(value)
        except ValueError:
            self.fail(f"{value!r} is not an instant such as 2025-04-25T09:00+02:00", param, ctx)
        if instant.tzinfo is None:
            self.fail(f"{value!r} names no zone; write 2025-04-25T09:00+02:00 or …Z", param, ctx)
        if not 1900 < instant.year < 3000:  # noqa: PLR2004 (the years that weeks may be of)
            self.fail(f"{value!r} is no year of ours", param, ctx)
        return instant.astimezone(UTC)


class _Commands(click.Group):
    """Commands imported one by one, and global options that may stand anywhere on the line."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 (named by click)
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 (named by click)
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"bot.cli.{COMMANDS[cmd_name]}")
        command: click.Command = getattr(module, f"{cmd_name}_")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands with what each does: its first sentence, whole, on as many lines as it takes."""
        commands = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl([(name, one.get_short_help_str(limit=200)) for name, one in commands if one])

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, _hoisted(args))


def _hoisted(args: Sequence[str]) -> list[str]:
    """The same words with the global options first: `status --format json` is `--format json status`."""
    front: list[str] = []
    rest: list[str] = []
    words = iter(args)
    for word in words:
        if word == "--":
            rest += [word, *words]
        elif word in GLOBAL:
            front += [word, *islice(words, GLOBAL[word])]
        elif word.split("=")[0] in GLOBAL:
            front.append(word)
        else:
            rest.append(word)
    return front + rest


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="""\b
Examples:
  broadsheet check                       is everything fit to go out?
  broadsheet render 2025-W17 --out out   see the mail, the text, the page, the Slack messages
  broadsheet publish 2025-W17            send it; run again to go on where it stopped
  broadsheet status 2025-W17             who has it, who has not, and why
""",
)
@click.version_option(__version__, prog_name="broadsheet")
@click.option(
    "--config",
    type=click.Path(path_type=Path),
    default=Path("config/bot.toml"),
    show_default=True,
    envvar="BROADSHEET_CONFIG",
    help="The installation's configuration; relative paths start at the folder above it.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "github"]),
    default="text",
    show_default=True,
    help="json: one document on stdout, all else on stderr. github: for `check` alone.",
)
@click.option("--now", type=_Instant(), help="Pretend it is this instant (ISO 8601 with a zone).")
@click.option("--allow-time-travel", is_flag=True, help="With --now: really send, all the same.")
@click.pass_context
def broadsheet(
    ctx: click.Context, config: Path, form: str, now: datetime | None, *, allow_time_travel: bool
) -> None:
    """Publish a curated newsletter by email and chat: each reader once, in doubt never guessed.

    An ISSUE is named by its week, 2025-W17, or ai-papers/2025-W17 where there are several newsletters.
    """
    from bot.cli.session import Session

    ctx.obj = Session(config, form, now, allow_time_travel=allow_time_travel)


def main() -> None:
    """Run one command line: exit 0 done, 1 the answer is no, 2 bad usage, configuration or content."""
    try:
        sys.exit(broadsheet(standalone_mode=False) or 0)
    except click.exceptions.Exit as exit_:
        sys.exit(exit_.exit_code)
    except click.Abort:
        sys.exit(130)
    except click.UsageError as error:
        _usage(error)
        sys.exit(2)
    except click.ClickException as error:
        _complain(error.format_message())
        sys.exit(2)
    except InputError as error:
        for line in dict.fromkeys([str(error), *map(str, error.findings)]):
            _complain(line)
        sys.exit(2)
    except StoreError as error:
        _complain(str(error))
        sys.exit(2)
    except (StopRunError, BroadsheetError) as error:
        _complain(str(error))
        sys.exit(1)
    except BrokenPipeError:
        # The reader of our output has gone: nothing more to say, and no traceback at exit either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)


def _usage(error: click.UsageError) -> None:
    command = error.ctx.command_path if error.ctx else "broadsheet"
    _complain(f"{error.format_message()} Try: {command} --help")


def _complain(line: str) -> None:
    click.echo(f"{click.style('broadsheet:', fg='red')} {line}", err=True)
