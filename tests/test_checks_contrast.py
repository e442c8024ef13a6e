"""Whether words can be read: what the rule knows of colours, held against what Chromium computes."""

from collections.abc import Iterable, Mapping
from typing import Any

import pytest
from hypothesis import given, strategies as st
from lxml import html as lxml_html
from playwright.sync_api import Browser

from bot.checks import Flaw
from bot.checks._colours import Colour, contrast
from bot.checks._contrast import RULES, low_contrast
from bot.checks._looks import Scheme, looks
from tests.browser import shown
from tests.oracles.samples import THEMES, made
from tests.test_checks_mail import mail, page

DARK = '<meta name="color-scheme" content="light dark">'


def found(body: str, css: str = "", meta: str = "") -> list[str]:
    """The schemes in which something cannot be read, each as often as colours meet."""
    return schemes_of(flaws(body, css, meta))


def schemes_of(given_flaws: Iterable[Flaw]) -> list[str]:
    named = (flaw.message.partition(",")[0].removeprefix("in ") for flaw in given_flaws)
    return [scheme for names in named for scheme in names.split(" and ")]


def flaws(body: str, css: str = "", meta: str = "") -> list[Flaw]:
    return list(low_contrast(mail(page(head=f"<title>AI</title>{meta}<style>{css}</style>", body=body))))


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [("#000", "#fff", 21), ("#777", "#fff", 4.48), ("#767676", "#fff", 4.54), ("#fff", "#fff", 1)],
)
def test_contrast_is_that_of_wcag(one: str, other: str, expected: float) -> None:
    first, second = (
        looks(lxml_html.document_fromstring(f'<p style="color:{colour}">x</p>'), (), declares_dark=False)
        for colour in (one, other)
    )
    inks = [next(look[Scheme.LIGHT].ink for element, look in each.items() if element.tag == "p")
            for each in (first, second)]  # fmt: skip
    assert isinstance(inks[0], Colour)
    assert isinstance(inks[1], Colour)
    assert contrast(inks[0], inks[1]) == pytest.approx(expected, abs=0.01)


@pytest.mark.parametrize(
    ("body", "schemes"),
    [
        ('<p style="color:#767676">x</p>', []),
        ('<p style="color:#777">x</p>', ["light", "dark"]),
        ('<p style="color:#777;font-size:24px">x</p>', []),
        ('<p style="color:#777;font-size:23px">x</p>', ["light", "dark"]),
        ('<p style="color:#777;font-size:14pt"><b>x</b></p>', []),
        ('<p style="color:#777;font-size:14pt;font-weight:700">x</p>', []),
        ('<p style="color:#777;font:bold 19px/1.2 Arial">x</p>', []),
        ('<p style="color:#777;font:italic 19px Arial">x</p>', ["light", "dark"]),
        ('<div style="font-size:12px"><p style="color:#777;font-size:2em">x</p></div>', []),
        ('<h2 style="color:#777">x</h2>', []),
        ('<p style="color:#949494;font-size:30px">x</p>', []),
        ('<p style="color:#959595;font-size:30px">x</p>', ["light", "dark"]),
        ('<p style="color:#777"> · — </p>', []),
        ('<p style="color:#777"><img alt="x" src="https://e.org/a.png" width="9"></p>', []),
        ('<p style="color:#777;display:none">x</p>', []),
        ('<p style="color:#777"><i style="color:#000">x</i></p>', []),
        ('<p style="color:#777"><i style="color:#000">x</i>y</p>', ["light", "dark"]),
        ('<font color="#777777">x</font>', ["light", "dark"]),
        ('<table role="presentation"><tr><td bgcolor="#222222">x</td></tr></table>', ["light", "dark"]),
        ('<table role="presentation"><tr><td bgcolor="#222222" style="color:white">x</td></tr></table>', []),
        ('<p style="background:#222">x</p>', ["light", "dark"]),
        ('<p style="background:#222 url(a.png)">x</p>', []),
        ('<p style="background-color:#222;background-image:linear-gradient(red, blue)">x</p>', []),
        ('<div style="background:url(a.png)"><p style="background-color:#222">x</p></div>',
         ["light", "dark"]),
        ('<p style="background:#222;background-color:#fff">x</p>', []),
        ('<p style="background-color:#fff;background:none">x</p>', []),
        ('<p style="background-color:rgba(0, 0, 0, .9)">x</p>', ["light", "dark"]),
        ('<p style="background-color:rgba(0, 0, 0, .1)">x</p>', []),
        ('<p style="color:rgba(0, 0, 0, .1)">x</p>', []),
        ('<p style="color:var(--ink);background:#222">x</p>', []),
        ('<p style="opacity:.5;color:#777">x</p>', []),
        ('<p style="color:hsl(0, 0%, 47%)">x</p>', ["light", "dark"]),
        ('<p style="background-color:#333"><a href="https://e.org">x</a></p>', ["light"]),
        ('<p style="background-color:#333"><a href="https://e.org" style="color:inherit">x</a></p>',
         ["light", "dark"]),
        ('<p style="color:#fff !important;color:#000">x</p>', ["light", "dark"]),
    ],
)  # fmt: skip
def test_words_that_cannot_be_read_are_told(body: str, schemes: list[str]) -> None:
    assert found(body) == schemes


