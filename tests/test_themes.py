"""Every theme passes every line of the checklist, whatever the issue: as HTML, and as Chromium shows it."""

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial

import pytest
from playwright.sync_api import Browser

from bot.markup import parse_blocks
from bot.models import Entry, Issue, Reference, Section, Week
from bot.templates import shipped
from bot.text import Paragraph, Text
from tests.browser import Scheme, shown
from tests.checklist import CHECKS, Mail, faults, words
from tests.oracles.samples import (
    FILES,
    SAMPLES,
    THEMES,
    Made,
    issue_of,
    made as sample_in,
    newsletter,
    set_in,
)
from tests.oracles.test_overflow import outside

# ------------------------------------------------------------------------------------------------- issues

LONG = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft"
ADDRESS = "https://example.org/" + "a-long-path/" * 20 + "?q=" + "x" * 150
HOSTILE = f"""\
{LONG * 3}, [{ADDRESS}]({ADDRESS}) and `{"code_without_a_break" * 10}`. {"a" * 400}

- {LONG * 2}
  - `{"x" * 200}`
    1. {LONG * 2}
- עברית בתוך רשימה באנגלית

> {LONG}
>
> > {LONG}

| {" | ".join(f"Column{n}" for n in range(9))} |
{"|---" * 9}|
| {" | ".join("z" * 5 * n for n in range(1, 10))} |

```
{"def f(argument_one, argument_two): " * 4}
```

### {LONG * 2}

פסקה בעברית עם English באמצע.
"""


def hostile() -> Issue:
    """Words, addresses, code and a table all wider than a phone, and both directions in one text."""
    blocks = parse_blocks(HOSTILE)
    links = (Reference(LONG, ADDRESS), Reference(LONG, ADDRESS))
    entries = (Entry(LONG * 2, links, blocks), Entry("c" * 150, (), blocks))
    parts = (Section(None, entries), Section(LONG * 2, entries))
    return Issue("ai-papers", Week(2025, 17), LONG * 2, parts, intro=blocks, preheader=LONG * 3)


def huge() -> Issue:
    """Four sample issues in one, which Gmail shows only when it is folded."""
    whole = issue_of("sample")
    return replace(whole, sections=(Section(None, whole.entries * 3), Section("More", whole.entries)))


def bare() -> Issue:
    """As little as an issue can be."""
    lead = (Paragraph((Text("A lead."),)),)
    return Issue("ai-papers", Week(2025, 17), "Bare", (Section(None, (Entry("A title", blocks=lead),)),))


ISSUES: dict[str, tuple[str, Callable[[], Issue]]] = {
    **{name: (FILES[name][0], partial(issue_of, name)) for name in SAMPLES},
    "hostile": ("de", hostile),
    "hostile from right to left": ("ar", hostile),
    "in a language of which no words are known": ("eu", bare),
    "huge": ("en", huge),
}
"""The newsletter's language and the issue, by what is meant by it."""


@cache
def made(name: str, theme: str) -> Made:
    if name in SAMPLES:
        return sample_in(name, theme)  # the oracles' own: composed once for all of them
    language, issue = ISSUES[name]
    return set_in(issue(), newsletter(theme, language))


# ---------------------------------------------------------------------------------------------- as HTML


@cache
def mail_of(name: str, theme: str) -> Mail:
    one = made(name, theme)
    return Mail(one.html.replace("\r\n", "\n"), one.text, ISSUES[name][0])


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("name", ISSUES)
def test_every_line_of_the_checklist_holds(name: str, theme: str) -> None:
    assert faults(mail_of(name, theme)) == {}


PLANTED = {
    "1 the doctype comes first, in capitals": ("<!DOCTYPE html>", "<!doctype html>"),
    "2 language, direction, namespaces, charset, viewport and title": (' lang="en"', ""),
    "3 programs are asked to leave size, numbers and colours alone": ("x-apple-disable-message", "x-apple"),
    "4 Outlook is told its resolution, in its own spelling": ("<o:PixelsPerInch>", "<o:pixelsperinch>"),
    "5 rules that stay override what is inline": (
        "text-decoration: none !important",
        "text-decoration: none",
    ),
    "6 the mail is an article, with its name, language and direction": ('role="article"', 'role="main"'),
    "7 the preheader comes first, is hidden, and nothing leaks into it or from it": ("mso-hide:", "hide:"),
    "8 tables of the layout say so, and tables of data have heads": (' scope="col"', ""),
    "9 one column of 600 px, in Outlook too": ("max-width:600px", "max-width:640px"),
    "10 images say what they show, and how wide they are": ("</h1>", '</h1><img src="https://x.org/a.png">'),
    "11 links lead somewhere, have words, and can be told from what stands around them": (
        ">Tweet<",
        ">here<",
    ),
    "12 letters are large enough, lines loose enough": ("font-size:14px", "font-size:13px"),
    "14 one h1, no level skipped, margins said at each": ("</h1>", "</h1><h4 style='margin:0'>Deep</h4>"),
    "15 each list of faces ends in a kind, and Outlook is given one it has": (", sans-serif", ""),
    "16 nothing that programs refuse": ("</h1>", "</h1><form></form>"),
    "17 the way out, the postal address, and the web page before all else": ("Town", "City"),
    "18 no control characters, no letters in pieces, no lines that relays break": ("</h1>", "\x85</h1>"),
    "dark: two ways to say it, nothing pure, colour and ground together": ("[data-ogsb]", "[ogsb]"),
    "directions: a text of its own finds its own": ('<li dir="auto"', "<li"),
    "buttons can be pressed anywhere, and say their words once": ("mso-padding-alt", "padding-alt"),
    "Gmail shows it to its end": ("</h1>", "</h1>" + "words " * 20_000),
}
"""A fault for each line of the checklist, as something replaced by something."""


