"""A plain text becomes one issue: titles, leads, lists where they can be proven, and no word of it lost."""

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from bot.markup import words
from bot.models import Entry, Week
from bot.sources import LIKELY, POSSIBLE, UNKNOWN, Found, Given
from bot.sources.plain_text import read, recognises
from bot.text import Block, Bullets, Paragraph

LEAD = "A gull is a bird of the coast that eats nearly everything and is afraid of nobody at all."
LEADS = (
    "Wings: they are long and narrow and grey above, and carry it over the sea for hours.",
    "Diet of chips: it takes them from the hand, from the bag and, when need be, from the mouth.",
)
CLOSING = "The flock in the harbour has grown every year since anyone began to count it."


def found_in(text: str, *, year: int | None = None) -> Found:
    (found,) = read(text, Given("gulls", "gulls.txt", year=year)).issues
    return found


def shape(block: Block) -> str:
    return f"{len(block.items)} bullets" if isinstance(block, Bullets) else type(block).__name__.lower()


def shapes(entry: Entry) -> list[str]:
    return [shape(block) for block in entry.blocks]


def numbered(*bodies: str) -> str:
    entries = [f"{number}. Gull {number}\n{body}" for number, body in enumerate(bodies, start=1)]
    return "\n".join(["Top Birds of the Week", "Birds (April 21 - 27)", *entries])


def test_numbers_in_turn_are_titles_and_others_are_words() -> None:
    found = found_in(numbered(f"{LEAD}\n3. Not a title", LEAD))
    assert [entry.title for entry in found.entries] == ["Gull 1", "Gull 2"]
    assert words(found.entries[0].blocks).endswith("3. Not a title")


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ([LEAD], ["paragraph"]),
        ([LEAD, *LEADS], ["paragraph", "2 bullets"]),
        ([LEAD, *LEADS, CLOSING], ["paragraph", "2 bullets", "paragraph"]),
        ([LEAD, "Key points:", *LEADS], ["paragraph", "paragraph", "2 bullets"]),
        ([LEAD, "Key points:", CLOSING, LEADS[0]], ["paragraph", "paragraph", "2 bullets"]),
        ([LEAD, "Key points:", CLOSING], ["paragraph", "paragraph", "paragraph"]),
        ([LEAD, LEADS[0]], ["paragraph", "paragraph"]),
        ([LEAD, CLOSING, CLOSING], ["paragraph", "paragraph", "paragraph"]),
        ([LEAD, "- one", "• two", CLOSING], ["paragraph", "2 bullets", "paragraph"]),
    ],
)
def test_a_list_is_made_only_of_what_can_be_proven_to_be_one(lines: list[str], expected: list[str]) -> None:
    assert shapes(found_in(numbered("\n".join(lines), LEAD)).entries[0]) == expected


def test_what_cannot_be_proven_is_told_with_its_line() -> None:
    found = found_in(numbered("\n".join([LEAD, *LEADS, CLOSING]), f"{LEAD}\n{CLOSING}\n{CLOSING}"))
    assert [doubt.line for doubt in found.doubts] == [7, 10]


def test_without_numbers_a_short_line_over_a_long_one_is_a_title() -> None:
    titles = ["Can a Gull “Think”!", "GULL: A Bird", "Gull-V3.2"]
    text = "\n".join(["Birds of the Week", "Each bird by hand.", *(f"{title}\n{LEAD}" for title in titles)])
    found = found_in(text)
    assert [entry.title for entry in found.entries] == titles
    assert (found.title, words(found.intro)) == ("Birds of the Week", "Each bird by hand.")
    assert found.week is None
    assert found.undated == "the text has no date"


def test_a_line_that_is_an_address_is_a_link() -> None:
    entry = found_in(
        numbered(f"{LEAD}\nPaper: https://birds.example/1\nhttps://birds.example/2", LEAD)
    ).entries[0]
    assert [(reference.label, reference.url) for reference in entry.references] == [
        ("Paper", "https://birds.example/1"),
        ("birds.example", "https://birds.example/2"),
    ]


