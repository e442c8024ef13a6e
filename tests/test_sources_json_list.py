"""A JSON list of links becomes one issue per week; what has the wrong type is told with its index."""

import json
from contextlib import suppress
from datetime import timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from bot.errors import InputError
from bot.markup import words
from bot.models import Week
from bot.sources import CERTAIN, LIKELY, UNKNOWN, Given, Reading
from bot.sources.json_list import read, recognises

GULL: dict[str, Any] = {
    "title": "Gull",
    "url": "https://birds.example/gull",
    "date": "2025-04-23T10:00:00Z",
    "content": "It `flies`.",
}


def reading(document: Any, *, week: Week | None = None, hours: int = 0) -> Reading:
    zone = timezone(timedelta(hours=hours))
    return read(json.dumps(document), Given("gulls", "birds.json", week, zone=zone))


def told(read_: Reading) -> list[str]:
    return [doubt.what for found in read_.issues for doubt in found.doubts] + [
        doubt.what for doubt in read_.doubts
    ]


@pytest.mark.parametrize("document", [[GULL], {"list": [GULL]}, {"version": 1, "items": [GULL]}])
def test_the_list_is_found_wherever_it_stands(document: Any) -> None:
    (found,) = reading(document).issues
    (entry,) = found.entries
    assert found.week == Week(2025, 17)
    assert (entry.title, entry.url, words(entry.blocks)) == ("Gull", GULL["url"], "It flies.")


def test_each_week_is_an_issue_and_keeps_the_order_of_the_file() -> None:
    days = ["2025-05-01", "2025-04-22", "2025-04-27T23:30:00Z", "2025-04-21"]
    issues = reading([{**GULL, "title": day, "date": day} for day in days]).issues
    assert [(str(found.week), [entry.title for entry in found.entries]) for found in issues] == [
        ("2025-W17", days[1:]),
        ("2025-W18", days[:1]),
    ]


def test_the_newsletters_zone_decides_about_the_week_of_an_instant() -> None:
    late = [{**GULL, "date": "2025-04-27T23:30:00Z"}]
    assert [str(reading(late, hours=hours).issues[0].week) for hours in (0, 2)] == ["2025-W17", "2025-W18"]


def test_related_links_are_links_of_the_entry() -> None:
    related = [{"title": "Tern", "url": "https://birds.example/tern"}, "https://birds.example/auk"]
    (found,) = reading([{**GULL, "relatedLinks": related, "viaURL": "https://birds.example"}]).issues
    assert [(reference.label, reference.url) for reference in found.entries[0].references] == [
        ("birds.example", GULL["url"]),
        ("Tern", "https://birds.example/tern"),
        ("https://birds.example/auk", "https://birds.example/auk"),
        ("via", "https://birds.example"),
    ]


@pytest.mark.parametrize(
    ("fields", "doubt"),
    [
        ({"title": 7}, "[1].title is a number, not a text"),
        ({"title": ""}, "[1] has no title: called https://birds.example/gull"),
        ({"url": ["x"]}, "[1].url is a list, not a text"),
        ({"url": "javascript:alert(1)"}, "[1].url: no link can lead to"),
        ({"content": {"a": 1}}, "[1].content is an object"),
        ({"date": 20250423}, "[1].date is a number"),
        ({"date": "2025-02-30"}, "[1] has a date that does not exist"),
        ({"relatedLinks": [3]}, "[1].relatedLinks[0] is no link"),
        ({"title": "Gu\x00ll\ud800"}, "[1].title has characters that cannot be printed"),
    ],
)
def test_what_has_the_wrong_type_is_told_with_its_index(fields: dict[str, Any], doubt: str) -> None:
    assert any(doubt in what for what in told(reading([GULL, {**GULL, **fields}])))


def test_what_has_no_place_in_an_entry_is_left_and_told() -> None:
    read_ = reading({"version": 1, "list": [{**GULL, "tags": ["sea"], "summary": "grey"}, 3, {"url": None}]})
    assert {left.text for left in read_.left} == {
        "version: 1",
        'list[0].tags: ["sea"]',
        'list[0].summary: "grey"',
        "list[1]: 3",
        'list[2]: {"url": null}',
    }


def test_entries_without_a_date_have_no_week_unless_one_is_given() -> None:
    undated = [{"title": "Gull"}]
    assert [found.week for found in reading(undated).issues] == [None]
    assert [found.week for found in reading(undated, week=Week(2025, 17)).issues] == [Week(2025, 17)]


@pytest.mark.parametrize(
    ("text", "words_"),
    [
        ('[{"title": ', "birds.json:1:12: this is no JSON"),
        ("[" * 100_000, "nested too deeply"),
        ("3", "no list of objects"),
        ("{}", "no list of objects"),
        ('{"a": [{}], "b": [{}]}', "2 lists of objects"),
        ('{"list": [{"n": ' + "9" * 5000 + "}]}", "cannot be read"),
    ],
)
def test_what_is_no_list_is_refused_with_its_place(text: str, words_: str) -> None:
    with pytest.raises(InputError, match=words_.replace("[", r"\[")):
        read(text, Given("gulls", "birds.json"))


def test_a_key_that_stands_twice_is_told() -> None:
    read_ = read('[{"title": "Gull", "title": "Tern"}]', Given("gulls", "birds.json"))
    assert any("'title' stands twice" in doubt.what for doubt in read_.doubts)


@pytest.mark.parametrize(
    ("name", "text", "sure"),
    [("a.json", "[", CERTAIN), ("a", "[]", LIKELY), ("a", "[x](y)", UNKNOWN), ("a.json", "words", UNKNOWN)],
)
def test_it_knows_its_own_kind(name: str, text: str, sure: int) -> None:
    assert recognises(name, text) == sure


KEYS = st.sampled_from(["title", "url", "date", "content", "tags", "relatedLinks", "viaURL", "list"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.just("2025-04-23"),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=200, deadline=None)
@given(VALUES)
def test_any_json_is_read_or_refused(document: Any) -> None:
    with suppress(InputError):
        reading(document)


@pytest.mark.parametrize(
    ("file", "entries", "weeks"),
    [
        ("data__2018__03__index.json", 94, ["2018-W09", "2018-W10", "2018-W11", "2018-W12", "2018-W13"]),
        ("data__2019__08__index.json", 64, ["2019-W31", "2019-W32", "2019-W33", "2019-W34", "2019-W35"]),
        ("data__2021__03__index.json", 23, ["2021-W08", "2021-W09", "2021-W10"]),
    ],
)
def test_real_lists_come_in_whole(shared: Path, file: str, entries: int, weeks: list[str]) -> None:
    text = (shared / "corpus/jser-info" / file).read_text("utf-8")
    read_ = read(text, Given("jser", file))
    assert sum(len(found.entries) for found in read_.issues) == entries
    assert [str(found.week) for found in read_.issues] == weeks
    out = {
        reference.url for found in read_.issues for entry in found.entries for reference in entry.references
    }
    came = json.loads(text)["list"]
    assert {link["url"] for one in came for link in (one, *one["relatedLinks"])} <= out
