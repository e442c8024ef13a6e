"""Any Markdown newsletter becomes one issue: sections, entries, and whatever is neither is told."""

import re
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from bot.importing.links import urls_in, urls_of
from bot.markup import words
from bot.sources import LIKELY, POSSIBLE, UNKNOWN, Found, Given, Reading
from bot.sources.newsletter import read, recognises

URL = "https://birds.example"


def reading(text: str, name: str = "2025-04-24-birds.md") -> Reading:
    return read(text, Given("gulls", name))


def found_in(text: str, name: str = "2025-04-24-birds.md") -> Found:
    return reading(text, name).issues[0]


def outline(text: str) -> list[tuple[str | None, list[str]]]:
    return [
        (section.title, [entry.title for entry in section.entries]) for section in found_in(text).sections
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"## News\n\n* [Gull]({URL}/1)\n* [Tern]({URL}/2): it dives\n", [("News", ["Gull", "Tern"])]),
        (
            f"**News**\n\n* [Gull]({URL}/1)\n\n**More**\n\n1. [Tern]({URL}/2)\n",
            [("News", ["Gull"]), ("More", ["Tern"])],
        ),
        (
            f"## News\n\n### [Gull]({URL}/1)\n\nIt flies.\n\n- high\n\n### Tern\n",
            [("News", ["Gull", "Tern"])],
        ),
        (
            f"# Birds\n\n## News\n\nThe [gull]({URL}/1) flies. It is grey.\n\nSo it is.\n",
            [("News", ["The gull flies"])],
        ),
        (f"- [Gull]({URL}/1)\n- [Tern]({URL}/2)\n", [(None, ["Gull", "Tern"])]),
        ("## Quiet\n\nNothing this week.\n", [("Quiet", ["Nothing this week"])]),
        (
            f"## News\n\n[Gull]({URL}/1) flies.\n\nAlso:\n\n* [a]({URL}/2)\n* [b]({URL}/3)\n",
            [("News", ["Gull flies"])],
        ),
    ],
)
def test_sections_and_entries_are_found_by_their_marks(
    text: str, expected: list[tuple[str | None, list[str]]]
) -> None:
    assert outline(text) == expected


def test_what_stands_before_the_first_section_is_the_introduction() -> None:
    found = found_in(f"# Birds\n\nHello, [reader]({URL}).\n\n## News\n\n* [Gull]({URL}/1)\n")
    assert (found.title, words(found.intro)) == ("Birds", "Hello, reader.")


def test_a_quote_belongs_to_the_paragraph_above_it() -> None:
    (entry,) = found_in(f"## News\n\nA [gull]({URL}) spoke.\n\n> Kee-ow!\n>\n> - twice\n").entries
    assert [type(block).__name__ for block in entry.blocks] == ["Quote"]


def test_a_long_text_without_a_title_is_called_after_its_words_and_that_is_told() -> None:
    long = " ".join(["gulls"] * 30)
    found = found_in(
        f"## News\n\nThe old {long} and a [Gull of the Harbour]({URL}).\n\n{long} [x]({URL}/2)\n"
    )
    assert [entry.title for entry in found.entries] == ["Gull of the Harbour", f"{' '.join(['gulls'] * 10)}…"]
    assert [doubt.line for doubt in found.doubts] == [1, 3, 5]


@pytest.mark.parametrize(
    ("name", "front", "week"),
    [
        ("2018-02-11-update.md", "title: Birds", "2018-W06"),
        ("birds.md", "title: Week Ending August 16, 2026", "2026-W33"),
        ("birds.md", "title: Birds\ndate: 2019-01-08 21:00:00 -0000", "2019-W02"),
        ("birds.md", "title: Birds\nweek: 2025-W17", "2025-W17"),
        ("2025-W17.md", "title: Birds", "2025-W17"),
        ("birds.md", "title: Birds (May 29 - June 4, 2023)", "2023-W22"),
        ("birds.md", "title: Birds\ndate: 2021-(TODO)", "None"),
        ("2025-13-45.md", "title: Birds", "None"),
    ],
)
def test_the_week_is_what_the_file_says_and_never_a_guess(name: str, front: str, week: str) -> None:
    assert str(found_in(f"---\n{front}\n---\n\n## News\n\n- [Gull]({URL})\n", name).week) == week


def test_dates_that_disagree_are_told() -> None:
    found = found_in(f"---\ntitle: Birds\ndate: 2025-05-09\n---\n- [Gull]({URL})\n", "2025-04-24-birds.md")
    assert [doubt.what for doubt in found.doubts] == [
        "the dates disagree: the file's name says 2025-W17, date says 2025-W19; taken for 2025-W17"
    ]


