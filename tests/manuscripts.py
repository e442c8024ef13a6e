"""Content as curators write it, and what one rule says of it."""

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bot.checks import Material, Rule
from bot.models import Entry, Finding, Issue
from bot.settings import Newsletter, Settings
from bot.sources.markdown import read_issue_bytes

NOW = datetime(2025, 4, 24, 12, tzinfo=UTC)
"""The day before 2025-W17 goes out."""
ENTRY = "## A scaling law for cheese\n\n[Paper](https://example.org/cheese)\n\n"
"""What an entry begins with."""
FILE = "content/ai-papers/2025-W17.md"


def issue(text: str = ENTRY, /, *, title: str = "Cheese weekly", **keys: str) -> str:
    """An issue's file."""
    head = "".join(f"{key}: {value}\n" for key, value in {"title": title, **keys}.items())
    return f"---\n{head}---\n\n{text}"


def said(text: str) -> str:
    """An issue of one entry that says this; it begins on line 9 of its file."""
    return issue(f"{ENTRY}{text}\n")


def titled(title: str) -> str:
    """An issue of one entry that is called this."""
    return issue(f"## {title}\n\n[Paper](https://example.org/cheese)\n\nThe authors weigh 400 wheels.\n")


def material(
    text: str,
    earlier: Mapping[str, str] | None = None,
    *,
    language: str = "en",
    entries: tuple[Entry, ...] = (),
    name: str = "2025-W17",
) -> Material:
    """One issue to look at, by its file; the `earlier` ones by the names of theirs."""
    files = {f"content/ai-papers/{week}.md": one for week, one in {**(earlier or {}), name: text}.items()}
    issues = [_read(place, one) for place, one in files.items()]
    return Material(
        settings(language),
        (issues[-1],),
        {"ai-papers": entries} if entries else {},
        earlier=tuple(issues[:-1]),
        now=NOW,
        texts=files,
    )


def settings(language: str) -> Settings:
    """An installation with one newsletter of that language."""
    return Settings(
        root=Path("/letters"),
        transport={"kind": "maildir"},  # type: ignore[arg-type]  # as in TOML
        newsletters={"ai-papers": _newsletter(language)},
    )


def _newsletter(language: str) -> Newsletter:
    table: dict[str, Any] = {
        "name": "ai-papers",
        "title": "AI Papers",
        "language": language,
        "sender": "AI Papers <papers@letters.org>",
        "list_id": "letters.org",
        "postal_address": "1 Example Street",
        "schedule": {"day": "fri", "at": "09:00", "zone": "Europe/Berlin"},
        "channels": {"readers": {"kind": "email"}},
    }
    return Newsletter.model_validate(table)


def _read(place: str, text: str) -> Issue:
    found, findings = read_issue_bytes(text.encode("utf-8"), place, "ai-papers")
    assert found, findings
    return found


def told(rule: Rule[Material], given: Material) -> list[Finding]:
    """What a rule finds."""
    return list(rule.findings(given))
