"""A mail that would be clipped folds the bullets of its last entries into links, no more than needed."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from lxml import html as lxml_html
from lxml.etree import _Element

from bot import compose as composing
from bot.compose import compose
from bot.folding import LIMIT, LONGEST, fewest, foldable, longest
from bot.models import Entry, Issue, Reference, Rendered, Section, Week
from bot.slots import Slot, Slots
from bot.templates import Templates
from bot.text import Block, Bullets, Paragraph, Text
from tests.test_compose import BASE_URL, newsletter

SHIPPED = Templates(Path("/nowhere"))
WEB = f"{BASE_URL}/issues/2025-W17"


def entry(size: int, lead: str = "A lead.") -> Entry:
    """An entry whose bullets have so many characters."""
    said = "words " * (size // 6)
    blocks: tuple[Block, ...] = (Paragraph((Text(lead),)),) if lead else ()
    bullets = Bullets(((Paragraph((Text(said),)),),)) if said else None
    return Entry(
        "A title", (Reference("Paper", "https://example.org/"),), blocks + ((bullets,) if bullets else ())
    )


def issue(sizes: list[int], lead: str = "A lead.") -> Issue:
    """An issue of two sections whose entries have bullets of so many characters."""
    entries = tuple(entry(size, lead) for size in sizes)
    half = len(entries) // 2
    parts = tuple(
        Section(title, some) for title, some in ((None, entries[:half]), ("More", entries[half:])) if some
    )
    return Issue("ai-papers", Week(2025, 17), "Sizes", parts)


def rendered(whole: Issue, theme: str = "plain") -> Rendered:
    return compose(whole, newsletter(theme=theme), SHIPPED, BASE_URL)


def measured(made: Rendered) -> int:
    return longest(made.html, Slots(made.nonce), BASE_URL)


def found(page: str, path: str) -> list[_Element]:
    """The elements at an XPath."""
    elements = lxml_html.document_fromstring(page).xpath(path)
    assert isinstance(elements, list)
    return [one for one in elements if isinstance(one, _Element)]


def links_on(made: Rendered) -> list[str | None]:
    """Where the links lead that stand for what was folded."""
    return [one.get("href") for one in found(made.html, "//p[@class='on']/a")]


def test_an_issue_of_usual_length_is_shown_whole() -> None:
    made = rendered(issue([2000] * 10))
    assert made.folded == 0
    assert links_on(made) == []


@pytest.mark.parametrize("theme", SHIPPED.themes())
def test_a_long_issue_folds_its_last_entries_and_fits(theme: str) -> None:
    made = rendered(issue([5000] * 25), theme)
    assert 0 < made.folded < 25
    assert measured(made) <= LIMIT
    assert links_on(made) == [f"{WEB}#entry-{number}" for number in range(26 - made.folded, 26)]


def test_the_text_and_the_page_stay_whole_and_the_page_has_each_place_that_a_link_leads_to() -> None:
    whole = issue([5000] * 25)
    made = rendered(whole)
    assert made.text.count("words") == made.page.count("words") == 25 * (5000 // 6)
    places = found(made.page, "//article")
    assert [one.get("id") for one in places] == [f"entry-{number}" for number in range(1, 26)]


def test_a_folded_entry_keeps_its_title_its_links_and_its_lead() -> None:
    made = rendered(issue([120_000]))
    text = "".join(map(str, lxml_html.document_fromstring(made.html).itertext(tag="*")))
    assert made.folded == 1
    assert "A title" in text
    assert "Paper" in text
    assert "A lead." in text
    assert "words words" not in text


def test_an_entry_without_a_lead_folds_into_the_link_alone() -> None:
    made = rendered(issue([120_000], lead=""))
    assert made.folded == 1
    assert links_on(made) == [f"{WEB}#entry-1"]


def test_a_link_says_for_those_who_hear_it_where_it_leads() -> None:
    made = rendered(issue([120_000]))
    (link,) = found(made.html, "//p[@class='on']/a")
    assert link.get("aria-label") == "Read on: A title"


def test_what_cannot_fit_is_folded_wholly_and_made_all_the_same() -> None:
    made = rendered(issue([3000] * 10, lead="lead " * 4000))
    assert made.folded == 10
    assert measured(made) > LIMIT


def test_short_bullets_stay_where_a_link_would_not_be_shorter() -> None:
    made = rendered(issue([60, 60, 120_000, 60, 60]))
    assert links_on(made) == [f"{WEB}#entry-3"]
    assert made.folded == 1


def test_a_mail_is_measured_as_the_reader_with_the_longest_name_gets_it() -> None:
    slots = Slots("0" * 16)
    assert longest("é\n", slots, BASE_URL) == len("é\r\n".encode())
    assert longest(slots.name, slots, BASE_URL) == LONGEST[Slot.NAME]
    assert longest(slots.unsubscribe, slots, BASE_URL) == len(f"{BASE_URL}/u/") + 22


# ------------------------------------------------------------------------------------------------ properties


@given(st.integers(0, 300), st.integers(0, 400))
def test_the_fewest_that_fit_are_found_in_few_tries(count: int, needed: int) -> None:
    tried: list[int] = []

    def fits(folded: int) -> bool:
        tried.append(folded)
        return folded >= needed

    assert fewest(count, fits) == min(count, needed)
    assert len(tried) <= (2 if needed > count else 2 + count.bit_length())
    assert tried[:1] == [0] * bool(count)


@given(st.lists(st.integers(0, 3000), max_size=12))
def test_only_what_saves_bytes_is_folded_and_the_last_goes_first(sizes: list[int]) -> None:
    numbers = foldable(issue(sizes).entries, WEB)
    assert numbers == sorted(numbers, reverse=True)
    assert all(sizes[number - 1] > 300 for number in numbers)


@given(st.lists(st.integers(0, 4000), min_size=1, max_size=8), st.integers(8_000, 40_000))
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_folding_is_as_little_as_needed_from_the_end(sizes: list[int], limit: int) -> None:
    """Whatever the limit: what is folded is the end, nothing where all fits, and it fits if it can."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(composing, "LIMIT", limit)
        made = rendered(issue(sizes))
        patch.setattr(composing, "LIMIT", 10**9)
        whole = rendered(issue(sizes))
        patch.setattr(composing, "LIMIT", 0)
        least = rendered(issue(sizes))
    numbers = foldable(issue(sizes).entries, WEB)
    assert links_on(made) == [f"{WEB}#entry-{number}" for number in sorted(numbers[: made.folded])]
    assert (made.folded == 0) == (measured(whole) <= limit or not numbers)
    assert (measured(made) <= limit) == (measured(least) <= limit or measured(whole) <= limit)
    assert measured(least) <= measured(made) <= measured(whole)
    assert (made.text, made.page) == (whole.text, whole.page)
