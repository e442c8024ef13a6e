"""html-validate: each theme's mail and page is HTML without a fault, but for what mail programs ask for."""

from collections.abc import Sequence

import pytest

from tests.node import ask
from tests.oracles.samples import SAMPLES, THEMES, made

MAIL_ONLY = {
    "no-inline-style": "Gmail's apps and Outlook read little else than inline styles",
    "no-conditional-comment": "Outlook for Windows gets its ghost tables in them",
    "no-deprecated-attr": "Outlook for Windows reads width, align and bgcolor, and not always their CSS",
    "prefer-tbody": "a layout table has no head: <tbody> would be bytes that change nothing",
    "prefer-native-element": "Outlook for Windows does not know <article>; role says the same",
    "long-title": "a title is as long as its subject; 70 characters is a matter of search engines",
}
"""Rules that are off for mail, each with its reason."""
PAGE_ONLY = {"long-title": MAIL_ONLY["long-title"]}


def complaints(pages: Sequence[str], off: Sequence[str]) -> list[list[str]]:
    """What html-validate says of each page, with its recommended rules but for those that are off."""
    answer: list[list[str]] = ask(
        "html_validate.js", {"rules": dict.fromkeys(off, "off"), "pages": list(pages)}
    )
    return answer


@pytest.mark.parametrize("theme", THEMES)
def test_the_mail_is_valid(theme: str) -> None:
    found = complaints([made(sample, theme).html for sample in SAMPLES], list(MAIL_ONLY))
    assert dict(zip(SAMPLES, found, strict=True)) == {sample: [] for sample in SAMPLES}


def test_the_page_is_valid() -> None:
    found = complaints([made(sample, THEMES[0]).rendered.page for sample in SAMPLES], list(PAGE_ONLY))
    assert dict(zip(SAMPLES, found, strict=True)) == {sample: [] for sample in SAMPLES}


PLANTED = [
    ("</h1>", '</h1><img src="https://example.org/x.png">', "wcag/h37"),
    ("</h1>", "</h1><h1>Again</h1>", "heading-level"),
    ("</h1>", "</h1><h5>Deep</h5>", "heading-level"),
    ("</h1>", "</h1></p>", "close-order"),
    ("</h1>", "</h2>", "close-order"),
    ("</h1>", '</h1><b id="a"></b><b id="a"></b>', "no-dup-id"),
    ("<title>", "<title></title><title>", "element-permitted-occurrences"),
    (' lang="', ' xlang="', "element-required-attributes"),
]


def test_planted_faults_are_found() -> None:
    page = made("everything", THEMES[0]).html
    assert [old for old, _, _ in PLANTED if old not in page] == []
    found = complaints([page.replace(old, new, 1) for old, new, _ in PLANTED], list(MAIL_ONLY))
    for (_, new, rule), said in zip(PLANTED, found, strict=True):
        assert rule in {one.split(":")[0] for one in said}, new


def test_no_rule_is_off_that_could_be_on() -> None:
    """Each exception is used by some mail, or it is taken off the list."""
    found = complaints([made(sample, theme).html for theme in THEMES for sample in SAMPLES], [])
    used = {one.split(":")[0] for page in found for one in page}
    assert used == set(MAIL_ONLY)