@pytest.mark.parametrize("line", CHECKS)
def test_a_planted_fault_is_found(line: str) -> None:
    mail = mail_of("everything", "magazine")
    old, new = PLANTED[line]
    assert old in mail.html
    assert line in faults(replace(mail, html=mail.html.replace(old, new)))


def test_themes_do_not_look_alike() -> None:
    grounds = {mail_of("everything", theme).html.partition("background-color:")[2][:7] for theme in THEMES}
    assert len(grounds) == len(THEMES) >= 3


def test_words_of_the_mail_itself_are_in_the_newsletters_language_or_say_which_they_are_in() -> None:
    assert "לקריאה באתר" in mail_of("hebrew", "plain").html
    assert "ウェブで読む" in mail_of("japanese", "plain").html
    assert "在网页上阅读" in mail_of("chinese", "plain").html
    unknown = mail_of("in a language of which no words are known", "plain")
    english = [one for one in unknown.all("//a") if one.text == "Read on the web"]
    assert {one.xpath("string(ancestor::*[@lang][1]/@lang)") for one in english} == {"en"}


LANGUAGES = re.findall(r'^  "([a-z-]+)": \{', (shipped() / "email/words.j2").read_text("utf-8"), re.MULTILINE)


@pytest.mark.parametrize("language", [*LANGUAGES, "zh-TW", "zh-CN", "pt-BR", "de-CH"])
def test_a_language_has_all_the_words_of_a_mail(language: str) -> None:
    made = set_in(bare(), newsletter("magazine", language))
    (foot,) = Mail(made.html, made.text, language).all("//td[@class='foot']")
    for said in (words(foot), made.text):
        assert "ada@example.org" in said
        assert "AI Papers of the Week" in said
        assert "|" not in said
    english = ("Read on the web" in made.html, "Unsubscribe" in made.html, "Unsubscribe" in made.text)
    assert english == (language == "en",) * 3


@pytest.mark.parametrize(
    ("tag", "words_of"), [("zh-TW", "zh-hant"), ("zh-CN", "zh"), ("pt-BR", "pt"), ("iw", "he")]
)
def test_a_tag_finds_the_words_of_its_language(tag: str, words_of: str) -> None:
    one, other = (set_in(bare(), newsletter("plain", language)).text for language in (tag, words_of))
    assert one.partition("\n--\n")[2].split("/u/")[0] == other.partition("\n--\n")[2].split("/u/")[0]


def test_the_readme_of_templates_names_every_theme_and_block_there_is() -> None:
    told = (shipped() / "README.md").read_text("utf-8").partition("## Themes")[2].partition("## Slack")[0]
    rows = set(re.findall(r"^\| `([^`]+)`", told, re.MULTILINE))
    skeleton = (shipped() / "email/skeleton.html.j2").read_text("utf-8")
    parts = (shipped() / "email/parts.html.j2").read_text("utf-8")
    assert set(THEMES) <= rows
    assert set(re.findall(r"\{% block (\w+)", skeleton)) <= rows
    macros = {f"part.{one}" for one in re.findall(r"\{% macro ([^%]+\)) %\}", parts)}
    assert {one.replace(', lang=""', ", lang") for one in macros if "rules" not in one} <= rows


# ------------------------------------------------------------------------------------ as Chromium shows it

