"""The only place that builds things: Settings in, wired parts out."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from datetime import datetime
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from bot import plugins
from bot.calendar import week_at
from bot.errors import InputError, StoreError
from bot.models import Week
from bot.settings import Newsletter, Settings, load

if TYPE_CHECKING:  # each is imported when it is built: a command pays for what it uses
    from bot.channels import Channel
    from bot.channels._slack_courier import PostingCourier
    from bot.desk import Desk
    from bot.dkim import Signer
    from bot.doctor import Diagnosis
    from bot.proofs import Proofs
    from bot.store import Store
    from bot.telling import Messenger, Way
    from bot.telling.writing import PostOffice
    from bot.templates import Templates
    from bot.transports import Transport


class App:
    """One installation."""

    def __init__(
        self,
        settings: Settings,
        *,
        sends: bool = True,
        config: Path | None = None,
        environment: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        """One that `sends` needs the secrets that the settings name.

        `config` and `environment` are what the settings were read from, where they can be read anew.
        """
        self.settings, self.sends = settings, sends
        self.config, self._environment = config, environment
        self._wires = settings if sends else settings.without_secrets()
        self._known_proofs: dict[str, Proofs] = {}

    def renewed(self) -> "App":
        """The installation by its configuration as it is written now; InputError where it cannot be read.

        It is itself where nothing has changed; the database stays open where it is still the same one.
        """
        if self.config is None or (settings := load(self.config, self._environment)) == self.settings:
            return self
        new = self._beside(settings)
        if new.settings.database == self.settings.database and "store" in vars(self):
            new.store = self.store
        return new

    def _beside(self, settings: Settings) -> "App":
        return App(settings, sends=self.sends, config=self.config, environment=self._environment)

    # -------------------------------------------------------------------------------------------- the parts

    @cached_property
    def store(self) -> "Store":
        from bot.store import open_store

        return open_store(self.settings.database, self.settings.root)

    def look_only(self) -> str:
        """Make no database where there is none; and go without one that is on a server out of reach.

        Says so where that is so, else "": content can be checked far from the server that sends it.
        """
        from bot.store import store_of_nothing, store_to_look_at

        try:
            self.store = store_to_look_at(self.settings.database, self.settings.root)
        except StoreError as error:
            if self.settings.database.startswith("sqlite"):
                raise
            self.store = store_of_nothing()
            return f"{error}; until then every issue is taken for one that has not gone out"
        return ""

    @cached_property
    def templates(self) -> "Templates":
        from bot.templates import Templates

        return Templates(self.settings.root)

    @cached_property
    def transport(self) -> "Transport":
        options = self._wires.transport
        module: Any = plugins.find("transports", options.kind)
        built: Transport = module.build(
            options, root=self.settings.root, password=self._wires.secret("smtp_password")
        )
        return built

    @cached_property
    def signing_key(self) -> bytes:
        """What links and sessions of the studio are signed with."""
        from bot.settings.secrets import kept_key

        given = self.settings.secret("signing_key")
        if given is not None:
            return given.get_secret_value().encode()
        return kept_key(self.settings.root / "var" / "signing-key")

    def channels(self, newsletter: Newsletter) -> "Mapping[str, Channel]":
        """The channels of a newsletter, by name."""
        return {name: self._channel(newsletter, options) for name, options in newsletter.channels.items()}

    def _channel(self, newsletter: Newsletter, options: plugins.Options) -> "Channel":
        module: Any = plugins.find("channels", options.kind)
        built: Channel = module.build(
            options,
            newsletter=newsletter,
            settings=self._wires,
            templates=self.templates,
            transport=self.transport,
        )
        return built

    @property
    def leaves_the_machine(self) -> bool:
        """Whether anything that is sent goes over a network."""
        every = (
            channel for one in self.settings.newsletters.values() for channel in self.channels(one).values()
        )
        return not all(channel.local for channel in every)

    # ------------------------------------------------------------------------------------------ newsletters

    def newsletter(self, name: str | None) -> Newsletter:
        """The newsletter of that name, or the only one there is."""
        every = self.settings.newsletters
        if name is None and len(every) == 1:
            return next(iter(every.values()))
        if name is None:
            what = f"there are {len(every)} newsletters" if every else "there is no newsletter"
            mend = (
                f"name one with --newsletter: {', '.join(every)}"
                if every
                else "write config/newsletters/<name>.toml"
            )
            raise InputError("--newsletter", what, mend)
        if name not in every:
            raise InputError(
                "--newsletter", f"{name!r} is none of {', '.join(every)}", plugins.nearest(name, every)[2:]
            )
        return every[name]

    def content_folder(self, newsletter: Newsletter) -> Path:
        """Where a newsletter's content is."""
        return self.settings.root / "content" / newsletter.name

    def desk(self, newsletter: Newsletter) -> "Desk":
        """A fresh desk, which reads the content anew."""
        from bot.desk import Desk

        channels = self.channels(newsletter)
        proofs = self._proofs(newsletter, channels)
        return Desk(newsletter, self.store, channels, proofs, self.settings)

    def _proofs(self, newsletter: Newsletter, channels: "Mapping[str, Channel]") -> "Proofs":
        """The proofs of a newsletter, which outlive its desks."""
        from bot.proofs import Proofs

        if newsletter.name not in self._known_proofs:
            made = Proofs(newsletter, self.templates, channels, self.settings)
            self._known_proofs[newsletter.name] = made
        return self._known_proofs[newsletter.name]

    def desks(self, name: str | None = None) -> "Iterator[Desk]":
        """The desks of all newsletters, or of the one named."""
        chosen = self.settings.newsletters.values() if name is None else [self.newsletter(name)]
        return (self.desk(newsletter) for newsletter in chosen)

    def issue(self, name: str | None, now: datetime | None = None) -> "tuple[Desk, Week]":
        """The desk and week that `2025-W17` or `ai-papers/2025-W17` names; without a name, that of `now`."""
        newsletter_name, _, week_text = (name or "").rpartition("/")
        newsletter = self._newsletter_of(newsletter_name)
        if not week_text:
            if now is None:
                raise InputError("ISSUE", "names no week", "name one such as 2025-W17")
            return self.desk(newsletter), week_at(newsletter.schedule, now)
        try:
            return self.desk(newsletter), Week.parse(week_text)
        except ValueError as error:
            raise InputError("ISSUE", str(error), "name a week such as 2025-W17") from error

    def _newsletter_of(self, issue: str) -> Newsletter:
        """The newsletter named before the `/` of an issue's name, or by "" where there is one alone."""
        every = self.settings.newsletters
        example = f"name the issue as in {next(iter(every), 'ai-papers')}/2025-W17"
        if not issue and len(every) > 1:
            raise InputError("ISSUE", f"there are {len(every)} newsletters: {', '.join(every)}", example)
        if issue and issue not in every:
            what = f"{issue!r} is none of the newsletters {', '.join(every)}"
            raise InputError("ISSUE", what, plugins.nearest(issue, every)[2:] or example)
        return self.newsletter(issue or None)

    def examine(self, now: datetime, *, nameserver: str | None, offline: bool) -> "Iterator[Diagnosis]":
        """What the doctor finds, one examination after the other; the database is not made for it."""
        from bot.doctor import Patient, examine
        from bot.doctor._records import Lookups

        return examine(Patient(self.settings, now, Lookups(nameserver), offline))

    # ----------------------------------------------------------------------------------------------- Slack

    @contextmanager
    def listener(self, clock: Callable[[], datetime], say: Callable[[str], None]) -> "Iterator[None]":
        """What hears people in Slack while the bot runs; nothing where no app token is configured."""
        token = self.settings.secret("slack_app_token")
        if token is None:
            yield
            return
        from bot import deciding, nominating, trials
        from bot.listening import Actions, Listener

        quick, slow = App(self.settings), App(self.settings)  # each for a thread of its own
        actions = Actions({one.name: one.in_slack for one in self.settings.newsletters.values()})
        deciding.add(actions, quick, clock)
        trials.add(actions, slow, clock)
        nominating.add(actions, slow, clock)
        with (
            closing(quick.store),
            closing(slow.store),
            Listener(self._slack_url(), token, actions, quick.store, clock=clock, say=say),
        ):
            yield

    def way(self, newsletter: Newsletter) -> "Way":
        """How the curators of a newsletter are reached."""
        from bot.telling import Way

        office = self.post_office(newsletter)
        return Way(newsletter, f"{self.settings.url}/studio", self._messenger, office.write)

    def post_office(self, newsletter: Newsletter) -> "PostOffice":
        """What writes to the curators of a newsletter by mail."""
        from bot.telling.writing import PostOffice

        return PostOffice(
            newsletter,
            self.templates,
            self.transport,
            self._signer,
            self.settings.url,
            lambda: self.signing_key,
        )

    def _signer(self) -> "Signer | None":
        if self.settings.dkim is None:
            return None
        from bot.dkim import read

        return read(self.settings.root, self.settings.dkim)

    def _messenger(self, message: dict[str, Any]) -> "Messenger":
        """Who carries one message to the curators' conversation."""
        return self.poster([message], in_thread=False)

    def poster(self, messages: list[dict[str, Any]], *, in_thread: bool) -> "PostingCourier":
        """Who posts messages that are no delivery of an issue."""
        from bot.channels._slack_client import client
        from bot.channels._slack_courier import PostingCourier

        slack = client(self._slack_url(), self.settings.secret("slack_token"))
        return PostingCourier(messages, slack, in_thread=in_thread)

    def _slack_url(self) -> str:
        """Where Slack is: an app has one workspace, so the first channel that says it says it for all."""
        named = (
            str(options.api_url)
            for newsletter in self.settings.newsletters.values()
            for options in newsletter.channels.values()
            if hasattr(options, "api_url")
        )
        return next(named, "https://slack.com/api/")

    # -------------------------------------------------------------------------------------------- the pages

    @contextmanager
    def pages(self, clock: Callable[[], datetime], say: Callable[[str], None]) -> "Iterator[None]":
        """The web pages, served as long as this lasts; with a database connection that is theirs alone."""
        from bot.web.serving import serving
        from bot.web.studio import Studio

        theirs = self._beside(self.settings)
        studio = Studio(theirs, clock, say=say)
        with serving(theirs, clock, studio) as address:
            say(f"serving {address}")
            if link := studio.invite(address):
                say(f"the studio opens once, within ten minutes, at {link}")
            yield
