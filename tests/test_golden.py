"""One issue with everything in it, and what is made of it, byte for byte; `BLESS=1` writes it anew."""

import json
import os
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from bot.compose import compose
from bot.models import Issue, Rendered
from bot.settings import Newsletter, Settings
from bot.sources.markdown import read_issue
from bot.templates import Templates

GOLDEN = Path(__file__).parent / "golden"
NONCE = "0" * 16
"""Stands for the issue's own, which changes with every template."""
TABLE: dict[str, Any] = {
    "name": "ai-papers",
    "title": "AI Papers of the Week",
    "tagline": "Papers & people",
    "sender": "AI Papers <papers@example.org>",
    "list_id": "ai-papers.example.org",
    "postal_address": "AI Papers\n1 Example Street\n12345 Example Town",
    "greeting": "Hello {name},",
    "schedule": {"day": "fri", "at": "09:00", "zone": "Europe/Berlin"},
    "channels": {"team": {"kind": "slack", "conversation": "C0123456789"}},
}


def issue() -> Issue:
    found, findings = read_issue(GOLDEN / "issue.md", "ai-papers", "tests/golden/issue.md")
    assert found
    assert findings == []
    return found


@cache
def made() -> Rendered:
    newsletter = Newsletter.model_validate(TABLE)
    return compose(issue(), newsletter, Templates(GOLDEN), "https://news.example.org")


def slack() -> str:
    from bot.channels.slack import build  # noqa: PLC0415 (with what it needs)

    newsletter = Newsletter.model_validate(TABLE)
    settings = Settings(root=GOLDEN, base_url="https://news.example.org", newsletters={})  # type: ignore[arg-type] # pydantic reads it
    options: Any = newsletter.channels["team"]
    channel = build(
        options, newsletter=newsletter, settings=settings, templates=Templates(GOLDEN), transport=None
    )
    payload = json.loads(channel.freeze(issue(), made()))
    return json.dumps(payload, ensure_ascii=False, indent=1) + "\n"


@pytest.mark.parametrize("name", ["subject.txt", "email.html", "email.txt", "page.html", "slack.json"])
def test_an_issue_looks_as_it_did(name: str) -> None:
    looks = {
        "subject.txt": lambda: made().subject + "\n",
        "email.html": lambda: made().html,
        "email.txt": lambda: made().text,
        "page.html": lambda: made().page + "\n",
        "slack.json": slack,
    }[name]().replace(made().nonce, NONCE)
    if os.environ.get("BLESS"):
        (GOLDEN / name).write_text(looks, "utf-8", newline="\n")
    assert looks == (GOLDEN / name).read_text("utf-8")
