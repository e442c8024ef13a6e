"""The preview in a browser: for everybody, on a phone or a desk, in light or dark, without script as well."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize
from werkzeug.serving import make_server

from bot.models import Consent, Origin, Week
from bot.subscriptions import add
from tests.oracles.test_axe import SCHEMES, barriers
from tests.oracles.test_html_validate import PAGE_ONLY, complaints
from tests.studio import EVE, ISSUE, WEEK, House

CONTENT = "content/ai-papers/2025-W17.md"
LONG = "Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichenverordnung-2025/17_v2_final"


FRAMES = ["frame-tested"]
"""What axe cannot do: nothing runs in a pane, so it cannot look in. Mails and pages are judged apart."""
OURS = {
    "require-sri": "the files are our own, from where the page is",
    "no-trailing-whitespace": "words that changed have the blanks between them",
}
"""Rules of html-validate that are off, each with its reason."""
FOCUS = """
() => {
  const one = document.activeElement;
  const ring = one.matches(".tabs input") ? one.nextElementSibling : one;  // a choice is seen by its words
  const outline = one.tagName === "IFRAME" ? "" : getComputedStyle(ring).outlineStyle;
  return [one.id || `${one.name}=${one.value}`, outline];
}
"""
"""What has the focus, and how that is seen; a frame shows it by itself."""


def furnished(root: Path, migrated: Path) -> House:
    """An issue with all there is to show: findings, readers, a yes that is void, an issue before it."""
    made = House(root, migrated)
    for email in ("ada@example.org", f"{'a' * 60}@{'b' * 60}.example.org"):
        add(made.app.store, "ai-papers", email, LONG, "en", Consent.CONFIRMED, EVE)
    made.files.issue("2025-W16", title="An older one")
    before, newsletter = EVE.replace(day=17), made.app.settings.newsletters["ai-papers"]
    made.app.desk(newsletter).decide(Week(2025, 16), "approved", before, by="ann", origin=Origin.CLI)
    made.app.desk(newsletter).publish(Week(2025, 16), before)
    made.app.desk(newsletter).decide(WEEK, "approved", EVE, by="ann", origin=Origin.SLACK)
    text = (root / CONTENT).read_text("utf-8")
    text = text.replace(
        "A lead and nothing more.", f"A lead lorem ipsum dolor sit amet and and {LONG}. Call @here."
    )
    text = text.replace("https://example.org/2", "https://bit.ly/2").replace("Two papers", f"Two {LONG}")
    (root / CONTENT).write_text(text, "utf-8")
    return made


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory, migrated: Path) -> Iterator[House]:
    """One that is only looked at."""
    made = furnished(tmp_path_factory.mktemp("house"), migrated)
    yield made
    made.studio.changes.end()
    made.close()


@pytest.fixture
def edited(tmp_path: Path, migrated: Path) -> Iterator[House]:
    """One whose files are changed."""
    made = furnished(tmp_path, migrated)
    yield made
    made.studio.changes.end()
    made.close()


@contextmanager
def visited(chromium: Browser, house: House, query: str = "", **context: Any) -> Iterator[Page]:
    """The preview in a browser of its own, signed in; whatever it complains of fails the test."""
    server = make_server("127.0.0.1", 0, house.wsgi, threaded=True)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    opened: BrowserContext = chromium.new_context(**{"color_scheme": "null", **context})
    complained: list[str] = []
    try:
        base = f"http://127.0.0.1:{server.port}"
        seen = opened.new_page()
        seen.on("console", lambda message: complained.append(message.text))
        link = house.studio.invite(base)
        assert link
        seen.goto(link)
        seen.goto(f"{base}{ISSUE}{query}", wait_until="load")
        yield seen
    finally:
        opened.close()
        server.shutdown()
        server.server_close()
        thread.join()
    assert complained == []


def size(width: int) -> ViewportSize:
    return ViewportSize(width=width, height=900)


@pytest.mark.parametrize(("width", "query"), [(1440, "?find=a"), (390, "")])
def test_nobody_is_kept_out(chromium: Browser, house: House, width: int, query: str) -> None:
    with visited(chromium, house, query, viewport=size(width)) as seen:
        for one in seen.locator("details").all():
            one.evaluate("one => { one.open = true; }")
        for scheme in SCHEMES:
            seen.emulate_media(color_scheme=scheme)
            assert barriers(seen, FRAMES) == [], scheme


def test_nobody_is_kept_out_of_what_cannot_be_read(chromium: Browser, edited: House) -> None:
    file = edited.root / CONTENT
    file.write_text(file.read_text("utf-8").replace("status: ready", f"status: {'redy ' * 90}"), "utf-8")
    with visited(chromium, edited, viewport=size(390)) as seen:
        assert seen.locator(".excerpt .meant").count() == 1
        assert seen.evaluate("document.documentElement.scrollWidth") <= 390
        for scheme in SCHEMES:
            seen.emulate_media(color_scheme=scheme)
            assert barriers(seen, FRAMES) == [], scheme


def test_the_page_is_html_as_it_is_written_down(house: House) -> None:
    ann = house.at_home()
    pages = [ann.get(f"{ISSUE}{query}").get_data(as_text=True) for query in ("", "?find=a&as=markup")]
    assert complaints(pages, [*PAGE_ONLY, *OURS]) == [[], []]


def test_no_screen_is_too_small_and_none_too_large(chromium: Browser, house: House) -> None:
    with visited(chromium, house, "?find=a", java_script_enabled=False) as seen:
        for width in (320, 390, 768, 1024, 1440, 2560):
            seen.set_viewport_size(size(width))
            assert seen.evaluate("document.documentElement.scrollWidth") <= width


def test_each_pane_is_what_it_says(chromium: Browser, house: House) -> None:
    """By its width, its colours and what it loads; in a browser that itself is light."""
    with visited(chromium, house, viewport=size(1440)) as seen:
        dark = "matchMedia('(prefers-color-scheme: dark)').matches"
        found = {}
        for name in (
            "desktop",
            "phone",
            "dark",
            "off",
            "page",
            "slack-team",
            "slack-team-dark",
            "feed",
            "text",
        ):
            seen.locator(f"#pane-{name}").scroll_into_view_if_needed()
            handle = seen.locator(f"#pane-{name}").element_handle()
            shown = handle.content_frame()
            assert shown
            shown.wait_for_load_state()
            found[name] = (shown.evaluate(dark), shown.evaluate("innerWidth"))
        assert {name for name, (is_dark, _) in found.items() if is_dark} == {"dark", "slack-team-dark"}
        assert found["phone"][1] == 375
        assert found["desktop"][1] >= 640


def test_panes_and_severities_are_chosen_without_script_and_by_keys(chromium: Browser, house: House) -> None:
    with visited(chromium, house, viewport=size(1440), java_script_enabled=False) as seen:
        assert seen.locator(".pane:visible").count() == 9
        seen.locator("#show-all").focus()
        seen.keyboard.press("ArrowRight")
        assert seen.locator(".pane:visible h3").all_inner_texts() == ["Mail, desktop"]
        seen.locator("#only-all").focus()
        seen.keyboard.press("ArrowRight")
        severities = seen.locator(".findings .finding:visible .severity").all_inner_texts()
        assert severities
        assert {one.lower() for one in severities} == {"error"}
        assert seen.locator(".until").inner_text() == "in 1 day"


def test_a_small_screen_shows_the_desktop_s_mail_smaller_and_not_narrower(
    chromium: Browser, house: House
) -> None:
    with visited(chromium, house, java_script_enabled=False) as seen:
        shown = seen.locator("#pane-desktop").element_handle().content_frame()
        assert shown
        for width in (320, 360, 390, 480, 600, 700, 768, 1024, 1440):
            seen.set_viewport_size(size(width))
            pane, box = (seen.locator(one).bounding_box() for one in (".pane.desktop", "#pane-desktop"))
            assert pane
            assert box
            assert box["x"] + box["width"] <= pane["x"] + pane["width"], width
            assert shown.evaluate("innerWidth") >= 600, width


def test_on_a_phone_panes_are_a_list(chromium: Browser, house: House) -> None:
    with visited(chromium, house, viewport=size(390)) as seen:
        boxes = [one.bounding_box() for one in seen.locator(".pane").all()]
        tops = [box["y"] for box in boxes if box]
        assert len(tops) == 9
        assert tops == sorted(set(tops))


def test_everything_can_be_reached_by_keys_and_shows_that_it_is(chromium: Browser, house: House) -> None:
    with visited(chromium, house, viewport=size(1024)) as seen:
        reached = set()
        for _ in range(60):
            seen.keyboard.press("Tab")
            name, outline = seen.evaluate(FOCUS)
            assert outline != "none", name
            reached.add(name)
        assert {"verb=held", "find", "show-all", "pane-desktop"} <= reached


def test_a_link_in_a_pane_opens_a_tab_and_the_pane_stays(chromium: Browser, house: House) -> None:
    with visited(chromium, house, viewport=size(1440)) as seen:
        seen.context.route("https://example.org/**", lambda route: route.fulfill(body="there"))
        link = seen.frame_locator("#pane-desktop").locator('a[href="https://example.org/1"]').first
        with seen.context.expect_page() as opened:
            link.click()
        assert opened.value.url == "https://example.org/1"
        assert opened.value.evaluate("window.opener") is None
        assert seen.frame_locator("#pane-desktop").locator("h1").count() == 1


def test_what_is_chosen_and_where_one_is_stay_over_a_save(chromium: Browser, edited: House) -> None:
    with visited(chromium, edited, viewport=size(1440)) as seen:
        seen.check("#show-phone", force=True)
        pane = seen.locator("#pane-phone").element_handle().content_frame()
        assert pane
        pane.wait_for_load_state()
        pane.evaluate("scrollTo(0, 120)")
        file = edited.root / CONTENT
        file.write_text(file.read_text("utf-8").replace("An intro.", "Another intro."), "utf-8")
        edited.studio.changes.grow()
        seen.frame_locator("#pane-phone").get_by_text("Another intro.", exact=True).wait_for()
        assert seen.is_checked("#show-phone")
        shown = seen.locator("#pane-phone").element_handle().content_frame()
        assert shown
        shown.wait_for_function("scrollY === 120")
