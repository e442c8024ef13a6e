"""Writes docs/reference/ from the code: `python docs/reference.py`; the tests say when it was forgotten."""

from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import click
from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from bot import checks, plugins
from bot.cli import broadsheet
from bot.settings import Dkim, DkimKey, Newsletter, Schedule, Settings, Web

HERE = Path(__file__).parent / "reference"
NOTE = "<!-- Made from the code by docs/reference.py: change the code, not this page. -->\n"
ENVIRONMENT = (
    "Any key can be set by an environment variable as well: `BROADSHEET_` and the key, `__` between the "
    "levels, for example `BROADSHEET_TRANSPORT__PORT=25`. The environment wins.\n"
)
RULES = (
    "An **error** keeps an issue from going out, and so do faults in reading content, which are found under "
    "`content.…` with their line. The severity is that of a rule at its worst.\n"
)


def pages() -> dict[str, str]:
    """Every page of the reference, by file name."""
    return {"commands.md": _commands(), "configuration.md": _configuration(), "rules.md": _rules()}


def _commands() -> str:
    # As it is called: else help would name its own option otherwise, until some command has run.
    root = click.Context(broadsheet, info_name="broadsheet", **broadsheet.context_settings)
    parts = [NOTE, "# Commands\n", _help(root)]
    for context in _walk(root):
        parts += [f"## {context.command_path}\n", _help(context)]
    return "\n".join(parts)


def _walk(context: click.Context) -> Iterator[click.Context]:
    group = context.command
    if not isinstance(group, click.Group):
        return
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None  # noqa: S101 (a listed command is there)
        inner = click.Context(command, info_name=name, parent=context)
        yield inner
        yield from _walk(inner)


def _help(context: click.Context) -> str:
    formatter = click.HelpFormatter(width=96, max_width=96)
    context.command.format_help(context, formatter)
    return f"```text\n{formatter.getvalue().rstrip()}\n```\n"


def _configuration() -> str:
    parts = [
        NOTE,
        "# Configuration\n",
        ENVIRONMENT,
        "## `config/bot.toml`\n",
        _table(Settings, hidden={"root", "newsletters", "web", "dkim", "transport"}),
        "### `[web]`\n",
        _table(Web),
        "### `[dkim]`\n",
        _table(Dkim, hidden={"keys"}),
        "### `[[dkim.keys]]`, one or two\n",
        _table(DkimKey),
    ]
    parts += _plugin_tables("transports", "[transport]")
    parts += [
        "## `config/newsletters/<name>.toml`\n",
        _table(Newsletter, hidden={"name", "schedule", "channels"}),
    ]
    parts += ["### `[schedule]`\n", _table(Schedule)]
    parts += _plugin_tables("channels", "[channels.<name>]")
    return "\n".join(parts)


def _rules() -> str:
    return f"{NOTE}\n# Rules of `broadsheet check`\n\n{RULES}\n{checks.reference()}"


def _plugin_tables(folder: str, heading: str) -> Iterator[str]:
    for kind in plugins.kinds(folder):
        options = plugins.find(folder, kind).Options
        lists = {key: list(plugins.tables(field)) for key, field in options.model_fields.items()}
        inner = {key: models for key, models in lists.items() if models}
        yield f'### `{heading}`, `kind = "{kind}"`\n'
        yield _table(options, hidden={"kind", *inner})
        for key, models in inner.items():
            yield f'### `[{heading[:-1]}.{key}]]`, `kind = "{kind}"`, as many as you like\n'
            yield from map(_table, models)


def _table(model: type[BaseModel], hidden: set[str] | frozenset[str] = frozenset()) -> str:
    rows = [_row(name, field) for name, field in model.model_fields.items() if name not in hidden]
    return "\n".join(["| key | default | means |", "|---|---|---|", *rows, ""]) if rows else "No keys.\n"


def _row(name: str, field: FieldInfo) -> str:
    choices = [str(choice) for choice in get_args(field.annotation) if isinstance(choice, str)]
    means = " ".join((field.description or "").split())
    if choices:
        means = f"{means} One of {', '.join(f'`{choice}`' for choice in choices)}.".strip()
    return f"| `{name}` | {_default(field)} | {means} |".replace("  ", " ")


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "required"
    if field.default is PydanticUndefined or field.default is None or field.default == "":
        return ""
    return f"`{field.default}`"


if __name__ == "__main__":
    HERE.mkdir(exist_ok=True)
    for name, text in pages().items():
        (HERE / name).write_text(text, "utf-8")
