"""A studio over an installation of files: a clock that can be turned, mails that can be read, browsers."""

import email
import email.policy
import re
import shutil
from collections.abc import Mapping
from datetime import datetime, timedelta
from html import unescape
from pathlib import Path
from types import MappingProxyType
from urllib.parse import urlsplit

from werkzeug.security import generate_password_hash
from werkzeug.test import TestResponse

from bot.app import App
from bot.models import Week
from bot.settings import load
from bot.store import decisions
from bot.web import application
from bot.web.studio import Studio
from tests.stories.installation import Installation

EVE = datetime.fromisoformat("2025-04-24T09:00+02:00")
WEEK = Week(2025, 17)
ISSUE = "/studio/ai-papers/2025-W17"
URL = "https://papers.example.org"
HERE = "http://127.0.0.1:8000"
SECRET = "correct horse battery"
QUICK = generate_password_hash(SECRET, method="scrypt:1024:8:1")  # as any other, but computed in no time
NOTHING: Mapping[str, str] = MappingProxyType({})
CURATORS = f"""
[curators.ann]
name = "Ann"
email = "ann@example.org"

[curators.bo]
name = "Bo B."
email = "bo@example.org"
password_hash = "{QUICK}"
"""


class House:
    """An installation with a studio; the transport is a maildir."""

    def __init__(self, root: Path, migrated: Path, curators: str = CURATORS, **bot: str) -> None:
        self.files, self.root = Installation(root, approval="required"), root
        self.config = root / "config/newsletters/ai-papers.toml"
        self.config.write_text(self.config.read_text("utf-8") + curators, "utf-8")
        lines = "".join(f'{key} = "{value}"\n' for key, value in bot.items())
        main = root / "config/bot.toml"
        text = main.read_text("utf-8")
        main.write_text(lines + "".join(
            line for line in text.splitlines(keepends=True) if line.split(" =")[0] not in bot
        ), "utf-8")  # fmt: skip
        self.files.issue()
        (root / "var").mkdir()
        shutil.copyfile(migrated, root / "var/broadsheet.db")
        self.now, self.said = EVE, list[str]()
        self.open()

    def open(self, *, sends: bool = True, listen: str = "127.0.0.1:8000") -> None:
        """Start its process anew."""
        config, environment = self.root / "config/bot.toml", {"BROADSHEET_WEB__LISTEN": listen}
        self.app = App(load(config, environment), sends=sends, config=config, environment=environment)
        self.studio = Studio(self.app, lambda: self.now, say=self.said.append, user="ann")
        self.studio.address = f"{HERE}/"
        self.wsgi = application(self.app, lambda: self.now, self.studio)

    def close(self) -> None:
        self.studio.aside.shutdown()
        self.app.store.close()

    def later(self, **span: int) -> None:
        self.now += timedelta(**span)

    def rewrite(self, old: str, new: str) -> None:
        """Change the newsletter's configuration, and let the studio read it."""
        text = self.config.read_text("utf-8")
        assert old in text
        self.config.write_text(text.replace(old, new), "utf-8")
        self.studio.reread()

    # --------------------------------------------------------------------------------------------- browsers

    def browser(self, base: str = URL, cookie: str = "") -> "Browser":
        """A browser; one with a `cookie` of somebody else's sends that and no other."""
        return Browser(self, base, cookie)

    def at_home(self) -> "Browser":
        """A browser on the machine itself that has opened the terminal's link, as Ann."""
        browser = self.browser(HERE)
        link = self.studio.invite(f"{HERE}/")
        assert link
        assert browser.get(link.removeprefix(HERE)).status_code == 303
        return browser

    # ------------------------------------------------------------------------------------------------ mails

    def mails(self) -> list[tuple[str, str]]:
        """The mails that left, oldest first, each with whom it is to and the link in it."""
        self.studio.aside.submit(lambda: None).result()  # what was asked for before has left
        found = []
        files = (self.root / "outbox/maildir/new").glob("*")
        for file in sorted(files, key=lambda one: one.stat().st_mtime_ns):
            message = email.message_from_bytes(file.read_bytes(), policy=email.policy.default)
            text = message.get_body(("plain",))
            assert text
            link = re.search(r"https://papers\.example\.org(/studio/enter/\S+)", text.get_content())
            assert link
            found.append((str(message["To"]), link[1]))
        return found

    # -------------------------------------------------------------------------------------------- decisions

    def decided(self) -> list[tuple[str, str, str]]:
        """What was decided on the issue: verb, by whom, from where."""
        with self.app.store.read() as connection:
            every = decisions.every(connection, "ai-papers", WEEK)
        return [(verb, one.by, str(one.origin)) for verb, one in every]

    @property
    def hash(self) -> str:
        """The content's hash as it is now."""
        desk = self.app.desk(self.app.settings.newsletters["ai-papers"])
        return desk.proofs.hash_of(desk.issue(WEEK, self.now))


class Browser:
    """One browser: it keeps cookies, says where its forms come from, and follows nothing by itself."""

    def __init__(self, house: House, base: str, cookie: str) -> None:
        self._house, self._client = house, house.wsgi.test_client(use_cookies=not cookie)
        self._sent = {"Cookie": cookie} if cookie else {}
        self.base = base

    def get(self, path: str, headers: Mapping[str, str] = NOTHING, peer: str = "127.0.0.1") -> TestResponse:
        return self._client.get(
            path,
            base_url=self.base,
            headers={**self._sent, **headers},
            environ_overrides={"REMOTE_ADDR": peer},
        )

    def post(self, path: str, **form: str) -> TestResponse:
        """Send a form, as a browser does that was shown it by a page of the studio."""
        return self.send(path, {"Origin": self.base, "Sec-Fetch-Site": "same-origin"}, form)

    def send(self, path: str, headers: Mapping[str, str], form: Mapping[str, str]) -> TestResponse:
        """Send a form with these headers alone."""
        sent = {**self._sent, **headers}
        return self._client.post(path, base_url=self.base, data=dict(form), headers=sent)

    def open(self, path: str, method: str) -> TestResponse:
        return self._client.open(path, method=method, base_url=self.base)

    def word(self) -> str:
        """The word of this session's forms."""
        found = re.search(r'name="csrf" value="([^"]+)"', self.get("/studio").get_data(as_text=True))
        assert found
        return found[1]

    def cookies(self) -> dict[str, str]:
        host, path = urlsplit(self.base).hostname or "", self._house.studio.home
        every = (self._client.get_cookie(name, host, path) for name in ("studio", "__Secure-studio"))
        return {one.key: one.value for one in every if one}


def words(answer: TestResponse) -> str:
    """What a page says, as one line."""
    main = answer.get_data(as_text=True).partition("<main")[2]
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", main.partition(">")[2])).split())
