"""What newsletters and issues say of rules: how bad to take what one finds, or not to hear of it at all."""

from pathlib import Path

import pytest

from bot import checks
from bot.checks import Material, look
from bot.checks._words import Words
from bot.errors import InputError
from bot.models import Finding, Issue, Severity
from bot.settings import Settings, load
from bot.sources.markdown import dump, read_issue_bytes
from tests.test_checks import entry, issue, newsletter, settings

# ------------------------------------------------------------------------------------------ how it is heard


WORDS = Words([newsletter(checks={"content.empty": "error", "content.no-text": "off"}), newsletter("other")],
              [issue(checks={"content.empty": "hint", "content.draft": "off"})])  # fmt: skip


@pytest.mark.parametrize(
    ("rule", "place", "key", "severity"),
    [
        ("content.empty", "content/ai-papers/2025-W18.md:1", "ai-papers/2025-W18", Severity.ERROR),
        ("content.empty", "content/ai-papers/2025-W17.md:1", "ai-papers/2025-W17", Severity.HINT),
        ("content.empty", "content/other/2025-W17.md:1", "other/2025-W17", Severity.WARNING),
        ("content.draft", "content/ai-papers/2025-W17.md:1", "ai-papers/2025-W17", None),
        ("content.draft", "content/ai-papers/2025-W18.md:1", "ai-papers/2025-W18", Severity.HINT),
        ("content.no-text", "content/ai-papers/entries/one.md:1", None, None),
        ("content.no-text", "content/other/entries/one.md:1", None, Severity.WARNING),
        ("content.no-text", "config/newsletters/ai-papers.toml", None, None),
        ("content.no-text", "config/bot.toml", None, Severity.WARNING),
        ("content.empty", "config/bot.toml", None, Severity.ERROR),
    ],
)
def test_an_issue_has_the_first_word_on_a_rule_and_then_its_newsletter(
    rule: str, place: str, key: str | None, severity: Severity | None
) -> None:
    finding = Finding(rule, checks.known()[rule].severity, place, "wrong", issue=key)
    heard = WORDS.heard(checks.known()[rule], finding)
    assert (heard and heard.severity) == severity


@pytest.mark.parametrize(
    ("word", "taken"),
    [("error", Severity.ERROR), ("warning", Severity.WARNING), ("hint", Severity.HINT), ("off", None)],
)
def test_a_word_is_for_all_that_a_rule_finds_however_bad_it_is(word: str, taken: Severity | None) -> None:
    rule = checks.known()["content.no-text"]
    words = Words([newsletter(checks={rule.id: word})], [])
    for found in Severity:
        heard = words.heard(rule, Finding(rule.id, found, "content/ai-papers/2025-W17.md:1", "wrong"))
        assert (heard and heard.severity) == taken


def test_what_a_newsletter_and_an_issue_say_is_heard_in_a_run() -> None:
    quiet = settings(newsletter(checks={"content.no-text": "off"}))
    bare = issue(entry(blocks=()))
    loud = issue(entry(blocks=()), checks={"content.no-text": "error"})
    assert "content.no-text" in rules_found(settings(), bare)
    assert "content.no-text" not in rules_found(quiet, bare)
    assert "content.no-text" in rules_found(quiet, loud)


def rules_found(given: Settings, *issues: Issue) -> set[str]:
    return {finding.rule for finding in look(Material(given, issues))}


# ------------------------------------------------------------------------------------------ how it is said


BINDING = "protects from harm: it cannot be switched off or made milder: leave it out"
NO_TABLE = "3: checks: no table of rules: write `links.shortener: off`, say, indented below it"


@pytest.mark.parametrize(
    ("name", "word", "refused"),
    [
        ("content.no-text", "off", None),
        ("content.no-txt", "off", ("no such rule", "did you mean 'content.no-text'?")),
        ("x", "off", ("no such rule", "the rules are listed in docs/reference/rules.md")),
        ("content.no-text", "eror", ("'eror' is none of off, hint, warning, error", "did you mean 'error'?")),
        ("content.week", "error", None),
        ("content.week", "warning", tuple(BINDING.rsplit(": ", 1))),
        ("checks.failed", "off", tuple(BINDING.rsplit(": ", 1))),
    ],
)  # fmt: skip
def test_what_cannot_be_said_of_a_rule_is_refused(
    name: str, word: str, refused: tuple[str, str] | None
) -> None:
    assert checks.refusal(name, word) == refused


NEWSLETTER = """\
title = "AI Papers"
sender = "AI Papers <papers@example.org>"
list_id = "ai-papers.example.org"
postal_address = "1 Example Street"

[schedule]
day = "fri"
at = "09:00"
zone = "Europe/Berlin"

[channels.readers]
kind = "email"

"""
FILE = "config/newsletters/ai-papers.toml"


