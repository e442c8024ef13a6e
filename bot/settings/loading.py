"""Reads the configuration: files and environment in; Settings, or a finding for each fault, out."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic_settings import EnvSettingsSource

from bot import plugins
from bot.errors import InputError
from bot.plugins import nearest
from bot.settings.faults import Fault, flat
from bot.settings.reading import PREFIX, Reading, overlaid, read
from bot.settings.tables import Curator, Dkim, DkimKey, Drafts, Newsletter, Schedule, Web
from bot.settings.whole import DEFAULT_TRANSPORT, Settings


class _Variables(EnvSettingsSource):
    """What an environment says, its values as the text they are: `123` may be a name, `no` is no bool."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        super().__init__(Settings)
        self.env_vars = {name.lower(): text for name, text in environment.items() if text}

    def decode_complex_value(self, field_name: str, field: FieldInfo, value: Any) -> Any:  # noqa: ARG002 (named by pydantic-settings)
        """Leave the text alone, where pydantic-settings would read JSON."""
        return value


def load(config: Path, environment: Mapping[str, str]) -> Settings:
    """Read and check the whole configuration; InputError holds one finding per fault.

    `config` is the path of `bot.toml`.
    """
    reading = read(config)
    tables = {"transport": DEFAULT_TRANSPORT, **_known(reading), "newsletters": reading.newsletters}
    tables = overlaid(tables, _overrides(reading, environment))
    settings = None
    try:
        settings = Settings(**{**tables, "root": reading.root})
    except ValidationError as error:
        for fault in flat(error):
            _find(reading, fault, environment)
    if settings is None or reading.findings:
        first = reading.findings[0]
        raise InputError(first.place, first.message, first.fix, findings=reading.findings)
    return settings


def _known(reading: Reading) -> dict[str, Any]:
    """The tables of `bot.toml`, without keys that are none and those that are files' own names."""
    keys = Settings.model_fields.keys() - {"root", "newsletters"}
    for key in reading.bot.keys() - keys:
        reading.find(reading.config, f"{key}: no such key", _near(key, keys))
    for name, table in reading.newsletters.items():
        if table.setdefault("name", name) != name:
            reading.find(reading.file_of(name), "name: no such key", "a newsletter is named by its file")
        table["name"] = name
    return {key: value for key, value in reading.bot.items() if key in keys}


def _overrides(reading: Reading, environment: Mapping[str, str]) -> dict[str, Any]:
    """What the environment says; a variable that means nothing is a finding."""
    keys = Settings.model_fields.keys() - {"root"}
    names = {name.replace("-", "_"): name for name in reading.newsletters}
    known = {}
    for variable, text in environment.items():
        if not variable.startswith(PREFIX) or variable == f"{PREFIX}CONFIG":
            continue
        key, *path = variable.removeprefix(PREFIX).lower().split("__")
        if key not in keys:
            reading.find(variable, "no such setting", _near(key, keys))
        elif key == "newsletters" and (not path or path[0] not in names):
            reading.find(variable, "no such newsletter", _near((path or [""])[0], names))
        else:
            known[variable] = text
    return _Variables(known)()


def _find(reading: Reading, fault: Fault, environment: Mapping[str, str]) -> None:
    """Note one fault where it was written: under a variable, or in a file under its key's path."""
    words, fix = _words(fault)
    path = tuple(step for step in fault.path if step != "[key]")
    variable = PREFIX + "__".join(path).upper().replace("-", "_")
    if variable in environment:
        reading.find(variable, words, fix)
        return
    file = reading.config
    if path[:1] == ("newsletters",) and len(path) > 1:
        file, path = reading.file_of(path[1]), path[2:]
    reading.find(file, f"{'.'.join(path)}: {words}" if path else words, fix)


def _words(fault: Fault) -> tuple[str, str]:
    match fault.type:
        case "extra_forbidden":
            return "no such key", _near(fault.path[-1], _keys_beside(fault.path))
        case "missing":
            return "missing", "add it"
        case "dict_type" | "model_type":
            return "is not a table", ""
        case "too_short":
            return "is empty", ""
        case _:
            return fault.words, ""


def _near(key: str, keys: Iterable[str]) -> str:
    return nearest(key, keys).removeprefix("; ")


def _keys_beside(path: tuple[str, ...]) -> set[str]:
    """The keys that may stand where an unknown one stands."""
    match path:
        case ("transport", *within, _):
            return _keys_of_kinds("transports", *within[:1])
        case ("newsletters", _, "channels", _, _):
            return _keys_of_kinds("channels")
        case _:
            return set(_table_at(path).model_fields) - {"name"}


def _table_at(path: tuple[str, ...]) -> type[BaseModel]:
    """The table that a path's last key stands in."""
    match path:
        case ("newsletters", _, within, *_, _):
            return _WITHIN_A_NEWSLETTER.get(within, Newsletter)
        case ("dkim", "keys", _, _):
            return DkimKey
        case ("dkim", _):
            return Dkim
        case ("web", _):
            return Web
        case _:
            return Newsletter


_WITHIN_A_NEWSLETTER: dict[str, type[BaseModel]] = {
    "curators": Curator,
    "drafts": Drafts,
    "schedule": Schedule,
}


def _keys_of_kinds(folder: str, within: str | None = None) -> set[str]:
    """The keys of all kinds; of the tables that one of their keys is a list of, where that is named."""
    models: list[type[BaseModel]] = [plugins.find(folder, kind).Options for kind in plugins.kinds(folder)]
    if within:
        fields = [model.model_fields[within] for model in models if within in model.model_fields]
        models = [model for field in fields for model in plugins.tables(field)]
    return {key for model in models for key in model.model_fields}
