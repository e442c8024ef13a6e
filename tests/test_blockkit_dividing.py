"""What is too long is cut where a reader would cut it, and nothing of it is lost."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from bot.blockkit import limits
from bot.blockkit.dividing import cut, divided
from bot.blockkit.graphemes import shortened, start_of
from bot.blockkit.measure import Json, size
from tests import strategies
from tests.measuring import times

CLUSTERS = (
    "e\u0301", "👩‍💻", "👍🏽", "🇩🇪", "❤️", "한", "\u1112\u1161\u11ab", "क्षि", "🏴\U000e0067\U000e007f",
    "a\u0336\u0489", "\r\n", "กำ", "x",
)  # fmt: skip


@pytest.mark.parametrize("cluster", CLUSTERS)
def test_what_is_seen_as_one_character_is_not_torn(cluster: str) -> None:
    text = cluster * 5
    starts = {at for at in range(len(text)) if start_of(text, at) == at}
    assert starts == {number * len(cluster) for number in range(5)}


@given(st.lists(st.sampled_from(CLUSTERS), min_size=1, max_size=30), st.integers(0, 200))
def test_the_start_of_a_character_is_one_of_the_starts_there_are(clusters: list[str], at: int) -> None:
    text = "".join(clusters)
    found = start_of(text, at)
    assert found <= max(at, 0)
    assert found in {len("".join(clusters[:number])) for number in range(len(clusters) + 1)} or _joins(
        clusters
    )


def _joins(clusters: list[str]) -> bool:
    """Whether neighbours make one character together: Hangul's parts do."""
    return any("\u1100" <= one[0] <= "\u11ff" or "\uac00" <= one[0] <= "\ud7a3" for one in clusters)


def test_a_character_without_end_is_cut_after_all() -> None:
    assert start_of("a" + "\u0301" * 5000, 4000) == 4000


@pytest.mark.parametrize(
    ("text", "limit", "short"), [("abc", 3, "abc"), ("abcd", 3, "ab…"), ("ae\u0301x", 3, "a…")]
)
def test_a_shortened_text_says_so_and_ends_in_a_whole_character(text: str, limit: int, short: str) -> None:
    assert shortened(text, limit) == short


# -------------------------------------------------------------------------------------------------- one text


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("One. Two two.", ["One. ", "Two two."]),
        ("One two three", ["One two ", "three"]),
        ("第一。第二第三第四第五", ["第一。", "第二第三第四第五"]),
        ("Is it? Yes it is", ["Is it? ", "Yes it is"]),
        ("a\nb c d e f", ["a\n", "b c d e f"]),
        ("abcdefghijkl", ["abcdefghij", "kl"]),
        ("👩‍💻👩‍💻👩‍💻👩‍💻", ["👩‍💻👩‍💻👩‍💻", "👩‍💻"]),
    ],
)
def test_a_text_is_cut_after_a_sentence_else_after_a_word(text: str, pieces: list[str]) -> None:
    assert list(cut(text, 10)) == pieces


@given(strategies.texts(40), st.integers(1, 30))
def test_a_cut_text_is_the_text(text: str, limit: int) -> None:
    pieces = list(cut(text, limit))
    assert "".join(pieces) == text
    assert all(len(piece) <= limit for piece in pieces)


# ------------------------------------------------------------------------------------------------------ runs


def words(text: str, **style: bool) -> Json:
    return {"type": "text", "text": text, **({"style": style} if style else {})}


def link(text: str, url: str = "https://example.org/", **style: bool) -> Json:
    return {"type": "link", "url": url, "text": text, **({"style": style} if style else {})}


def said(runs: list[Json]) -> str:
    return "".join(run["text"] for run in runs)


def test_a_sentence_that_has_several_looks_is_kept_whole() -> None:
    runs = [words("First one. Then "), words("a bold", bold=True), words(" one" + " x" * 30)]
    first, *_ = divided(runs, 180)
    assert first == [words("First one. ")]


def test_a_link_is_kept_whole() -> None:
    runs = [words("aaaa "), link("some words. And more", bold=True), link(" of them"), words(" b" * 60)]
    first, second, *_ = divided(runs, 200)
    assert said(first) == "aaaa "
    assert said(second).startswith("some words. And more of them")


def test_a_link_too_long_for_one_piece_leads_there_from_each() -> None:
    pieces = list(divided([link("word " * 300)], 500))
    assert "".join(map(said, pieces)) == "word " * 300
    assert {run["url"] for piece in pieces for run in piece} == {"https://example.org/"}
    assert all(run["text"].endswith(" ") for piece in pieces for run in piece)


def some_runs() -> st.SearchStrategy[list[Json]]:
    texts = strategies.texts(6).filter(bool) | st.sampled_from(CLUSTERS).map(lambda one: one * 40)
    return st.lists(
        texts.map(words) | texts.map(lambda text: words(text, bold=True)) | texts.map(link), max_size=8
    )


@given(some_runs(), st.integers(250, 600))
@settings(max_examples=60)
def test_divided_runs_fit_and_are_the_runs(runs: list[Json], limit: int) -> None:
    pieces = list(divided(runs, limit))
    assert "".join(map(said, pieces)) == said(runs)
    assert all(size(piece) <= limit for piece in pieces)
    assert [look(run) for piece in pieces for run in piece for _ in run["text"]] == [
        look(run) for run in runs for _ in run["text"]
    ]


def look(run: Json) -> Any:
    return {key: value for key, value in run.items() if key != "text"}


@pytest.mark.parametrize(
    "text", ["x" * 50_000, "word " * 10_000, "重要" * 25_000, '"' * 50_000, "👩‍💻" * 16_000]
)
def test_fifty_thousand_characters_are_cut_in_a_moment(text: str) -> None:
    pieces = list(divided([words(text)]))
    assert "".join(map(said, pieces)) == text
    assert all(size(piece) <= limits.PIECE for piece in pieces)
    assert len(pieces) < 60


@pytest.mark.parametrize(
    "some",
    [
        pytest.param(lambda n: [link("a word ", f"https://example.org/{at}") for at in range(n)], id="links"),
        pytest.param(lambda n: [words("a word " * 10 * n)], id="one text"),
    ],
)
def test_what_is_eight_times_as_long_takes_no_more_than_its_share(some: Callable[[int], list[Json]]) -> None:
    few, many = some(2000), some(16_000)
    assert (
        times(lambda: list(divided(many)), lambda: list(divided(few))) < 30
    )  # eight, with slack; it is 64 where it grows with the square
