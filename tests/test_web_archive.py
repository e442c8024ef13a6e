"""Readers find every published issue as it was frozen, and see at once where one was corrected."""

import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from lxml import html
from werkzeug.test import TestResponse

from bot.errors import InputError
from bot.pages import Page, noted
from bot.settings import load
from bot.web.archive import PER_PAGE
from tests.website import NOW, URL, Website

New = Callable[..., Website]

WEEK = "/issues/2025-W17"
LATER = NOW + timedelta(days=3)


@pytest.fixture
def website(new_website: New) -> Website:
    """One newsletter."""
    return new_website()


@pytest.fixture
def several(new_website: New) -> Website:
    """Two newsletters, one of them in Hebrew."""
    return new_website(ai_papers={}, zine={"title": "שבועון", "language": "he"})


def tree(answer: TestResponse) -> Any:
    """The page as elements."""
    return html.fromstring(answer.get_data(as_text=True))


def words(answer: TestResponse) -> str:
    """What a reader sees, without line breaks."""
    page = tree(answer)
    for unseen in page.xpath("//style|//head"):
        unseen.drop_tree()
    return " ".join(page.text_content().split())


def links(client: FlaskClient, path: str) -> list[str]:
    page = tree(client.get(path))
    return [str(one) for one in page.xpath("//main//a/@href|//footer//a/@href|//header//a/@href")]


def titles(client: FlaskClient, path: str) -> list[str]:
    page = tree(client.get(path))
    return [one.text_content() for one in page.xpath("//h2[@class='title']")]


# --------------------------------------------------------------------------------------------- one newsletter


def test_an_archive_without_issues_says_so(website: Website) -> None:
    answer = website.client.get("/")
    assert (answer.status_code, "Nothing has been published yet." in words(answer)) == (200, True)


def test_the_archive_lists_issues_latest_week_first(website: Website) -> None:
    website.publish("2025-W16", "The week before", at=NOW - timedelta(days=7))
    website.publish("2025-W17", "This week")
    website.publish("2025-W15", "An old one, published last", at=NOW + timedelta(days=1))
    assert titles(website.client, "/") == ["This week", "The week before", "An old one, published last"]


def test_the_archive_names_the_day_on_the_newsletters_own_calendar(website: Website) -> None:
    website.publish(at=NOW.replace(hour=23))  # the next day has begun in Berlin
    assert "2025-04-26" in words(website.client.get("/"))


