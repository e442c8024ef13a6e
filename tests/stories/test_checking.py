"""How curators ask whether all is well, one issue or all, and say what they do not want to hear."""

from pathlib import Path

import pytest

from tests.stories.installation import InProcess, Installation

NO_TEXT = "## A third paper\n\n[Paper](https://example.org/3)\n"


@pytest.fixture
def here(tmp_path: Path) -> Installation:
    """An installation with two issues; in the second one, an entry has no text."""
    made = InProcess(tmp_path)
    made.issue()
    other = made.issue("2025-W18", title="Three papers")
    text = other.read_text("utf-8").replace("example.org/1", "example.org/11")
    other.write_text(text.replace("example.org/2", "example.org/12") + "\n" + NO_TEXT, "utf-8")
    return made


def found(here: Installation, *words: str) -> set[tuple[str, str, str]]:
    """Rule, severity and place of each finding about what a curator has written."""
    answer = here("check", *words, "--format", "json")
    return {
        (one["rule"], one["severity"], one["place"])
        for one in answer.json
        if one["rule"].startswith("content.")
    }


PLACE = "content/ai-papers/2025-W18.md:24"
HINT = {("content.no-text", "hint", PLACE)}


def test_an_issue_is_named_by_its_week_or_its_file(here: Installation) -> None:
    assert found(here) == HINT
    assert found(here, "2025-W18") == HINT
    assert found(here, "content/ai-papers/2025-W18.md") == HINT
    assert found(here, "2025-W17") == found(here, "content/ai-papers/2025-W17.md") == set()


def test_a_file_that_is_no_issues_stands_for_everything(here: Installation) -> None:
    assert found(here, "content/ai-papers/2025-W17.md", "config/bot.toml") == HINT


def test_an_issue_that_is_not_there_is_said_to_be_missing(here: Installation) -> None:
    answer = here("check", "2025-W40")
    assert answer.status == 2
    assert "no issue 2025-W40" in answer.complaint


def test_to_check_leaves_nothing_behind(here: Installation) -> None:
    """Not even a database, so that it can be asked where nothing can be written."""
    before = sorted(here.root.rglob("*"))
    assert here("check").status == 0
    assert sorted(here.root.rglob("*")) == before


def test_far_from_the_server_its_database_is_gone_without(here: Installation) -> None:
    path = here.root / "config/bot.toml"
    nowhere = 'database = "postgresql+psycopg://nobody@127.0.0.1:1/letters"'
    path.write_text("\n".join([nowhere, *_without_database(path.read_text("utf-8"))]), "utf-8")
    answer = here("check", "--format", "json")
    assert (answer.status, {one["severity"] for one in answer.json} & {"error"}) == (0, set())
    assert "every issue is taken for one that has not gone out" in answer.err
    assert here("issues").status == 2


def _without_database(text: str) -> list[str]:
    return [line for line in text.splitlines() if not line.startswith("database")]


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("content/ai-papers/2025-W40.md", "content/ai-papers/2025-W40.md: no such file"),
        (
            "ai-pappers/2025-W17",
            "'ai-pappers' is none of the newsletters ai-papers: did you mean 'ai-papers'?",
        ),
        (
            "cheese/2025-W17",
            "'cheese' is none of the newsletters ai-papers: name the issue as in ai-papers/2025-W17",
        ),
    ],
)
def test_a_name_of_nothing_is_told_with_one_that_would_do(
    here: Installation, name: str, complaint: str
) -> None:
    answer = here("check", name)
    assert answer.status == 2
    assert complaint in answer.complaint


def test_where_there_are_two_newsletters_an_issue_is_named_with_its_own(here: Installation) -> None:
    path = here.root / "config/newsletters/ai-papers.toml"
    path.with_stem("cheese").write_text(
        path.read_text("utf-8").replace('list_id = "', 'list_id = "x.'), "utf-8"
    )
    for command in ("check", "status", "approve"):
        answer = here(command, "2025-W17")
        assert answer.status == 2
        assert "ISSUE: there are 2 newsletters: ai-papers, cheese" in answer.complaint
        assert "name the issue as in ai-papers/2025-W17" in answer.complaint


def test_a_file_that_cannot_be_read_is_told_when_it_is_named(here: Installation) -> None:
    (here.root / "content/ai-papers/2025-W18.md").write_text("---\ntitle: [\n---\n", "utf-8")
    for name in ("2025-W18", "content/ai-papers/2025-W18.md"):
        answer = here("check", name, "--format", "json")
        assert answer.status == 1
        assert "content.yaml" in {one["rule"] for one in answer.json}


def test_what_a_newsletter_switches_off_an_issue_can_switch_on(here: Installation) -> None:
    path = here.root / "config/newsletters/ai-papers.toml"
    kept = path.read_text("utf-8")
    path.write_text(f'{kept}\n[checks]\n"content.no-text" = "off"\n', "utf-8")
    assert found(here) == set()
    issue = here.root / "content/ai-papers/2025-W18.md"
    said = issue.read_text("utf-8").replace("status:", "checks:\n  content.no-text: error\nstatus:", 1)
    issue.write_text(said, "utf-8")
    assert here("check").status == 1
    assert found(here) == {("content.no-text", "error", "content/ai-papers/2025-W18.md:26")}
    assert here("publish", "2025-W18").status != 0


def test_a_rule_that_there_is_not_is_refused_by_its_name(here: Installation) -> None:
    path = here.root / "config/newsletters/ai-papers.toml"
    path.write_text(f'{path.read_text("utf-8")}\n[checks]\n"content.no-txt" = "off"\n', "utf-8")
    answer = here("check")
    assert answer.status == 2
    assert answer.complaint == (
        "config/newsletters/ai-papers.toml: checks.content.no-txt: no such rule: "
        "did you mean 'content.no-text'?"
    )


THEME = """\
{% extends "themes/plain.html.j2" %}
{% block sheet %}
{{ super() }}
{% if "2025-W18" in web_url %}{{ nothing.there.is }}{% endif %}
{% endblock %}
"""


def test_of_an_archive_only_the_issue_that_is_named_is_set(here: Installation) -> None:
    here.write("templates/themes/own.html.j2", THEME)
    path = here.root / "config/newsletters/ai-papers.toml"
    path.write_text(path.read_text("utf-8").replace("[schedule]", 'theme = "own"\n\n[schedule]'), "utf-8")
    assert here("check", "2025-W17").status == 0
    assert here("check", "2025-W18").status == 1
    assert here("check").status == 1


def test_github_is_told_of_a_configuration_that_cannot_be_read(here: Installation) -> None:
    path = here.root / "config/newsletters/ai-papers.toml"
    path.write_text(path.read_text("utf-8").replace("fri", "friday", 1), "utf-8")
    answer = here("check", "--format", "github")
    assert answer.status == 2
    assert answer.out.startswith(
        "::error file=config/newsletters/ai-papers.toml,title=config::schedule.day: "
    )


def test_github_gets_a_column_and_the_path_from_where_it_stands(here: Installation) -> None:
    draft = here.issue("2025-W19", title="A draft", status="draft")
    answer = here("check", "2025-W19", "--format", "github")
    assert answer.status == 0
    assert f"file=content/ai-papers/{draft.name},line=4,col=1,title=content.draft::" in answer.out
