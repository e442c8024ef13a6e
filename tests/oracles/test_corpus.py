"""Real newsletters through every theme: 149 issues of four publications, and two that are far too long."""

import os
from dataclasses import replace
from pathlib import Path

import pytest
from lxml import html as lxml_html
from playwright.sync_api import Browser

from bot.checks import Mail, look
from bot.folding import longest
from bot.importing.form import in_our_form
from bot.importing.opening import source_of, text_of
from bot.links import issue_url
from bot.models import Entry, Finding, Issue, Reference, Section, errors_of
from bot.slots import Slots
from bot.sources import Given
from bot.text import Bullets, Paragraph, Text
from tests.oracles.samples import ADA, BASE_URL, TEMPLATES, THEMES, Made, issue_of, newsletter, set_in
from tests.oracles.test_axe import MAIL_ONLY as NO_BARRIER, in_both_schemes
from tests.oracles.test_html_validate import MAIL_ONLY as NO_FAULT, complaints
from tests.oracles.test_overflow import outside
from tests.oracles.test_parsers import agree, meant, readings

LANGUAGES = {"dair-ai": "en", "jser-info": "ja", "lwkd": "en", "swiftweekly": "en"}
CLIPPED = 102_000
"""Octets of HTML beyond which Gmail shows no more."""
SEEN = 8
"""So many of a theme's mails are looked at in Chromium."""


@pytest.fixture(scope="module")
def corpus(shared: Path) -> list[Issue]:
    """All issues there are, as `broadsheet import` reads them."""
    return [issue for name in LANGUAGES for file in _files(shared / "corpus" / name) for issue in _read(file)]


def _files(folder: Path) -> list[Path]:
    return sorted(file for file in folder.iterdir() if file.name != "SOURCE.txt")


def _read(file: Path) -> list[Issue]:
    text, given = text_of(file), Given(file.parent.name, file.name)
    _, source = source_of(file, text, None)
    founds = map(in_our_form, source.read(text, given).issues)
    return [found.issue(given, found.week) for found in founds if found.week]


def faults(html: str) -> list[str]:
    """What any mail must not have, seen by lxml: quick, for all of them."""
    tree = lxml_html.document_fromstring(html)
    levels = [int(one.tag[1]) for one in tree.iter("h1", "h2", "h3", "h4", "h5", "h6")]
    jumps = [pair for pair in zip([0, *levels], levels, strict=False) if pair[1] > pair[0] + 1]
    links = [link.get("href") or "" for link in tree.iter("a")]
    layout = [
        one for one in tree.iter("table") if one.find(".//th") is None and one.get("role") != "presentation"
    ]
    return [
        *(f"heading after h{before}: h{level}" for before, level in jumps),
        *(f"link: {url!r}" for url in links if not url.startswith(("https://", "http://", "mailto:"))),
        *("image without alt" for image in tree.iter("img") if image.get("alt") is None),
        *("image without width" for image in tree.iter("img") if not (image.get("width") or "").isdigit()),
        *("layout table without a role" for _ in layout),
        *(f"{levels.count(1)} first headings" for _ in [0] if levels.count(1) != 1),
        *(f"no {attribute}" for attribute in ("lang", "dir") if not tree.get(attribute)),
        *("no way to leave" for _ in [0] if f"{BASE_URL}/u/{ADA.token}" not in links),
        *("a slot is left" for _ in [0] if "u.invalid" in html),
    ]


def judged(mails: list[Made]) -> None:
    """All of them by the quick judges, the product's own rules among them."""
    for one, found in zip(mails, readings([one.mail for one in mails]), strict=True):
        assert faults(one.html) == [], one.issue.key
        assert len(one.html.encode()) < CLIPPED, one.issue.key
        assert list(errors_of(found_in(one))) == [], one.issue.key
        agree(found, meant(one, ADA))


