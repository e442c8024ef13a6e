"""The template of an issue's Slack messages: its expressions give blocks, and nothing else can come out.

A template that a user writes cannot make invalid JSON, a live mention or markup that is not meant: the
functions it may call build whole blocks, and text outside of them is an error.
"""

import re
from collections.abc import Callable, Sequence
from typing import Any

from jinja2 import StrictUndefined, TemplateError, TemplateNotFound
from jinja2.sandbox import ImmutableSandboxedEnvironment

from bot import blockkit
from bot.blockkit import Json
from bot.compose import Numbered, Templates
from bot.errors import InputError
from bot.text import Bullets, Inlines, Link, Paragraph, Text

TEMPLATE = "slack/issue.j2"
MEND = "templates/README.md lists what a Slack template may call"


class _Made(list[Json]):
    """Blocks that a function of ours built, kept together."""


class _Page:
    """One filling of the template: the blocks made so far, each a mark in the text."""

    def __init__(self) -> None:
        self.made: list[_Made] = []

    def mark(self, value: Any) -> str:
        """Put blocks where a template writes `{{ … }}`; nothing else may stand there."""
        if isinstance(value, str) and re.fullmatch(r"(?:\s|\x00\d+\x00)*", value):
            return value
        if not isinstance(value, _Made):
            raise TemplateError(f"{{{{ … }}}} gives text here, not a block: {str(value)[:60]!r}")
        self.made.append(value)
        return f"\0{len(self.made) - 1}\0"

    def blocks(self, text: str) -> list[_Made]:
        """The blocks of a filled template, in order; TemplateError where it holds text of its own."""
        stray = re.sub(r"\x00\d+\x00", "", text).strip()
        if stray:
            raise TemplateError(f"text outside of a block: {stray[:60]!r}")
        return [self.made[int(number)] for number in re.findall(r"\x00(\d+)\x00", text)]

    def together(self, caller: Callable[[], str]) -> str:
        """Keep what stands inside of a call block in one message."""
        return self.mark(_Made(block for made in self.blocks(caller()) for block in made))


def groups(templates: Templates, context: dict[str, Any]) -> Sequence[Sequence[Json]]:
    """The blocks of an issue as the template gives them, in groups that stay together."""
    page = _Page()
    environment = ImmutableSandboxedEnvironment(
        loader=templates.loader, autoescape=False, undefined=StrictUndefined, finalize=page.mark
    )
    try:
        return page.blocks(environment.get_template(TEMPLATE).render({**context, **_functions(page)}))
    except TemplateNotFound as error:
        raise InputError(f"templates/{TEMPLATE}", "no such template", "put it there") from error
    except (TemplateError, TypeError, ValueError, AttributeError) as error:
        where = f"templates/{TEMPLATE}{_line(error, templates, environment)}"
        raise InputError(where, str(error), MEND) from error


def _line(error: Exception, templates: Templates, environment: ImmutableSandboxedEnvironment) -> str:
    """Where in the template it happened: `:12`, or nothing."""
    if number := getattr(error, "lineno", None):
        return f":{number}"
    step, found = error.__traceback__, ""
    while step:
        if step.tb_frame.f_code.co_filename.endswith(TEMPLATE):
            found = f":{step.tb_lineno}"
        step = step.tb_next
    return found or _line_of_stray(str(error), templates, environment)


def _line_of_stray(message: str, templates: Templates, environment: ImmutableSandboxedEnvironment) -> str:
    stray = message.partition("outside of a block: ")[2].strip("'\"").split("\\n")[0]
    source, _, _ = templates.loader.get_source(environment, TEMPLATE)
    lines = [number for number, line in enumerate(source.splitlines(), 1) if stray and stray in line]
    return f":{lines[0]}" if lines else ""


def _functions(page: _Page) -> dict[str, Any]:
    """What a template may call."""
    return {
        "header": lambda text: _Made(blockkit.header(str(text))),
        "heading": lambda text: _Made(blockkit.heading(str(text))),
        "context": lambda *texts: _Made(blockkit.context(*map(str, texts))),
        "divider": lambda: _Made(blockkit.divider()),
        "rich": lambda blocks: _Made(blockkit.rich(tuple(blocks))),
        "entry_title": _entry_title,
        "references": lambda entry: _Made(blockkit.rich(_references(entry))),
        "entry_list": lambda entries: _Made(blockkit.rich((_entry_list(entries),))),
        "together": page.together,
    }


def _entry_title(entry: Numbered) -> _Made:
    return _Made(
        blockkit.entry_title(f"{entry.number}. {entry.entry.title}", entry.entry.url, entry.entry.lead)
    )


def _references(entry: Numbered) -> tuple[Paragraph, ...]:
    """The line of links below a title."""
    line: list[Any] = []
    for reference in entry.entry.references:
        link = Link(reference.url, (Text(reference.label),))
        line += [Text(" · "), link] if line else [link]
    return (Paragraph(tuple(line)),) if line else ()


def _entry_list(entries: Sequence[Numbered]) -> Bullets:
    """The titles alone, as a numbered list."""
    return Bullets(
        tuple((Paragraph(_title(one)),) for one in entries), start=entries[0].number if entries else 1
    )


def _title(entry: Numbered) -> Inlines:
    words = (Text(entry.entry.title),)
    return (Link(entry.entry.url, words),) if entry.entry.url else words