def test_hundreds_of_issues_are_leafed_through_and_each_is_there_once(website: Website) -> None:
    website.publish_many(210)
    seen, path, pages = [], "/", 0
    while path:
        seen += titles(website.client, path)
        page = tree(website.client.get(path))
        path, pages = "".join(page.xpath("//a[@rel='next']/@href")), pages + 1
    assert seen == [f"Issue {number}" for number in reversed(range(210))]
    assert pages == -(-210 // PER_PAGE)
    assert website.client.get(f"/page/{pages + 1}").status_code == 404
    assert website.client.get("/page/0").status_code == 404
    assert titles(website.client, "/page/1") == titles(website.client, "/")


def test_one_can_leaf_back(website: Website) -> None:
    website.publish_many(PER_PAGE * 2 + 1)
    page = tree(website.client.get("/page/3"))
    assert page.xpath("//a[@rel='prev']/@href") == ["/page/2"]
    assert page.xpath("//a[@rel='next']") == []
    second = tree(website.client.get("/page/2"))
    assert second.xpath("//a[@rel='prev']/@href") == ["/"]


def test_an_issue_is_shown_as_it_was_frozen_whatever_its_file_says_now(website: Website) -> None:
    website.publish(words="As it went out.")
    draft = website.app.settings.root / "content/ai-papers/2025-W17.md"
    draft.parent.mkdir(parents=True)
    draft.write_text("---\ntitle: Changed\nweek: 2025-W17\n---\n\n## Not yet\n", "utf-8")
    said = words(website.client.get(WEEK))
    assert "As it went out." in said
    assert "Not yet" not in said


def test_a_draft_is_nowhere(website: Website) -> None:
    draft = website.app.settings.root / "content/ai-papers/2025-W18.md"
    draft.parent.mkdir(parents=True)
    draft.write_text("---\ntitle: A secret\nweek: 2025-W18\n---\n\n## Not yet\n", "utf-8")
    assert website.client.get("/issues/2025-W18").status_code == 404
    for path in ("/", "/feed.xml", "/atom.xml", "/feed.json"):
        assert "secret" not in website.client.get(path).get_data(as_text=True)


@pytest.mark.parametrize(
    "week", ["2025-W99", "2025-w17", "2025-W17x", "x", "../2025-W17", "2025-W17%00", "٢٠٢٥-W17"]
)
def test_what_is_no_week_is_no_page(website: Website, week: str) -> None:
    website.publish()
    assert website.client.get(f"/issues/{week}").status_code == 404


def test_an_issue_leads_to_the_archive_and_the_archive_to_the_issue(website: Website) -> None:
    website.publish()
    assert WEEK in links(website.client, "/")
    assert "/" in links(website.client, WEEK)


def test_every_link_of_every_page_leads_somewhere(website: Website) -> None:
    website.publish_many(PER_PAGE + 1)
    website.publish()
    todo, seen = ["/"], set()
    while todo:
        path = todo.pop()
        if path not in seen and path.startswith("/"):
            seen.add(path)
            answer = website.client.get(path)
            assert answer.status_code == 200, path
            if answer.mimetype == "text/html" and b"<html" in answer.data:
                todo += links(website.client, path)
    assert {"/", "/page/2", WEEK, "/feed.xml", "/atom.xml", "/feed.json"} <= seen


# ------------------------------------------------------------------------------------------------ corrections


def test_a_corrected_issue_says_so_with_its_day_above_everything_else(website: Website) -> None:
    website.publish(words="It is wrong.")
    before = website.client.get(WEEK)
    assert "Corrected" not in words(before)
    website.correct(words="It is right.", at=LATER)
    after = website.client.get(WEEK)
    said = words(after)
    assert "It is right." in said
    assert "It is wrong." not in said
    assert said.index("Corrected on 2025-04-28.") < said.index("A paper")
    assert tree(after).xpath("//p[@class='corrected']/time/@datetime")


def test_each_day_of_a_correction_is_named_once(website: Website) -> None:
    website.publish()
    for number, at in enumerate((LATER, LATER, LATER + timedelta(days=1))):
        website.correct(words=f"Version {number}.", at=at + timedelta(minutes=number))
    assert "Corrected on 2025-04-28, 2025-04-29." in words(website.client.get(WEEK))


def test_the_note_speaks_the_newsletters_language(new_website: New) -> None:
    website = new_website(ai_papers={"language": "de"})
    website.publish()
    website.correct(words="Anders.", at=LATER)
    assert "Korrigiert am 2025-04-28." in words(website.client.get(WEEK))


@pytest.mark.parametrize(
    ("page", "shown"),
    [
        ("<body><h1>T</h1><p>x", "<body><h1>T</h1>\n!<p>x"),
        ("<body><H1 >T</H1 >x<h1>U</h1>", "<body><H1 >T</H1 >\n!x<h1>U</h1>"),
        ("<body><main class=a>x", "<body><main class=a>\n!x"),
        ("<BODY lang=en>x", "<BODY lang=en>\n!x"),
        ("x", "!x"),
    ],
)
def test_a_note_is_seen_on_whatever_page_a_template_makes(page: str, shown: str) -> None:
    assert noted(page, "!") == shown


def test_a_page_that_a_later_release_froze_is_read_all_the_same() -> None:
    page = Page("s", "p", "a")
    assert Page.load(json.dumps({"summary": "s", "page": "p", "article": "a", "more": 1}).encode()) == page


# --------------------------------------------------------------------------------------------- asking again


@pytest.mark.parametrize("path", ["/", WEEK, "/feed.xml", "/atom.xml", "/feed.json"])
def test_who_has_it_already_is_told_so_until_it_changes(website: Website, path: str) -> None:
    website.publish(words="It is wrong.")
    first = website.client.get(path)
    etag, modified = first.headers["ETag"], first.headers["Last-Modified"]
    assert modified == "Fri, 25 Apr 2025 07:00:00 GMT"
    for question in ({"If-None-Match": etag}, {"If-Modified-Since": modified}):
        again = website.client.get(path, headers=question)
        assert (again.status_code, again.data) == (304, b"")
        assert again.headers["ETag"] == etag
    website.correct(words="It is right.", at=LATER)
    changed = website.client.get(path, headers={"If-None-Match": etag, "If-Modified-Since": modified})
    assert changed.status_code == 200
    assert changed.headers["ETag"] != etag
    assert changed.headers["Last-Modified"] == "Mon, 28 Apr 2025 07:00:00 GMT"


# ------------------------------------------------------------------------------------------- several of them


def test_several_newsletters_are_listed_and_each_has_its_archive(several: Website) -> None:
    several.publish(title="Of papers")
    several.publish(title="Of zines", newsletter="zine")
    assert titles(several.client, "/") == ["AI Papers of the Week", "שבועון"]
    assert titles(several.client, "/ai-papers/") == titles(several.client, "/ai-papers") == ["Of papers"]
    assert titles(several.client, "/zine/") == ["Of zines"]
    assert several.client.get("/zine/issues/2025-W17").status_code == 200
    assert several.client.get("/nothing/").status_code == several.client.get("/page/2").status_code == 404
    assert "/" in links(several.client, "/zine/")


def test_a_newsletter_from_the_right_is_shown_from_the_right(several: Website) -> None:
    page = tree(several.client.get("/zine/"))
    assert (page.get("lang"), page.get("dir")) == ("he", "rtl")
    assert page.xpath("string(//h1)") == "כל הגיליונות"
    row = tree(several.client.get("/")).xpath("//li[@lang='he']")
    assert row[0].get("dir") == "rtl"


def test_links_of_mails_that_left_when_there_was_one_newsletter_still_lead_there(several: Website) -> None:
    several.publish("2025-W17", "Of papers")
    moved = several.client.get(WEEK)
    assert (moved.status_code, moved.headers["Location"]) == (302, "/ai-papers/issues/2025-W17")
    several.publish("2025-W17", "Of zines", newsletter="zine")
    assert titles(several.client, WEEK) == ["Of zines", "Of papers"]
    assert several.client.get("/issues/2025-W16").status_code == 404


@pytest.mark.parametrize("rest", ["", "issues/2025-W17", "page/2", "feed.xml"])
def test_links_of_mails_that_left_when_there_were_several_still_lead_there(
    website: Website, rest: str
) -> None:
    website.publish()
    moved = website.client.get(f"/ai-papers/{rest}")
    assert (moved.status_code, moved.headers["Location"]) == (301, f"/{rest}")


def test_a_newsletter_that_is_no_longer_configured_is_not_shown(several: Website, new_website: New) -> None:
    several.publish(newsletter="zine", title="Gone")
    several.publish(title="Here")
    for left in (new_website(), new_website(ai_papers={}, other={})):
        for path in ("/", "/feed.xml", "/ai-papers/", "/issues/2025-W17"):
            answer = left.client.get(path, follow_redirects=True)
            assert answer.status_code == 200, path
            assert "Gone" not in answer.get_data(as_text=True)
    assert titles(new_website().client, "/") == ["Here"]


def test_a_newsletter_cannot_have_the_name_of_another_page(tmp_path: Path) -> None:
    text = 'title="T"\nsender="a@example.org"\nlist_id="l.example.org"\npostal_address="x"\n'
    text += '[schedule]\nday="fri"\nat="09:00"\nzone="UTC"\n[channels.readers]\nkind="email"\n'
    folder = tmp_path / "config/newsletters"
    folder.mkdir(parents=True)
    (tmp_path / "config/bot.toml").write_text("", "utf-8")
    (folder / "issues.toml").write_text(text, "utf-8")
    assert load(tmp_path / "config/bot.toml", {}).newsletters
    (folder / "enter.toml").write_text(text, "utf-8")  # where links lead into the studio
    with pytest.raises(InputError, match=r"enter\.toml: an address of the site begins so"):
        load(tmp_path / "config/bot.toml", {})
    (folder / "enter.toml").rename(folder / "zine.toml")
    with pytest.raises(InputError, match=r"issues\.toml: an address of the site begins so"):
        load(tmp_path / "config/bot.toml", {})


# ---------------------------------------------------------------------------------------- where it is mounted


def test_pages_below_a_path_link_to_each_other_there_whether_a_proxy_takes_it_away_or_not(
    new_website: New,
) -> None:
    website = new_website(f"{URL}/letters")
    website.publish()
    for path in ("/", "/letters", "/letters/"):
        assert "/letters/issues/2025-W17" in links(website.client, path), path
    assert website.client.get("/letters/issues/2025-W17").status_code == 200
    assert website.client.get("/lettersissues/2025-W17").status_code == 404
    assert f"{URL}/letters/issues/2025-W17" in website.client.get("/feed.xml").get_data(as_text=True)
