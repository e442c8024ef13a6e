"""The configuration, typed: `config/bot.toml`, `config/newsletters/*.toml`, `BROADSHEET_…` in, Settings out.

Environment variables override files; `__` parts the levels: `BROADSHEET_TRANSPORT__PORT=25`,
`BROADSHEET_NEWSLETTERS__AI_PAPERS__SCHEDULE__ZONE=UTC`. Secrets come from the environment or from a file that
the configuration names, never from the configuration itself.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from datetime import time, timedelta
from email.utils import parseaddr
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    HttpUrl,
    SecretStr,
    ValidationError,
    field_validator,
)
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from bot import plugins
from bot.errors import InputError
from bot.models import Finding, Severity
from bot.plugins import Options, nearest

PREFIX = "BROADSHEET_"
DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
Day = Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]


# --------------------------------------------------------------------------------------- kinds of values


class Moment(NamedTuple):
    """A wall-clock time in the week: weekday (0 = Monday) and time of day."""

    weekday: int
    at: time


def _clock(value: object) -> time:
    text = value.isoformat() if isinstance(value, time) else str(value)
    if not re.fullmatch(r"([01]\d|2[0-3]):[0-5]\d(:00)?", text, re.ASCII):
        raise ValueError(f"{text!r} is not a time such as 09:00")
    return time.fromisoformat(text)


def _moment(value: object) -> Moment:
    day, _, at = str(value).partition(" ")
    if day not in DAYS:
        raise ValueError(f"{value!r} is not a day and a time such as 'fri 08:00'")
    return Moment(DAYS.index(day), _clock(at))


def _duration(value: object) -> timedelta:
    units = {"m": "minutes", "h": "hours", "d": "days"}
    if not (found := re.fullmatch(r"(\d{1,6})([mhd])", str(value), re.ASCII)):
        raise ValueError(f"{value!r} is not a duration such as 30m, 6h or 2d")
    return timedelta(**{units[found[2]]: int(found[1])})


def _zone(value: object) -> ZoneInfo:
    try:
        return ZoneInfo(str(value))
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ValueError(f"no time zone {value!r}{nearest(str(value), available_timezones())}") from error


def _one_line(value: str) -> str:
    if not value.isprintable():
        raise ValueError("has a line break or a control character")
    if re.search(r"=\?[^?\s]+\?[bq]\?", value, re.IGNORECASE):
        raise ValueError("looks like an encoded word (=?…?=), which mail programs would decode")
    return value


def _mailbox(value: str) -> str:
    from email_validator import EmailNotValidError, validate_email  # noqa: PLC0415 (slow to import)

    _, address = parseaddr(value)
    try:
        validate_email(address, check_deliverability=False, test_environment=True)
    except EmailNotValidError as error:
        raise ValueError(f"{value!r} is not a mailbox such as 'AI Papers <papers@example.org>'") from error
    return value


Clock = Annotated[time, BeforeValidator(_clock)]
CutOff = Annotated[Moment, BeforeValidator(_moment)]
Duration = Annotated[timedelta, BeforeValidator(_duration)]
Zone = Annotated[ZoneInfo, BeforeValidator(_zone)]
OneLine = Annotated[str, AfterValidator(_one_line)]
Mailbox = Annotated[OneLine, AfterValidator(_mailbox)]
DotAtom = Annotated[str, Field(pattern=r"^[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$", max_length=255)]
Language = Annotated[str, Field(pattern=r"^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$")]
PluginName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_-]*$")]


class Table(BaseModel):
    """One table of a configuration file: no unknown keys, nothing changed after reading."""

    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True)


# ------------------------------------------------------------------------------------------- newsletters


class Schedule(Table):
    """When a newsletter goes out, as wall-clock time in its own zone."""

    day: Day
    at: Clock
    zone: Zone
    cut_off: CutOff | None = None
    """Where the window ends; the send time itself where none is named."""
    late_limit: Duration = timedelta(hours=6)
    """How late an issue may still go out by itself; beyond it, a curator decides."""
    if_empty: Literal["skip"] = "skip"
    approval: Literal["required", "unless-held", "none"] = "required"

    @property
    def send(self) -> Moment:
        return Moment(DAYS.index(self.day), self.at)


class Newsletter(Table):
    """A publication. It is the mailing list that its mails' List headers name."""

    name: PluginName
    title: Annotated[OneLine, Field(min_length=1, max_length=150)]
    tagline: OneLine = ""
    language: Language = "en"
    sender: Mailbox
    list_id: DotAtom
    postal_address: Annotated[str, Field(min_length=1)]
    theme: PluginName = "plain"
    greeting: OneLine = ""
    """Opens each letter; `{name}` is the reader's name: `Hello {name},`"""
    unnamed: OneLine = "reader"
    """Stands for the name of a reader who gave none."""
    schedule: Schedule
    channels: dict[PluginName, Options] = Field(min_length=1)

    @field_validator("channels", mode="before")
    @classmethod
    def _known_channels(cls, tables: Any) -> Any:
        return _plugin_tables("channels", tables)

    @property
    def direction(self) -> Literal["ltr", "rtl"]:
        """The direction of the newsletter's own words, from its language."""
        rtl = {"ar", "arc", "ckb", "dv", "fa", "he", "iw", "ks", "ps", "sd", "syr", "ug", "ur", "yi"}
        return "rtl" if self.language.split("-")[0].lower() in rtl else "ltr"


