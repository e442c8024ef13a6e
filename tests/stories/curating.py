"""A newsroom to curate in: an installation, a clock that only the story moves, Slack, mail and browsers."""

import email
import email.policy
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from email.message import EmailMessage
from pathlib import Path
from typing import Any, Self

from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Error,
    Frame,
    Page,
    Request,
    Route,
    expect,
)

from bot.app import App
from bot.models import Week
from bot.running import run
from bot.settings import load
from bot.store import decisions
from bot.web.serving import serving
from bot.web.studio import Studio
from tests.servers.slack import APP_TOKEN, TOKEN, Conversation, Post, SlackServer
from tests.stories.installation import Installation

DRAFTS, TEAM = "C0DRAFTS01", "C0123456789"
ANN = "U0000000001"
WEEK = "2025-W17"
PATIENCE = 20_000
"""Milliseconds that something may take which a person waits for; the machine is shared, and slow at times."""
CURATORS = f"""
[curators.ann]
name = "Ann"
email = "ann@example.org"
slack = "{ANN}"

[curators.bo]
name = "Bo B."
email = "bo@example.org"

[drafts]
conversation = "{DRAFTS}"
"""


class Newsroom:
    """Bot, pages and Slack of one installation, by a clock that only the story moves."""

    def __init__(self, root: Path, now: str, *, curators: str = CURATORS, approval: str = "required") -> None:
        self.now = datetime.fromisoformat(now)
        self.said: list[str] = []
        self._open = ExitStack()
        conversations = {DRAFTS: Conversation(), TEAM: Conversation()}
        self.slack = self._open.enter_context(SlackServer(conversations))
        lines = f'api_url = "{self.slack.url}"\n{curators}'
        self.here = Installation(root, approval=approval, slack=lines)
        self.address = ""
        self.studio: Studio

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def app(self) -> App:
        """The installation, as one process would have it."""
        config = self.here.root / "config/bot.toml"
        environment = {
            "BROADSHEET_SLACK_TOKEN": TOKEN,
            "BROADSHEET_SLACK_APP_TOKEN": APP_TOKEN,
            "BROADSHEET_WEB__LISTEN": "127.0.0.1:0",
        }
        return App(load(config, environment), config=config, environment=environment)

    def open(self, user: str = "ann") -> Self:
        """Let the studio be served, for whoever has a link."""
        app = self.app()
        self.studio = Studio(app, lambda: self.now, say=self.said.append, user=user)
        self.address = self._open.enter_context(serving(app, lambda: self.now, self.studio)).rstrip("/")
        return self

    def listen(self) -> Self:
        """Hear what is pressed in Slack."""
        app = self._open.enter_context(closing_store(self.app()))
        self._open.enter_context(app.listener(lambda: self.now, self.said.append))
        self.slack.sockets.wait(lambda sockets: sockets.connections)
        return self

    def invitation(self, to: str = "") -> str:
        """What the terminal says."""
        link = self.studio.invite(self.address, to)
        assert link
        return link

    def tick(self, now: str | None = None) -> None:
        """Let the clock be at `now`, and the bot look at it."""
        if now:
            self.now = datetime.fromisoformat(now)
        with closing_store(self.app()) as app:
            run(app, clock=lambda: self.now, once=True, say=self.said.append)

    # ---------------------------------------------------------------------------------------- what is there

    @property
    def path(self) -> Path:
        return self.here.root / f"content/ai-papers/{WEEK}.md"

    def edit(self, old: str, new: str) -> None:
        """Save the issue's file with other words in it."""
        text = self.path.read_text("utf-8")
        assert old in text
        self.path.write_text(text.replace(old, new), "utf-8")

    def posts(self, conversation: str = DRAFTS) -> list[Post]:
        """What stands in a conversation about this week's issue."""
        every = [post for post in self.slack.posts if post.message["channel"] == conversation]
        return [post for post in every if "W17" in post.message["metadata"]["event_payload"]["issue"]]

    @property
    def mails(self) -> list[EmailMessage]:
        """All mails that left, but those about the week before, for which nothing was collected."""
        files = sorted((self.here.root / "outbox").rglob("*.eml"), key=lambda file: file.stat().st_mtime_ns)
        every = [email.message_from_bytes(file.read_bytes(), policy=email.policy.default) for file in files]
        return [one for one in every if "2025-W16" not in one["Subject"]]

    def decided(self) -> list[tuple[str, str, str]]:
        """What was decided on the issue: verb, by whom, from where."""
        with closing_store(self.app()) as app, app.store.read() as connection:
            every = decisions.every(connection, "ai-papers", Week.parse(WEEK))
        return [(verb, one.by, str(one.origin)) for verb, one in every]

    def link_in(self, mail: EmailMessage, words: str) -> str:
        """A link of a mail, as if the installation's base URL led to this machine."""
        body = mail.get_body(("plain",))
        assert body
        found = re.search(rf"{words}: https://papers\.example\.org(\S+)", body.get_content())
        assert found, f"no link {words!r}"
        return f"{self.address}{found[1]}"


