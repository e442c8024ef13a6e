"""Importing: what came in is written once, is known again in any form, and never covers a person's work."""

import json
from contextlib import suppress
from functools import partial
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st
from markdown_it import MarkdownIt

import bot.importing
from bot import markup
from bot.errors import InputError
from bot.importing import Counts, ImportReport, import_file, kinds
from bot.importing.opening import MOST_BYTES
from bot.models import Week, errors_of
from bot.sources.markdown import read_issue
from tests.measuring import calls, times

HEAD = "| **Paper** | **Links** |\n| --- | --- |\n"
URL = "https://birds.example"
TEXT = (
    "Introduces a gull that keeps its balance on one leg, and explains in passing why the other stays warm."
)
GULL = f"| 1) **Gull: A Bird** - {TEXT} | [Paper]({URL}/gull), [Tweet]({URL}/t) |"
TERN = f"| 2) **Tern** - dives for fish, $250 a day ~ or so, says <think>. | [Paper]({URL}/tern) |"
README = f"# Birds\n\n## Birds of the Week (April 21 - April 27) - 2025\n{HEAD}{GULL}\n{TERN}\n"
PLAIN = (
    f"Birds of the Week\nTop birds (April 21 - 27)\n1. Gull: A Bird\n{TEXT}\n"
    "2. Tern\ndives for fish $250 a day ~ or so, says <think>."
)


