"""What curators write becomes an issue, and whatever is wrong with it is said with file, line and key."""

from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, given, settings
from markdown_it import MarkdownIt

from bot import markup
from bot.models import Finding, Issue, Reference, Severity, Status, Week, errors_of
from bot.sources import markdown as source
from bot.sources.markdown import Content, dump, read_entry, read_issue, read_newsletter
from bot.text import Bullets, Heading, Paragraph, Quote, Strong, Text
from tests import strategies
from tests.measuring import calls, times

BERLIN = ZoneInfo("Europe/Berlin")
PLACE = "content/ai-papers/2025-W17.md"

SAMPLE = """\
---
title: Top AI Papers of the Week
week: 2025-W17
status: draft
subject: "BitNet: 1 bit"
preheader: Ten papers
---

Hello **all**.

# Models

## [BitNet b1.58](https://arxiv.org/abs/2504.12285)

[Paper](https://arxiv.org/abs/2504.12285), [Tweet](https://x.com/a/status/1) | [Code](https://github.com/a/b)

A lead.

- **Fast**: very
- **Small**: too

> A closing.

## Q&A: “R&D” <b>

### Inside

Text.

# Agents

## UI-TARS
"""


def read(
    tmp_path: Path, content: str | bytes, name: str = "2025-W17.md"
) -> tuple[Issue | None, list[Finding]]:
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_issue(path, "ai-papers", f"content/ai-papers/{name}")


def issue_of(tmp_path: Path, content: str | bytes, name: str = "2025-W17.md") -> Issue:
    issue, findings = read(tmp_path, content, name)
    assert [str(finding) for finding in findings] == []
    assert issue
    return issue


def said(findings: list[Finding] | tuple[Finding, ...]) -> list[str]:
    return [f"{finding.rule} {finding}" for finding in findings]


# --------------------------------------------------------------------------------------- what is written


def test_a_content_file_becomes_an_issue(tmp_path: Path) -> None:
    issue = issue_of(tmp_path, SAMPLE)
    assert (issue.key, issue.title, issue.status) == (
        "ai-papers/2025-W17",
        "Top AI Papers of the Week",
        "draft",
    )
    assert (issue.subject, issue.preheader) == ("BitNet: 1 bit", "Ten papers")
    assert issue.intro == (Paragraph((Text("Hello "), Strong((Text("all"),)), Text("."))),)
    assert [section.title for section in issue.sections] == ["Models", "Agents"]
    first, second, third = issue.entries
    assert (first.title, first.place) == ("BitNet b1.58", f"{PLACE}:13")
    assert first.references == (
        Reference("arxiv.org", "https://arxiv.org/abs/2504.12285"),
        Reference("Paper", "https://arxiv.org/abs/2504.12285"),
        Reference("Tweet", "https://x.com/a/status/1"),
        Reference("Code", "https://github.com/a/b"),
    )
    assert [type(block) for block in first.blocks] == [Paragraph, Bullets, Quote]
    assert second.title == "Q&A: “R&D” <b>"
    assert [type(block) for block in second.blocks] == [Heading, Paragraph]
    assert (third.title, third.blocks) == ("UI-TARS", ())


@pytest.mark.parametrize(
    "change",
    [
        lambda text: "\ufeff" + text,
        lambda text: text.replace("\n", "\r\n"),
        lambda text: "\ufeff" + text.replace("\n", "\r\n"),
        lambda text: text.rstrip("\n"),
        lambda text: text.replace("---\n\nHello", "...\n\nHello"),
        lambda text: text.replace("---\n", "---  \n"),
        lambda text: text.replace("# Agents", "<!-- not yet\n\n## x -->\n# Agents"),
        lambda text: text.replace("# Agents", "---\n\n# Agents"),
        lambda text: text.replace("week: 2025-W17\n", ""),
        lambda text: text.replace("title: ", "# a comment\ntitle: "),
    ],
)
def test_what_an_editor_program_does_to_a_file_changes_nothing(tmp_path: Path, change: object) -> None:
    assert callable(change)
    assert issue_of(tmp_path, change(SAMPLE)) == issue_of(tmp_path, SAMPLE)


@pytest.mark.parametrize(
    "scalar", ["2311.04200", "10:30", "09:00", "no", "on", "0130", "08", "1e3", "2026-02-30", "3.10"]
)
def test_every_scalar_is_the_text_it_is(tmp_path: Path, scalar: str) -> None:
    assert issue_of(tmp_path, f"---\ntitle: {scalar}\nsubject: {scalar}\n---\n").title == scalar


