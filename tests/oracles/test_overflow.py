"""No theme is wider than the screen it is read on, whatever stands in the issue."""

from collections.abc import Iterable

import pytest
from playwright.sync_api import Browser

from tests.browser import shown
from tests.oracles.samples import SAMPLES, THEMES, made

DOT = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"
WIDTHS = (320, 375, 600)
OUTSIDE = """() => {
    const width = document.documentElement.clientWidth;
    const outside = [...document.querySelectorAll("body *")].filter((element) => {
        const box = element.getBoundingClientRect();
        return box.width > 1 && box.height > 1 && (box.right > width + 1 || box.left < -1);
    });
    const wide = document.documentElement.scrollWidth > width ? ["the page scrolls sideways"] : [];
    return [...wide, ...outside.map((element) => element.outerHTML.slice(0, 80))];
}"""


def outside(chromium: Browser, htmls: Iterable[str]) -> list[dict[int, list[str]]]:
    """What lies beyond the screen's edges, for each HTML by the screen's width in px."""
    found: list[dict[int, list[str]]] = []
    with shown(chromium, "") as page:
        for html in htmls:
            page.set_content(html)
            beyond: dict[int, list[str]] = {}
            for width in WIDTHS:
                page.set_viewport_size({"width": width, "height": 900})
                beyond[width] = page.evaluate(OUTSIDE)
            found.append({width: elements for width, elements in beyond.items() if elements})
    return found


@pytest.mark.parametrize("theme", THEMES)
def test_nothing_of_a_mail_is_beyond_the_edge(chromium: Browser, theme: str) -> None:
    found = outside(chromium, (made(sample, theme).html for sample in SAMPLES))
    assert dict(zip(SAMPLES, found, strict=True)) == {sample: {} for sample in SAMPLES}


def test_nothing_of_a_page_is_beyond_the_edge(chromium: Browser) -> None:
    found = outside(chromium, (made(sample, THEMES[0]).rendered.page for sample in SAMPLES))
    assert dict(zip(SAMPLES, found, strict=True)) == {sample: {} for sample in SAMPLES}


@pytest.mark.parametrize(
    "fault",
    [
        '<div style="width:700px">Wide</div>',
        f'<p style="white-space:nowrap">{"word " * 200}</p>',
        f'<img alt="x" width="900" height="9" src="{DOT}">',
        f'<p style="word-break:normal;overflow-wrap:normal">{"x" * 300}</p>',
        '<p style="margin-left:-40px">Out on the left</p>',
    ],
)
def test_a_planted_overflow_is_found(chromium: Browser, fault: str) -> None:
    page = made("everything", THEMES[0]).html
    (found,) = outside(chromium, [page.replace("</h1>", f"</h1>{fault}", 1)])
    assert 320 in found
