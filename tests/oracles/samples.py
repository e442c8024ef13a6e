"""What the oracles judge: issues of several kinds, in every theme there is, as mail and as page."""

from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from bot.channels import email
from bot.compose import compose
from bot.models import Issue, Reader, Rendered
from bot.settings import Newsletter, Settings
from bot.sources.markdown import read_issue
from bot.templates import Templates

REPOSITORY = Path(__file__).resolve().parents[2]
TEMPLATES = Templates(REPOSITORY)
THEMES = TEMPLATES.themes()
BASE_URL = "https://news.example.org"
NOW = datetime(2025, 4, 25, 7, 0, tzinfo=UTC)
ADA = Reader("ada@example.org", "Ada", "A" * 22)

FILES = {
    "sample": ("en", "content/ai-papers/2025-W17.md"),
    "everything": ("en", "tests/golden/issue.md"),
    "hebrew": ("he", "tests/oracles/issues/hebrew.md"),
    "japanese": ("ja", "tests/oracles/issues/japanese.md"),
    "chinese": ("zh-CN", "tests/oracles/issues/chinese.md"),
    "korean": ("ko", "tests/oracles/issues/korean.md"),
    "edges": ("de", "tests/oracles/issues/edges.md"),
    "wide": ("en", "tests/oracles/issues/wide.md"),
}
"""Language and file of each sample."""
SAMPLES = list(FILES)


@dataclass(frozen=True)
class Made:
    """One issue in one theme: as composed, and as one reader gets it."""

    issue: Issue
    newsletter: Newsletter
    rendered: Rendered
    mail: bytes
    html: str
    """The mail's HTML as the reader's program decodes it."""
    text: str


def newsletter(theme: str = "plain", language: str = "en", **changes: Any) -> Newsletter:
    """A newsletter with everything in it that a mail shows."""
    table: dict[str, Any] = {
        "name": "ai-papers",
        "title": "AI Papers of the Week",
        "tagline": "Papers & people, picked by hand",
        "language": language,
        "sender": "AI Papers <papers@example.org>",
        "list_id": "ai-papers.example.org",
        "postal_address": "AI Papers\n1 Example Street\n12345 Example Town",
        "theme": theme,
        "greeting": "Hello {name},",
        "schedule": {"day": "fri", "at": "09:00", "zone": "Europe/Berlin"},
        "channels": {"readers": {"kind": "email"}},
    }
    return Newsletter.model_validate({**table, **changes})


@cache
def issue_of(sample: str) -> Issue:
    """One of the samples, read as content is; a finding fails the test."""
    file = FILES[sample][1]
    issue, findings = read_issue(REPOSITORY / file, "ai-papers", file)
    assert issue, findings
    assert findings == []
    return issue


@cache
def made(sample: str, theme: str) -> Made:
    """A sample in a theme, for Ada."""
    return set_in(issue_of(sample), newsletter(theme, FILES[sample][0]))


def set_in(issue: Issue, paper: Newsletter, reader: Reader = ADA) -> Made:
    """An issue as one reader gets it."""
    rendered = compose(issue, paper, TEMPLATES, BASE_URL)
    mail = mailed(issue, rendered, paper, reader)
    return Made(
        issue, paper, rendered, mail["message.eml"], mail["email.html"].decode(), mail["email.txt"].decode()
    )


def mailed(issue: Issue, rendered: Rendered, paper: Newsletter, reader: Reader = ADA) -> dict[str, bytes]:
    """The files of one reader's mail, as the email channel makes them."""
    settings = Settings(root=REPOSITORY, base_url=BASE_URL, newsletters={paper.name: paper})  # type: ignore[arg-type] # pydantic reads the URL
    transport: Any = SimpleNamespace(connections=1, local=True, by="nobody", connect=lambda: None)
    channel = email.build(
        email.Options(kind="email"),
        newsletter=paper,
        settings=settings,
        templates=TEMPLATES,
        transport=transport,
    )
    return channel.files(channel.freeze(issue, rendered), reader, NOW)
