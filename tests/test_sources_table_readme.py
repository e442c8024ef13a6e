"""A README with one table per week comes in whole: each word, link and bullet, each doubt with its line."""

import re
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from bot.importing.report import Counts, counts_of
from bot.markup import words
from bot.models import Entry, Week
from bot.sources import CERTAIN, UNKNOWN, Found, Given, Reading
from bot.sources.table_readme import read, recognises
from bot.text import Bullets, Paragraph, Strong, Text

HEAD = "| **Paper** | **Links** |\n| --- | --- |\n"


def reading(text: str, *, year: int | None = None) -> Reading:
    return read(text, Given("gulls", "README.md", year=year))


def week_of(*rows: str, heading: str = "Top Birds of the Week (April 21 - April 27) - 2025") -> Found:
    (found,) = reading(f"## {heading}\n{HEAD}" + "\n".join(rows)).issues
    return found


def entry_of(cell: str, links: str = "[Paper](https://birds.example/1)") -> Entry:
    (entry,) = week_of(f"| {cell} | {links} |").entries
    return entry


def doubts_of(cell: str, links: str = "[Paper](https://birds.example/1)") -> list[str]:
    return [doubt.what for doubt in week_of(f"| {cell} | {links} |").doubts]


def told(entry: Entry) -> str:
    return f"{entry.title} {words(entry.blocks)}"


# ------------------------------------------------------------------------------------------------ weeks


@pytest.mark.parametrize(
    ("heading", "week"),
    [
        ("(June 23 - June 29) - 2025", "2025-W26"),
        ("(December 30 - January 5) - 2025", "2025-W01"),
        ("(Feb 27-Mar 5) - 2023", "2023-W09"),
        ("(Jan 16-22) - 2023", "2023-W03"),
        ("(May 22-28) - 2023", "2023-W21"),
        ("(Mar 27 – April 2, 2023)", "2023-W13"),
        ("(Jan 1-8) - 2023", "2023-W01"),
        ("(March 18 - March 25) - 2024", "2024-W12"),
        ("(March 26 - March 31) - 2024", "2024-W13"),
        ("(April 6 - April 13) - 2025", "2025-W15"),
        ("(December 28 - January 3) - 2027", "2026-W53"),
    ],
)
def test_a_range_of_days_is_the_iso_week_that_holds_most_of_them(heading: str, week: str) -> None:
    (found,) = reading(f"## Birds {heading}\n{HEAD}| 1) **Gull** - x | [P](https://a.example) |").issues
    assert str(found.week) == week


def test_a_heading_without_a_year_takes_it_from_its_neighbours_and_says_so() -> None:
    text = "\n".join(
        f"## Birds ({days})\n{HEAD}| 1) **Gull {days}** - x | [P](https://a.example/{number}) |"
        for number, days in enumerate(
            ["January 8 - January 14) - (2024", "Jan 1-7", "December 25 - December 31"]
        )
    ).replace(") - (2024)", ") - 2024")
    found = reading(text).issues
    assert [str(issue.week) for issue in found] == ["2024-W02", "2024-W01", "2023-W52"]
    assert any("no year: it is 2023" in doubt.what for doubt in found[2].doubts)


def test_no_year_anywhere_is_no_year_until_one_is_given() -> None:
    text = f"## Birds (May 22-28)\n{HEAD}| 1) **Gull** - x | [P](https://a.example) |"
    assert [found.week for found in reading(text).issues] == [None]
    assert [found.week for found in reading(text, year=2023).issues] == [Week(2023, 21)]


@pytest.mark.parametrize("days", ["February 30 - March 5", "February 23 - February 29"])
def test_days_that_do_not_exist_make_no_week(days: str) -> None:
    (found,) = reading(f"## Birds ({days}) - 2025\n{HEAD}| 1) **Gull** - x | [P](https://a.example) |").issues
    assert found.week is None


def test_a_year_heading_is_no_issue_and_a_footer_is_no_entry() -> None:
    text = f"# Birds\n\n## 2025\n\n## Birds (April 21 - April 27) - 2025\n{HEAD}| 1) **G** - x | |\n\nBye!"
    read_ = reading(text)
    assert [len(found.entries) for found in read_.issues] == [1]
    assert [left.text for left in read_.left if left.line in {1, 3, 10}] == ["# Birds", "## 2025", "Bye!"]


