"""The configuration, typed: `config/bot.toml`, `config/newsletters/*.toml`, `BROADSHEET_…` in, Settings out.

Environment variables override files; `__` parts the levels: `BROADSHEET_TRANSPORT__PORT=25`,
`BROADSHEET_NEWSLETTERS__AI_PAPERS__SCHEDULE__ZONE=UTC`. An empty variable says nothing. Secrets come from the
environment or from a file that the configuration names, never from the configuration itself.
"""

from collections.abc import Iterable, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, HttpUrl, SecretStr, ValidationError, model_validator
from pydantic.fields import FieldInfo
from pydantic_settings import (
    BaseSettings,
    EnvSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

from bot import plugins
from bot.addresses import aligned
from bot.errors import InputError
from bot.plugins import nearest
from bot.settings.faults import Fault, FaultsError, flat
from bot.settings.reading import PREFIX, Reading, overlaid, read
from bot.settings.secrets import read_secret
from bot.settings.values import (
    DAYS,
    BaseUrl,
    CalendarDay,
    ChannelOptions,
    CheckWords,
    Clock,
    CutOff,
    Day,
    DotAtom,
    Duration,
    Greeting,
    Language,
    Lines,
    Listen,
    Mailbox,
    Moment,
    OneLine,
    PluginName,
    Selector,
    SlackUser,
    Title,
    TransportOptions,
    Zone,
    domain_of,
)

__all__ = ["DAYS", "PREFIX", "Dkim", "DkimKey", "Moment", "Newsletter", "Schedule", "Settings", "Web", "load"]

DEFAULT_TRANSPORT = {"kind": "maildir"}


class Table(BaseModel):
    """One table of a configuration file: no unknown keys, and nothing changed after reading."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        arbitrary_types_allowed=True,
        hide_input_in_errors=True,
        use_attribute_docstrings=True,
    )


class Schedule(Table):
    """When a newsletter goes out, as wall-clock time in its own zone."""

    day: Day
    """The day of the week."""
    at: Clock
    """The time of day, by the newsletter's own clock."""
    zone: Zone
    """Whose clock that is: `Europe/Berlin`."""
    cut_off: CutOff | None = None
    """Where the window ends; the send time itself where none is named."""
    late_limit: Duration = timedelta(hours=6)
    """How late an issue may still go out by itself; beyond it, a curator decides."""
    if_empty: Literal["skip"] = "skip"
    """What happens where nothing was collected: nothing is sent, and that is said."""
    approval: Literal["required", "unless-held", "none"] = "required"
    """Whether a curator must say yes first, may say no, or is not asked."""
    skip: tuple[CalendarDay, ...] = ()
    """Dates on which nothing is sent: `["2026-12-25"]`; single entries go into the next issue."""

    @property
    def send(self) -> Moment:
        return Moment(DAYS.index(self.day), self.at)


class Newsletter(Table):
    """A publication. It is the mailing list that its mails' List headers name."""

    name: PluginName
    title: Title
    """The newsletter's name, as readers see it."""
    tagline: OneLine = ""
    """One line below it."""
    language: Language = "en"
    """A language tag such as `en` or `pt-BR`; decides the direction of writing as well."""
    sender: Mailbox
    """Whom the mail is from: `AI Papers <papers@example.org>`."""
    list_id: DotAtom
    """The mailing list's name in mail headers, below a domain of yours: `ai-papers.example.org`."""
    postal_address: Lines
    """Where you can be reached by post; the law asks for it."""
    theme: PluginName = "plain"
    """The look: a file in `templates/themes/`."""
    greeting: Greeting = ""
    """Opens each letter; `{name}` is the reader's name: `Hello {name},`"""
    unnamed: OneLine = "reader"
    """Stands for the name of a reader who gave none."""
    curators: tuple[SlackUser, ...] = ()
    """Who may press buttons in Slack, by their user IDs: `["U0123456789"]`; nobody else may."""
    audience_factor: float = Field(default=2.0, gt=1, allow_inf_nan=False)
    """How many times as many readers as last time, or how many times fewer, are told as a fault."""
    schedule: Schedule
    channels: dict[PluginName, ChannelOptions] = Field(min_length=1)
    checks: CheckWords = Field(default_factory=dict)
    """How bad to take what a rule finds, by the rule's id: `off`, `hint`, `warning` or `error`."""

    @property
    def direction(self) -> Literal["ltr", "rtl"]:
        """The direction of the newsletter's own words, from its language."""
        rtl = {"ar", "arc", "ckb", "dv", "fa", "he", "iw", "ks", "ps", "sd", "syr", "ug", "ur", "yi"}
        return "rtl" if self.language.split("-")[0].lower() in rtl else "ltr"


class Web(Table):
    """Where the web pages listen."""

    listen: Listen = "127.0.0.1:8000"
    """Where `run` and `serve` serve the web pages; a proxy with a certificate stands before it."""


class DkimKey(Table):
    """One key that mails are signed with."""

    selector: Selector
    """The name of the key in DNS: its record is `<selector>._domainkey.<domain>`."""
    file: Path
    """The private key, PEM without a passphrase: RSA of at least 2048 bits, or Ed25519."""


class Dkim(Table):
    """Who vouches for the mails (RFC 6376); without this table they are not signed here."""

    domain: DotAtom
    """The domain that signs: the senders' own, or one above or below it."""
    keys: tuple[DkimKey, ...] = Field(min_length=1, max_length=2)
    """One key, or two: RSA for everybody and Ed25519 for those who know it."""


class Settings(BaseSettings):
    """The whole configuration of one installation."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        use_attribute_docstrings=True,
        env_nested_delimiter="__",
        extra="forbid",
        frozen=True,
        arbitrary_types_allowed=True,
        hide_input_in_errors=True,
    )

    root: Path
    """The folder that holds `config/`; every relative path is relative to it."""
    database: str = Field(default="sqlite:///var/broadsheet.db", repr=False)  # its URL may hold a password
    """Where the ledger is: SQLite, or `postgresql+psycopg://user@host/name`."""
    base_url: BaseUrl = HttpUrl("http://localhost:8000")
    """What the links in mails begin with."""
    web: Web = Web()
    dkim: Dkim | None = None
    transport: TransportOptions = Field(
        default_factory=lambda: plugins.options("transports", DEFAULT_TRANSPORT)
    )
    newsletters: dict[PluginName, Newsletter] = Field(default_factory=dict)
    slack_token: SecretStr | None = None
    """The Slack app's bot token; only from the environment."""
    slack_token_file: Path | None = None
    """A file that holds it."""
    slack_app_token: SecretStr | None = None
    """The Slack app's own token, xapp-…; with it `run` hears what is pressed; only from the environment."""
    slack_app_token_file: Path | None = None
    """A file that holds it."""
    slack_webhook: SecretStr | None = None
    """The address of an incoming webhook of Slack's: who has it can post; only from the environment."""
    slack_webhook_file: Path | None = None
    """A file that holds it."""
    smtp_password: SecretStr | None = None
    """The relay's password; only from the environment."""
    smtp_password_file: Path | None = None
    """A file that holds it."""

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],  # noqa: ARG003 (named by pydantic-settings)
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,  # noqa: ARG003 (named by pydantic-settings)
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003 (named by pydantic-settings)
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003 (named by pydantic-settings)
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Only what it is given: `load` lays the environment over the files."""
        return (init_settings,)

    @model_validator(mode="after")
    def _aligned(self) -> Self:
        """Receivers ask that the domain that signs is the sender's own (DMARC, RFC 7489 §3.1.1)."""
        faults = [
            Fault(("dkim", "domain"), "value_error", _unaligned(self.dkim.domain, newsletter))
            for newsletter in self.newsletters.values()
            if self.dkim and not aligned(self.dkim.domain, domain_of(newsletter.sender))
        ]
        if faults:
            raise FaultsError(faults)
        return self

    @property
    def url(self) -> str:
        """The base URL without its final slash."""
        return str(self.base_url).rstrip("/")

    @property
    def several(self) -> bool:
        """Whether there is more than one newsletter: web addresses then name theirs."""
        return len(self.newsletters) > 1

    def secret(
        self, name: Literal["slack_token", "slack_app_token", "slack_webhook", "smtp_password"]
    ) -> SecretStr | None:
        """A secret from the environment, or else from the file that the configuration names."""
        given: SecretStr | None = getattr(self, name)
        file: Path | None = getattr(self, f"{name}_file")
        if given is not None or file is None:
            return given
        return read_secret(self.root, file, f"{name}_file")


def _unaligned(domain: str, newsletter: Newsletter) -> str:
    return f"{domain!r} is not aligned with the sender of {newsletter.name}, {domain_of(newsletter.sender)!r}"


# ------------------------------------------------------------------------------------------------- load


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
        case ("web" | "dkim", _):
            return set((Web if path[0] == "web" else Dkim).model_fields)
        case ("dkim", "keys", _, _):
            return set(DkimKey.model_fields)
        case ("transport", *within, _):
            return _keys_of_kinds("transports", *within[:1])
        case ("newsletters", _, "schedule", _):
            return set(Schedule.model_fields)
        case ("newsletters", _, "channels", _, _):
            return _keys_of_kinds("channels")
        case _:
            return set(Newsletter.model_fields) - {"name"}


def _keys_of_kinds(folder: str, within: str | None = None) -> set[str]:
    """The keys of all kinds; of the tables that one of their keys is a list of, where that is named."""
    models: list[type[BaseModel]] = [plugins.find(folder, kind).Options for kind in plugins.kinds(folder)]
    if within:
        fields = [model.model_fields[within] for model in models if within in model.model_fields]
        models = [model for field in fields for model in plugins.tables(field)]
    return {key for model in models for key in model.model_fields}
