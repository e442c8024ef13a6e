"""Every rule says what it finds, why, and how to mend it, and its example makes it fire."""

import re
import tomllib
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given, strategies as st

import bot
from bot import checks, plugins
from bot.checks import Material, Rule, look
from bot.markup.doubts import DoubtKind
from bot.settings import Settings
from bot.settings.reading import overlaid
from bot.sources.markdown import read_issue_bytes, read_newsletter
from tests.strategies import TRAPS, URLS

BOT_FOLDER = Path(bot.__file__).parent
THURSDAY = datetime(2025, 4, 24, 12, tzinfo=UTC)
"""The day before 2025-W17 goes out."""
BOT: dict[str, Any] = {
    "base_url": "https://letters.org",
    "transport": {"kind": "smtp", "host": "127.0.0.1", "security": "none"},
}
NEWSLETTER: dict[str, Any] = {
    "title": "AI Papers",
    "sender": "AI Papers <papers@letters.org>",
    "list_id": "letters.org",
    "postal_address": "1 Example Street",
    "schedule": {"day": "fri", "at": "09:00", "zone": "Europe/Berlin"},
    "channels": {"readers": {"kind": "email"}},
}
SCRAPS = (
    *TRAPS, *URLS, "\n\n", "## ", "http://[", "http://127.1", "?utm_source=x", "TODO", "the the", "Cheese",
    "W17", "\u202e", "\u0301", "\ufe0f", "\U0001f9c0", "\U000e0041",
)  # fmt: skip
"""What content is made of, and what is awkward in it."""
RULES = [pytest.param(rule, id=rule.id) for rule in checks.rules()]
CONTENT = [
    pytest.param(rule, id=rule.id)
    for rule in checks.rules(Material)
    if not rule.id.startswith("config.") and rule.id != "content.file"
]
CONFIG = [pytest.param(rule, id=rule.id) for rule in checks.rules(Material) if rule.id.startswith("config.")]


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_says_what_it_finds_and_why_and_how_to_mend_it(rule: Rule[Any]) -> None:
    assert rule.finds.endswith((".", "`"))
    assert rule.why.endswith(".")
    assert rule.mend.endswith(".")
    assert rule.example


def test_an_id_is_a_family_and_a_name_and_there_once() -> None:
    ids = [rule.id for rule in checks.rules()]
    assert ids == sorted(set(ids))
    # What only the web can say of links is a file of its own, since it looks at something else.
    assert {one.partition(".")[0] for one in ids} == {*plugins.kinds("checks"), "checks"} - {"online"}
    assert [one for one in ids if "_" in one or one != one.lower() or one.count(".") != 1] == []


def test_whatever_reading_finds_has_a_rule() -> None:
    """Found by how it is written: `opened.find("yaml", …)`, and the kinds of doubts about Markdown."""
    readers = ("front_matter.py", "sources/markdown.py", "sources/_markdown_body.py")
    sources = "".join((BOT_FOLDER / name).read_text("utf-8") for name in readers)
    named = {*re.findall(r'opened\.find\(\s*"([a-z]+)"', sources), *get_args(DoubtKind)}
    assert {"yaml", "file", "encoding", "week", "table"} <= named
    assert {f"content.{name}" for name in named} - set(checks.known()) == set()


@pytest.mark.parametrize("rule", CONTENT)
def test_the_example_of_a_rule_about_content_makes_it_fire(rule: Rule[Any], tmp_path: Path) -> None:
    assert rule.id in {finding.rule for finding in look(written(rule.example, tmp_path))}


@pytest.mark.parametrize("rule", CONFIG)
def test_the_example_of_a_rule_about_the_configuration_makes_it_fire(rule: Rule[Any]) -> None:
    assert rule.id not in {finding.rule for finding in look(Material(configured({"": ""})))}
    assert rule.id in {finding.rule for finding in look(Material(configured(rule.example)))}


def test_what_cannot_be_read_as_a_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "content/ai-papers/2025-W17.md").mkdir(parents=True)
    assert [finding.rule for finding in look(read(tmp_path))] == ["content.file"]


@given(st.lists(st.sampled_from(SCRAPS), max_size=40))
def test_no_rule_about_content_fails_whatever_is_written(scraps: list[str]) -> None:
    text = "---\ntitle: AI Papers\n---\n" + "".join(scraps)
    issue, found = read_issue_bytes(text.encode(), "2025-W17.md", "ai-papers")
    issues = (issue,) if issue else ()
    material = Material(
        configured({"": ""}), issues, findings=tuple(found), now=THURSDAY, texts={"2025-W17.md": text}
    )
    assert [finding for finding in look(material) if finding.rule == "checks.failed"] == []


def written(example: str | Mapping[str, str], root: Path) -> Material:
    """What an example looks like to the rules: the last issue it writes, with the others to compare with."""
    files = {"2025-W17.md": example} if isinstance(example, str) else example
    folder = root / "content/ai-papers"
    (folder / "entries").mkdir(parents=True)
    for name, text in files.items():
        whole = text if text.startswith("---") else f"---\ntitle: AI Papers\n---\n\n{text}"
        (folder / name).write_text(whole, "utf-8", "surrogatepass")
    return read(root)


def read(root: Path) -> Material:
    settings = configured({"": ""})
    zone = settings.newsletters["ai-papers"].schedule.zone
    content = read_newsletter(root / "content/ai-papers", "ai-papers", zone, root)
    return Material(
        settings,
        issues=content.issues[-1:],
        entries={"ai-papers": content.entries},
        findings=content.findings,
        earlier=content.issues[:-1],
        now=THURSDAY,
        texts=content.texts,
    )


def configured(example: str | Mapping[str, str]) -> Settings:
    """A sample installation with an example laid over it."""
    assert not isinstance(example, str)
    tables = {name: tomllib.loads(text) for name, text in example.items()}
    bot = overlaid(BOT, tables.pop("config/bot.toml", {}))
    tables.pop("", None)
    if "config/newsletters/" in tables:
        return Settings.model_validate({**bot, "root": "/letters"})
    newsletters = {Path(name).stem: table for name, table in tables.items()}
    made = {
        name: {**overlaid(NEWSLETTER, newsletters.get(name, {})), "name": name}
        for name in {"ai-papers", *newsletters}
    }
    return Settings.model_validate({**bot, "root": "/letters", "newsletters": made})