def test_the_contents_are_only_held_against_the_headings() -> None:
    items = {
        "Birds (April 21 - April 27)": "birds-april-21---april-27---2025",
        "Birds (April 7 - April 13)": "birds-april-7---april-13---2025",
        "Birds (April 14-April 20)": "birds-april-14---april-20---2025",
        "Birds (March 1 - March 7)": "birds-april-14---april-20---2025",
    }
    contents = "\n".join(f"- [{label}](./#{anchor})" for label, anchor in items.items())
    weeks = "".join(
        f"\n## Birds ({days}) - 2025\n{HEAD}| 1) **G** - x | |\n"
        for days in ("April 21 - April 27", "April 14 - April 20")
    )
    doubts = {doubt.line: doubt.what for doubt in reading(contents + weeks).doubts if doubt.line}
    assert sorted(doubts) == [2, 3, 4]
    assert "no heading has the anchor" in doubts[2]
    assert "spaced" in doubts[3]


# ---------------------------------------------------------------------------------------------- entries


@pytest.mark.parametrize(
    ("cell", "title", "text"),
    [
        ("1) **Gull: A Bird** - it flies", "Gull: A Bird", "it flies"),
        ("1)  **Gull**  - it flies", "Gull", "it flies"),
        ("1) **Gull**- it flies", "Gull", "it flies"),
        ("1) **Gull** -it flies", "Gull", "it flies"),
        ("1) **Gull - Part 2** - it flies", "Gull - Part 2", "it flies"),
        ("1) **Gull**", "Gull", ""),
        ("1) **Q\\&A** - so\\~so", "Q&A", "so~so"),
        ("1) *8Gull** - it flies", "Gull", "it flies"),
        ("1) Gull - it flies - high", "Gull", "it flies - high"),
        ("1) Gull in Spring  It flies  - high", "Gull in Spring", "It flies - high"),
        ("1) Gull  It    flies", "Gull", "It flies"),
    ],
)
def test_title_and_text_are_parted_in_every_style(cell: str, title: str, text: str) -> None:
    entry = entry_of(cell)
    assert (entry.title, words(entry.blocks)) == (title, text)


def test_a_title_that_nothing_parts_off_is_guessed_from_how_other_texts_begin_and_reported() -> None:
    long = (
        "Introduces a very patient bird that waits for hours on end at the edge of a quay until a chip falls"
    )
    found = week_of(f"| 1) Tern  {long} | |", f"| 2) Gulls of the Harbour {long} | |")
    assert found.entries[1].title == "Gulls of the Harbour"
    assert [doubt.line for doubt in found.doubts if "guessed" in doubt.what] == [5]


@pytest.mark.parametrize(
    "text",
    [
        "a “</think>” and <RET> token",
        "from $250 to $208K or $ less",
        "~1.36 hours and ~3",
        "2 < 3 > 1",
        "snake_case and 2*3",
        "\U0001d5b3\U0001d5a2^0 ⟨x⟩ → ≈",
        "non\u2011breaking",
    ],
)
def test_what_looks_like_markup_and_is_none_stays_as_it_is(text: str) -> None:
    assert words(entry_of(f"1) **Gull** - {text}").blocks) == text


def test_bullets_come_in_with_their_lead_ins_and_a_label_line_of_its_own() -> None:
    cell = (
        "1) Gull  It flies. Key findings:  <br>● Wings: it has two. <br> ● Feet – two too.   ● No lead here"
    )
    found = week_of(f"| {cell} | |")
    lead, label, bullets = found.entries[0].blocks
    assert lead == Paragraph((Text("It flies."),))
    assert label == Paragraph((Text("Key findings:"),))
    assert isinstance(bullets, Bullets)
    assert bullets.items == (
        (Paragraph((Strong((Text("Wings:"),)), Text(" it has two."))),),
        (Paragraph((Strong((Text("Feet"),)), Text(" – two too."))),),
        (Paragraph((Text("No lead here"),)),),
    )
    assert any("1 bullets without <br>" in doubt.what for doubt in found.doubts)


def test_an_outline_keeps_its_headings_between_its_bullets() -> None:
    cell = (
        "1) Gull  See: <br><br> 1. Wings: <br> ● one <br> ● two <br><br> 1. Feet: <br> ● three <br><br> End."
    )
    kinds = [type(block).__name__ for block in entry_of(cell).blocks]
    assert kinds == ["Paragraph", "Paragraph", "Bullets", "Paragraph", "Bullets", "Paragraph"]


