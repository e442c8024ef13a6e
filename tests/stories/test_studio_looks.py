"""The studio for everybody: one entry or eight hundred, by keys alone, on a phone, light and dark."""

import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, TimeoutError as TooLong, expect

from bot.channels import _slack_courier
from tests.browser import Scheme
from tests.oracles.test_axe import barriers
from tests.stories.curating import PATIENCE, WEEK, Newsroom, browsing, visit

ISSUE = f"/studio/ai-papers/{WEEK}"
SCHEMES: tuple[Scheme, ...] = ("light", "dark")


@pytest.fixture
def newsroom(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Newsroom]:
    monkeypatch.setattr(_slack_courier, "PACE", 0.0)
    with Newsroom(tmp_path, "2025-04-24T09:00+02:00") as newsroom:
        newsroom.here.issue()
        yield newsroom.open()


def entries(newsroom: Newsroom, count: int) -> None:
    """Save an issue of as many entries."""
    head = f'---\ntitle: "{count} papers"\nweek: {WEEK}\nstatus: ready\n---\n\nAn intro.\n'
    each = (
        f"\n## Paper number {number}\n\n[Paper](https://example.org/{number})\n\nWhat number {number} says.\n"
        for number in range(1, count + 1)
    )
    newsroom.path.write_text(head + "".join(each), "utf-8")


def overflowing(page: Page) -> list[str]:
    """What stands out of the page at its side, frames not counted."""
    found: list[str] = page.evaluate(
        """() => document.documentElement.scrollWidth <= innerWidth ? [] :
            [...document.querySelectorAll("body *")]
            .filter(one => one.getBoundingClientRect().right > innerWidth + 1)
            .map(one => one.tagName + "." + one.className).slice(0, 10).concat("too wide")"""
    )
    return found


def no_barrier(page: Page, what: str, schemes: tuple[Scheme, ...] = SCHEMES) -> None:
    """For whoever has a narrow screen, a dark one, or none at all; panes are judged elsewhere."""
    for scheme in schemes:
        page.emulate_media(color_scheme=scheme)
        for width in (1440, 320):
            page.set_viewport_size({"width": width, "height": 800})
            with suppress(TooLong):  # the next line then says what stands out
                page.wait_for_function(
                    "width => innerWidth === width && document.documentElement.scrollWidth <= width",
                    arg=width,
                )
            assert overflowing(page) == [], f"{what}, {scheme} at {width}"
        assert barriers(page, ["frame-tested"]) == [], f"{what}, {scheme}"


@pytest.mark.parametrize("count", [1, 800])
def test_an_issue_of_any_size_has_no_barrier(newsroom: Newsroom, chromium: Browser, count: int) -> None:
    entries(newsroom, count)
    with browsing(chromium, newsroom.address, 1440) as ann:
        page = ann.page
        visit(page, newsroom.invitation(ISSUE))
        expect(page.locator("h1")).to_have_text(f"{count} papers", timeout=PATIENCE)
        seen = page.frame_locator("#pane-desktop").locator("body")
        expect(seen).to_contain_text("Paper number 1", timeout=PATIENCE)
        if count > 1:
            expect(page.locator(".entries > li")).to_have_count(count)
            expect(page.frame_locator("#pane-page").locator("body")).to_contain_text(f"Paper number {count}")
        no_barrier(page, f"{count} entries", SCHEMES if count == 1 else ("dark",))


def test_every_other_page_has_no_barrier(newsroom: Newsroom, chromium: Browser) -> None:
    newsroom.tick()
    with browsing(chromium, newsroom.address) as bo:
        for path in ("/studio/sign-in", "/studio/enter/old"):
            visit(bo.page, f"{newsroom.address}{path}")
            no_barrier(bo.page, path)
        visit(bo.page, newsroom.link_in(newsroom.mails[0], "Hold"))
        no_barrier(bo.page, "a link to decide")
        bo.page.get_by_role("button", name="Hold").click()
        expect(bo.page.locator("main")).to_contain_text("Held by Bo B.")
        no_barrier(bo.page, "what became of it")
        visit(bo.page, newsroom.invitation())
        no_barrier(bo.page, "the first page")
        newsroom.edit("week:", "weak:")
        visit(bo.page, f"{newsroom.address}{ISSUE}")
        expect(bo.page.locator(".fault")).to_be_visible(timeout=PATIENCE)
        no_barrier(bo.page, "what cannot be read")


def test_a_curator_can_do_everything_by_keys(newsroom: Newsroom, chromium: Browser) -> None:
    with browsing(chromium, newsroom.address) as ann:
        page = ann.page
        visit(page, newsroom.invitation())
        expect(page.locator("h1")).to_be_visible()
        reached(page, "Two papers")
        page.keyboard.press("Enter")
        expect(page).to_have_url(re.compile(f"{ISSUE}$"))
        reached(page, "Ada")
        page.keyboard.press("Enter")
        expect(page).to_have_url(re.compile("as=short"))
        expect(page.frame_locator("#pane-desktop").locator("body")).to_contain_text("Hello Ada")
        page.locator("h1").click()  # from the top
        reached(page, "Approve")
        page.keyboard.press("Enter")
        expect(page.locator(".said")).to_contain_text("Approved by Ann")
        page.keyboard.press("Tab")
        assert focused(page)["words"] == "To the page"


def reached(page: Page, wanted: str) -> None:
    """Press Tab until the control has the focus; each stop on the way shows that it has it."""
    for _ in range(60):
        page.keyboard.press("Tab")
        one = focused(page)
        assert one["tag"] == "IFRAME" or one["seen"], one
        if one["words"] == wanted:
            return
    raise AssertionError(f"{wanted} is not reached")


def focused(page: Page) -> dict[str, Any]:
    """What has the focus, and whether one sees that."""
    found: dict[str, Any] = page.evaluate(
        """() => { const one = document.activeElement, box = one.getBoundingClientRect();
            const drawn = [one, one.nextElementSibling || one].map(each => getComputedStyle(each));
            return {tag: one.tagName, words: (one.innerText || one.value || "").trim(),
                    seen: box.bottom > 0 && box.top < innerHeight && drawn.some(
                        each => each.outlineStyle !== "none" && each.outlineWidth !== "0px")}; }"""
    )
    return found