def test_entries_before_the_first_section_stand_in_a_section_without_a_title(tmp_path: Path) -> None:
    issue = issue_of(tmp_path, "---\ntitle: A\n---\n## B\n\n# C\n\n## D\n")
    assert [(section.title, len(section.entries)) for section in issue.sections] == [(None, 1), ("C", 1)]
    assert issue.status is Status.READY


def test_an_intro_may_stand_in_the_front_matter_and_before_the_first_heading(tmp_path: Path) -> None:
    issue = issue_of(tmp_path, "---\ntitle: A\nintro: |\n  One *a*.\n\n  Two.\n---\nThree.\n\n## B\n")
    assert markup.words(issue.intro) == "One a. Two. Three."
    assert len(issue.intro) == 3


def test_headings_in_code_open_no_entry(tmp_path: Path) -> None:
    issue = issue_of(tmp_path, "---\ntitle: A\n---\n## B\n\n```\n## not an entry\n# nor a section\n```\n")
    assert [entry.title for entry in issue.entries] == ["B"]


def test_a_body_that_begins_with_a_rule_is_no_front_matter(tmp_path: Path) -> None:
    _, findings = read(tmp_path, "---\n\nHello\n\n---\n\nWorld")
    assert said(findings) == [
        f"content.title {PLACE}:1: title: missing: write title: … between two lines of ---"
    ]
    issue = issue_of(tmp_path, "---\ntitle: A\n---\n---\n\nHello\n\n---\n\nWorld")
    assert markup.words(issue.intro) == "Hello World"


# --------------------------------------------------------------------------------------- what is wrong


@pytest.mark.parametrize(
    ("content", "rule", "place", "words"),
    [
        ("---\ntitle: A\n\n## B\n", "yaml", 1, "never closed"),
        ("---\ntitle: AI: the good\n---\n", "yaml", 2, 'quote the title: title: "…"'),
        ("---\nstatus: ready\ntitle: @home\n---\n", "yaml", 3, 'quote the title: title: "…"'),
        ("---\ntitle: `x`\n---\n", "yaml", 2, "quote the title"),
        ("---\ntitle: - dash\n---\n", "yaml", 2, "quote the title"),
        ("---\ntitle: *bold*\n---\n", "yaml", 2, "quote the title"),
        ("---\ntitle: &a b\n---\n", "yaml", 2, "quote the title"),
        ("---\ntitle: !new b\n---\n", "yaml", 2, "quote the title"),
        ('---\ntitle: "A\n---\n', "yaml", 2, "quote the title"),
        ('---\ntitle: "A" b\n---\n', "yaml", 2, "quote the title"),
        ("---\n  title: A\nweek: 2025-W17\n---\n", "yaml", 3, "not readable"),
        ("---\ntitle: A\nintro:\n\tx\n---\n", "yaml", 4, "not with tabs"),
        ("---\ntitle: A\ntitle: B\n---\n", "yaml", 3, "title: twice, first in line 2"),
        ("---\ntitle: {a: b}\n---\n", "title", 2, "quote the title"),
        ("---\ntitle: [a]\n---\n", "title", 2, "quote the title"),
        ("---\ntitle: null\n---\n", "title", 2, "title: missing"),
        ("---\ntitle: ~\n---\n", "title", 2, "title: missing"),
        ("---\ntitle:\n---\n", "title", 2, "title: missing"),
        ('---\ntitle: "  "\n---\n', "title", 2, "title: missing"),
        ("---\nstatus: ready\n---\n", "title", 1, "title: missing"),
        ("## B\n", "title", 1, "title: missing"),
        ("", "title", 1, "title: missing"),
        ('---\ntitle: "a\\nBcc: e@x"\n---\n', "title", 2, "line break"),
        ('---\ntitle: "a\\0b"\n---\n', "title", 2, "control character U+0000"),
        ('---\ntitle: "a\\ud800b"\n---\n', "title", 2, "lone surrogate U+D800"),
        ("---\ntitle: =?utf-8?q?a?=\n---\n", "title", 2, "encoded word"),
        ("---\ntitle: A\nsubject: =?utf-8?B?YQ==?=\n---\n", "text", 3, "subject: looks like an encoded word"),
        ('---\ntitle: A\nsubject: "a\\r\\nBcc: e@x"\n---\n', "text", 3, "subject: has a line break"),
        ('---\ntitle: A\npreheader: "a\\x85b"\n---\n', "text", 3, "preheader: control character U+0085"),
        ("---\ntitle: A\nweek: 2025-W53\n---\n", "week", 3, "2025-W53 does not exist"),
        ("---\ntitle: A\nweek: 2025-W16\n---\n", "week", 3, "2025-W16 in a file called 2025-W17"),
        ("---\ntitle: A\nweek: next\n---\n", "week", 3, "ISO week such as"),
        ("---\ntitle: A\nstatus: Ready\n---\n", "status", 3, "did you mean 'ready'?"),
        ("---\ntitle: A\nstatsu: draft\n---\n", "key", 3, "statsu: no such key: did you mean 'status'?"),
        ("---\ntitle: A\nauthor: [a]\n---\n", "key", 3, "the keys are title, week"),
        ("---\njust: [words\n---\n", "yaml", 2, "not readable"),
        ("---\ntitle: A\n---\n## B\n\n[x](javascript:alert(1))\n", "link", 6, "javascript:"),
        ("---\ntitle: A\n---\n## B\n\nsee [x](/about)\n", "link", 6, "relative URL"),
        ("---\ntitle: A\n---\n## B\n\nsee [x](https://x.org/a b)\n", "link", 6, "blank in URL"),
        ("---\ntitle: A\n---\n##\n", "title", 4, "the entry has none"),
        ("---\ntitle: A\n---\n# B\n\ntext\n\n## C\n", "section", 6, "belongs to no entry"),
        ("---\ntitle: A\n---\n## B\n\na <!-- b\n", "comment", 6, "never closed"),
        (b"---\ntitle: A\n---\n\n\xff\n", "encoding", 5, "byte 0xff at offset 18 is not UTF-8"),
        (b"\xef\xbb\xbf---\ntitle: \xe4\n---\n", "encoding", 2, "byte 0xe4 at offset 14 is not UTF-8"),
        (b"---\ntitle: A\n---\nb\x00\n", "encoding", 4, "control character U+0000"),
        (b"---\ntitle: A\x1b[0m\n---\n", "encoding", 2, "control character U+001B"),
        (b"a" * 2_000_001, "file", 1, "larger than 2,000,000 bytes"),
        ("---\n" + "a: [" * 3000 + "\n---\n", "yaml", 1, "not readable"),
        ("---\na: &a [x, x]\nb: &b [*a, *a]\n---\n", "yaml", 2, "anchors"),
        ("---\ntitle: " + "a" * 100_001 + "\n---\n", "yaml", 1, "more than 100,000"),
    ],
)  # fmt: skip
def test_a_fault_is_told_with_its_file_line_key_and_cure(
    tmp_path: Path, content: str | bytes, rule: str, place: int, words: str
) -> None:
    _, findings = read(tmp_path, content)
    (error,) = errors_of(findings)
    assert (error.rule, error.place) == (f"content.{rule}", f"{PLACE}:{place}")
    assert words in str(error)
    assert error.issue == "ai-papers/2025-W17"


