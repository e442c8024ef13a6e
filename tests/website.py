"""An installation whose pages can be asked for: newsletters, issues and readers in a ledger of its own."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from flask.testing import FlaskClient

from bot.app import App
from bot.compose import compose
from bot.models import Consent, Entry, Issue, Reference, Section, Week
from bot.pages import freeze_page
from bot.settings import Settings
from bot.store import issues, readers
from bot.store.issues import PAGE
from bot.subscriptions import add, key_of
from bot.text import Paragraph, Text
from bot.web import application

NOW = datetime(2025, 4, 25, 7, tzinfo=UTC)
URL = "https://papers.example.org"
TABLE: dict[str, Any] = {
    "title": "AI Papers of the Week",
    "tagline": "Papers & people",
    "sender": "AI Papers <papers@example.org>",
    "list_id": "ai-papers.example.org",
    "postal_address": "AI Papers\n1 Example Street",
    "schedule": {"day": "fri", "at": "09:00", "zone": "Europe/Berlin"},
    "channels": {"readers": {"kind": "email"}},
}
ADA = "ada@example.org"

_FROZEN: dict[tuple[object, ...], bytes] = {}


class Website:
    """The pages of an installation; newsletters are named with what differs from `TABLE`."""

    def __init__(self, root: Path, base_url: str = URL, **newsletters: dict[str, Any]) -> None:
        tables = {name.replace("_", "-"): table for name, table in (newsletters or {"ai_papers": {}}).items()}
        settings = Settings(
            root=root,
            database="sqlite:///ledger.db",
            base_url=base_url,  # type: ignore[arg-type] # pydantic reads it
            newsletters={name: {**TABLE, "name": name, **table} for name, table in tables.items()},  # type: ignore[misc] # likewise
        )
        self.now, self.app = NOW, App(settings)
        self.wsgi = application(self.app, lambda: self.now)

    def close(self) -> None:
        self.app.store.close()

    @property
    def client(self) -> FlaskClient:
        """A browser that keeps no cookies."""
        return self.wsgi.test_client(use_cookies=False)

    # ---------------------------------------------------------------------------------------------- content

    def publish(
        self,
        week: str = "2025-W17",
        title: str = "Two papers",
        words: str = "What they say.",
        *,
        at: datetime = NOW,
        newsletter: str = "ai-papers",
    ) -> None:
        """Enter a published issue, as `bot.publish` does."""
        with self.app.store.write() as connection:
            number = issues.add(connection, newsletter, Week.parse(week), title, "0" * 64, at, late=False)
            assert number
            issues.add_payload(connection, number, PAGE, self.frozen(newsletter, week, title, words))

    def correct(
        self,
        week: str = "2025-W17",
        title: str = "Two papers",
        words: str = "What they say.",
        *,
        at: datetime,
    ) -> None:
        """Enter the next revision of an issue, as `bot.correcting` does."""
        with self.app.store.write() as connection:
            gone = issues.find(connection, "ai-papers", Week.parse(week))
            assert gone
            made = {PAGE: self.frozen("ai-papers", week, title, words)}
            issues.add_revision(connection, gone, title, "1" * 64, made, at)

    def frozen(self, newsletter: str, week: str, title: str, words: str) -> bytes:
        """A page as it is frozen; made once for one newsletter and words, as a mail is composed with it."""
        settings = self.app.settings
        table = settings.newsletters[newsletter].model_dump_json()
        key = (table, settings.url, settings.several, newsletter, week, title, words)
        if key not in _FROZEN:
            _FROZEN[key] = self._frozen(newsletter, week, title, words)
        return _FROZEN[key]

    def _frozen(self, newsletter: str, week: str, title: str, words: str) -> bytes:
        entry = Entry("A paper", (Reference("Paper", "https://example.org/1"),), (Paragraph((Text(words),)),))
        issue = Issue(newsletter, Week.parse(week), title, (Section(None, (entry,)),))
        settings = self.app.settings
        table = settings.newsletters[newsletter]
        return freeze_page(compose(issue, table, self.app.templates, settings.url, several=settings.several))

    def publish_many(self, count: int) -> None:
        """Enter as many issues, one a week, with pages that are quickly made."""
        with self.app.store.write() as connection:
            for number in range(count):
                week = Week.of(NOW.date().replace(year=2000 + number // 50, month=1, day=4))
                week = Week(week.year, number % 50 + 1)
                at = datetime.fromisocalendar(week.year, week.number, 5).replace(tzinfo=UTC)
                entered = issues.add(
                    connection, "ai-papers", week, f"Issue {number}", "0" * 64, at, late=False
                )
                assert entered
                page = {"summary": f"Summary {number}", "page": "<h1>x</h1>", "article": "<p>x</p>"}
                issues.add_payload(connection, entered, PAGE, json.dumps(page).encode())

    # ---------------------------------------------------------------------------------------------- readers

    def reader(
        self, email: str = ADA, consent: Consent = Consent.CONFIRMED, newsletter: str = "ai-papers"
    ) -> str:
        """Enter a reader; their token."""
        add(self.app.store, newsletter, email, "Ada", "en", consent, self.now)
        with self.app.store.read() as connection:
            found = readers.reader(connection, newsletter, key_of(email))
        assert found
        return found.token

    def consent(self, email: str = ADA, newsletter: str = "ai-papers") -> str | None:
        """How a reader stands to a newsletter."""
        with self.app.store.read() as connection:
            every = {one.email: one.subscriptions for one in readers.every(connection)}
        return every[email].get(newsletter)