@pytest.mark.parametrize(
    ("links", "labels", "doubt"),
    [
        ("[A](https://a.example), [B](https://b.example)", ["A", "B"], None),
        ("[A](https://a.example) ,  [B](https://b.example)", ["A", "B"], None),
        ("[A](https://a.example)  [B](https://b.example)", ["A", "B"], "a comma is missing"),
        ("[A](https://a.example)[B](https://b.example)", ["A", "B"], "a comma is missing"),
        ("[A](https://a.example)_", ["A"], "left out of the cell of links: _"),
        ("[A](https://a.example)), [B](https://b.example)", ["A", "B"], "left out of the cell of links: )"),
        ("[A](https://a.example), [B)](https://b.example)", ["A", "B)"], "half a bracket"),
        ("[A](javascript:alert(1))", [], "no link can lead to"),
        ("[A](https://a.example/x_(y))", ["A"], None),
        ("[A](https://a.example), [B](https://a.example)", ["A", "B"], "links 2 times"),
        ("soon", [], "left out of the cell of links: soon"),
    ],
)
def test_links_come_in_whatever_stands_between_them(links: str, labels: list[str], doubt: str | None) -> None:
    assert [reference.label for reference in entry_of("1) **Gull** - x", links).references] == labels
    doubts = doubts_of("1) **Gull** - x", links)
    assert doubts == [] if doubt is None else any(doubt in what for what in doubts)


def test_a_cell_too_many_is_reported_and_an_escaped_pipe_is_a_word() -> None:
    found = week_of("| 1) **Gull** - p\\|q | [A](https://a.example) | more |", "| 2) **Tern** - x |")
    assert words(found.entries[0].blocks) == "p|q"
    assert [doubt.what for doubt in found.doubts] == ["a cell too many: more", "the row has no cell of links"]


def test_rows_out_of_turn_are_reported() -> None:
    found = week_of("| 1) **Gull** - x | |", "| 3) **Tern** - x | |", "| **Auk** - x | |")
    assert [doubt.line for doubt in found.doubts if "number" in doubt.what] == [5, 6]


# --------------------------------------------------------------------------------------------- hostility


@pytest.mark.parametrize(
    ("text", "sure"),
    [
        (f"## Birds (May 1 - May 7)\n{HEAD}| 1) **G** - x | |", CERTAIN),
        ("# Birds\n\n* [Gull](https://a.example)", UNKNOWN),
        ("", UNKNOWN),
    ],
)
def test_it_knows_its_own_kind(text: str, sure: int) -> None:
    assert recognises("README.md", text) == sure


MARKS = st.sampled_from(
    [
        "●",
        "<br>",
        "<br/>",
        "**",
        "*8",
        " - ",
        "  ",
        ":",
        " – ",
        "\\|",
        "`",
        "[a](https://a.example)",
        "<b>",
        "1. ",
        "_",
        ".",
    ]
)
CELLS = st.lists(st.one_of(MARKS, st.text(alphabet="abZ é\u200d<>&", max_size=8)), max_size=25).map("".join)
LETTERS = re.compile(r"[^\W_]+")


@settings(max_examples=150, deadline=None)
@given(CELLS, CELLS)
def test_no_word_of_a_row_is_lost(cell: str, links: str) -> None:
    read_ = reading(f"## Birds (May 1 - May 7) - 2023\n{HEAD}| 1) {cell} | {links} |")
    (found,) = read_.issues
    came = f"{cell} {links}".replace("https://a.example", "").replace("<br>", " ").replace("<br/>", " ")
    out = [told(entry) for entry in found.entries]
    out += [f"{reference.label}" for entry in found.entries for reference in entry.references]
    out += [left.text for left in read_.left] + [doubt.what for doubt in found.doubts]
    lost = Counter(LETTERS.findall(came.replace("<b>", " "))) - Counter(LETTERS.findall(" ".join(out)))
    assert "".join(sorted("".join(lost.elements()))) == "" or _joined(lost, " ".join(out))


def _joined(lost: Counter[str], out: str) -> bool:
    """Marks may vanish between letters and so join them (`a**b**`): then each is still within a word."""
    return all(word in re.sub(r"[^\w]|_", "", out) for word in lost)