@pytest.mark.parametrize(
    ("content", "severity", "words"),
    [
        ("---\ntitle: C# is #1\n---\n", Severity.WARNING, "title: the text after # is dropped: '#1'"),
        ("---\ntitle: A\n---\n# B\n\n# C\n\n## D\n", Severity.WARNING, "'B' has no entries"),
        ("---\ntitle: A\n---\n## B\n\n**x\n", Severity.WARNING, "nothing bold"),
        ("---\ntitle: A\n---\n## B\n\n|a|b|\n|-|-|\n|c|\n", Severity.WARNING, "a row of 1 cells"),
        ("---\ntitle: A\n---\n## B\n\nGreat news\n---\n", Severity.HINT, "is a heading"),
    ],
)
def test_what_may_be_meant_is_told_and_stops_nothing(
    tmp_path: Path, content: str, severity: Severity, words: str
) -> None:
    issue, (finding,) = read(tmp_path, content)
    assert issue
    assert finding.severity is severity
    assert words in str(finding)


def test_a_hash_that_opens_no_comment_is_text(tmp_path: Path) -> None:
    assert issue_of(tmp_path, "---\ntitle: C#1\nstatus: ready # at last\n---\n").title == "C#1"


def test_all_faults_of_a_file_are_told_at_once(tmp_path: Path) -> None:
    _, findings = read(tmp_path, "---\nstatus: x\nweek: 2025-W99\ntag: a\n---\n##\n\n[a](b)\n")
    assert sorted(finding.rule for finding in findings) == [
        "content.key", "content.link", "content.status", "content.title", "content.title", "content.week",
    ]  # fmt: skip