def _merged(under: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """One table laid over another, tables within them too."""
    both = {
        key: _merged(under[key], value)
        if isinstance(value, Mapping) and isinstance(under.get(key), Mapping)
        else value
        for key, value in over.items()
    }
    return {**under, **both}


def _plugin_tables(folder: str, tables: Any) -> Any:
    if not isinstance(tables, Mapping):
        return tables
    return {name: _plugin_table(folder, name, table) for name, table in tables.items()}


def _plugin_table(folder: str, where: str, table: Any) -> Options:
    """Check one plug-in's table, its faults under the table's own path."""
    if isinstance(table, Options):
        return table
    try:
        return plugins.options(folder, table)
    except ValidationError as error:
        raise _NestedError(where, error) from error
    except ValueError as error:
        raise ValueError(f"{where}.kind: {error}" if where else f"kind: {error}") from error


class _NestedError(ValueError):
    """A fault in a plug-in's own options, carried through pydantic with its path."""

    def __init__(self, where: str, error: ValidationError) -> None:
        super().__init__(str(error))
        self.where, self.error = where, error


# ------------------------------------------------------------------------------------------------- whole


class Web(Table):
    """Where the web pages listen."""

    listen: Annotated[str, Field(pattern=r"^\S+:\d{1,5}$")] = "127.0.0.1:8000"


class Settings(BaseSettings):
    """The whole configuration of one installation."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        env_nested_delimiter="__",
        extra="forbid",
        frozen=True,
        arbitrary_types_allowed=True,
    )

    root: Path
    """The folder that holds `config/`; every relative path is relative to it."""
    database: str = "sqlite:///var/broadsheet.db"
    base_url: HttpUrl = HttpUrl("http://localhost:8000")
    web: Web = Web()
    transport: Options = Field(default={"kind": "maildir"}, validate_default=True)  # type: ignore[assignment]  # checked by the plug-in named
    newsletters: dict[PluginName, Newsletter] = Field(default_factory=dict)
    slack_token: SecretStr | None = None
    slack_token_file: Path | None = None
    smtp_password: SecretStr | None = None
    smtp_password_file: Path | None = None

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],  # noqa: ARG003 (named by pydantic-settings)
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003 (named by pydantic-settings)
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003 (named by pydantic-settings)
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """The environment wins over what the files said."""
        return (env_settings, init_settings)

    @field_validator("transport", mode="before")
    @classmethod
    def _known_transport(cls, table: Any) -> Options:
        return _plugin_table("transports", "", table)

    @field_validator("newsletters", mode="before")
    @classmethod
    def _environment_names(cls, tables: Any) -> Any:
        """An environment variable cannot hold a hyphen: AI_PAPERS there is ai-papers here."""
        if not isinstance(tables, Mapping):
            return tables
        merged = {name: table for name, table in tables.items() if "name" in table}
        for name, table in tables.items():
            if name not in merged:
                known = name.replace("_", "-")
                merged[known] = _merged(merged.get(known, {}), table)
        return merged

    @property
    def url(self) -> str:
        """The base URL without its final slash."""
        return str(self.base_url).rstrip("/")

    def secret(self, name: Literal["slack_token", "smtp_password"]) -> SecretStr | None:
        """A secret from the environment, or else from the file that the configuration names."""
        given: SecretStr | None = getattr(self, name)
        file: Path | None = getattr(self, f"{name}_file")
        if given is not None or file is None:
            return given
        try:
            return SecretStr((self.root / file).read_text("utf-8").strip())
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(
                "config/bot.toml", f"{name}_file: {type(error).__name__}", "name a readable file"
            ) from error


# --------------------------------------------------------------------------------------------------- load


def load(config: Path, environment: Mapping[str, str]) -> Settings:
    """Read and check the whole configuration; InputError holds one finding per fault.

    `config` is the path of `bot.toml`. The environment is the process's own: pydantic-settings reads it, and
    `environment` is checked for names that mean nothing.
    """
    root = config.absolute().parent.parent
    tables = _read(config)
    files = sorted((config.parent / "newsletters").glob("*.toml"))
    newsletters = {file.stem: {"name": file.stem, **_read(file)} for file in files}
    _refuse_written_secrets(config, tables)
    try:
        settings = Settings(**{**tables, "root": root, "newsletters": newsletters})
    except ValidationError as error:
        raise _fault(error, config, root) from error
    _refuse_unknown_variables(environment)
    return settings


def _read(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text("utf-8-sig"))
    except FileNotFoundError as error:
        raise InputError(
            str(file), "no such file", "run from the newsletter's folder, or name it with --config"
        ) from error
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(str(file), str(error), "mend the file") from error


def _refuse_written_secrets(config: Path, tables: Mapping[str, Any]) -> None:
    for name in ("slack_token", "smtp_password"):
        if name in tables:
            mend = f"set {PREFIX}{name.upper()}, or name a file with {name}_file"
            raise InputError(str(config), f"{name}: a secret does not belong into this file", mend)


def _refuse_unknown_variables(environment: Mapping[str, str]) -> None:
    for variable in environment:
        if variable.startswith(PREFIX):
            key = variable.removeprefix(PREFIX).lower().split("__")[0]
            if key not in Settings.model_fields:
                raise InputError(
                    variable, "no such setting", nearest(key, Settings.model_fields).removeprefix("; ")
                )


def _fault(error: ValidationError, config: Path, root: Path) -> InputError:
    findings = tuple(_finding(path, fault, config, root) for path, fault in _flat(error))
    first = findings[0]
    return InputError(first.place, first.message, first.fix, findings=findings)


def _flat(error: ValidationError, *above: str) -> Iterator[tuple[tuple[str, ...], Mapping[str, Any]]]:
    for fault in error.errors(include_url=False):
        path = (*above, *(str(step) for step in fault["loc"]))
        cause = fault.get("ctx", {}).get("error")
        if isinstance(cause, _NestedError):
            yield from _flat(cause.error, *path, *([cause.where] if cause.where else []))
        else:
            yield path, fault  # type: ignore[misc]  # a TypedDict is a Mapping


def _finding(path: tuple[str, ...], fault: Mapping[str, Any], config: Path, root: Path) -> Finding:
    """One fault in the file it stands in, under its key's path."""
    file = config
    if path[:1] == ("newsletters",) and len(path) > 1:
        file, path = config.parent / "newsletters" / f"{path[1]}.toml", path[2:]
    place = str(file.relative_to(root)) if file.is_absolute() and file.is_relative_to(root) else str(file)
    what, fix = _words(path, fault)
    return Finding("config", Severity.ERROR, place, f"{'.'.join(path)}: {what}" if path else what, fix)


def _words(path: tuple[str, ...], fault: Mapping[str, Any]) -> tuple[str, str]:
    message = str(fault["msg"]).removeprefix("Value error, ")
    match fault["type"]:
        case "extra_forbidden":
            return "no such key", nearest(path[-1], _known_keys(path)).removeprefix("; ")
        case "missing":
            return "missing", "add it"
        case _:
            return message, ""


def _known_keys(path: tuple[str, ...]) -> tuple[str, ...]:
    """Every key that may stand in the configuration: near enough for a suggestion."""
    models: list[type[BaseModel]] = [Settings, Web, Newsletter, Schedule]
    models += [
        plugins.find(folder, kind).Options
        for folder in ("channels", "transports")
        for kind in plugins.kinds(folder)
    ]
    in_schedule = len(path) > 1 and path[-2] == "schedule"
    return tuple(
        Schedule.model_fields if in_schedule else {key for model in models for key in model.model_fields}
    )
