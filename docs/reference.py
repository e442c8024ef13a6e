"""Writes docs/reference/ from the code: `python docs/reference.py`; the tests say when it was forgotten."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any, get_args

import click
from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from bot import checks, plugins
from bot.checks import Rule
from bot.cli import broadsheet
from bot.settings import Curator, Dkim, DkimKey, Drafts, Newsletter, Schedule, Settings, Web

NL = "\n"
HERE = Path(__file__).parent / "reference"
NOTE = "<!-- Made from the code by docs/reference.py: change the code, not this page. -->\n"
ENVIRONMENT = (
    "Any key can be set by an environment variable as well: `BROADSHEET_` and the key, `__` between the "
    "levels, for example `BROADSHEET_TRANSPORT__PORT=25`. The environment wins.\n"
)
RULES = """\
`broadsheet check` asks all of these, and so does the bot at the minute of sending. An **error** keeps an
issue from going out; a **warning** is most likely a fault; a **hint** is worth a look. The severity is that
of a rule at its worst.

A newsletter takes a rule otherwise in its file, an issue in its front matter, and the issue's word wins:

```toml
[checks]
"links.shortener" = "off"      # or "hint", "warning", "error"
```

```yaml
checks:
  links.shortener: off
```

What protects from harm cannot be switched off or made milder, and says so below. The ids stay what they are
for ever. In the examples, signs that nobody sees are written as `\\u200b`.
"""
LANGUAGES = {"config": "toml", "mail": "html", "slack": "jinja"}
"""What the examples of some families are written in."""


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
        _table(Newsletter, hidden={"name", "schedule", "drafts", "channels"}),
    ]
    parts += ["### `[schedule]`\n", _table(Schedule)]
    parts += ["### `[drafts]`\n", _table(Drafts), "### `[curators.<name>]`\n", _table(Curator)]
    parts += _plugin_tables("channels", "[channels.<name>]")
    return "\n".join(parts)


# ------------------------------------------------------------------------------------------------- rules


def _rules() -> str:
    every = checks.rules()
    parts = [NOTE, "# Rules of `broadsheet check`\n", RULES, *_contents(every)]
    for family, rules in groupby(every, key=lambda rule: rule.id.partition(".")[0]):
        parts += [f"## {family}\n", *map(_rule, rules)]
    return "\n".join(parts)


def _contents(rules: Iterable[Rule[Any]]) -> Iterator[str]:
    yield "| rule | severity | finds |\n|---|---|---|"
    for rule in rules:
        yield f"| [`{rule.id}`](#{rule.id}) | {rule.severity} | {_cell(rule.finds)} |"
    yield ""


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _rule(rule: Rule[Any]) -> str:
    """One rule: what it finds and why, what makes it fire, and how to mend that."""
    binding = " It cannot be switched off or made milder." if rule.binding else ""
    examples = {"": rule.example} if isinstance(rule.example, str) else rule.example
    plain = "markdown" if rule in checks.rules(checks.Material) else "text"
    language = LANGUAGES.get(rule.id.partition(".")[0], plain)
    shown = (
        f"{f'`{name}`:{2 * NL}' if name else ''}{_fenced(text, language)}" for name, text in examples.items()
    )
    lines = [
        f'### <a id="{rule.id}"></a>`{rule.id}`',
        f"**{rule.severity}** · {rule.finds}{binding}",
        rule.why,
        *shown,
        f"*Mend:* {rule.mend}",
    ]
    return "\n\n".join(filter(None, lines)) + "\n"


def _fenced(text: str, language: str) -> str:
    """A text as it is, but for the signs that nobody would see."""
    longest = max(map(len, re.findall("`{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{_visible(text.strip(NL))}\n{fence}"


def _visible(text: str) -> str:
    """The text with what is not seen by itself written as its number."""
    return "".join(_number(sign) if _is_hidden(sign) else sign for sign in text)


def _is_hidden(sign: str) -> bool:
    return bool(unicodedata.combining(sign)) or not (sign.isprintable() or sign == NL)


def _number(sign: str) -> str:
    return f"\\u{ord(sign):04x}" if ord(sign) < 0x10000 else f"\\U{ord(sign):08x}"  # noqa: PLR2004 (as Python and JSON write them)


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