def test_a_file_without_a_week_in_its_name_needs_the_key(tmp_path: Path) -> None:
    assert issue_of(tmp_path, "---\ntitle: A\nweek: 2025-W17\n---\n", "special.md").week == Week(2025, 17)
    _, findings = read(tmp_path, "---\ntitle: A\n---\n", "special.md")
    assert "week: missing" in str(findings[0])


# ------------------------------------------------------------------------------------- single entries


@pytest.mark.parametrize(
    ("written", "instant"),
    [
        ("2026-11-30", datetime(2026, 11, 30, tzinfo=BERLIN)),
        ("2026-11-30 09:00", datetime(2026, 11, 30, 9, tzinfo=BERLIN)),
        ("2026-11-30T09:00:30", datetime(2026, 11, 30, 9, 0, 30, tzinfo=BERLIN)),
        ("2026-11-30 09:00:00 +0200", datetime(2026, 11, 30, 7, tzinfo=UTC)),
        ("2026-11-30 09:00:00 -0000", datetime(2026, 11, 30, 9, tzinfo=UTC)),
        ("2026-11-30T09:00Z", datetime(2026, 11, 30, 9, tzinfo=UTC)),
        ("2026-11-30T23:39:45-04:00", datetime(2026, 12, 1, 3, 39, 45, tzinfo=UTC)),
    ],
)  # fmt: skip
def test_a_date_is_read_in_its_own_zone_or_the_newsletters(
    tmp_path: Path, written: str, instant: datetime
) -> None:
    path = tmp_path / "a.md"
    path.write_text(f"---\ntitle: A\ndate: {written}\n---\n")
    entry, findings = read_entry(path, "a.md", BERLIN)
    assert said(findings) == []
    assert entry
    assert entry.date == instant


@pytest.mark.parametrize(
    "date",
    ["2026-02-30", "2027-02-29", "2026-13-01", "2026-1-5", "30.11.2026", "2026-11-30 25:00",
     "'2021-(TODO: MM-DD)'", "2021-(TODO: MM-DD)", "2026-11-30 09:00 +9999", "0001-01-01", "null", "", "x"],
)  # fmt: skip
def test_an_impossible_date_is_an_error(tmp_path: Path, date: str) -> None:
    path = tmp_path / "a.md"
    path.write_text(f"---\ntitle: A\ndate: {date}\n---\n")
    entry, findings = read_entry(path, "entries/a.md", BERLIN)
    assert entry is None
    assert len(findings) == 1
    assert str(findings[0]).startswith("entries/a.md:3: date: ")


@pytest.mark.parametrize(
    ("links", "references"),
    [
        ("link: https://www.x.org/a", [("x.org", "https://www.x.org/a")]),
        ("links: {Paper: 'https://x.org/a'}", [("Paper", "https://x.org/a")]),
        ("links:\n  - https://x.org/a\n  - Code: https://x.org/b", [("x.org", "https://x.org/a"), ("Code", "https://x.org/b")]),
        ("links:\n  Paper: https://x.org/a\n  Code: https://x.org/b", [("Paper", "https://x.org/a"), ("Code", "https://x.org/b")]),
    ],
)  # fmt: skip
def test_links_of_an_entry_may_stand_in_its_front_matter(
    tmp_path: Path, links: str, references: list[tuple[str, str]]
) -> None:
    path = tmp_path / "a.md"
    path.write_text(
        f"---\ntitle: A\ndate: 2026-11-30\nsection: S\n{links}\n---\n[More](https://x.org/c)\n\nLead.\n"
    )
    entry, findings = read_entry(path, "a.md", BERLIN)
    assert said(findings) == []
    assert entry
    found = [(reference.label, reference.url) for reference in entry.references]
    assert found == [*references, ("More", "https://x.org/c")]
    assert (entry.section, markup.words(entry.blocks)) == ("S", "Lead.")


def test_a_refused_link_of_an_entry_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("---\ntitle: A\ndate: 2026-11-30\nlink: /a\n---\n")
    _, findings = read_entry(path, "a.md", BERLIN)
    assert said(findings) == [
        "content.link a.md:4: link: relative URL: '/a': give a full address that begins with https://"
    ]


# ---------------------------------------------------------------------------------------- newsletters


def whole(root: Path) -> Content:
    return read_newsletter(root / "content" / "ai-papers", "ai-papers", BERLIN, root)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "content" / "ai-papers" / "entries").mkdir(parents=True)
    return tmp_path