@settings(max_examples=100, deadline=None)
@given(st.text())
def test_any_text_is_read_without_an_accident(text: str) -> None:
    recognises("x.md", text)
    reading(text)


def test_long_hostile_rows_take_no_time() -> None:
    for piece in ("**", "[", "](", "<br>", "●", "(", "a. ", "- ", "\\|", "|"):
        reading(f"## Birds (May 1 - May 7) - 2023\n{HEAD}| 1) {piece * 20_000} | {piece * 20_000} |")


# ------------------------------------------------------------------------------------- the real archive


@pytest.fixture(scope="module")
def archive(shared: Path) -> Reading:
    path = shared / "corpus/dair-ai/README.md"
    return read(path.read_text("utf-8"), Given("ai-papers", path.name))


def lines_with(archive: Reading, what: str) -> list[int]:
    return [doubt.line or 0 for found in archive.issues for doubt in found.doubts if what in doubt.what]


def test_the_whole_archive_comes_in(archive: Reading) -> None:
    assert sum((counts_of(found) for found in archive.issues), Counts()) == Counts(1300, 2603, 6, 788)
    weeks = sorted(found.week for found in archive.issues if found.week)
    assert len(set(weeks)) == 130
    assert (str(weeks[0]), str(weeks[-1])) == ("2023-W01", "2025-W26")
    assert {len(found.entries) for found in archive.issues} == {10}
    entries = [entry for found in archive.issues for entry in found.entries]
    bulleted = Counter(
        sum(len(block.items) for block in entry.blocks if isinstance(block, Bullets)) for entry in entries
    )
    assert bulleted == {0: 1135, 3: 7, 4: 73, 5: 51, 6: 23, 7: 8, 8: 1, 9: 2}
    labels = Counter(reference.label for entry in entries for reference in entry.references)
    assert labels.most_common(4) == [("Paper", 1287), ("Tweet", 1231), ("Code", 19), ("Project", 19)]
    assert labels["Tweet)"] == 3
    assert Counter(len(entry.references) for entry in entries) == {1: 63, 2: 1181, 3: 46, 4: 10}
    schemes = Counter(reference.url.partition(":")[0] for entry in entries for reference in entry.references)
    assert schemes == {"https": 2583, "http": 20}


def test_every_doubt_about_the_archive_has_its_line(archive: Reading) -> None:
    assert len(lines_with(archive, "no year")) == 52
    assert lines_with(archive, "not a week") == [308, 1088, 1103, 2128]
    assert lines_with(archive, "guessed") == [215, 216]
    assert lines_with(archive, "*8RankZephyr") == [1332]
    assert len(lines_with(archive, "comma is missing")) == 14
    assert lines_with(archive, "half a bracket") == [494, 497, 498]
    assert lines_with(archive, "cell of links: _") == [*range(1297, 1304)]
    assert lines_with(archive, "cell of links: )") == [1819]
    assert lines_with(archive, "links 2 times") == [729, 775]
    assert len(lines_with(archive, "as well")) == 4
    assert lines_with(archive, "without a text") == [1884, 1886, 2031, 2069, 2105]
    assert lines_with(archive, "without <br>") == [*range(325, 333), *range(339, 347)]
    assert len(lines_with(archive, "closing paragraph")) == 18
    assert lines_with(archive, "wrapped line") == [230]
    assert [doubt.line for doubt in archive.doubts] == [25, 51, 64, 97, 127, 128, 129, 130]


def test_no_word_of_the_archive_is_lost(shared: Path, archive: Reading) -> None:
    came = (shared / "corpus/dair-ai/README.md").read_text("utf-8")
    came = re.sub(r"\]\([^)\s]*\)", " ", came.replace("<br>", " ")).replace("[", "")
    out = [found.title for found in archive.issues] + [left.text for left in archive.left]
    for found in archive.issues:
        out += [told(entry) for entry in found.entries]
        out += [reference.label for entry in found.entries for reference in entry.references]
    numbers = Counter(str(number) for number in range(1, 11) for _ in range(130))
    spoken = Counter(LETTERS.findall(re.sub(r"\]\([^)\s]*\)", " ", " ".join(out))))
    assert Counter(LETTERS.findall(came)) - spoken - numbers == {"8RankZephyr": 1}