class Desk:
    """A folder with an input and the content it goes into."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.folder = root / "content" / "gulls"

    def put(self, name: str, text: str | bytes) -> Path:
        path = self.root / name
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    def take(self, name: str, text: str | bytes, **said: Any) -> ImportReport:
        return import_file(self.put(name, text), newsletter="gulls", folder=self.folder, **said)

    def files(self) -> dict[str, str]:
        return {path.name: path.read_text("utf-8") for path in sorted(self.folder.glob("*"))}


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def states(report: ImportReport) -> list[tuple[str | None, str]]:
    return [(outcome.week, str(outcome.state)) for outcome in report.issues]


# ---------------------------------------------------------------------------------------------- writing


def test_an_issue_is_written_and_can_be_read(desk: Desk) -> None:
    report = desk.take("README.md", README)
    assert (report.kind, states(report), report.clean) == ("table_readme", [("2025-W17", "new")], True)
    issue, findings = read_issue(desk.folder / "2025-W17.md", "gulls", "2025-W17.md")
    assert not list(errors_of(findings))
    assert issue is not None
    assert issue.entries == report.issues[0].found.entries


def test_the_same_input_again_changes_nothing(desk: Desk) -> None:
    desk.take("README.md", README)
    before = desk.files()
    assert states(desk.take("README.md", README)) == [("2025-W17", "unchanged")]
    assert desk.files() == before


def test_a_dry_run_writes_nothing_and_says_the_same(desk: Desk) -> None:
    assert states(desk.take("README.md", README, dry_run=True)) == [("2025-W17", "new")]
    assert not desk.folder.exists()


def test_a_newer_input_adds_its_new_weeks_only(desk: Desk) -> None:
    desk.take("README.md", README)
    newer = README.replace(
        "# Birds\n", f"# Birds\n\n## Birds (April 28 - May 4) - 2025\n{HEAD}| 1) **Auk** - x | |\n", 1
    )
    assert states(desk.take("README.md", newer)) == [("2025-W18", "new"), ("2025-W17", "unchanged")]


def test_two_issues_for_one_week_are_not_both_written(desk: Desk) -> None:
    twice = (
        README + f"\n## Birds (April 21 - April 27) - 2025\n{HEAD}| 1) **Auk** - sits on a rock all day | |\n"
    )
    assert states(desk.take("README.md", twice)) == [("2025-W17", "new"), ("2025-W17", "differs")]


# -------------------------------------------------------------------------------------------- knowing again


@pytest.mark.parametrize("said", [{"year": 2025}, {"week": Week(2025, 17)}, {}])
def test_the_same_issue_in_another_form_is_known_again_and_the_richer_one_stays(
    desk: Desk, said: dict[str, Any]
) -> None:
    desk.take("README.md", README)
    before = desk.files()
    report = desk.take("issue.txt", PLAIN, **said)
    assert (report.kind, states(report)) == ("plain_text", [("2025-W17", "same")])
    differences = " / ".join(report.issues[0].differences)
    assert "entry 2 differs by one comma: “fish,” in the file, “fish” in what came in" in differences
    assert "the file has 3 links, what came in has 0" in differences
    assert desk.files() == before


def test_a_day_without_a_year_is_refused_unless_the_same_entries_are_there(desk: Desk) -> None:
    with pytest.raises(
        InputError, match=r"April 21 - 27.* has no year: say which with --year 2025 or --week"
    ):
        desk.take("issue.txt", PLAIN)
    assert desk.files() == {}


def test_the_same_entries_under_another_week_make_no_second_issue(desk: Desk) -> None:
    desk.take("README.md", README)
    report = desk.take("issue.txt", PLAIN, week=Week(2025, 20))
    assert states(report) == [("2025-W17", "same")]
    assert list(desk.files()) == ["2025-W17.md"]
    assert [doubt.what for doubt in report.issues[0].doubts if "already the issue 2025-W17" in doubt.what]


def test_the_richer_form_does_not_cover_the_poorer_one_silently(desk: Desk) -> None:
    desk.take("issue.txt", PLAIN, year=2025)
    before = desk.files()
    report = desk.take("README.md", README)
    assert states(report) == [("2025-W17", "differs")]
    assert any(
        "has a link that the file has not: https://birds.example/gull" in what
        for what in report.issues[0].differences
    )
    assert desk.files() == before


def test_what_a_person_has_changed_stays_and_is_told(desk: Desk) -> None:
    desk.take("README.md", README)
    path = desk.folder / "2025-W17.md"
    path.write_text(path.read_text("utf-8").replace("one leg", "two legs"), "utf-8")
    before = desk.files()
    report = desk.take("README.md", README)
    assert (states(report), report.clean) == ([("2025-W17", "differs")], False)
    assert "“two legs,” in the file, “one leg,” in what came in" in report.issues[0].differences[0]
    assert desk.files() == before


def test_a_file_that_cannot_be_read_stays_and_is_told(desk: Desk) -> None:
    desk.folder.mkdir(parents=True)
    (desk.folder / "2025-W17.md").write_bytes(b"---\ntitle: \xff")
    report = desk.take("README.md", README)
    assert states(report) == [("2025-W17", "differs")]
    assert (desk.folder / "2025-W17.md").read_bytes() == b"---\ntitle: \xff"


def test_equal_titles_alone_make_no_two_issues_the_same(desk: Desk) -> None:
    desk.take("README.md", README)
    other = README.replace("April 21 - April 27", "April 28 - May 4").replace(
        TEXT, "Another bird of that name."
    )
    other = other.replace("dives for", "sleeps near")
    assert states(desk.take("README.md", other)) == [("2025-W18", "new")]


# ------------------------------------------------------------------------------------------------ asking


def test_a_week_that_contradicts_the_file_is_taken_and_told(desk: Desk) -> None:
    report = desk.take("issue.txt", PLAIN, week=Week(2025, 20))
    assert states(report) == [("2025-W20", "new")]
    assert [doubt.what for doubt in report.issues[0].doubts] == [
        "the file says otherwise: 'April 21 - 27'; taken for 2025-W20, as was asked"
    ]


def test_a_week_picks_one_issue_of_many(desk: Desk) -> None:
    both = README + f"\n## Birds (April 28 - May 4) - 2025\n{HEAD}| 1) **Auk** - x | |\n"
    assert states(desk.take("README.md", both, week=Week(2025, 18))) == [("2025-W18", "new")]
    with pytest.raises(InputError, match="no issue of 2024-W01 in it: it has 2025-W17"):
        desk.take("README.md", both, week=Week(2024, 1))


@pytest.mark.parametrize(
    ("name", "text", "kind"),
    [
        ("README.md", README, "table_readme"),
        ("issue.txt", PLAIN, "plain_text"),
        ("2025-04-24.md", "# Birds\n\n## News\n\n- [Gull](https://birds.example)\n", "newsletter"),
        ("birds.json", json.dumps([{"title": "Gull", "date": "2025-04-24"}]), "json_list"),
    ],
)
def test_the_kind_is_known_by_the_content(desk: Desk, name: str, text: str, kind: str) -> None:
    assert desk.take(name, text, year=2025).kind == kind


def test_our_own_content_format_is_no_kind_of_import() -> None:
    assert set(kinds()) == {"json_list", "newsletter", "plain_text", "table_readme"}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is empty"),
        (b"\xff\xfea\x00", "is UTF-16"),
        (b"Birds\n\xe9t\xe9", "is not UTF-8: byte 0xe9 at offset 6"),
        (b"Birds\x00", "has a NUL at byte 5"),
        (b"Birds\n\x1b[31m", r"issue.txt:2: has a control character \(U\+001B\)"),
        (b"Birds", "no entry found in it, read as plain_text"),
    ],
)
def test_what_is_no_newsletter_is_refused_in_one_line(desk: Desk, data: bytes, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        desk.take("issue.txt", data)
    assert "\n" not in str(caught.value)
    assert desk.files() == {}


def test_too_large_a_file_is_refused(desk: Desk) -> None:
    with pytest.raises(InputError, match="has more than 20 MiB"):
        desk.take("issue.txt", b"a" * (MOST_BYTES + 1))


def test_an_unknown_kind_names_the_known_ones(desk: Desk) -> None:
    with pytest.raises(InputError, match=r"--as: there is no kind 'plain_txt'.*did you mean 'plain_text'"):
        desk.take("issue.txt", PLAIN, kind="plain_txt")


def test_a_mark_at_the_start_and_other_line_ends_change_nothing(desk: Desk) -> None:
    desk.take("README.md", README)
    odd = b"\xef\xbb\xbf" + README.replace("\n", "\r\n").encode()
    assert states(desk.take("README.md", odd)) == [("2025-W17", "unchanged")]


PIECES = st.sampled_from(
    [
        "## ", "### ", "# ", "- ", "1. ", "> ", "**", "\n", "\n\n", "gull", "Tern. ", " ", ": ", "`owl`",
        "<b>", "&amp;", "\\", "●", "<br>", f"[auk]({URL})", "| ", "|\n| 1) ", "```\n", "    ", TEXT,
        "Key points:", "~", "_x_", "---\n", "=?utf-8?q?x?=", "\u200d",
    ]
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(
    st.lists(PIECES, max_size=30).map("".join), st.sampled_from(["table_readme", "plain_text", "newsletter"])
)
def test_whatever_comes_in_the_file_written_reads_back_as_it(text: str, kind: str) -> None:
    text = f"## Birds (May 1 - May 7) - 2023\n{HEAD}| 1) {text} | |" if kind == "table_readme" else text
    with TemporaryDirectory() as root, suppress(InputError):
        desk = Desk(Path(root))
        week = None if kind == "table_readme" else Week(2025, 17)
        report = desk.take("x", text, kind=kind, week=week)
        doubts = [doubt.what for outcome in report.issues for doubt in outcome.doubts]
        faults = [what for what in doubts if what.startswith("the content file: ")]
        assert all("encoded word" in what for what in faults)
        assert set(desk.take("x", text, kind=kind, week=week).states) <= {"unchanged", "refused"}


# ------------------------------------------------------------------------------------------------ report


def test_the_report_is_json_and_has_every_doubt_with_its_line(desk: Desk) -> None:
    odd = README.replace("), [Tweet](", ") [Tweet](").replace("# Birds\n", "# Birds\n\nWelcome!\n", 1)
    document = json.loads(json.dumps(desk.take("README.md", odd).document()))
    (issue,) = document["issues"]
    assert (issue["week"], issue["range"], issue["state"]) == (
        "2025-W17",
        ["2025-04-21", "2025-04-27"],
        "new",
    )
    assert (issue["entries"], issue["links"], issue["text_links"], issue["bullets"]) == (2, 3, 0, 0)
    assert issue["doubts"] == [{"line": 8, "what": "a comma is missing between two links"}]
    assert {"line": 3, "what": "Welcome!"} in document["left"]
    assert document["totals"]["states"] == {"new": 1}


# -------------------------------------------------------------------------------------------- the work of it


def archive(weeks: int) -> str:
    """A README with a row of its own in each of the first weeks of 2025, and one label for all links."""
    issues = (
        f"## Birds (January {6 + 7 * week} - January {12 + 7 * week}) - 2025\n{HEAD}"
        f"| 1) **Bird {week}** - Tells *at length* how bird {week} flies | [Paper]({URL}/{week}) |\n"
        for week in range(weeks)
    )
    return "# Birds\n\n" + "\n".join(issues)


def test_a_file_written_is_parsed_once_to_see_that_it_reads_back(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    parsed = calls(monkeypatch, markup, "parse_document")
    assert desk.take("README.md", archive(3)).states == {"new": 3}
    assert [text.count("## Bird") for text, *_ in parsed] == [1, 1, 1]


def test_an_issue_is_held_only_against_those_that_have_an_entry_of_it(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = calls(monkeypatch, bot.importing, "shares")
    desk.take("README.md", archive(3))
    assert held == []
    moved = archive(1).replace("January 6 - January 12", "May 5 - May 11")
    assert states(desk.take("README.md", moved)) == [("2025-W02", "same")]
    assert len(held) == 1


def test_a_label_that_a_thousand_links_have_is_parsed_once(desk: Desk) -> None:
    markup.parse_inline.cache_clear()
    desk.take("README.md", archive(3))
    assert markup.parse_inline.cache_info().hits >= 2


def test_an_import_costs_a_few_times_what_parsing_the_archive_alone_does(
    shared: Path, tmp_path: Path
) -> None:
    """It reads the archive, writes it, and reads back what it wrote: some 2.5 times one bare parse of all."""
    readme = shared / "corpus/dair-ai/README.md"
    bare = MarkdownIt("gfm-like")
    text = readme.read_text("utf-8")
    folders = (tmp_path / str(turn) for turn in count())
    work = partial(import_file, readme, newsletter="x")
    assert times(lambda: work(folder=next(folders)), lambda: bare.parse(text)) < 7


# --------------------------------------------------------------------------------------- the real archive


def test_the_whole_archive_goes_in_and_comes_back_whole(shared: Path, tmp_path: Path) -> None:
    readme = shared / "corpus/dair-ai/README.md"
    report = import_file(readme, newsletter="ai-papers", folder=tmp_path)
    assert report.states == {"new": 130}
    assert report.totals == Counts(entries=1300, links=2603, text_links=6, bullets=788)
    for outcome in report.issues:
        issue, findings = read_issue(tmp_path / f"{outcome.week}.md", "ai-papers", "x.md")
        assert issue is not None
        assert issue.entries == outcome.found.entries
        assert [str(finding) for finding in errors_of(findings)] == []
    assert import_file(readme, newsletter="ai-papers", folder=tmp_path).states == {"unchanged": 130}
    _seed_is_the_issue_of_the_archive(shared, tmp_path)


def _seed_is_the_issue_of_the_archive(shared: Path, folder: Path) -> None:
    for said in ({"year": 2025}, {}):
        seed = import_file(shared / "seeds/weekly-issue.txt", newsletter="ai-papers", folder=folder, **said)  # type: ignore[arg-type]
        assert states(seed) == [("2025-W17", "same")]
        assert "entry 5 differs by one comma" in seed.issues[0].differences[0]


@pytest.mark.parametrize("seed", ["weekly-issue.txt", "running-archive.txt"])
def test_a_seed_without_a_date_asks_for_one(shared: Path, tmp_path: Path, seed: str) -> None:
    with pytest.raises(InputError, match="--year 2025 or --week"):
        import_file(shared / "seeds" / seed, newsletter="ai-papers", folder=tmp_path)
    report = import_file(
        shared / "seeds" / seed, week=Week(2025, 45), newsletter="ai-papers", folder=tmp_path
    )
    assert states(report) == [("2025-W45", "new")]
