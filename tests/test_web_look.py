"""The pages are read by everybody: on a phone and a desk, in light and dark, from the right, by ear."""

import re
from collections.abc import Callable
from contextlib import closing
from datetime import timedelta

import pytest
from playwright.sync_api import Browser

from tests.browser import shown
from tests.oracles.test_axe import barriers, in_both_schemes
from tests.oracles.test_html_validate import PAGE_ONLY, complaints as faults
from tests.test_web_serving import served
from tests.website import NOW, Website

New = Callable[..., Website]

LONG = "Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichenverordnung-2025/17_v2_final"
ASKED = {
    "list": "/",
    "archive": "/ai-papers/",
    "issue": "/ai-papers/issues/2025-W17",
    "leave": "/u/{token}",
    "left": "/u/{token}",
    "nothing": "/nothing",
}


@pytest.fixture(params=["en", "he"])
def pages(
    request: pytest.FixtureRequest, new_website: New, monkeypatch: pytest.MonkeyPatch
) -> dict[str, str]:
    """Each kind of page, of a newsletter in one language beside one in another."""
    monkeypatch.setattr("bot.web.archive.PER_PAGE", 3)
    website = new_website(
        ai_papers={"language": request.param, "title": f"{LONG} & more", "tagline": LONG},
        zine={"language": "ja"},
    )
    website.publish_many(4)
    website.publish("2025-W17", LONG, f"{LONG} and words", at=NOW + timedelta(days=1))
    website.correct("2025-W17", LONG, f"{LONG} and others", at=NOW + timedelta(days=2))
    token = website.reader("a" * 60 + "@" + "b" * 60 + ".example.org")
    found = {}
    for name, path in ASKED.items():
        address = path.format(token=token)
        data = {"leave": "yes"} if name == "left" else None
        answer = website.client.post(address, data=data) if data else website.client.get(address)
        found[name] = answer.get_data(as_text=True)
    return found


def test_no_page_has_a_barrier(chromium: Browser, pages: dict[str, str]) -> None:
    for name, page in pages.items():
        assert in_both_schemes(chromium, page, 375, []) == {}, name


def test_no_page_is_wider_than_the_smallest_screen(chromium: Browser, pages: dict[str, str]) -> None:
    for name, page in pages.items():
        for width in (320, 1280):
            with shown(chromium, page, width) as seen:
                assert seen.evaluate("document.documentElement.scrollWidth") <= width, (name, width)


def test_a_browser_shows_the_styles_that_the_policy_allows_and_has_nothing_to_complain_of(
    chromium: Browser, new_website: New
) -> None:
    website = new_website()
    website.publish()
    website.correct(words="Other words.", at=NOW + timedelta(days=1))
    path = f"/u/{website.reader()}"
    complaints: list[str] = []
    with served(website) as port, closing(chromium.new_context(color_scheme="dark")) as context:
        page = context.new_page()
        page.on("console", lambda message: complaints.append(message.text))
        for address in ("/", "/issues/2025-W17", path):
            page.goto(f"http://127.0.0.1:{port}{address}")
            colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
            assert colour == "rgb(30, 28, 23)", address
        page.click("button")
        assert page.locator("button[name=undo]").count() == 1
        assert context.cookies() == []
    assert website.consent() == "unsubscribed"
    assert complaints == []


def test_everything_that_can_be_pressed_is_large_enough_and_can_be_reached_by_keys(
    chromium: Browser, pages: dict[str, str]
) -> None:
    with shown(chromium, pages["leave"], 320) as seen:
        button = seen.locator("button")
        box = button.bounding_box()
        assert box
        assert min(box["width"], box["height"]) >= 44
        for _ in range(9):
            seen.keyboard.press("Tab")
            if button.evaluate("one => one === document.activeElement"):
                outline = button.evaluate("one => getComputedStyle(one).outlineStyle")
                assert outline == "solid"
                return
    pytest.fail("no number of tabs leads to the button")


def test_a_planted_barrier_is_found(chromium: Browser, pages: dict[str, str]) -> None:
    page = re.sub(r'<button type="submit"[^>]*>[^<]*', '<button type="submit">', pages["leave"])
    assert page != pages["leave"]
    with shown(chromium, page, 375) as planted:
        assert any(one.startswith("button-name") for one in barriers(planted, []))


def test_the_pages_are_html_as_it_is_written_down(pages: dict[str, str]) -> None:
    found = faults(list(pages.values()), list(PAGE_ONLY))
    assert dict(zip(pages, found, strict=True)) == {name: [] for name in pages}
