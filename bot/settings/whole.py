"""The whole configuration of one installation, as one noun."""

from pathlib import Path
from typing import Literal, Self

from pydantic import Field, HttpUrl, SecretStr, model_validator
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from bot import plugins
from bot.addresses import aligned
from bot.settings.faults import Fault, FaultsError
from bot.settings.reading import PREFIX
from bot.settings.secrets import read_secret
from bot.settings.tables import Dkim, Newsletter, Web
from bot.settings.values import BaseUrl, PluginName, TransportOptions, domain_of

DEFAULT_TRANSPORT = {"kind": "maildir"}
TAKEN = frozenset({"confirm", "healthz", "issues", "metrics", "page", "readyz", "studio", "subscribe", "u"})
"""First steps of the site's own addresses, which no newsletter beside others can be named."""
IN_THE_STUDIO = frozenset({"changes", "decide", "enter", "files", "sign-in", "sign-out"})
"""First steps of the studio's addresses, where every newsletter stands under its name."""


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

    signing_key: SecretStr | None = None
    """What the studio's links and sessions are signed with, on every machine; only from the environment."""
    signing_key_file: Path | None = None
    """A file that holds it; where neither is set, `var/signing-key` is made and used."""

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

    @model_validator(mode="after")
    def _named_apart(self) -> Self:
        """A name stands in addresses: in the studio's and, of several newsletters, in the site's."""
        reserved = TAKEN | IN_THE_STUDIO if len(self.newsletters) > 1 else IN_THE_STUDIO
        if taken := reserved.intersection(self.newsletters):
            words = "an address of the site begins so: give the file another name"
            raise FaultsError([Fault(("newsletters", name), "value_error", words) for name in sorted(taken)])
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
        self,
        name: Literal["slack_token", "slack_app_token", "slack_webhook", "smtp_password", "signing_key"],
    ) -> SecretStr | None:
        """A secret from the environment, or else from the file that the configuration names."""
        given: SecretStr | None = getattr(self, name)
        file: Path | None = getattr(self, f"{name}_file")
        if given is not None or file is None:
            return given
        return read_secret(self.root, file, f"{name}_file")

    def without_secrets(self) -> Self:
        """The same for who sends nothing and only looks, where the secrets of the server are not at hand."""
        names = ("slack_token", "slack_app_token", "slack_webhook", "smtp_password")
        nothing = dict.fromkeys([*names, *(f"{name}_file" for name in names), "dkim"])
        unused = plugins.options("transports", DEFAULT_TRANSPORT)
        return self.model_copy(update={**nothing, "transport": unused})


def _unaligned(domain: str, newsletter: Newsletter) -> str:
    return f"{domain!r} is not aligned with the sender of {newsletter.name}, {domain_of(newsletter.sender)!r}"