PALE = """() => {
    const parsed = (colour) => {
        const [r, g, b, alpha = 1] = colour.match(/[0-9.]+/g).map(Number);
        return { channels: [r, g, b], alpha };
    };
    const over = (top, below) =>
        top.channels.map((channel, at) => channel * top.alpha + below[at] * (1 - top.alpha));
    const ground = (element) => {
        if (!element) return [255, 255, 255];
        const own = parsed(getComputedStyle(element).backgroundColor);
        return own.alpha === 1 ? own.channels : over(own, ground(element.parentElement));
    };
    const luminance = (channels) => {
        const [r, g, b] = channels.map((channel) => channel / 255).map(
            (one) => (one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const contrast = (one, other) => {
        const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
        return (light + 0.05) / (dark + 0.05);
    };
    const nodes = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const pale = [];
    while (nodes.nextNode()) {
        const element = nodes.currentNode.parentElement;
        if (!nodes.currentNode.data.trim() || !element.checkVisibility()) continue;
        if (element.closest("style, .preheader")) continue;
        const below = ground(element);
        const ratio = contrast(over(parsed(getComputedStyle(element).color), below), below);
        if (ratio < 4.5) pale.push(`${ratio.toFixed(2)}: ${element.outerHTML.slice(0, 80)}`);
    }
    return pale;
}"""
"""Every text with less than 4.5:1 against what is really behind it."""
MARKED = """(selector) => document.querySelectorAll(selector).forEach((element) => {
    if (element.style.color) element.setAttribute("data-ogsc", "");
    if (element.style.backgroundColor) element.setAttribute("data-ogsb", "");
})"""
"""What Outlook.com does to elements that it recolours."""
BARE = """() => document.querySelectorAll("style").forEach((sheet) => sheet.remove())"""
"""What Gmail does to mail of other accounts."""
PROGRAMS: dict[str, tuple[Scheme, str, str | None]] = {
    "light": ("light", "() => {}", None),
    "dark": ("dark", "() => {}", None),
    "Outlook.com in the dark": ("light", MARKED, "[style]"),
    "Outlook.com, which marked the outermost alone": ("light", MARKED, "[role=article]"),
    "without any stylesheet": ("light", BARE, None),
}


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("program", PROGRAMS)
def test_every_word_stands_out_from_its_ground(chromium: Browser, theme: str, program: str) -> None:
    scheme, script, argument = PROGRAMS[program]
    with shown(chromium, "", 600, scheme) as page:
        for name in ("everything", "hebrew", "hostile", "huge"):
            page.set_content(mail_of(name, theme).html)
            page.evaluate(script, argument)
            assert page.evaluate(PALE) == [], name


@pytest.mark.parametrize("program", PROGRAMS)
def test_pale_words_are_found(chromium: Browser, program: str) -> None:
    scheme, script, argument = PROGRAMS[program]
    pale = '</h1><p style="color:#777777;background-color:#7f7f7f">Pale</p>'
    with shown(chromium, mail_of("everything", "plain").html.replace("</h1>", pale), 600, scheme) as page:
        page.evaluate(script, argument)
        assert any("Pale" in one for one in page.evaluate(PALE))


@pytest.mark.parametrize("theme", THEMES)
def test_no_mail_is_wider_than_its_screen(chromium: Browser, theme: str) -> None:
    names = ("hostile", "hostile from right to left", "huge")
    found = outside(chromium, (mail_of(name, theme).html for name in names))
    assert dict(zip(names, found, strict=True)) == {name: {} for name in names}


@pytest.mark.parametrize("theme", THEMES)
def test_a_newsletter_from_right_to_left_is_the_mirror_of_one_from_left_to_right(
    chromium: Browser, theme: str
) -> None:
    """The same words: what was at the left edge by so much is at the right one, to the pixel."""
    lines = {language: edges(chromium, theme, language) for language in ("en", "he")}
    mirrored = [(600 - right, 600 - left) for left, right in lines["he"]]
    assert len(mirrored) > 4
    assert mirrored == lines["en"]


EDGES = """() => [...document.querySelectorAll("td:not(.button)")].map((cell) => {
    const box = cell.getBoundingClientRect(), style = getComputedStyle(cell);
    return [Math.round(box.left + parseFloat(style.paddingLeft)),
            Math.round(box.right - parseFloat(style.paddingRight))];
})"""
"""Where the content of each cell begins and ends."""


def edges(chromium: Browser, theme: str, language: str) -> list[tuple[int, int]]:
    paper = newsletter(theme, language, title="42", tagline="42", greeting="", postal_address="42")
    html = set_in(bare(), paper).html
    with shown(chromium, html, 600) as page:
        return [(left, right) for left, right in page.evaluate(EDGES)]


def test_a_face_for_each_button_is_large_enough_for_a_thumb(chromium: Browser) -> None:
    for theme in THEMES:
        with shown(chromium, mail_of("everything", theme).html, 320) as page:
            for box in (one.bounding_box() for one in page.locator(".button a").all()):
                assert box
                assert box["height"] >= 44
