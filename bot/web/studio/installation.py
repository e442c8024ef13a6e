"""The installation as the studio shows it: the configuration as it is now, and what is wrong with it."""

import secrets
from collections.abc import Callable
from datetime import datetime
from urllib.parse import urlsplit

from bot.app import App
from bot.web.studio.links import Links
from bot.web.studio.visits import is_loopback


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
        """`user` is who signs in on the machine itself; `say` prints where only they can read."""
        self.app, self.clock, self.say, self.user = app, clock, say, user
        self.number, self.fault = 0, None
        self.house, self.links = secrets.token_hex(8), Links()
        self.loopback = is_loopback(app.settings.web.listen.rpartition(":")[0].strip("[]"))

    @property
    def home(self) -> str:
        """The path that all its addresses begin with."""
        return f"{urlsplit(self.app.settings.url).path.rstrip('/')}/studio"

    def invite(self, address: str, to: str = "") -> str | None:
        """A link for the terminal; None where the pages listen to others than this machine."""
        if not self.loopback:
            return None
        return f"{address.rstrip('/')}{self.home}/enter/{self.links.new(self.clock(), to)}"