@pytest.mark.parametrize(
    ("css", "meta", "schemes"),
    [
        ("@media (prefers-color-scheme: dark) { p.a { color: #eee !important } }", "", ["dark"]),
        ("@media (prefers-color-scheme: dark) { p.a { color: #eee } }", "", []),  # the tag's own wins
        ("@media (prefers-color-scheme: dark) { p.a { color: #eee !important } }", DARK, []),
        ("@media only screen and (prefers-color-scheme: dark) { body { background: #111 } }", "",
         ["dark", "dark"]),
        ("@media (prefers-color-scheme: light) { p.a { color: #eee !important } }", "", ["light"]),
        ("@media (prefers-color-scheme: dark) and (max-width: 9px) { p.a { color: #eee !important } }", "",
         []),
        ("@media (max-width: 480px) { p.a { color: #eee !important } }", "", []),
        (":root { color-scheme: light dark }", "", ["dark"]),
        ("", DARK, ["dark"]),
        ("p.a { color: #eee !important }", "", ["light", "dark"]),
        ("p.b { color: #eee !important }", "", []),
        ("h1 + p.a { color: #eee !important }", "", ["light", "dark"]),
        ("h2 + p.a { color: #eee !important }", "", []),
        ("p.a:hover { color: #eee !important }", "", []),
        ("[data-ogsc] p.a { color: #333 !important } [data-ogsb] body { background: #222 !important }", "",
         ["the dark of Outlook.com"]),
        ("[data-ogsc] p.a { color: #333 !important }", "", []),
        ("[data-ogsc] p.a { color: #eee !important } [data-ogsb] body { background: #222 !important }", "",
         []),
    ],
)  # fmt: skip
def test_colours_of_the_dark_are_looked_at_in_the_dark(css: str, meta: str, schemes: list[str]) -> None:
    words = '<p class="a" style="color:#222">x</p>'
    whole = page(head=f"<title>AI</title>{meta}<style>{css}</style>", web="", out="", foot="", body=words)
    assert schemes_of(low_contrast(mail(whole))) == schemes


def test_nothing_is_said_of_what_outlook_recolours_by_itself() -> None:
    words = '<p class="a" style="color:#222;background-color:#fff">x</p>'
    assert found(words, "[data-ogsc] p.a { color: #eee !important }") == []
    both = "[data-ogsc] p.a { color: #eee !important } [data-ogsb] p.a { background: #ddd !important }"
    assert found(words, both) == ["the dark of Outlook.com"]


