"""Headless Chromium as a judge of mail and pages: what a reader's program makes of them."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

import pytest
from playwright.sync_api import Browser, Page, Route, sync_playwright

QUIET = [
    "--no-sandbox",  # the tests may run as root
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

Scheme = Literal["light", "dark"]


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """Debian's Chromium; the test is skipped, saying so, where there is none."""
    if not (program := shutil.which("chromium")):
        pytest.skip("needs Chromium: apt-get install chromium")
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=program, args=QUIET)
        yield launched
        launched.close()


@contextmanager
def shown(chromium: Browser, html: str, width: int = 600, scheme: Scheme = "light") -> Iterator[Page]:
    """A page of its own with this HTML in it, as a reader with a screen of `width` px sees it.

    It is cut off from any network: a request that it makes fails the test.
    """
    context = chromium.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    asked: list[str] = []

    def refuse(route: Route) -> None:
        asked.append(route.request.url)
        route.abort()

    context.route("**/*", refuse)
    try:
        page = context.new_page()
        page.set_content(html, wait_until="load")
        yield page
    finally:
        context.close()
    assert not asked, f"the page fetched {asked}"
