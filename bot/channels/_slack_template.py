"""The template of an issue's Slack messages: its expressions give blocks, and nothing else can come out.

A template that a user writes cannot make invalid JSON, a live mention or markup that is not meant: the
functions it may call build whole blocks, and text outside of them is an error.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextvars import ContextVar
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

from jinja2 import StrictUndefined, TemplateError, TemplateNotFound, TemplateSyntaxError
from jinja2.ext import Extension
from jinja2.lexer import Token, TokenStream
from jinja2.sandbox import ImmutableSandboxedEnvironment

from bot import blockkit
from bot.blockkit import Group, Json
from bot.compose import Numbered
from bot.errors import InputError
from bot.templates import Templates
from bot.text import Block, Bullets, CodeBlock, Heading, Inlines, Link, Paragraph, Quote, Table, Text

TEMPLATE = "slack/issue.j2"
MEND = "templates/README.md lists what a Slack template may call"

_MARK = re.compile(r"\x00(\d+)\x00")
_MARKS = re.compile(r"(?:\s|\x00\d+\x00)*")


class _BlocksOnly(Extension):
    """Refuses words that stand by themselves, when a template is read."""

    def filter_stream(self, stream: TokenStream) -> Iterator[Token]:
        for token in stream:
            if token.type == "data" and token.value.strip():
                before, words = token.value[: -len(token.value.lstrip())], token.value.split()
                line = token.lineno + before.count("\n")
                what = f"text outside of a block: {' '.join(words)[:60]!r}"
                raise TemplateSyntaxError(what, line, stream.name, stream.filename)
            yield token


class _Page:
    """One filling of the template: the groups of blocks made so far, each a mark in the text."""

    def __init__(self) -> None:
        self._made: list[Group] = []

    def mark(self, value: Any) -> str:
        """Put a group where a template writes `{{ … }}`; only groups, and texts of marks, may stand there."""
        if isinstance(value, str) and _MARKS.fullmatch(value):
            return value
        if not isinstance(value, Group):
            raise TemplateError(f"{{{{ … }}}} gives {type(value).__name__} here, not a block")
        self._made.append(value)
        return f"\0{len(self._made) - 1}\0"

    def groups(self, text: str) -> list[Group]:
        """The groups of a filled template, in order."""
        return [self._made[int(number)] for number in _MARK.findall(text)]

    def together(self, caller: Callable[[], str]) -> str:
        """What stands inside of a call block, as one group; Jinja2 does not finalise what these give."""
        groups = self.groups(caller())
        blocks = (block for group in groups for block in group.blocks)
        lines = (line for group in groups for line in group.lines)
        return self.mark(Group(tuple(blocks), tuple(lines), any(group.opens for group in groups)))


def groups(templates: Templates, context: dict[str, Any]) -> Sequence[Group]:
    """The blocks of an issue as the template gives them, in groups that stay together."""
    page = _Page()
    filling = _FILLED.set(page)
    try:
        template = _environment(templates).get_template(TEMPLATE)
        return page.groups(template.render({**context, **_functions(page)}))
    except TemplateNotFound as error:
        raise InputError(f"templates/{error.name}", "no such template", "put it there") from error
    except TemplateSyntaxError as error:
        file = Path(error.filename or error.name or TEMPLATE)
        where = f"templates/{_name(file, templates.folders) or error.name}:{error.lineno}"
        raise InputError(where, error.message or "not a template", MEND) from error
    except RecursionError as error:
        raise InputError(f"templates/{TEMPLATE}", "it calls itself without end", MEND) from error
    except Exception as error:  # a template is a program: anything can go wrong in it
        where = f"templates/{_place(error, templates.folders)}"
        raise InputError(where, str(error) or type(error).__name__, MEND) from error
    finally:
        _FILLED.reset(filling)


_FILLED: ContextVar[_Page] = ContextVar("the page that is being filled")


@lru_cache(maxsize=8)  # for reading a template takes far longer than filling it
def _environment(templates: Templates) -> ImmutableSandboxedEnvironment:
    return ImmutableSandboxedEnvironment(
        loader=templates.loader,
        extensions=[_BlocksOnly],
        autoescape=False,
        undefined=StrictUndefined,
        finalize=lambda value: _FILLED.get().mark(value),
    )


def _place(error: Exception, folders: Iterable[Path]) -> str:
    """The template and line an error came from: the innermost frame that is a template's."""
    place, step = TEMPLATE, error.__traceback__
    while step:
        file = Path(step.tb_frame.f_code.co_filename)
        if name := _name(file, folders):
            place = f"{name}:{step.tb_lineno}"
        step = step.tb_next
    return place