@contextmanager
def closing_store(app: App) -> Iterator[App]:
    """The app, and at the end its database closed."""
    with closing(app.store):
        yield app


# ------------------------------------------------------------------------------------------------- browsers


@dataclass
class Desktop:
    """A browser of one person, in which nothing may go wrong unseen."""

    context: BrowserContext
    page: Page
    address: str
    troubles: list[str] = field(default_factory=list)
    """Scripts that ran or tried to, dialogs, errors, and whatever was asked of others than the server."""

    def text(self) -> str:
        """All that can be read on the page, frames not counted."""
        return self.page.locator("body").inner_text()


def visit(page: Page, url: str) -> None:
    """Go there, also where the page is about to come back by itself, which ends what was under way."""
    for _ in range(5):
        try:
            page.goto(url)
        except Error as error:
            if "ERR_ABORTED" not in error.message:
                raise
        else:
            return


@contextmanager
def browsing(chromium: Browser, address: str, width: int = 1280, **more: Any) -> Iterator[Desktop]:
    """A fresh browser that is cut off from everything but one server; fails the test on any trouble."""
    options: dict[str, Any] = {"viewport": {"width": width, "height": 900}, "color_scheme": "null", **more}
    context = chromium.new_context(**options)
    context.set_default_timeout(PATIENCE)
    expect.set_options(timeout=PATIENCE)
    desktop = Desktop(context, context.new_page(), address)
    context.route(lambda url: not url.startswith((address, "data:", "about:")), _refusal(desktop.troubles))
    context.on("page", lambda page: _watch(page, desktop.troubles))
    _watch(desktop.page, desktop.troubles)
    try:
        yield desktop
        marks = [_mark(frame) for page in context.pages for frame in page.frames]
        desktop.troubles += [f"a script ran: {mark}" for mark in marks if mark]
    finally:
        context.close()
    assert not desktop.troubles, "\n".join(desktop.troubles)


def _mark(frame: Frame) -> str:
    """What a script left there; nothing where the page comes anew at this moment."""
    try:
        return str(frame.evaluate("window.mark || ''"))
    except Error:
        return ""


def _refusal(troubles: list[str]) -> Callable[[Route, Request], None]:
    def refuse(route: Route, request: Request) -> None:
        troubles.append(f"asked for {request.url[:200]}")
        route.abort()

    return refuse


def _watch(page: Page, troubles: list[str]) -> None:
    def console(message: ConsoleMessage) -> None:
        expected = "the server responded with a status of 4" in message.text  # a page that says no
        if message.type in {"error", "warning"} and not expected:
            troubles.append(f"console: {message.text[:300]}")

    def dialog(shown: Any) -> None:
        troubles.append(f"a dialog: {shown.message}")
        shown.dismiss()

    page.on("console", console)
    page.on("pageerror", lambda error: troubles.append(f"an error: {error}"))
    page.on("dialog", dialog)