def test_front_matter_comments_and_tags_are_left_and_told() -> None:
    text = (
        "---\ntitle: ! 'Gulls'' News'\nsponsor:\n    link: chips.example\n---\n\n<!-- not\nyet -->\n\n"
        "{% include chips.html %}\n\n## News\n\n* {{ literal }} words\n"
    )
    read_ = reading(text)
    assert read_.issues[0].title == "Gulls' News"
    assert [left.line for left in read_.left] == [3, 4, 7, 10]
    assert read_.issues[0].entries[0].title == "{{ literal }} words"


def test_links_that_lead_nowhere_by_themselves_are_told() -> None:
    found = found_in("# Birds\n## News\n\nSee [the last](/issue-58/) one.\n")
    assert [(doubt.line, "/issue-58/" in doubt.what) for doubt in found.doubts] == [(4, True)]


def test_a_section_without_entries_is_told() -> None:
    doubts = [
        doubt.what
        for doubt in found_in(f"# Birds\n\n## Empty\n\n## News\n\n- [Gull]({URL})\n\n## Last\n").doubts
    ]
    assert doubts == [f"a section without entries is left out: {name}" for name in ("Empty", "Last")]


@pytest.mark.parametrize(
    ("name", "text", "sure"),
    [
        ("a.md", "words", LIKELY),
        ("a.txt", f"- [Gull]({URL})", POSSIBLE),
        ("a.txt", "words", UNKNOWN),
        ("a.json", '[{"title": "Gull"}]', UNKNOWN),
    ],
)
def test_it_knows_its_own_kind(name: str, text: str, sure: int) -> None:
    assert recognises(name, text) == sure


def letters(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text)


def everything(read_: Reading) -> str:
    (found,) = read_.issues
    out = [found.title, words(found.intro), *urls_in(found.intro)]
    for section in found.sections:
        out.append(section.title or "")
        for entry in section.entries:
            out += [entry.title, words(entry.blocks), *urls_of(entry)]
            out += [reference.label for reference in entry.references]
    told = [doubt.what for doubt in (*found.doubts, *read_.doubts)]
    return " ".join([*out, *told, *(left.text for left in read_.left)])


PIECES = st.sampled_from(
    [
        "## ", "### ", "# ", "- ", "1. ", "> ", "**", "\n", "\n\n", "gull", "Tern. ", " x ", ":", "`owl`",
        f"[auk]({URL})", "[ref][r]", f"\n[r]: {URL}/r\n", "```\n", "---\n", "    ", "title: kea\n",
        "{% tag %}\n", "<!-- note -->", "|a|b|\n|-|-|\n|c|d|\n",
    ]
)  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(st.lists(PIECES, max_size=25).map("".join))
def test_no_word_is_lost(text: str) -> None:
    out = "".join(letters(everything(reading(text))))  # marks that vanish may join two words
    assert {word for word in letters(text) if word not in out} <= {"1", "r", "https", "ref"}


@settings(max_examples=150, deadline=None)
@given(st.text())
def test_any_text_is_read_without_an_accident(text: str) -> None:
    recognises("x.md", text)
    reading(text)


@pytest.mark.parametrize(
    ("file", "week", "sections", "entries"),
    [
        ("lwkd/_posts__2018-02-11-update.md", "2018-W06", 7, 33),
        ("lwkd/_posts__2019-01-06-update.md", "2019-W01", 4, 16),
        ("lwkd/_posts__2026-08-16-update.md", "2026-W33", 7, 11),
        ("swiftweekly/_posts__2017-03-02-issue-59.md", "2017-W09", 6, 19),
        ("swiftweekly/_posts__2017-08-03-issue-81.md", "2017-W31", 5, 10),
        ("swiftweekly/_posts__2021-12-16-issue-200.md", "2021-W50", 7, 18),
    ],
)
def test_real_newsletters_come_in_whole(
    shared: Path, file: str, week: str, sections: int, entries: int
) -> None:
    path = shared / "corpus" / file
    text = path.read_text("utf-8")
    read_ = reading(text, path.name)
    (found,) = read_.issues
    assert (str(found.week), len(found.sections), len(found.entries)) == (week, sections, entries)
    out = everything(read_)
    spoken = set(letters(out.replace("’", "'")))
    came = re.sub(r"<br/>|&mdash;", " ", text.replace("’", "'"))
    assert set(letters(came)) - spoken == set()
    urls = set(re.findall(r"\]\(\s*(\S*?)\)(?=[\W\s]|$)", text))
    assert {url for url in urls if url not in out} == set()