def _name(file: Path, folders: Iterable[Path]) -> str | None:
    """A template's name, from where it is; Jinja2 gives now the one, now the other."""
    inside = (file.relative_to(folder).as_posix() for folder in folders if file.is_relative_to(folder))
    return next(inside, None)


# ---------------------------------------------------------------------------------- what a template may call


def _functions(page: _Page) -> dict[str, Any]:
    return {
        "header": lambda text: _group(blockkit.header(str(text))),
        "heading": lambda text: _group(blockkit.heading(str(text))),
        "context": lambda *texts: _group(blockkit.context(*map(str, texts))),
        "link": lambda text, url: _group(blockkit.link(str(text), str(url))),
        "button": lambda text, url: _group(blockkit.button(str(text), str(url))),
        "new_message": lambda: Group((), opens=True),
        "divider": lambda: _group(blockkit.divider()),
        "rich": lambda blocks: _group(blockkit.rich(_checked(blocks))),
        "entry_title": _entry_title,
        "references": lambda entry: _group(blockkit.rich(_references(_entry(entry)))),
        "entry_list": _entry_list,
        "together": page.together,
    }


def _group(blocks: Iterable[Json], lines: Iterable[str] = ()) -> Group:
    return Group(tuple(blocks), tuple(lines))


_T = TypeVar("_T")


def _every(values: Any, kind: type[_T] | tuple[type[_T], ...], what: str) -> tuple[_T, ...]:
    found = tuple(values)
    if not all(isinstance(value, kind) for value in found):
        raise TypeError(f"this is not {what}")
    return found


def _checked(blocks: Any) -> tuple[Block, ...]:
    kinds = (Paragraph, Bullets, Quote, CodeBlock, Heading, Table)
    return _every(blocks, kinds, "a text of an issue: `issue.intro`, `entry.blocks` or `entry.rest`")


def _entry(value: Any) -> Numbered:
    return _every((value,), Numbered, "an entry of a section")[0]


def _entry_title(value: Any) -> Group:
    one = _entry(value)
    title = f"{one.number}. {one.entry.title}"
    return _group(blockkit.entry_title(title, one.entry.url, one.entry.lead), [line(one)])


def _references(one: Numbered) -> tuple[Paragraph, ...]:
    """The line of links below a title."""
    shown: list[Any] = []
    for reference in one.entry.references:
        target = Link(reference.url, (Text(reference.label),))
        shown += [Text(" · "), target] if shown else [target]
    return (Paragraph(tuple(shown)),) if shown else ()


def _entry_list(values: Any) -> Group:
    """The titles alone, as a numbered list."""
    entries = _every(values, Numbered, "the entries of a section")
    start = entries[0].number if entries else 1
    titles = Bullets(tuple((Paragraph(_title(one)),) for one in entries), start=start)
    return _group(blockkit.rich((titles,)), map(line, entries))


def _title(one: Numbered) -> Inlines:
    words = (Text(one.entry.title),)
    return (Link(one.entry.url, words),) if one.entry.url else words


def line(one: Numbered) -> str:
    """An entry where only words are shown."""
    return f"{one.number}. {one.entry.title}" + (f" {one.entry.url}" if one.entry.url else "")
