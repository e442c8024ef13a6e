"""Finds what the configuration names: `bot.<folder>.<kind>`, one file in one folder, no registry.

A plug-in module of `channels` or `transports` has an `Options` model (its keys in the configuration) and a
`build` function. A name that begins with an underscore is no kind.
"""

import difflib
import importlib
import pkgutil
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Protocol, cast, get_args

from pydantic import BaseModel, ConfigDict
from pydantic.fields import FieldInfo

CONFIGURED = ("channels", "transports")
"""The folders whose kinds stand in configuration files."""


class Options(BaseModel):
    """What a plug-in's table in the configuration may say; unknown keys are errors."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, hide_input_in_errors=True, use_attribute_docstrings=True
    )

    kind: str


class Plugin(Protocol):
    """A module that can be named in the configuration."""

    Options: type[Options]


def kinds(folder: str) -> tuple[str, ...]:
    """The kinds there are in a folder, sorted: `kinds("transports")` → `("maildir", "smtp")`."""
    package = importlib.import_module(f"bot.{folder}")
    names = (module.name for module in pkgutil.iter_modules(package.__path__))
    return tuple(sorted(_kind_of(folder, name) for name in names if not name.startswith("_")))


def _kind_of(folder: str, module: str) -> str:
    """How the configuration writes the name of a module: `slack-webhook`."""
    return module.replace("_", "-") if folder in CONFIGURED else module


def find(folder: str, kind: str) -> Plugin:
    """The module of one kind; ValueError that names the kinds there are."""
    if kind not in (known := kinds(folder)):
        raise ValueError(f"{kind!r} is none of {', '.join(known)}{nearest(kind, known)}")
    return cast("Plugin", importlib.import_module(f"bot.{folder}.{kind.replace('-', '_')}"))


def options(folder: str, table: Mapping[str, Any]) -> Options:
    """The checked options of the plug-in that a table's `kind` names; ValueError or ValidationError."""
    if "kind" not in table:
        raise ValueError(f"missing: it is one of {', '.join(kinds(folder))}")
    return find(folder, str(table["kind"])).Options.model_validate(dict(table))


def tables(field: FieldInfo) -> Iterator[type[BaseModel]]:
    """The models of which a key is a list: `[[transport.fallback]]`."""
    for one in get_args(field.annotation):
        if isinstance(one, type) and issubclass(one, BaseModel):
            yield one


def nearest(word: str, known: Iterable[str]) -> str:
    """`; did you mean 'x'?` where one of the known words is near, else nothing."""
    close = difflib.get_close_matches(word, list(known), n=1)
    return f"; did you mean {close[0]!r}?" if close else ""
