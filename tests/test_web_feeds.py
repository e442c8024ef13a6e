"""Feeds are what their specifications ask for, whatever an issue holds, and show a correction as one."""

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any

import pytest
from hypothesis import given, strategies as st
from lxml import etree

from bot.feeds import ATOM, CONTENT, Feed, Item, atom, issue_id, json_feed, rss
from bot.web.archive import IN_FEED
from tests.website import NOW, URL, Website

New = Callable[..., Website]

LATER = NOW + timedelta(days=3)
FORMS = ["feed.xml", "atom.xml", "feed.json"]
A = f"{{{ATOM}}}"


# ------------------------------------------------------------------------------------- what the formats ask


def parsed(document: bytes) -> Any:
    """XML as a strict reader takes it: no recovery, no entities, no network."""
    return etree.fromstring(document, etree.XMLParser(recover=False, resolve_entities=False, no_network=True))


def faults_of_rss(document: bytes) -> list[str]:
    """What RSS 2.0 (https://www.rssboard.org/rss-specification) and the profile hold against a feed."""
    root = parsed(document)
    channel, faults = root.find("channel"), []
    if (root.tag, root.get("version"), len(root)) != ("rss", "2.0", 1):
        faults.append("not one channel of RSS 2.0")
    faults += [
        f"channel: one {name}" for name in ("title", "link", "description") if len(channel.findall(name)) != 1
    ]
    known = {"title", "link", "description", "language", "lastBuildDate", "generator", f"{A}link", "item"}
    faults += [f"channel: {child.tag}" for child in channel if child.tag not in known]
    own = channel.findall(f"{A}link")
    if [(one.get("rel"), one.get("type")) for one in own] != [("self", "application/rss+xml")]:
        faults.append("no link to itself")
    faults += _faults_of_times([channel.findtext("lastBuildDate")], _rfc822)
    guids = [item.findtext("guid") for item in channel.findall("item")]
    if len(set(guids)) != len(guids):
        faults.append("two items of one guid")
    for item in channel.findall("item"):
        wanted = {"title", "link", "guid", "pubDate", "description", f"{{{CONTENT}}}encoded", f"{A}updated"}
        if {child.tag for child in item} != wanted or len(item) != len(wanted):
            faults.append("item: not each element once")
        if item.find("guid").get("isPermaLink") != "false":
            faults.append("item: the guid is no address to visit")
        faults += _faults_of_times([item.findtext("pubDate")], _rfc822)
        faults += _faults_of_times([item.findtext(f"{A}updated")], _rfc3339)
        faults += _faults_of_addresses([item.findtext("link")])
    return faults + _faults_of_addresses([channel.findtext("link"), *(one.get("href") for one in own)])


def faults_of_atom(document: bytes) -> list[str]:
    """What RFC 4287 §4.1 and §4.2 hold against a feed."""
    root = parsed(document)
    faults = [] if root.tag == f"{A}feed" else ["no feed"]
    ids = [element.text for element in root.iter(f"{A}id")]
    if len(set(ids)) != len(ids):
        faults.append("two of one id")
    for element in (root, *root.findall(f"{A}entry")):
        once = ("id", "title", "updated")
        faults += [f"{element.tag}: one {name}" for name in once if len(element.findall(f"{A}{name}")) != 1]
        alternates = [(one.get("type"), one.get("hreflang")) for one in _links(element, "alternate")]
        if not alternates or len(set(alternates)) != len(alternates):
            faults.append("no alternate, or two alike (§4.2.7)")
        times = [element.findtext(f"{A}{name}") for name in ("updated", "published")]
        faults += _faults_of_times([time for time in times if time], _rfc3339)
        faults += _faults_of_addresses(
            [element.findtext(f"{A}id"), *(one.get("href") for one in _links(element))]
        )
    if len(_links(root, "self")) != 1:
        faults.append("no link to itself (§4.1.1)")
    if not root.findtext(f"{A}author/{A}name"):
        faults.append("no author (§4.1.1)")
    for content in root.iter(f"{A}content"):
        if content.get("type") != "html" or len(content):
            faults.append("content is not escaped HTML (§4.1.3.3)")
    return faults


def faults_of_json(document: bytes) -> list[str]:
    """What JSON Feed 1.1 (https://www.jsonfeed.org/version/1.1/) holds against a feed."""
    feed = json.loads(document)
    faults = [] if feed["version"] == "https://jsonfeed.org/version/1.1" else ["version"]
    if not (isinstance(feed["title"], str) and isinstance(feed["items"], list)):
        faults.append("title and items")
    if any("name" not in author for author in feed["authors"]):
        faults.append("an author without anything")
    ids = [item["id"] for item in feed["items"]]
    if len(set(ids)) != len(ids) or not all(isinstance(one, str) for one in ids):
        faults.append("two items of one id")
    for item in feed["items"]:
        if not isinstance(item.get("content_html"), str):
            faults.append("no content")
        times = [item["date_published"], *filter(None, [item.get("date_modified")])]
        faults += _faults_of_times(times, _rfc3339)
        faults += _faults_of_addresses([item["url"]])
    return faults + _faults_of_addresses([feed["home_page_url"], feed["feed_url"]])


