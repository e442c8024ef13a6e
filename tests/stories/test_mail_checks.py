"""What a curator hears of a mail that programs would cut or drop, and that it does not go out."""

from pathlib import Path

import pytest

from tests.stories.installation import ISSUE, InProcess, Installation

THEME = """\
{% extends "themes/plain.html.j2" %}
{% block kept_styles %}
@import url(https://fonts.example.org/a.css);
p { color: rgb(0 0 0 / 50%) }
{% endblock %}
{% block sheet %}
{{ super() }}
<tr><td><img src="logo.png" width="9"></td></tr>
{% endblock %}
"""
RULES = {
    ("mail.css-import", "error", "templates/themes/own.html.j2:3"),
    ("mail.css-gmail", "error", "templates/themes/own.html.j2:4"),
    ("mail.image-source", "error", "templates/themes/own.html.j2:8"),
    ("mail.image-alt", "warning", "templates/themes/own.html.j2:8"),
}
SENT = "2025-04-25T09:00+02:00"


@pytest.fixture
def here(begun: Path, tmp_path: Path) -> Installation:
    """An installation with a theme of its own that is faulty, one reader and one issue."""
    made = InProcess.copied(begun, tmp_path)
    path = made.root / "config/newsletters/ai-papers.toml"
    made.write(str(path), path.read_text("utf-8").replace("[schedule]", 'theme = "own"\n\n[schedule]'))
    made.write("templates/themes/own.html.j2", THEME)
    made.issue()
    return made


def mend(here: Installation) -> None:
    here.write("templates/themes/own.html.j2", '{% extends "themes/plain.html.j2" %}')


def mails(here: Installation) -> int:
    return len(list((here.root / "outbox").rglob("*.eml")))


def found(here: Installation, *words: str) -> set[tuple[str, str, str]]:
    answer = here("check", *words, "--format", "json")
    return {
        (one["rule"], one["severity"], one["place"]) for one in answer.json if one["rule"].startswith("mail.")
    }


def test_check_tells_each_fault_with_its_rule_and_line(here: Installation) -> None:
    assert found(here) == RULES
    assert found(here, "2025-W17") == RULES
    answer = here("check", "--format", "github")
    assert answer.status == 1
    assert (
        "::error file=templates/themes/own.html.j2,line=3,title=mail.css-import::@import url(" in answer.out
    )
    assert all(line.startswith("::") for line in answer.out.splitlines())
    mend(here)
    answer = here("check", "--format", "json")
    assert (answer.status, answer.json) == (0, [])


def test_a_fault_of_the_theme_is_told_once_for_all_issues(here: Installation) -> None:
    here.issue("2025-W18")
    answer = here("check", "--format", "json")
    told = [one for one in answer.json if one["rule"] == "mail.css-import"]
    assert [one["issue"] for one in told] == [None]
    assert told[0]["message"].endswith("(in 2 issues)")


def test_a_template_that_cannot_be_filled_is_one_finding_among_others(here: Installation) -> None:
    here.write("templates/themes/own.html.j2", "\n{{ issue.titel }}")
    here.write("content/ai-papers/2025-W18.md", ISSUE.format(title="x" * 80, week="2025-W18", status="ready"))
    answer = here("check", "--format", "json")
    assert answer.status == 1
    told = {one["rule"]: one["place"] for one in answer.json}
    assert told["mail.render"] == "templates/themes/own.html.j2:2"
    assert "content.title-length" in told


def test_what_would_break_is_refused_with_its_findings_and_nothing_is_sent(here: Installation) -> None:
    for command in ("plan", "approve", "publish"):
        answer = here(command, "2025-W17")
        assert answer.status == 1, command
        assert "mail.css-import" in answer.out, command
        assert "templates/themes/own.html.j2" in answer.out, command
        assert answer.err == "", command
    assert mails(here) == 0
    assert here("issues", "--format", "json").json[0]["published"] is None


def test_who_mends_it_can_look_at_it_and_hold_it(here: Installation) -> None:
    assert here("render", "2025-W17", "--out", "look").status == 0
    assert "logo.png" in (here.root / "look/email.html").read_text("utf-8")
    assert here("hold", "2025-W17").status == 0


def test_the_clock_holds_it_says_so_once_and_sends_it_when_it_is_mended(here: Installation) -> None:
    answer = here("--now", SENT, "run", "--once")
    assert answer.status == 1
    first, *errors = answer.err.splitlines()
    assert first.startswith("ai-papers/2025-W17: not sent: the checks found errors in what would be sent")
    assert [line.rpartition("[")[2] for line in errors] == [
        "mail.css-import]",
        "mail.css-gmail]",
        "mail.image-source]",
    ]
    assert here("--now", SENT, "run", "--once").err == ""
    assert mails(here) == 0
    mend(here)
    assert "ai-papers/2025-W17: published" in here("--now", SENT, "run", "--once").err
    assert mails(here) == 1


def test_what_was_published_is_not_judged_again_unless_named(here: Installation) -> None:
    mend(here)
    assert here("publish", "2025-W17").status == 0
    here.write("templates/themes/own.html.j2", THEME)
    assert found(here) == set()
    assert found(here, "2025-W17") == RULES
    assert here("publish", "2025-W17").status == 0


def test_a_mail_is_no_matter_where_nobody_gets_mail(here: Installation) -> None:
    path = here.root / "config/newsletters/ai-papers.toml"
    text = path.read_text("utf-8").replace('[channels.readers]\nkind = "email"\n', "")
    here.write(str(path), text)
    assert found(here) == set()
    assert here("publish", "2025-W17").status == 0


def test_a_draft_is_judged_too(here: Installation) -> None:
    here.issue(status="draft")
    answer = here("check", "--format", "json")
    assert {"mail.css-import", "content.draft"} <= {one["rule"] for one in answer.json}


def test_an_issue_that_is_too_big_to_fold_is_refused(here: Installation) -> None:
    mend(here)
    entries = "".join(
        f"\n## Entry {number}\n\n[Paper](https://example.org/{number})\n\n{'word ' * 600}\n"
        for number in range(60)
    )
    head, _, _ = ISSUE.format(title="Big", week="2025-W17", status="ready").partition("## A first")
    here.write("content/ai-papers/2025-W17.md", head + entries)
    assert ("mail.html-size", "error", "content/ai-papers/2025-W17.md:1") in found(here)
    answer = here("publish", "2025-W17")
    assert answer.status == 1
    assert "Gmail shows 102,000" in answer.out
    assert mails(here) == 0
