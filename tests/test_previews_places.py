"""Findings stand beside the entry they are about, and faults with the lines around them."""

from pathlib import Path

import pytest

from bot.models import Entry, Finding, Severity
from bot.previews import by_entry, excerpt, pane_of
from bot.previews.excerpts import AROUND, LONGEST_LINE

FILE = "content/ai-papers/2025-W17.md"
SINGLE = "content/ai-papers/entries/agents.md"
ENTRIES = (
    Entry("First", place=f"{FILE}:10"),
    Entry("Second", place=f"{FILE}:20"),
    Entry("Of its own file", place=f"{SINGLE}:7"),
)


def found(place: str) -> Finding:
    return Finding("links.shortener", Severity.WARNING, place, "a link goes through a shortener")


@pytest.mark.parametrize(
    ("place", "entry"),
    [
        (f"{FILE}:1", None),  # the front matter
        (f"{FILE}:9:80", None),
        (f"{FILE}:10", 0),
        (f"{FILE}:19:3", 0),  # its last line
        (f"{FILE}:20:1", 1),
        (f"{FILE}:900", 1),
        (FILE, None),  # the file as a whole
        (f"{SINGLE}:1", 2),  # all of it is the entry's
        (f"{SINGLE}:30:2", 2),
        (SINGLE, 2),
        ("content/ai-papers/2025-W18.md:12", None),
        ("templates/slack/issue.j2", None),
        ("", None),
    ],
)
def test_a_finding_belongs_to_the_entry_whose_lines_it_names(place: str, entry: int | None) -> None:
    per_entry, rest = by_entry(ENTRIES, [found(place)])
    homes = [number for number, here in enumerate(per_entry) if here]
    assert (homes, len(rest)) == (([], 1) if entry is None else ([entry], 0))


def test_entries_in_any_order_keep_their_lines() -> None:
    """Sections put entries of one file in an order of their own."""
    per_entry, _ = by_entry(ENTRIES[::-1], [found(f"{FILE}:12"), found(f"{FILE}:25")])
    assert [len(here) for here in per_entry] == [0, 1, 1]


def test_nothing_is_lost_between_the_entries_and_the_rest() -> None:
    findings = [found(f"{FILE}:{line}") for line in range(1, 40)]
    per_entry, rest = by_entry(ENTRIES, findings)
    assert sorted([*rest, *(one for here in per_entry for one in here)], key=findings.index) == findings


@pytest.mark.parametrize(
    ("rule", "pane"),
    [
        ("mail.html-size", "desktop"),
        ("mail.contrast", "dark"),
        ("mail.image-alt", "off"),
        ("mail.text-part", "text"),
        ("slack.blocks", "slack"),
        ("people.approval", "send"),
        ("writing.note", None),
        ("links.dead", None),
    ],
)
def test_what_is_about_one_way_of_looking_is_shown_in_its_pane(rule: str, pane: str | None) -> None:
    assert pane_of(rule) == pane


# -------------------------------------------------------------------------------------------------- excerpts


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for file, text in {
        FILE: "\n".join(f"line {number}" for number in range(1, 31)),
        "config/bot.toml": 'x = 1\nsmtp_password = "hunter2"\n[curators.ann]\npassword_hash = "scrypt:1"\n',
        "var/signing-key": "secret\n",
    }.items():
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text(text)
    return tmp_path


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        (1, range(1, 2 + AROUND)),
        (10, range(10 - AROUND, 11 + AROUND)),
        (30, range(30 - AROUND, 31)),
        (90, ()),
    ],
)
def test_a_fault_is_shown_with_the_lines_around_it(root: Path, line: int, shown: range) -> None:
    lines = excerpt(found(f"{FILE}:{line}:4"), [root]).lines
    assert [(one.number, one.text, one.meant) for one in lines] == [
        (number, f"line {number}", number == line) for number in shown
    ]


def test_the_first_folder_that_has_the_file_is_shown(
    root: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    shipped = tmp_path_factory.mktemp("shipped")
    (shipped / "templates").mkdir()
    (shipped / "templates" / "page.html.j2").write_text("{% oops %}")
    lines = excerpt(found("templates/page.html.j2:1"), [root, shipped]).lines
    assert [one.text for one in lines] == ["{% oops %}"]


@pytest.mark.parametrize(
    "place", ["var/signing-key:1", "content/../var/signing-key:1", "/etc/passwd:1", "../x:1", ":1", "", FILE]
)
def test_what_is_no_content_configuration_or_template_is_never_shown(root: Path, place: str) -> None:
    assert excerpt(found(place), [root]).lines == ()


def test_secrets_of_the_configuration_are_not_shown(root: Path) -> None:
    text = "\n".join(one.text for one in excerpt(found("config/bot.toml:2"), [root]).lines)
    assert "smtp_password = …" in text
    assert "hunter2" not in text
    assert "scrypt" not in text


def test_a_line_without_end_is_cut(root: Path) -> None:
    (root / FILE).write_text("x" * 100_000)
    (line,) = excerpt(found(f"{FILE}:1"), [root]).lines
    assert len(line.text) == LONGEST_LINE


@pytest.mark.parametrize(
    ("message", "line"),
    [
        ("schedule.day: 'frigg' is none of mon, tue", 4),
        ("schedule.at: 'noon' is not a time", 5),
        ("title: is empty", 1),
        ("day: no such key", None),  # of the top, where it does not stand
        ("channels.team.conversation: missing", 7),  # its table
        ("sender: missing", None),
        ("is not UTF-8", None),
    ],
)
def test_a_fault_of_the_configuration_is_shown_where_its_key_stands(
    root: Path, message: str, line: int | None
) -> None:
    text = 'title = ""\n\n[schedule]\nday = "frigg"\n"at" = "noon"\n\n[channels.team]\nday = 1\n'
    (root / "config/bot.toml").write_text(text)
    fault = Finding("config.value", Severity.ERROR, "config/bot.toml", message)
    meant = [one.number for one in excerpt(fault, [root]).lines if one.meant]
    assert meant == ([] if line is None else [line])
