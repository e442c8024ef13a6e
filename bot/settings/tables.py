"""The tables of the configuration files, each key with what it takes and what it means."""

from datetime import timedelta
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from bot.settings.values import (
    DAYS,
    Address,
    CalendarDay,
    ChannelOptions,
    CheckWords,
    Clock,
    Conversation,
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
    PasswordHash,
    PluginName,
    Selector,
    SlackUser,
    Title,
    Zone,
)


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


class Curator(Table):
    """A person who may preview, approve, hold and publish."""

    name: OneLine = ""
    """How others see them; the key where it is missing."""
    email: Address | None = None
    """Where they are written to, and by which they sign in."""
    slack: SlackUser | None = None
    """Their user ID in Slack: `U0123456789`; nobody else may press buttons there."""
    password_hash: PasswordHash | None = Field(default=None, repr=False)
    """What `broadsheet curators password` prints, for signing in over a network without mail."""

    @model_validator(mode="after")
    def _somewhere(self) -> Self:
        if not (self.email or self.slack or self.password_hash):
            raise ValueError("has neither email nor slack nor password_hash")
        return self


class Drafts(Table):
    """Where curators are shown drafts, and told what keeps an issue from going out."""

    lead: Duration = timedelta(days=1)
    """How long before the send they are shown the draft: `1d`, `6h`; `0m` for never."""
    conversation: Conversation | None = None
    """The ID of a Slack conversation for them; without it, and where they have no Slack ID, they get mail."""
    nominations: Literal["curators", "everybody"] = "curators"
    """Who may nominate entries from Slack: the curators, or everybody who can use the app there."""


def _curators(value: object) -> object:
    """A list of Slack IDs is the short form of curators of whom nothing else is known."""
    if isinstance(value, list | tuple):
        return {str(user).lower(): {"slack": user} for user in value}
    return value


Curators = Annotated[dict[PluginName, Curator], BeforeValidator(_curators)]


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
    curators: Curators = Field(default_factory=dict)
    """Who may approve and hold: a table for each, or a list of Slack user IDs, `["U0123456789"]`."""
    drafts: Drafts = Drafts()
    audience_factor: float = Field(default=2.0, gt=1, allow_inf_nan=False)
    """How many times as many readers as last time, or how many times fewer, are told as a fault."""
    schedule: Schedule
    channels: dict[PluginName, ChannelOptions] = Field(min_length=1)
    checks: CheckWords = Field(default_factory=dict)
    """How bad to take what a rule finds, by the rule's id: `off`, `hint`, `warning` or `error`."""

    def known_as(self, curator: str) -> str:
        """How others see the curator of that key."""
        return self.curators[curator].name or curator

    @property
    def in_slack(self) -> list[str]:
        """The curators' Slack IDs."""
        return [one.slack for one in self.curators.values() if one.slack]

    def curator_in_slack(self, user: str) -> str | None:
        """The key of the curator who has that Slack ID."""
        return next((key for key, one in self.curators.items() if user and one.slack == user), None)

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