def test_one_bad_file_hides_no_other(root: Path) -> None:
    folder = root / "content" / "ai-papers"
    (folder / "2025-W17.md").write_text(SAMPLE)
    (folder / "2025-W18.md").write_bytes(b"\xff")
    (folder / "2025-W19.md").mkdir()
    (folder / "README.md").write_text("For curators.")
    (folder / "_draft.md").write_text("Not yet.")
    (folder / "entries" / "a.md").write_text("---\ntitle: A\ndate: 2026-11-30\n---\n")
    (folder / "entries" / "b.md").write_text("---\ntitle: B\n---\n")
    content = whole(root)
    assert [issue.key for issue in content.issues] == ["ai-papers/2025-W17"]
    assert [entry.place for entry in content.entries] == ["content/ai-papers/entries/a.md:1"]
    assert [finding.place for finding in content.findings] == [
        "content/ai-papers/2025-W18.md:1",
        "content/ai-papers/2025-W19.md:1",
        "content/ai-papers/entries/b.md:1",
    ]


def test_two_files_for_one_week_are_an_error_that_names_both(root: Path) -> None:
    folder = root / "content" / "ai-papers"
    for name in ("2025-W17.md", "2025-W17 copy.md"):
        (folder / name).write_text(SAMPLE)
    content = whole(root)
    assert content.issues == ()
    (finding,) = content.findings
    assert (finding.rule, finding.issue) == ("content.week", "ai-papers/2025-W17")
    assert "2025-W17 copy.md and content/ai-papers/2025-W17.md" in str(finding)


def test_a_newsletter_without_a_folder_has_no_content(tmp_path: Path) -> None:
    assert whole(tmp_path) == Content()


def test_reading_issues_costs_little_more_than_parsing_their_texts(root: Path) -> None:
    lead = "A lead of *some* length about [one thing](https://x.org/a) and another, as leads are. " * 4
    links = "[Paper](https://x.org/1) · [Code](https://x.org/2)"
    entry = f"## A title\n\n{links}\n\n{lead}\n\n- **Fast**: very\n- two\n\n"
    for number in range(1, 21):
        week = Week(2020, number)
        text = f"---\ntitle: T\nweek: {week}\n---\n{entry * 16}"
        (root / "content" / "ai-papers" / f"{week}.md").write_text(text)
    bare = MarkdownIt("gfm-like")
    texts = [path.read_text("utf-8") for path in (root / "content" / "ai-papers").glob("*.md")]
    assert len(whole(root).issues) == 20
    assert times(lambda: whole(root), lambda: [bare.parse(text) for text in texts]) < 5


# ----------------------------------------------------------------------------------------------- dump


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    max_examples=60,
    deadline=None,
)
@given(strategies.issues())
def test_an_issue_written_is_the_issue_read(tmp_path: Path, issue: Issue) -> None:
    written = dump(issue)
    found, findings = read(tmp_path, written, f"{issue.week}.md")
    assert [str(finding) for finding in errors_of(findings)] == []
    assert found == issue
    assert dump(found) == written


def test_a_dump_is_what_a_curator_would_have_written(tmp_path: Path) -> None:
    issue = issue_of(tmp_path, SAMPLE)
    assert dump(issue) == SAMPLE.replace(
        "## [BitNet b1.58](https://arxiv.org/abs/2504.12285)\n\n[Paper]",
        "## BitNet b1.58\n\n[arxiv.org](https://arxiv.org/abs/2504.12285) · [Paper]",
    ).replace("2504.12285), [Tweet]", "2504.12285) · [Tweet]").replace(") | [Code]", ") · [Code]").replace(
        " <b>", " \\<b>"
    )


# ------------------------------------------------------------------------------------------- read once


def test_a_file_is_read_anew_only_where_its_bytes_are_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bot looks at the whole archive each minute, a curator's preview at every save."""
    folder = tmp_path / "content/letter"
    (folder / "entries").mkdir(parents=True)
    for week in (16, 17):
        (folder / f"2025-W{week}.md").write_text(f"---\ntitle: Number {week}\n---\n\n## One\n\nWords.\n")
    (folder / "entries/a.md").write_text("---\ntitle: A\ndate: 2025-04-21\n---\n\nWords.\n")
    opened = calls(monkeypatch, source, "open_bytes")

    def read() -> Content:
        return read_newsletter(folder, "letter", ZoneInfo("UTC"), tmp_path)

    first, before = read(), len(opened)
    assert read() == first
    assert len(opened) == before == 3
    (folder / "2025-W17.md").write_text("---\ntitle: Another\n---\n\n## Two\n\nWords.\n")
    after = read()
    assert [issue.title for issue in after.issues] == ["Number 16", "Another"]
    assert after.texts["content/letter/2025-W17.md"].endswith("## Two\n\nWords.\n")
    assert len(opened) - before == 1
