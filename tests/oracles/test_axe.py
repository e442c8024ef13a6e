"""axe-core in Chromium: no theme keeps anybody from reading, in light and dark, on a phone and on a desk."""

from functools import cache
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.browser import Scheme, shown
from tests.node import HERE
from tests.oracles.samples import THEMES, made

SCHEMES: list[Scheme] = ["light", "dark"]
SEEN = [("everything", 600), ("hebrew", 375), ("edges", 320)]
"""Samples and their widths: every kind of block, both directions, both sides of the media rule."""
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
MAIL_ONLY = {
    "region": "a mail stands inside of a mail program's page, which has the landmarks; role=article is ours",
    "landmark-one-main": "likewise: a second <main> inside of the mail program's own would mislead",
}
"""Rules that are off for mail, each with its reason; a page has none."""


@cache
def axe() -> str:
    """axe-core's own script."""
    if not (file := HERE / "node_modules/axe-core/axe.min.js").is_file():
        pytest.skip("needs the packages of tests/node: npm ci there")
    return file.read_text("utf-8")


def barriers(page: Page, off: list[str]) -> list[str]:
    """What axe holds against a page, and what it could not decide: `rule: target: why`."""
    page.evaluate(axe())
    rules = {rule: {"enabled": False} for rule in off}
    found = judged(page, {"runOnly": {"type": "tag", "values": TAGS}, "rules": rules})
    if not any(one.startswith("color-contrast:") for one in found):
        return found
    others = [one for one in found if not one.startswith("color-contrast:")]
    return others + with_lines_apart(page)


def with_lines_apart(page: Page) -> list[str]:
    """Contrast alone, each line of words away from its neighbours.

    The letters of some fonts are higher than their line, and axe does not decide about colours where what
    stands beside might lie over them. Which fonts there are differs between machines; colours do not.
    """
    apart = page.add_style_tag(content="* { line-height: 2 !important; }")
    found = judged(page, {"runOnly": {"type": "rule", "values": ["color-contrast"]}})
    apart.evaluate("style => style.remove()")
    return found


def judged(page: Page, options: dict[str, Any]) -> list[str]:
    """What axe answers to one question."""
    every_word = {"color-contrast": {"options": {"ignoreLength": True}}}  # an entry's number as well
    told = {"checks": every_word, "resultTypes": ["violations", "incomplete"]}
    found = page.evaluate("options => axe.run(document, options)", {**options, **told})
    return [
        f"{rule['id']}: {node['target']}: {node.get('failureSummary', '')}"
        for kind in ("violations", "incomplete")
        for rule in found[kind]
        for node in rule["nodes"]
    ]


def in_both_schemes(chromium: Browser, html: str, width: int, off: list[str]) -> dict[str, list[str]]:
    """The barriers in light and in dark, where there are any."""
    found: dict[str, list[str]] = {}
    with shown(chromium, html, width) as page:
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme)
            found[scheme] = barriers(page, off)
    return {scheme: ones for scheme, ones in found.items() if ones}


@pytest.mark.parametrize("theme", THEMES)
def test_a_mail_has_no_barrier(chromium: Browser, theme: str) -> None:
    for sample, width in SEEN:
        found = in_both_schemes(chromium, made(sample, theme).html, width, list(MAIL_ONLY))
        assert found == {}, f"{sample} at {width}"


def test_a_page_has_no_barrier(chromium: Browser) -> None:
    for sample, width in SEEN:
        assert in_both_schemes(chromium, made(sample, THEMES[0]).rendered.page, width, []) == {}, sample


@pytest.mark.parametrize(
    ("old", "new", "rule"),
    [
        ("</h1>", '</h1><img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">', "image-alt"),
        ("</h1>", '</h1><p style="color:#999;background-color:#fff">Pale words</p>', "color-contrast"),
        ("</h1>", '</h1><p style="color:#999;background-color:#fff">7</p>', "color-contrast"),
        ("</h1>", '</h1><a href="https://example.org/"></a>', "link-name"),
        ("</h1>", "</h1><h5>Deep</h5>", "heading-order"),
        (' lang="', ' xlang="', "html-has-lang"),
        ("<title>", "<x-title>", "document-title"),
    ],
)
def test_a_planted_barrier_is_found(chromium: Browser, old: str, new: str, rule: str) -> None:
    page = made("everything", THEMES[0]).html
    assert old in page
    with shown(chromium, page.replace(old, new, 1)) as planted:
        assert rule in {one.split(":")[0] for one in barriers(planted, list(MAIL_ONLY))}


def test_words_that_are_pale_only_in_the_dark_are_found(chromium: Browser) -> None:
    dark = "<style>@media (prefers-color-scheme: dark) { h1 { color: #333 !important; } }</style>"
    page = made("everything", THEMES[0]).html.replace("</head>", f"{dark}</head>", 1)
    assert set(in_both_schemes(chromium, page, 375, list(MAIL_ONLY))) == {"dark"}