def _links(element: Any, rel: str | None = None) -> list[Any]:
    return [one for one in element.findall(f"{A}link") if rel in {None, one.get("rel")}]


def _rfc822(text: str) -> bool:
    form = r"(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT"
    return bool(re.fullmatch(form, text)) and text[:3] == f"{parsedate_to_datetime(text):%a}"


def _rfc3339(text: str) -> bool:
    return bool(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", text)) and bool(datetime.fromisoformat(text))


def _faults_of_times(times: list[str | None], right: Callable[[str], bool]) -> list[str]:
    return [f"time: {time}" for time in times if time is None or not right(time)]


def _faults_of_addresses(addresses: list[str | None]) -> list[str]:
    return [f"address: {one}" for one in addresses if not one or not re.match(r"(https://[^/]+/|tag:)", one)]


JUDGES = {"feed.xml": faults_of_rss, "atom.xml": faults_of_atom, "feed.json": faults_of_json}
WRITERS = {"feed.xml": rss, "atom.xml": atom, "feed.json": json_feed}


# ------------------------------------------------------------------------------------------------- as served


@pytest.mark.parametrize("form", FORMS)
def test_a_feed_has_no_fault(new_website: New, form: str) -> None:
    website = new_website()
    assert JUDGES[form](website.client.get(f"/{form}").data) == []  # without issues
    website.publish("2025-W16", "Öl & <Wasser>", "]]> & <b>x</b> 😀", at=NOW - timedelta(days=7))
    website.publish()
    website.correct(words="Other words.", at=LATER)
    assert JUDGES[form](website.client.get(f"/{form}").data) == []


@pytest.mark.parametrize("form", FORMS)
def test_the_feed_of_all_newsletters_and_of_each_has_no_fault(new_website: New, form: str) -> None:
    website = new_website(ai_papers={}, zine={"title": "Zine", "tagline": ""})
    website.publish()
    website.publish(newsletter="zine")
    for path in (form, f"zine/{form}", f"ai-papers/{form}"):
        answer = website.client.get(f"/{path}")
        assert JUDGES[form](answer.data) == [], path
        assert f"{URL}/{path}" in answer.get_data(as_text=True)  # the link to itself
    assert website.client.get(f"/{form}").data.count(b"/issues/2025-W17") > 1
    assert b"/ai-papers/issues/" not in website.client.get(f"/zine/{form}").data


@pytest.mark.parametrize(
    ("form", "mime"),
    [
        ("feed.xml", "application/rss+xml; charset=utf-8"),
        ("atom.xml", "application/atom+xml; charset=utf-8"),
        ("feed.json", "application/feed+json; charset=utf-8"),
    ],
)
def test_a_feed_says_what_it_is(new_website: New, form: str, mime: str) -> None:
    assert new_website().client.get(f"/{form}").headers["Content-Type"] == mime


def test_a_feed_has_whole_issues_the_newest_of_them(new_website: New) -> None:
    website = new_website()
    website.publish_many(IN_FEED + 5)
    website.publish(words="All that it says.")
    items = json.loads(website.client.get("/feed.json").data)["items"]
    assert len(items) == IN_FEED
    assert "All that it says." in items[0]["content_html"]
    assert [one["date_published"] for one in items] == sorted(
        (one["date_published"] for one in items), reverse=True
    )


def test_the_host_that_a_request_names_is_in_no_feed(new_website: New) -> None:
    website = new_website()
    website.publish()
    for form in FORMS:
        answer = website.client.get(f"/{form}", headers={"Host": "evil.example.com"})
        assert b"evil" not in answer.data
        assert f"{URL}/issues/2025-W17".encode() in answer.data


def test_a_correction_is_shown_with_its_time_and_the_issue_keeps_its_name(new_website: New) -> None:
    website = new_website()
    website.publish(words="It is wrong.")

    def shown() -> dict[str, Any]:
        channel = parsed(website.client.get("/feed.xml").data).find("channel")
        entry = parsed(website.client.get("/atom.xml").data).find(f"{A}entry")
        (item,) = json.loads(website.client.get("/feed.json").data)["items"]
        contents = [
            channel.findtext(f"item/{{{CONTENT}}}encoded"),
            entry.findtext(f"{A}content"),
            item["content_html"],
        ]
        return {
            "ids": {channel.findtext("item/guid"), entry.findtext(f"{A}id"), item["id"]},
            "published": {entry.findtext(f"{A}published"), item["date_published"]},
            "rss": channel.findtext("item/pubDate"),
            "updated": {channel.findtext(f"item/{A}updated"), entry.findtext(f"{A}updated")},
            "modified": item.get("date_modified"),
            "built": channel.findtext("lastBuildDate"),
            "wrong": ["It is wrong." in one for one in contents],
            "told": ["Corrected on" in one for one in contents],
        }

    before = shown()
    website.correct(words="It is right.", at=LATER)
    after = shown()
    assert len(before["ids"]) == 1
    assert (before["ids"], before["published"], before["rss"]) == (
        after["ids"],
        after["published"],
        after["rss"],
    )
    assert before["updated"] == {"2025-04-25T07:00:00Z"}
    assert after["updated"] == {"2025-04-28T07:00:00Z"}
    assert (before["modified"], after["modified"]) == (None, "2025-04-28T07:00:00Z")
    assert after["built"] == "Mon, 28 Apr 2025 07:00:00 GMT"
    assert (before["wrong"], after["wrong"]) == ([True] * 3, [False] * 3)
    assert (before["told"], after["told"]) == ([False] * 3, [True] * 3)


def test_an_issues_name_does_not_move_with_its_address() -> None:
    name = issue_id("AI-Papers.example.org", "ai-papers", "2025-W17", NOW)
    assert name == "tag:ai-papers.example.org,2025-04-25:ai-papers/2025-W17"


# ------------------------------------------------------------------------------------------ whatever it holds

TEXTS = st.text(st.characters(exclude_categories=()), max_size=30)  # lone surrogates and controls as well
TIMES = st.datetimes(datetime(1970, 1, 1), datetime(2999, 1, 1)).map(lambda at: at.replace(tzinfo=UTC))  # noqa: DTZ001 (made aware)
ITEMS = st.builds(
    Item,
    id=st.uuids().map(lambda one: f"tag:{one}"),
    url=st.just(f"{URL}/issues/2025-W17"),
    title=TEXTS,
    summary=TEXTS,
    content=TEXTS,
    language=st.sampled_from(["en", "zh-Hant", "fa"]),
    published=TIMES,
    updated=TIMES,
)
FEEDS = st.builds(
    Feed,
    title=TEXTS.filter(str.strip),
    description=TEXTS,
    language=st.just("pt-BR"),
    home=st.just(f"{URL}/"),
    url=st.just(f"{URL}/feed.xml"),
    items=st.lists(ITEMS, max_size=3),
)


@pytest.mark.parametrize("form", FORMS)
@given(feed=FEEDS)
def test_a_feed_has_no_fault_whatever_its_issues_hold(form: str, feed: Feed) -> None:
    assert JUDGES[form](WRITERS[form](feed)) == []


@given(text=st.text(st.characters(min_codepoint=32, exclude_categories=["Cs", "Cn"]), min_size=1))
def test_words_come_out_of_a_feed_as_they_went_in(text: str) -> None:
    item = Item("tag:x", f"{URL}/", text, text, f"<p>{text}</p>", "en", NOW, NOW)
    feed = Feed(text, text, "en", f"{URL}/", f"{URL}/feed.xml", [item])
    spoken = text.replace("\ufffe", "\ufffd").replace("\uffff", "\ufffd")
    assert parsed(atom(feed)).findtext(f"{A}entry/{A}content") == f"<p>{spoken}</p>"
    assert parsed(rss(feed)).findtext("channel/item/title") == spoken
    assert json.loads(json_feed(feed))["items"][0]["title"] == text


@pytest.mark.parametrize(
    ("form", "planted", "instead"),
    [
        ("feed.xml", b'isPermaLink="false"', b""),
        ("feed.xml", b"<link>https://papers", b"<link>papers"),
        ("feed.xml", b"07:00:00 GMT</pubDate>", b"7:00 CET</pubDate>"),
        ("feed.xml", b'rel="self"', b'rel="other"'),
        ("atom.xml", b'rel="self"', b'rel="other"'),
        ("atom.xml", b"<name>AI Papers of the Week</name>", b""),
        ("atom.xml", b"T07:00:00Z</updated>", b" 07:00</updated>"),
        ("atom.xml", b'rel="alternate"', b'rel="related"'),
        ("feed.json", b'"date_published": "2025', b'"date_published": "25'),
    ],
)
def test_a_planted_fault_is_found(new_website: New, form: str, planted: bytes, instead: bytes) -> None:
    website = new_website()
    website.publish()
    document = website.client.get(f"/{form}").data
    assert planted in document
    assert JUDGES[form](document.replace(planted, instead)) != []