def test_the_year_is_the_given_one_or_none() -> None:
    text = numbered(LEAD, LEAD)
    assert found_in(text).week is None
    assert found_in(text, year=2025).week == Week(2025, 17)


@pytest.mark.parametrize(
    ("name", "text", "sure"),
    [
        ("a.txt", "Birds\nGull\nwords", LIKELY),
        ("a", "Birds\nGull\nwords", POSSIBLE),
        ("a.txt", "# Birds\n\n- [Gull](https://a.example)", UNKNOWN),
        ("a.txt", '[{"title": "Gull"}]', UNKNOWN),
        ("a.txt", " \n", UNKNOWN),
    ],
)
def test_it_knows_its_own_kind(name: str, text: str, sure: int) -> None:
    assert recognises(name, text) == sure


LINES = st.sampled_from(
    ["1. One", "2. Two", "Key points:", "- dash", LEAD, CLOSING, *LEADS, "Short", "", "https://a.example"]
)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.one_of(LINES, st.text(alphabet="ab. :-“1", max_size=30)), max_size=15))
def test_no_word_is_lost_and_none_is_moved(lines: list[str]) -> None:
    text = "\n".join(lines)
    found = found_in(text)
    out = [found.title, words(found.intro)]
    for entry in found.entries:
        out += [entry.title, words(entry.blocks), *(f"{link.label} {link.url}" for link in entry.references)]
    lost = Counter(_letters(text)) - Counter(_letters(" ".join(out)))
    assert set(lost) <= {"1", "2"}


def _letters(text: str) -> list[str]:
    return [letter for letter in text if letter.isalnum()]


@settings(max_examples=100, deadline=None)
@given(st.text())
def test_any_text_is_read_without_an_accident(text: str) -> None:
    recognises("x.txt", text)
    read(text, Given("gulls", "x.txt"))


def test_the_weekly_seed_comes_in_as_far_as_plain_text_can_prove_it(shared: Path) -> None:
    text = (shared / "seeds/weekly-issue.txt").read_text("utf-8")
    found = found_in(text, year=2025)
    assert found.week == Week(2025, 17)
    assert found.title == "🥇Top AI Papers of the Week"
    assert [" ".join(shapes(entry)) for entry in found.entries] == [
        "paragraph 5 bullets",
        "paragraph 4 bullets paragraph",
        "paragraph paragraph 4 bullets paragraph",
        "paragraph paragraph 4 bullets",
        "paragraph paragraph 6 bullets",
        "paragraph paragraph 5 bullets",
        "paragraph paragraph paragraph paragraph paragraph paragraph paragraph",
        "paragraph",
        "paragraph",
        "paragraph",
    ]
    assert _lines_out(found) == [
        line.partition(". ")[2] if _is_title(line) else line for line in text.split("\n")
    ]


def _is_title(line: str) -> bool:
    return line.partition(". ")[0].isdecimal()


def _lines_out(found: Found) -> list[str]:
    lines = [found.title, words(found.intro)]
    for entry in found.entries:
        lines.append(entry.title)
        for block in entry.blocks:
            elements = block.items if isinstance(block, Bullets) else ((block,),)
            lines += [words(element) for element in elements]
    return lines


def test_the_running_seed_comes_in_without_a_date(shared: Path) -> None:
    text = (shared / "seeds/running-archive.txt").read_text("utf-8")
    found = found_in(text)
    assert (found.week, found.dates, found.doubts) == (None, None, ())
    assert len(found.entries) == 24
    assert {len(entry.blocks) for entry in found.entries} == {1}
    assert all(isinstance(entry.blocks[0], Paragraph) for entry in found.entries)
    assert all(25 <= len(words(entry.blocks).split()) <= 90 for entry in found.entries)
    assert found.entries[12].title == "LLMs Can Get “Brain Rot”!"
    assert _lines_out(found) == text.split("\n")
