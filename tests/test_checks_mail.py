"""What is found in an issue as it would be mailed: for each rule a hit and a near miss."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import example, given, strategies as st

from bot.checks import Mail, look
from bot.checks._sizes import CLIPPED
from bot.checks._styles import STYLES
from bot.checks._stylesheet import Statement, declarations, statements
from bot.models import Entry, Finding, Issue, Reference, Rendered, Section, Severity, Week
from bot.plugins import Options
from bot.settings import Newsletter
from bot.slots import Slots
from bot.text import Link, Paragraph, Text

NEWSLETTER = Newsletter.model_validate(
    {
        "name": "ai-papers",
        "title": "AI Papers",
        "sender": "AI Papers <papers@letters.org>",
        "list_id": "ai-papers.letters.org",
        "postal_address": "AI Papers\n1 Example Street",
        "theme": "own",
        "channels": {"readers": Options(kind="email")},
        "schedule": {"day": "fri", "at": "09:00", "zone": "Europe/Berlin"},
    }
)
LONG = (Paragraph((Text("Words."),)), Paragraph((Text("word " * 200),)))
"""Blocks that are worth folding: a lead, and more than a link takes."""
LINKED = Paragraph((Link("https://example.org/in-two", (Text("x"),)),))
ENTRIES = tuple(
    Entry(title, (Reference("Paper", f"https://example.org/{title}"),), blocks, place=f"content/a.md:{line}")
    for line, title, blocks in ((8, "One", LONG), (12, "Two", (*LONG, LINKED)), (16, "Three", LONG[:1]))
)
ISSUE = Issue(
    "ai-papers",
    Week(2025, 17),
    "AI Papers",
    (Section(None, ENTRIES),),
    intro=(Paragraph((Link("https://example.org/intro", (Text("x"),)),)),),
    place="content/a.md:1",
)
SLOTS = Slots("0123456789abcdef")
WEB = "https://letters.org/issues/2025-W17"
LINES = {
    "head": "<title>AI Papers</title>",
    "web": f'<a href="{WEB}">Read on the web</a>',
    "h1": "<h1>AI Papers</h1>",
    "body": "",
    "out": f'<a href="{SLOTS.unsubscribe}">Unsubscribe</a>',
    "foot": "<p>AI Papers<br>1 Example <b>Street</b></p>",
}


def page(html: str = '<html lang="en" dir="ltr">', **lines: str) -> str:
    """A mail that is in order, but for what a test says."""
    head, *body = {**LINES, **lines}.values()
    return f"<!DOCTYPE html>{html}<head>{head}</head><body>{''.join(body)}</body></html>"


def mail(html: str | None = None, *sheets: str, folded: int = 0, **sources: str) -> Mail:
    """A mail with a text part that says what its HTML shows."""
    html = page() if html is None else html
    rendered = Rendered("Subject", "AI Papers", html, "", "", SLOTS.nonce, folded, sheets)
    named = {f"themes/{name}.html.j2": source for name, source in sources.items()}
    made = Mail(ISSUE, NEWSLETTER, rendered, WEB, len(html.encode()), named)
    links = (url for link in made.tags("a") if (url := str(link.get("href"))).startswith("http"))
    return replace(made, rendered=replace(rendered, text="\n".join((made.words, *links))))


def found(html: str | None = None, *sheets: str, folded: int = 0) -> list[str]:
    """What is found, but for colours: see tests/test_checks_contrast.py."""
    return [told(one) for one in look(mail(html, *sheets, folded=folded)) if one.rule != "mail.contrast"]


def told(finding: Finding) -> str:
    """`image-alt`, or `image-alt hint` where it is no error."""
    name = finding.rule.removeprefix("mail.")
    return name if finding.severity is Severity.ERROR else f"{name} {finding.severity}"


def test_a_mail_that_is_in_order_has_no_findings() -> None:
    assert found() == []


# ------------------------------------------------------------------------------------------- stylesheets


@pytest.mark.parametrize(
    ("sheet", "rules"),
    [
        ("@import url(https://example.org/a.css);", ["css-import"]),
        ('@IMPORT "a.css"', ["css-import"]),
        ("/* @import url(a.css); */ p { content: '@import' }", []),
        ("p { & b { color: var(--ink) } } h1:is(.a) { color: rgb(0 0 0) }", []),
    ],
)
def test_of_what_was_written_only_an_import_is_lost_before_it_goes_out(sheet: str, rules: list[str]) -> None:
    assert found(None, sheet) == rules


@pytest.mark.parametrize(
    ("css", "rules"),
    [
        ("p { color: rgb(0 0 0 / 50%) }", ["css-gmail"]),
        ("p { color: RGBA(0 0 0 / var(--a)) }", ["css-gmail", "css-variable warning"]),
        ("p { color: hsl(120deg 75% 25%) }", ["css-gmail"]),
        ("p { color: oklch(40% 0.2 20) }", ["css-gmail"]),
        ("p { color: rgb(0, 0, 0, 50%); background: rgba( 0 , 0 , 0 , .5 ) }", []),
        ("p { color: rgb(calc(1 + 2), 0, 0) }", []),
        ("p { color: #000; content: 'rgb(0 0 0)' } p.hwb[title='rgb(0 0 0)'] { color: #000 }", []),
        ("@media screen { @font-face { font-family: X } }", ["css-gmail"]),
        ("@media screen { @media (max-width: 9px) { p { color: red } } }", ["css-gmail"]),
        ("@media screen { p { color: red } } @font-face { font-family: X }", []),
        ("p { & b { color: red } }", ["css-gmail warning"]),
        ("p { @media screen { color: red } }", ["css-gmail warning"]),
        ("@media screen { p { color: red } b { color: red } }", []),
        ("@keyframes a { from { top: 0 } 50.5% { top: 1px } }", []),
        ("@media (min-height: 400px) { p { color: red } }", ["css-gmail warning"]),
        ("@media (400px < height) { p { color: red } }", ["css-gmail warning"]),
        ("@media (max-width: 400px) { p { line-height: 1; max-height: 2px } }", []),
        ("h1:is(.a, .b) { color: red }", ["css-gmail warning"]),
        ("p:not(:first-child) { color: red }", ["css-gmail warning"]),
        ("li:nth-child(2) { color: red }", ["css-gmail warning"]),
        ("a:hover, [data-ogsc] p, u + .body a, .sm\\:is\\(x { color: red }", []),
        ("@media screen { p { color: var(--ink) } }", ["css-variable warning"]),
        (":root { --ink: #000 }", []),
        (f"p {{ color: red }} /*{'x' * STYLES}*/", ["style-size"]),
        (f"p {{ color: red }} /*{'x' * (STYLES - 22 - 1000)}*/", ["style-size hint"]),
        (f"p {{ color: red }} /*{'x' * (STYLES - 22 - 1700)}*/", []),
    ],
)
def test_what_mail_programs_lose_of_the_styles_that_go_out_is_told(css: str, rules: list[str]) -> None:
    assert found(page(head=f"<title>AI</title><style>{css}</style>")) == rules


def test_a_message_does_not_repeat_a_whole_stylesheet() -> None:
    css = f"@import '{'a' * 9000}'; .{'b' * 9000} {{ p {{ top: 0 }} }} .{'c' * 9000}:is(p) {{ top: 0 }}"
    findings = look(mail(page(head=f"<title>AI</title><style>{css}</style>")))
    findings = [one for one in findings if one.rule.startswith("mail.css")]
    assert len(findings) == 3
    assert all(len(str(finding)) < 400 for finding in findings)


@pytest.mark.parametrize(
    ("style", "rules"),
    [
        ("color: var(--ink)", ["css-variable"]),
        ("color: var( --ink, #000 )", ["css-variable"]),
        ("color: rgb(0 0 0)", ["css-gmail"]),
        ("color: rgb(0, 0, 0); content: 'var(--x'", []),
    ],
)
def test_what_gmail_drops_of_a_style_attribute_is_told(style: str, rules: list[str]) -> None:
    assert found(page(body=f'<p style="{style}">x</p>')) == rules


# ------------------------------------------------------------------------------------------- the page


@pytest.mark.parametrize(
    ("body", "rules"),
    [
        ('<img src="https://example.org/a.png" width="9" alt="">', []),
        ('<img src="https://example.org/a.png" width="9" alt>', []),
        ('<img src="https://example.org/a.png" width="9">', ["image-alt warning"]),
        ('<img src="https://example.org/a.png" alt="">', ["image-width warning"]),
        ('<img src="https://example.org/a.png" alt="" width="9px">', ["image-width warning"]),
        ('<img src="https://example.org/a.png" alt="" style="width: 9px">', ["image-width warning"]),
        ('<img src="https://example.org/a.png" alt="" width="100%">', []),
        ('<img src="cid:a" alt="" width="9">', []),
        ('<img src="/a.png" alt="" width="9">', ["image-source"]),
        ('<img src="//example.org/a.png" alt="" width="9">', ["image-source"]),
        ('<img src="data:image/png;base64,aaaa" alt="" width="9">', ["image-source"]),
        ('<img alt="" width="9">', ["image-source"]),
        ('<!--[if mso]><img src="/a.png"><![endif]-->', []),
        ("<script>x</script>", ["active-content"]),
        ('<form action="https://example.org"><input name="q"></form>', ["active-content"] * 2),
        ('<iframe src="https://example.org"></iframe>', ["active-content"]),
        ('<p onclick="x()">x</p>', ["active-content"]),
        ('<p one="x()">x</p>', []),
        ('<a href="https://example.org">x</a><a href="mailto:a@example.org">x</a><a href="#top">x</a>', []),
        ('<a name="here"></a>', []),
        ('<a href="/issues">x</a>', ["link"]),
        ('<a href="javascript:x()">x</a>', ["link"]),
        ('<a href=" data:text/html,x">x</a>', ["link"]),
        ('<a href="">x</a>', ["link"]),
        ('<a href="{{ web_url }}">x</a>', ["link"]),
        ('<a href="https://example.org"> &nbsp; </a>', ["link-text warning"]),
        ('<a href="https://example.org"><img src="https://e.org/a" alt="" width="9"></a>',
         ["link-text warning"]),
        ('<a href="https://example.org"><img src="https://e.org/a" alt="Logo" width="9"></a>', []),
        ('<a href="https://example.org" aria-label="Logo"></a>', []),
        ('<div style="display: none"><a href="https://example.org"></a></div>', []),
        ("<h2>a</h2><h3>b</h3><h2>c</h2>", []),
        ("<h3>a</h3>", ["heading-order warning"]),
        ("<h2>a</h2><h4>b</h4>", ["heading-order warning"]),
        ("<h1>a</h1>", ["heading-order warning"]),
        ("<table><tr><td>x</td></tr></table>", ["layout-table warning"]),
        ('<table role="presentation"><tr><td>x</td></tr></table>', []),
        ("<table><tr><th>x</th></tr></table>", []),
    ],
)  # fmt: skip
def test_what_does_not_work_in_mail_is_told(body: str, rules: list[str]) -> None:
    assert found(page(body=body)) == rules


@pytest.mark.parametrize(
    ("html", "rules"),
    [
        (page("<html dir=ltr>"), ["language warning"]),
        (page('<html lang=" " dir="ltr">'), ["language warning"]),
        (page('<html lang="en">'), ["language warning"]),
        (page(head=""), ["title warning"]),
        (page(head="<title> </title>"), ["title warning"]),
        (page(head='<title>AI</title><base href="https://example.org">'), ["active-content"]),
        (page(head='<title>AI</title><link rel="StyleSheet" href="a.css">'), ["active-content"]),
        (page(head='<title>AI</title><link rel="icon" href="https://example.org/a">'), []),
        (page(head='<title>AI</title><meta http-equiv="Refresh" content="0">'), ["active-content"]),
        (page(out=""), ["unsubscribe"]),
        (page(out='<a href="https://letters.org/u/x">Unsubscribe</a>'), ["unsubscribe"]),
        (page(out=f'<p hidden><a href="{SLOTS.unsubscribe}">Unsubscribe</a></p>'), ["unsubscribe"]),
        (page(out=f'<p>Go: <a href="{SLOTS.unsubscribe}"><b>away</b></a></p>'), []),
        (page(foot="<p>AI Papers, 1 Example Street</p>"), []),
        (page(foot="<p>AI PAPERS 1 EXAMPLE STREET</p>"), []),
        (page(foot="<p>AI Papers<br>2 Example Street</p>"), ["postal-address warning"]),
        (page(foot='<p>AI Papers<br>1 <i style="display:none">Example</i> Street</p>'),
         ["postal-address warning"]),
        (page(foot='<p>AI Papers<br>1 <i style="display:none">or 2</i> Example<!-- x --> Street</p>'), []),
        (page(web=""), ["web-version warning"]),
        (page(web='<a href="https://letters.org/">All issues</a>'), ["web-version warning"]),
        (page(h1=""), ["heading-order warning"]),
    ],
)  # fmt: skip
def test_what_a_mail_must_have_is_missed(html: str, rules: list[str]) -> None:
    assert found(html) == rules


def filled_to(size: int) -> str:
    """A page of so many bytes."""
    return page(body="é" * ((size - len(page())) // 2) + "x" * ((size - len(page())) % 2))


@pytest.mark.parametrize(
    ("size", "folded", "rules"),
    [
        (80_000, 0, []),
        (80_001, 0, ["html-size warning"]),
        (CLIPPED, 0, ["html-size warning"]),
        (CLIPPED, 2, ["folded warning"]),
        (CLIPPED + 1, 0, ["html-size"]),
        (CLIPPED + 1, 3, ["html-size", "folded warning"]),
    ],
)
def test_what_gmail_would_cut_is_told(size: int, folded: int, rules: list[str]) -> None:
    html = filled_to(size)
    assert len(html.encode()) == size
    assert found(html, folded=folded) == rules


@pytest.mark.parametrize(("folded", "titles"), [(1, "'Two'"), (2, "'One', 'Two'")])
def test_the_entries_that_are_folded_are_named(folded: int, titles: str) -> None:
    (finding,) = look(mail(folded=folded))
    assert finding.message.endswith(f": {titles}")
    assert finding.place == "content/a.md:1"
    assert finding.issue == "ai-papers/2025-W17"


# ------------------------------------------------------------------------------------------- the place


@pytest.mark.parametrize(
    ("body", "sheet", "source", "line"),
    [
        (
            '<p style="color: rgb(0 0 0/50%)">x</p>',
            "",
            "{# rgb(0 0 0/50%) #}\n\nx { color:\nrgb(0  0 0 / 50%) }",
            ":4",
        ),
        ("", "@import 'a.css';", "\n<style>@import 'a.css';</style>", ":2"),
        ("<style>p {& b { top: 0 } }</style>", "", "\n\np {\n  &  b { top: 0 } }", ":4"),
        ('<img src="https://e.org/a" width="9">', "", '<img alt="" src="b">\n<img src="{{ url }}">', ":2"),
        ('<a href="/issues">x</a>', "", '<a href="x">\n<a href="/issues">', ":2"),
        ('<a href="/issues">x</a>', "", "nothing of it", ""),
        ('<p style="color: var(--ink)">x</p>', "", "/* var(--ink) */\n\nvar( --ink )", ":3"),
    ],
)
def test_a_finding_names_the_line_of_the_template(body: str, sheet: str, source: str, line: str) -> None:
    (finding,) = look(mail(page(body=body), sheet, own=source))
    assert finding.place == f"templates/themes/own.html.j2{line}"


def test_the_line_is_found_in_what_the_theme_extends_too() -> None:
    given_mail = mail(page(body="<script>x</script>"), own="{% extends %}", other="\n<script>x</script>")
    assert [one.place for one in look(given_mail)] == ["templates/themes/other.html.j2:2"]


@pytest.mark.parametrize(
    ("url", "place"),
    [
        ("https://example.org/Two", "content/a.md:12"),
        ("https://example.org/in-two", "content/a.md:12"),
        ("https://example.org/intro", "content/a.md:1"),
        ("https://example.org/theme", "templates/themes/own.html.j2:2"),
    ],
)
def test_a_link_of_the_content_is_found_in_the_content(url: str, place: str) -> None:
    (finding,) = look(mail(page(body=f'<a href="{url}"></a>'), own=f'\n<a href="{url}">'))
    assert finding.place == place


# ------------------------------------------------------------------------------------------- the stylesheet


@pytest.mark.parametrize(
    ("css", "expected"),
    [
        ("", []),
        ("p{color:red}", [("p", (), True), ("color:red", ("p",), False)]),
        ("@media x{p{a:b;c:d}}", [("@media x", (), True), ("p", ("@media x",), True),
                                  ("a:b", ("@media x", "p"), False), ("c:d", ("@media x", "p"), False)]),
        ("p{background:url(data:image/png;base64,a)}",
         [("p", (), True), ("background:url(data:image/png;base64,a)", ("p",), False)]),
        ("p{content:'}'}q{a:b}",
         [("p", (), True), ("content:'}'", ("p",), False), ("q", (), True), ("a:b", ("q",), False)]),
        ("<!-- p { /* ; */ a : b } -->", [("p", (), True), ("a : b", ("p",), False)]),
        ("p{a:url(b}q{c:d}", [("p", (), True), ("a:url(b", ("p",), False), ("q", (), True),
                              ("c:d", ("q",), False)]),
        ("}p{", [("p", (), True)]),
        (".a\\{b{", [(".a\\{b", (), True)]),
    ],
)  # fmt: skip
def test_a_stylesheet_is_read_as_statements(css: str, expected: Sequence[tuple[object, ...]]) -> None:
    assert [(one.text, one.within, one.opens) for one in statements(css)] == expected


@given(st.text(alphabet="{}();:'\"\\/*<!-@ap \n", max_size=60))
@example("/*")
@example("'")
@example("\\")
def test_any_text_is_read_as_a_stylesheet(css: str) -> None:
    assert all(isinstance(one, Statement) for one in statements(css))
    assert all(one.is_declaration for one in declarations(css))


@pytest.mark.parametrize(
    "html",
    [
        "",
        "<!-- x -->",
        "x",
        "\0",
        '<?xml version="1.0" encoding="utf-8"?><html></html>',
        "<div>" * 5000 + "x",
    ],
)
def test_whatever_a_theme_makes_is_judged(html: str) -> None:
    rules = [one.rule for one in look(mail(html))]
    assert "mail.unsubscribe" in rules
    assert "checks.failed" not in rules


@given(st.text(alphabet="<>/='\" abphreflinkstyle{}()", min_size=1, max_size=80))
def test_any_page_is_judged(body: str) -> None:
    findings = look(mail(page(body=body), body))
    assert all(finding.issue == ISSUE.key and finding.rule != "checks.failed" for finding in findings)