def test_colours_that_meet_often_are_told_once_with_their_words() -> None:
    (flaw,) = flaws('<h2 style="color:#777">Some  words</h2><p style="color:#777">More</p>')
    told = "in light and dark, 'Some words' is #777777 on #ffffff: contrast 4.4:1, where 4.5:1 is readable"
    assert flaw.message == told


def test_the_colour_is_found_in_the_theme() -> None:
    whole = page(body='<p style="color:#9a9a9a">x</p>')
    (flaw,) = low_contrast(mail(whole, own="{# #9a9a9a #}\n.a { color: #9a9a9a }"))
    assert flaw.place == "templates/themes/own.html.j2:2"


PIECES = (
    "color:", "background:", "background-color:", "font:", "font-size:", "opacity:", "#fff", "#12",
    "rgb(", "none", "lab(1 2 3)", "color(display-p3 1 0 0)", "hsl(none 9% 9%)", "transparent",
    "currentcolor", "inherit", "1e999px", "9em", "0", "150%", "calc(", "url(", ")", "(", ";", "{", "}",
    "p", "[data-ogsc] ", ":is(", " + ", "*", "/", ",", "@media (prefers-color-scheme: dark) {",
    "!important", "'", " ", "\\",
)  # fmt: skip


@given(*[st.lists(st.sampled_from(PIECES), max_size=9).map("".join)] * 2)
def test_any_style_is_looked_at(style: str, css: str) -> None:
    given_flaws = flaws(f'<div style="{style}"><p style="{css}">x</p></div>', css)
    assert all(flaw.fix for flaw in given_flaws)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_the_example_of_the_rule_is_found(rule: Any) -> None:
    assert list(rule.look(mail(page(body=rule.example))))
    assert rule.why
    assert rule.mend


@pytest.mark.parametrize("theme", THEMES)
def test_our_own_themes_can_be_read(theme: str) -> None:
    for sample in ("everything", "hebrew", "japanese"):
        assert list(low_contrast(mail(made(sample, theme).rendered.html))) == []


# -------------------------------------------------------------------------------------- against a browser

COMPUTED = """() => {
  const shown = [...document.querySelectorAll("body *")].filter((one) => one.checkVisibility());
  return shown.map((one) => {
    const style = getComputedStyle(one);
    let behind = one;
    const paints = () => getComputedStyle(behind).backgroundColor;
    while (behind && paints() === "rgba(0, 0, 0, 0)") behind = behind.parentElement;
    const size = Math.round(parseFloat(style.fontSize) * 10) / 10;
    return [one.tagName.toLowerCase(), style.color, behind ? paints() : "", size, style.fontWeight >= 600];
  });
}"""


UNSEEN = {"html", "body", "tbody", "br"}
"""Elements without words of their own, or that one of the two parsers adds."""


def as_css(colour: Colour) -> str:
    parts = (round(part * 255) for part in (colour.red, colour.green, colour.blue))
    return f"rgb({', '.join(map(str, parts))})"


def known(html: str, scheme: Scheme) -> list[tuple[str, str, str, float, bool]]:
    """What the rule takes each element that is shown for, in words of Chromium's."""
    whole = mail(html)
    found_looks: Mapping[Any, Any] = looks(whole.page, whole.head_styles, declares_dark=True)
    told = []
    for element, each in found_looks.items():
        look = each[scheme]
        if element not in whole.hidden and look.shown and element.tag not in UNSEEN:
            inks = [as_css(one) if one else "" for one in (look.ink, look.paper)]
            told.append((element.tag, *inks, round(look.size, 1), look.bold))
    return told


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("theme", THEMES)
def test_chromium_sees_the_same_colours(chromium: Browser, theme: str, scheme: Any) -> None:
    html = made("everything", theme).rendered.html
    with shown(chromium, html, scheme=scheme) as opened:
        computed = [tuple(one) for one in opened.evaluate(COMPUTED)]
    ours = known(html, Scheme(scheme))
    assert len(ours) > 50
    assert ours == [one for one in computed if one[0] not in UNSEEN]
