"""An installation whose bot listens to a Slack of the tests, by a clock that the story sets."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from html import unescape
from pathlib import Path
from typing import Any

from bot.app import App
from bot.models import Approval, Week
from bot.running import run
from bot.settings import load
from bot.store import decisions
from bot.store.decisions import Verb
from tests.servers.postgres import Database
from tests.servers.slack import APP_TOKEN, TOKEN, Post, SlackServer
from tests.stories.installation import Installation

DRAFTS, TEAM = "C0DRAFTS01", "C0123456789"
ANN, BO, EVE = "U0000000001", "U0000000002", "U0000000003"
WEEK = Week(2025, 17)
CURATORS = f"""
[curators.ann]
name = "Ann"
email = "ann@example.org"
slack = "{ANN}"

[curators.bo]
name = "Bo B."
slack = "{BO}"

[drafts]
conversation = "{DRAFTS}"
"""


class Slackroom:
    """One newsletter, its curators in Slack, and a bot that listens while a story says so."""

    def __init__(self, database: Database, slack: SlackServer, now: str, *, curators: str = CURATORS) -> None:
        self.now = datetime.fromisoformat(now)
        self.slack = slack
        self.said: list[str] = []
        lines = f'api_url = "{slack.url}"\n{curators}'
        self.here = Installation(database.root, approval="required", slack=lines)
        self._environment = {
            "BROADSHEET_DATABASE": database.url,
            "BROADSHEET_SLACK_TOKEN": TOKEN,
            "BROADSHEET_SLACK_APP_TOKEN": APP_TOKEN,
        }

    @property
    def root(self) -> Path:
        return self.here.root

    @contextmanager
    def app(self) -> Iterator[App]:
        app = App(load(self.root / "config/bot.toml", self._environment))
        with closing(app.store):
            yield app

    @contextmanager
    def listening(self) -> Iterator[None]:
        """The bot hears what is asked; when this ends, it has done all of it."""
        with self.app() as app, app.listener(lambda: self.now, self.said.append):
            self.slack.sockets.wait(lambda sockets: sockets.connections)
            yield

    def tick(self, now: str | None = None) -> None:
        """One look of the bot at the clock."""
        if now:
            self.now = datetime.fromisoformat(now)
        with self.app() as app:
            run(app, clock=lambda: self.now, once=True, say=self.said.append)

    # ------------------------------------------------------------------------------------- what people do

    def acknowledged(self, *envelopes: str) -> None:
        """Go on once Slack knows that these were heard."""
        for envelope in envelopes:
            self.slack.sockets.wait(lambda sockets, one=envelope: sockets.acknowledgements(one))  # type: ignore[misc] # bound

    def press(self, button: str, user: str = ANN, post: Post | None = None) -> str:
        """Press a button of the draft, and see it acknowledged."""
        envelope = self.slack.press(post or self.draft, button, user)
        self.acknowledged(envelope)
        return envelope

    def say(self, text: str, user: str = ANN) -> str:
        """Give the slash command."""
        envelope = self.slack.command(text, user, name="ada")
        self.acknowledged(envelope)
        return envelope

    # ---------------------------------------------------------------------------------------- what there is

    @property
    def draft(self) -> Post:
        """The message that shows this week's draft."""
        (found,) = [post for post in self.posts() if "draft" in str(post.message["metadata"])]
        return found

    def posts(self, conversation: str = DRAFTS) -> list[Post]:
        here = [post for post in self.slack.posts if post.message["channel"] == conversation]
        return [post for post in here if "W16" not in str(post.message["metadata"])]

    @property
    def answers(self) -> list[str]:
        """What was answered, each to one person alone, as they read it."""
        return [unescape(one["text"]) for one in self.slack.hooks.ephemeral]

    @property
    def decided(self) -> list[tuple[Verb, Approval]]:
        """Every decision on this week's issue."""
        with self.app() as app, app.store.read() as connection:
            return decisions.every(connection, "ai-papers", WEEK)


def buttons(post: Post) -> list[str]:
    """What can be pressed in a message."""
    rows: list[list[dict[str, Any]]] = [
        block["elements"] for block in post.message["blocks"] if block["type"] == "actions"
    ]
    return [element["action_id"] for row in rows for element in row]