def found_in(one: Made) -> list[Finding]:
    """What the product's own rules about mail say."""
    web_url = issue_url(BASE_URL, one.issue.newsletter, one.issue.week, several=False)
    size = longest(one.rendered.html, Slots(one.rendered.nonce), BASE_URL)
    sources = TEMPLATES.sources([f"themes/{one.newsletter.theme}.html.j2"])
    return look(Mail(one.issue, one.newsletter, one.rendered, web_url, size, sources))


def share(corpus: list[Issue], theme: str) -> list[Issue]:
    """What a theme is tried on: of the one long, uniform archive its part, and all of the others.

    With EVERY=1 in the environment, each issue is tried in each theme; that takes three times as long.
    """
    if os.environ.get("EVERY"):
        return corpus
    archive = [issue for issue in corpus if issue.newsletter == "dair-ai"]
    others = [issue for issue in corpus if issue.newsletter != "dair-ai"]
    return [*archive[THEMES.index(theme) :: len(THEMES)], *others]


@pytest.mark.timeout(300)  # some twenty seconds alone, and more where many work
@pytest.mark.parametrize("theme", THEMES)
def test_real_newsletters_are_right_in_every_theme(
    chromium: Browser, corpus: list[Issue], theme: str
) -> None:
    issues = share(corpus, theme)
    mails = [set_in(issue, newsletter(theme, LANGUAGES[issue.newsletter])) for issue in issues]
    judged(mails)
    third = [one.html for one in mails[::3]]
    assert [found for found in complaints(third, list(NO_FAULT)) if found] == []
    by_length = sorted(mails, key=lambda one: -len(one.html))
    seen = [*by_length[:2], *mails[:: len(mails) // (SEEN - 2)]]
    beyond = outside(chromium, (one.html for one in seen))
    assert {one.issue.key: edges for one, edges in zip(seen, beyond, strict=True) if edges} == {}
    assert in_both_schemes(chromium, by_length[0].html, 375, list(NO_BARRIER)) == {}


def test_there_are_as_many_as_there_were(corpus: list[Issue]) -> None:
    assert len(corpus) == 130 + 13 + 3 + 3


def endless(entries: int, points: int) -> Issue:
    """An issue of so many entries with so many points each."""
    words = Paragraph(
        (Text("A point of a list that goes on and on, with words to make a line or two of it."),)
    )
    link = (Reference("Paper", "https://example.org/paper"),)
    made_up = tuple(Entry(f"No. {n}", link, (Bullets(((words,),) * points),)) for n in range(entries))
    return replace(issue_of("everything"), sections=(Section(None, made_up),))


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize(("entries", "points"), [(1, 800), (50, 20)])
def test_an_issue_without_end_is_folded_before_gmail_clips_it(theme: str, entries: int, points: int) -> None:
    made = set_in(endless(entries, points), newsletter(theme))
    assert faults(made.html) == []
    assert 0 < made.rendered.folded <= entries
    assert len(made.html.encode()) < CLIPPED
    assert {one.rule for one in found_in(made)} == {"mail.folded"}
    assert made.text.count("A point of a list") == entries * points


def test_an_issue_that_cannot_fold_is_an_error_before_anything_is_sent() -> None:
    made = set_in(endless(entries=800, points=1), newsletter())
    assert "mail.html-size" in {one.rule for one in errors_of(found_in(made))}


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("</h1>", "</h1><h4>Deep</h4>", "heading after h1: h4"),
        ("</h1>", "</h1><h1>Again</h1>", "2 first headings"),
        ("</h1>", '</h1><a href="/x">x</a>', "link: '/x'"),
        ("</h1>", '</h1><img src="x.png">', "image without alt"),
        ("</h1>", "</h1><table><tr><td>x</td></tr></table>", "layout table without a role"),
        (' dir="', ' xdir="', "no dir"),
        (f"{BASE_URL}/u/", "https://example.org/", "no way to leave"),
        ("</h1>", "</h1>u.invalid", "a slot is left"),
    ],
)
def test_a_planted_fault_is_found(old: str, new: str, said: str) -> None:
    page = set_in(issue_of("everything"), newsletter()).html
    assert faults(page) == []
    assert said in faults(page.replace(old, new, 1))