def loaded(root: Path, table: str, **environment: str) -> dict[str, str]:
    """What a newsletter says of rules."""
    (root / "config/newsletters").mkdir(parents=True)
    (root / "config/bot.toml").write_text("", "utf-8")
    (root / FILE).write_text(NEWSLETTER + table, "utf-8")
    return load(root / "config/bot.toml", environment).newsletters["ai-papers"].checks


@pytest.mark.parametrize(
    "table",
    [
        '[checks]\n"content.no-text" = "off"\n"content.draft" = "error"',
        '[checks]\ncontent.no-text = "off"\ncontent.draft = "error"',
        '[checks.content]\nno-text = "off"\ndraft = "error"',
    ],
)
def test_a_newsletter_says_it_in_a_table(tmp_path: Path, table: str) -> None:
    assert loaded(tmp_path, table) == {"content.no-text": "off", "content.draft": "error"}


def test_a_newsletter_that_says_nothing_takes_each_rule_as_it_is(tmp_path: Path) -> None:
    assert loaded(tmp_path, "") == {}


def test_the_environment_says_it_without_hyphens(tmp_path: Path) -> None:
    variable = {"BROADSHEET_NEWSLETTERS__AI_PAPERS__CHECKS__CONTENT__NO_TEXT": "hint"}
    assert loaded(tmp_path, "", **variable) == {"content.no-text": "hint"}


@pytest.mark.parametrize(
    ("table", "fault"),
    [
        ('[checks]\n"content.no-txt" = "off"',
         "content.no-txt: no such rule: did you mean 'content.no-text'?"),
        ('[checks]\nx = "off"', "x: no such rule: the rules are listed in docs/reference/rules.md"),
        ('[checks]\n"content.draft" = "eror"',
         "content.draft: 'eror' is none of off, hint, warning, error: did you mean 'error'?"),
        ('[checks]\n"content.week" = "off"',
         f"content.week: {BINDING}"),
        ('[checks]\n"content.draft" = true', "content.draft: should be a valid string"),
    ],
)  # fmt: skip
def test_what_a_newsletter_cannot_say_is_refused_by_name(tmp_path: Path, table: str, fault: str) -> None:
    with pytest.raises(InputError) as refused:
        loaded(tmp_path, table)
    assert [str(finding) for finding in refused.value.findings] == [f"{FILE}: checks.{fault}"]


def test_a_table_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="CHECKS: is not a table"):
        loaded(tmp_path, "", BROADSHEET_NEWSLETTERS__AI_PAPERS__CHECKS="off")


def read(front: str) -> tuple[Issue | None, list[str]]:
    """What an issue's front matter says, with what is wrong with it."""
    text = f"---\ntitle: AI Papers\n{front}---\n\n## One\n"
    found, findings = read_issue_bytes(text.encode(), "2025-W17.md", "ai-papers")
    assert {finding.rule for finding in findings} <= {"content.checks"}
    return found, [str(finding) for finding in findings]


def test_an_issue_says_it_in_its_front_matter() -> None:
    found, findings = read("checks:\n  content.no-text: off\n  content.draft: error\n")
    assert found
    assert (found.checks, findings) == ({"content.no-text": "off", "content.draft": "error"}, [])
    again, _ = read_issue_bytes(dump(found).encode(), "2025-W17.md", "ai-papers")
    assert again
    assert again.checks == found.checks


@pytest.mark.parametrize("front", ["", "checks:\n", "checks: {}\n"])
def test_an_issue_that_says_nothing_leaves_it_to_its_newsletter(front: str) -> None:
    found, findings = read(front)
    assert found
    assert (found.checks, findings) == ({}, [])


@pytest.mark.parametrize(
    ("front", "fault"),
    [
        ("checks: off\n", NO_TABLE),
        ("checks: [links.shortener]\n", NO_TABLE),
        ("checks:\n  content.empty: off\n  content.no-txt: off\n",
         "5: checks.content.no-txt: no such rule: did you mean 'content.no-text'?"),
        ("checks:\n  content.draft: [off]\n",
         "4: checks.content.draft: '' is none of off, hint, warning, error"),
        ("checks:\n  content.link: hint\n",
         f"4: checks.content.link: {BINDING}"),
    ],
)  # fmt: skip
def test_what_an_issue_cannot_say_is_an_error_on_its_line(front: str, fault: str) -> None:
    found, findings = read(front)
    assert found
    assert findings == [f"2025-W17.md:{fault}"]


def test_what_an_issue_says_of_rules_is_no_part_of_what_readers_get() -> None:
    """An approval is for the content, and stays good."""
    assert issue(entry(), checks={"content.draft": "off"}) == issue(entry())
