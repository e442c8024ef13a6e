"""`check --fix` and `check --online` as a person at the terminal meets them."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from bot import inspection
from bot.app import App
from bot.checks import Material, Web, to_ask
from bot.cli import broadsheet
from bot.lookups import Wire
from bot.settings import load
from tests.servers.web import Page, WebServer, serving

NOW = datetime(2025, 4, 24, 12, tzinfo=UTC)
NEWSLETTER = """
title = "AI Papers"
sender = "AI Papers <papers@letters.org>"
list_id = "ai-papers.letters.org"
postal_address = "1 Example Street"
[schedule]
day = "fri"
at = "09:00"
zone = "Europe/Berlin"
[channels.readers]
kind = "email"
"""
ISSUE = "---\ntitle: AI Papers\n---\n\n## One\n\n[Paper]({url})\n\nWhat it is about.\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "config/newsletters").mkdir(parents=True)
    (tmp_path / "config/bot.toml").write_text('[transport]\nkind = "maildir"\n', "utf-8")
    (tmp_path / "config/newsletters/ai-papers.toml").write_text(NEWSLETTER, "utf-8")
    (tmp_path / "content/ai-papers").mkdir(parents=True)
    return tmp_path


def issue(root: Path, url: str) -> Path:
    file = root / "content/ai-papers/2025-W17.md"
    file.write_text(ISSUE.format(url=url), "utf-8")
    return file


def check(root: Path, *words: str) -> Result:
    config = ["--config", str(root / "config/bot.toml"), "--now", NOW.isoformat()]
    return CliRunner().invoke(broadsheet, [*config, "check", "2025-W17", *words])


def rules(result: Result) -> list[str]:
    return [finding["rule"] for finding in json.loads(result.stdout) if finding["rule"].startswith("links.")]


# ------------------------------------------------------------------------------------------------- mending


def test_fix_mends_shows_the_change_and_what_is_left(root: Path) -> None:
    file = issue(root, "https://bit.ly/a?utm_source=x")
    result = check(root, "--fix")
    assert file.read_text("utf-8") == ISSUE.format(url="https://bit.ly/a")
    assert "-[Paper](https://bit.ly/a?utm_source=x)\n+[Paper](https://bit.ly/a)\n" in result.stdout
    assert "1 place in 1 file mended" in result.stdout
    assert "links.tracking" not in result.stdout
    assert "links.shortener" in result.stdout


def test_two_mends_of_one_place_are_both_made_and_shown_as_one_change(root: Path) -> None:
    file = issue(root, "https://arxiv.org/pdf/2504.12285v2?utm_source=x")
    result = check(root, "--fix")
    assert file.read_text("utf-8") == ISSUE.format(url="https://arxiv.org/abs/2504.12285")
    assert result.stdout.count("+[Paper](https://arxiv.org/abs/2504.12285)\n") == 1


def test_what_a_dry_run_shows_is_what_becomes_of_an_address_with_two_faults(root: Path) -> None:
    issue(root, "https://arxiv.org/pdf/2504.12285v2?utm_source=x")
    assert "+[Paper](https://arxiv.org/abs/2504.12285)\n" in check(root, "--fix", "--dry-run").stdout


def test_a_second_fix_finds_nothing_to_do(root: Path) -> None:
    issue(root, "https://x.org/a?utm_source=x")
    check(root, "--fix")
    assert "Nothing to mend" in check(root, "--fix").stdout


def test_a_dry_run_shows_the_same_and_writes_nothing(root: Path) -> None:
    file = issue(root, "https://x.org/a?utm_source=x")
    result = check(root, "--fix", "--dry-run")
    assert "+[Paper](https://x.org/a)\n" in result.stdout
    assert "1 place in 1 file would be mended" in result.stdout
    assert file.read_text("utf-8") == ISSUE.format(url="https://x.org/a?utm_source=x")


@pytest.mark.parametrize("form", ["json", "github"])
def test_the_diff_does_not_get_between_lines_that_machines_read(root: Path, form: str) -> None:
    issue(root, "https://x.org/a?utm_source=x")
    result = check(root, "--fix", "--format", form)
    assert "+[Paper]" not in result.stdout
    assert "+[Paper](https://x.org/a)" in result.stderr


def test_signs_that_steer_a_terminal_are_shown_and_not_sent(root: Path) -> None:
    file = issue(root, "https://x.org/a\u202e?utm_source=x")
    result = check(root, "--fix")
    assert "\u202e" not in result.stdout
    assert "\\u202e" in result.stdout
    assert file.read_text("utf-8") == ISSUE.format(url="https://x.org/a")


@pytest.mark.parametrize("words", [["--dry-run"], ["--port", "8080"]])
def test_an_option_without_the_one_it_goes_with_is_bad_usage(root: Path, words: list[str]) -> None:
    issue(root, "https://x.org/a")
    assert check(root, *words).exit_code == 2


# -------------------------------------------------------------------------------------------------- online


@pytest.fixture
def server() -> Iterator[WebServer]:
    pages: dict[str, Page] = {"/a": (200, {}, b""), "/old": (301, {"Location": "/a"}, b"")}
    with serving(pages) as server:  # type: ignore[arg-type]  # pages, and no functions
        yield server


def test_online_asks_no_machine_in_a_private_network(root: Path, server: WebServer) -> None:
    issue(root, f"http://127.0.0.1:{server.port}/gone")
    result = check(root, "--online", "--port", str(server.port), "--format", "json")
    assert rules(result) == ["links.private-host"]
    assert result.exit_code == 1
    assert server.asked == []


def test_without_online_nobody_is_asked_and_nothing_is_remembered(root: Path) -> None:
    issue(root, "https://x.org/a")
    assert check(root).exit_code == 0
    assert not (root / "var" / "lookups.json").exists()


@pytest.mark.parametrize(("path", "told"), [("/gone", ["links.dead"]), ("/old", ["links.moved"]), ("/a", [])])
def test_what_the_web_says_is_told_with_all_else_and_asked_once(
    root: Path, server: WebServer, path: str, told: list[str]
) -> None:
    """The guard is passed in, so that here loopback may be asked."""
    issue(root, f"http://x.org:{server.port}{path}")
    app = App(load(root / "config/bot.toml", {}))
    wire = Wire(
        allowed=lambda address: address.is_loopback,
        resolver=lambda _host, _port: ["127.0.0.1"],
        ports=(server.port,),
    )

    def found() -> list[str]:
        findings = inspection.check(
            app,
            ["2025-W17"],
            NOW,
            look_up=lambda content: inspection.look_up(app.settings, content, NOW, wire=wire),
        )
        return [finding.rule for finding in findings if finding.rule in ("links.dead", "links.moved")]

    assert found() == told
    asked = len(server.asked)
    assert asked
    assert found() == told
    assert len(server.asked) == asked


def test_the_web_is_asked_about_what_is_checked_and_nothing_else(root: Path) -> None:
    issue(root, "https://x.org/a")
    (root / "content/ai-papers/2025-W16.md").write_text(ISSUE.format(url="https://x.org/b"), "utf-8")
    asked: list[str] = []

    def look_up(material: Material) -> Web:
        asked.extend(to_ask(material))
        return Web(material, {})

    inspection.check(App(load(root / "config/bot.toml", {})), ["2025-W17"], NOW, look_up=look_up)
    assert asked == ["https://x.org/a"]
