"""The installation as the studio shows it: the configuration as it is now, and what is wrong with it."""

import getpass
import secrets
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from urllib.parse import urlsplit

from bot.app import App
from bot.errors import InputError
from bot.store import decisions
from bot.web.studio.links import Links
from bot.web.studio.persons import only
from bot.web.studio.tries import Door
from bot.web.studio.visits import is_loopback
from bot.web.studio.watching import Changes, watching


class Studio:
    """What all its pages share. A request asks `app` once: another may stand there a moment later."""

    def __init__(
        self,
        app: App,
        clock: Callable[[], datetime],
        *,
        say: Callable[[str], None] = lambda _line: None,
        user: str = "",
    ) -> None:
        """`user` is who signs in on the machine itself, or else the only curator, or the machine's user.

        `say` prints where only they can read.
        """
        self.app, self.clock, self.say = app, clock, say
        self.user = user or only(app.settings.newsletters) or _machine_user()
        self.fault: InputError | None = None
        self.house = secrets.token_hex(8)
        """Names this process: what it opened ends with it."""
        self.links, self.door, self.changes = Links(), Door(), Changes()
        self.aside = ThreadPoolExecutor(1, "studio")
        """Where mails leave: how long that takes tells nobody whether there was one."""
        self.loopback = is_loopback(app.settings.web.listen.rpartition(":")[0].strip("[]"))
        self.address = ""

    @property
    def home(self) -> str:
        """The path that all its addresses begin with."""
        return f"{urlsplit(self.app.settings.url).path.rstrip('/')}/studio"

    @property
    def number(self) -> str:
        """What a page remembers of the moment it was made at: another, also after a restart, is a change.

        It counts what was saved here, and what was decided and sent by whomever, in whichever process.
        """
        with self.app.store.read() as connection:
            reached = decisions.reached(connection)
        return f"{self.house}.{reached}.{self.changes.number}"

    # ----------------------------------------------------------------------------------------------- living

    @contextmanager
    def alive(self) -> Iterator[None]:
        """See what changes, for as long as this lasts; whoever waits at the end is let go."""
        folders = [self.app.settings.root / "content", self._config, *self.app.templates.folders]
        try:
            with watching(folders, self._seen):
                yield
        finally:
            self.changes.end()
            self.aside.shutdown()
            _close(self.app)

    @property
    def _config(self) -> Path:
        """The folder of the configuration."""
        config = self.app.config
        return config.absolute().parent if config else self.app.settings.root / "config"

    def _seen(self, paths: Sequence[Path]) -> None:
        """Something was saved; where that was the configuration, it is read anew."""
        config = self._config.resolve()
        if any(path.resolve().is_relative_to(config) for path in paths):
            self.reread()
        self.changes.grow()

    def reread(self) -> None:
        """Read the configuration anew; the one before stays where it cannot be read."""
        before = self.app
        try:
            self.app, self.fault = before.renewed(), None
        except InputError as error:
            self.fault = error
            return
        if self.app.settings.database != before.settings.database:
            _close(before)

    # ---------------------------------------------------------------------------------------------- inviting

    def invite(self, address: str, to: str = "") -> str | None:
        """A link for the terminal; None where the pages listen to others than this machine."""
        if not self.loopback:
            return None
        return f"{address.rstrip('/')}{self.home}/enter/{self.links.new(self.clock(), to)}"


def _machine_user() -> str:
    try:
        return getpass.getuser()[:100]
    except (OSError, KeyError):  # a user without a name, as in some containers
        return ""


def _close(app: App) -> None:
    """Close its database, where it was opened."""
    if "store" in vars(app):
        app.store.close()
