"""Inlining: styles go into the elements, and nothing else of a mail changes."""

import re
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st
from lxml import html as lxml_html

from bot.errors import InputError
from bot.inline import by_premailer, cascade, css, inline, selectors, stylesheets
from tests import strategies
from tests.measuring import calls, times

DARK = "@media (prefers-color-scheme: dark) { p { color: #fff !important } }"
KEPT = f'<style data-premailer="ignore">{DARK}</style>'


def page(body: str, css: str = "p { color: #12345a }", head: str = "") -> str:
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>T</title>\n'
        f"<style>\n{css}\n</style>\n{head}\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def words(document: str) -> str:
    body = lxml_html.document_fromstring(document).find("body")
    return "" if body is None else " ".join("".join(map(str, body.itertext(tag="*"))).split())


def squeezed(text: str) -> str:
    return re.sub(r"\s", "", text)


@dataclass
class Listener:
    """Counts who knocks."""

    port: int
    knocks: list[str] = field(default_factory=list)


@pytest.fixture
def listener() -> Iterator[Listener]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        found = Listener(server.getsockname()[1])

        def accept() -> None:
            while True:
                try:
                    connection, (host, _) = server.accept()
                except OSError:
                    return
                found.knocks.append(host)
                connection.close()

        thread = threading.Thread(target=accept)
        thread.start()
        yield found
        server.shutdown(socket.SHUT_RDWR)
        thread.join(10)


def test_styles_go_into_the_elements() -> None:
    assert re.search(r'<p style="color: ?#12345a">Words</p>', inline(page("<p>Words</p>")))


def test_the_doctype_stays_first_and_once() -> None:
    inlined = inline(page("<p>Words</p>"))
    assert inlined.startswith("<!DOCTYPE html>")
    assert inlined.lower().count("<!doctype") == 1


def test_a_style_block_that_is_to_stay_stays() -> None:
    inlined = inline(page("<p>Words</p>", head=KEPT))
    assert DARK in inlined
    assert "data-premailer" not in inlined


def test_comments_that_one_mail_program_reads_stay() -> None:
    head = '<!--[if mso]><style>td,p{font-family:"Times New Roman",serif !important;}</style><![endif]-->'
    body = "<!--[if mso]><table><tr><td><![endif]--><p>Words</p><!--[if mso]></td></tr></table><![endif]-->"
    inlined = inline(page(body, head=head))
    for comment in re.findall(r"<!--.*?-->", head + body):
        assert comment in inlined


def test_classes_and_important_styles_stay() -> None:
    inlined = inline(page('<p class="quiet">Words</p>', ".quiet { color: #23456b !important }"))
    assert 'class="quiet"' in inlined
    assert "#23456b" in inlined


def test_widths_and_heights_do_not_become_attributes() -> None:
    inlined = inline(page("<table><tr><td>Words</td></tr></table>", "td { width: 12px; height: 3em }"))
    assert not re.search(r"<td[^>]* (width|height)=", inlined)


def test_no_blank_is_put_between_words() -> None:
    body = "<p>One<b>two</b><i>three</i>, <a href='https://example.org/?a=1&amp;b=2'>four</a>five</p>"
    inlined = inline(page(body))
    assert words(inlined) == "Onetwothree, fourfive"
    assert "href='https://example.org/?a=1&amp;b=2'" in inlined


@pytest.mark.parametrize(
    "css",
    [
        '@import url("http://127.0.0.1:{port}/x.css");',
        '@import "http://127.0.0.1:{port}/x.css";',
        "@IMPORT url(http://127.0.0.1:{port}/x.css) screen;",
        '@charset "utf-8"; @import url(http://127.0.0.1:{port}/x.css);',
        "@import url('http://127.0.0.1:{port}/x;y.css');",
        '@\\69mport "http://127.0.0.1:{port}/x.css";',
        '@\\000069 mport "http://127.0.0.1:{port}/x.css";',
        '@import/**/"http://127.0.0.1:{port}/x.css";',
        '/* ; */ @import\n"http://127.0.0.1:{port}/x.css"',
    ],
)
def test_nothing_is_fetched_from_anywhere(listener: Listener, css: str) -> None:
    written = css.replace("{port}", str(listener.port))
    inlined = inline(page("<p>Words</p>", f"{written}\np {{ color: #12345a }}"))
    assert listener.knocks == []
    assert str(listener.port) not in inlined
    assert words(inlined) == "Words"


@pytest.mark.parametrize(
    "head",
    [
        '<link rel="stylesheet" href="http://127.0.0.1:{port}/x.css">',
        '<style src="http://127.0.0.1:{port}/x.css"></style>',
        '<link rel="stylesheet" href="/etc/hostname">',
        '<style>@im\\port url("http://127.0.0.1:{port}/x.css");</style>',
    ],
)
def test_a_style_sheet_elsewhere_is_not_fetched(listener: Listener, head: str) -> None:
    written = page("<p>Words</p>", head=head.replace("{port}", str(listener.port)))
    try:
        inline(written)
    except InputError as error:
        assert str(error).startswith("templates: ")  # noqa: PT017 (either is good, but for fetching)
    assert listener.knocks == []


def test_css_that_says_words_of_its_own_changes_none() -> None:
    css = 'p::before { content: "No." } p { font-family: "A B", serif; color: #12345a }'
    assert words(inline(page("<p>Words</p>", css))) == "Words"


@given(strategies.texts(20))
@settings(deadline=None)
def test_words_are_what_they_were(text: str) -> None:
    from html import escape  # noqa: PLC0415 (the one test that needs it)

    written = page(f'<p title="{escape(text)}">{escape(text)}</p>', head=KEPT)
    assert words(inline(written)) == words(written)


@pytest.mark.parametrize(
    "rule",
    [
        "@font-face { font-family: X; src: url(x) }",
        "@keyframes x { from { color: red } }",
        "@supports (a: b) { p { c: d } }",
        "@layer base { p { c: d } }",
        "@page { margin: 1cm }",
        "@media (max-width: 9px) { p { color: blue !important } }",
    ],
)
def test_a_rule_that_no_tag_can_hold_stays_in_the_head(rule: str) -> None:
    assert squeezed(rule) in squeezed(inline(page("<p>Words</p>", f"{rule} p {{ color: #12345a }}")))
    assert rule in inline(page("<p>Words</p>", head=f'<style data-premailer="ignore">{rule}</style>'))


def test_rules_that_match_nothing_here_stay_where_they_are_kept() -> None:
    hacks = (
        "[data-ogsc] p { color: red !important } u + .body a { a: b } a[x-apple-data-detectors] > b { a: b }"
    )
    assert hacks in inline(page("<p>Words</p>", head=f'<style data-premailer="ignore">{hacks}</style>'))


def test_a_hovered_link_beats_the_colour_in_its_tag() -> None:
    inlined = inline(page('<a href="https://example.org">x</a>', "a { color: blue } a:hover { color: red }"))
    assert "a:hover {color:red !important}" in inlined


def test_attributes_are_made_only_where_html_has_them() -> None:
    css = "p, td { background-color: #abc; text-align: start; vertical-align: top }"
    inlined = inline(page("<table><tr><td>One</td></tr></table><p>Two</p>", css))
    assert re.search(r'<td [^>]*bgcolor="#aabbcc"', inlined)
    assert not re.search(r"<p [^>]*(bgcolor|valign)=|align=\"start\"", inlined)


@pytest.mark.parametrize("words", ["<!-- c -->", "</style>", "<style>p{}</style>", "-->", "<!--[if mso]>"])
def test_words_that_look_like_markup_are_words_in_attributes_too(words: str) -> None:
    escaped = words.replace("<", "&lt;").replace(">", "&gt;")
    inlined = inline(page(f'<div aria-label="{escaped}">{escaped}</div>', head=KEPT))
    labels = [element.get("aria-label") for element in lxml_html.document_fromstring(inlined).iter("div")]
    assert labels == [words]


@pytest.mark.parametrize("nothing", ["", " ", "<!-- x -->", b"<p>x</p>", "a\ud83d", "<p>\0</p>"])
def test_what_is_no_page_is_refused(nothing: str) -> None:
    with pytest.raises(InputError, match="templates: its styles cannot be inlined"):
        inline(nothing)


# ------------------------------------------------------------------- what premailer alone gets wrong: P1-P34

HACKS = (
    "p{color:red} [data-ogsc] p{color:#fff} #MessageViewBody a{a:b} u + .body .x{a:b}"
    "a[x-apple-data-detectors]{a:b}"
)
WRONG = [
    # (fault, styles, body, what is in the mail, what is not)
    (
        "P1 !important in a media rule",
        "p{color:red}@media (max-width:9px){p{color:blue !important}}",
        "<p>a",
        ['<p style="color:red">', "color:blue !important"],
        [],
    ),
    (
        "P2 a hovered link loses",
        "a{color:red} a:hover{color:blue}",
        "<a href=x>a</a>",
        ['style="color:red"', "a:hover {color:blue !important}"],
        [],
    ),
    (
        "P3 !important beats ids and tags",
        "#a{color:red}.h{color:blue !important}",
        "<p id=a class=h style=color:green>",
        ["color:blue !important"],
        ["{color", "red"],
    ),
    (
        "P4 !important in an attribute",
        "td{background-color:#abc !important}",
        "<table><tr><td>a</table>",
        ['bgcolor="#aabbcc"'],
        ["aabbcc !"],
    ),
    (
        "P5 values that are none in attributes",
        "td{width:calc(100% - 20px);background-color:rgba(1,2,3,.5)} img{height:auto}",
        "<table><tr><td><img src=x></table>",
        ["width:calc(100% - 20px)", "height:auto"],
        ["bgcolor", "width=", "height="],
    ),
    (
        "P6 attributes of the author's own",
        "td{width:50px;background-color:red;vertical-align:top}",
        '<table><tr><td width="300" bgcolor="#000000" valign="bottom">a</table>',
        ['width="300"', 'bgcolor="#000000"', 'valign="bottom"', "background-color:red"],
        ['width="50"'],
    ),
    (
        "P7 rules for one mail program",
        HACKS,
        "<p>a",
        ["[data-ogsc] p", "#MessageViewBody a", "u + .body .x", "a[x-apple-data-detectors]"],
        [],
    ),
    (
        "P8 at-rules",
        "p{color:red}@font-face{font-family:X;src:url(x)}@keyframes k{from{top:0}}@supports (a:b){p{c:d}}",
        "<p>a",
        ["@font-face{font-family:X;src:url(x)}", "@keyframes k{from{top:0}}", "@supports (a:b)"],
        [],
    ),
    (
        "P9 an import",
        "@import url(http://127.0.0.1:9/i.css);p{color:red}",
        "<p>a",
        ['style="color:red"'],
        ["127"],
    ),
    (
        "P10 :link",
        "a:link{color:red}",
        "<a href=x>a</a><a>b</a>",
        ['<a href=x style="color:red">a</a><a>b</a>'],
        [],
    ),
    (
        "P10 :nth-child",
        "p:nth-child(2){color:lime}",
        "<p>a</p><p>b</p>",
        ['<p>a</p><p style="color:lime">b</p>'],
        [],
    ),
    (
        "P10 :not",
        "p:not(.a){color:lime}",
        "<p class=a>a</p><p>b</p>",
        ['<p class=a>a</p><p style="color:lime">b'],
        [],
    ),
    ("P10 :where", ":where(p){color:lime}", "<p>a</p>", ['<p style="color:lime">'], [":where"]),
    ("P10 :has stays", "p:has(b){color:lime}", "<p><b>a</b></p>", ["p:has(b){color:lime}"], []),
    ("P11 a comma within :is", ":is(h1,h2){color:red}", "<h2>a</h2>", ['<h2 style="color:red">'], [":is"]),
    (
        "P12 an escaped colon",
        r".sm\:w-full{width:100%}",
        '<p class="sm:w-full">',
        ['style="width:100%"'],
        ["{"],
    ),
    ("P13 capitals", "P{COLOR:RED}", "<p>a", ['<p style="color:RED">'], []),
    ("P14 any element", "*{margin:0}", "<p>a", ['<p style="margin:0">'], []),
    (
        "P15 a fallback pair",
        "p{background:#f00;background:linear-gradient(red,blue)}",
        "<p>a",
        ['style="background:#f00;background:linear-gradient(red,blue)"'],
        [],
    ),
    (
        "P15 a fallback pair of two rules",
        "p{color:#f00}.a{color:rgb(0 0 0 / 50%)}",
        "<p class=a>a",
        ['style="color:#f00;color:rgb(0 0 0 / 50%)"'],
        [],
    ),
    (
        "P16 a shorthand after a longhand",
        ".w.l{padding-right:0}#h .w{padding:15px}",
        "<div id=h><p class='w l'>a",
        ['style="padding-right:0;padding:15px"'],
        [],
    ),
    ("P17 modern colours", "p{color:rgb(0 0 0/50%)}", "<p>a", ['style="color:rgb(0 0 0/50%)"'], []),
    (
        "P17 variables",
        ":root{--c:red}p{color:var(--c)}",
        "<p>a",
        ['<p style="color:var(--c)"', "--c:red"],
        [],
    ),
    (
        "P17 nested rules",
        "p{& b{color:red} &:hover{color:blue}}",
        "<p><b>a</b>",
        ['<b style="color:red">', "p:hover {color:blue}"],
        [],
    ),
    (
        "P19 revealed comments",
        "p{color:red}",
        "<![if !mso]><p>x</p><![endif]>",
        ['<![if !mso]><p style="color:red">x</p><![endif]>'],
        [],
    ),
    (
        "P20 what is in a comment",
        "td{color:red}",
        "<!--[if mso]><td class=b><![endif]-->",
        ["<!--[if mso]><td class=b><![endif]-->"],
        [],
    ),
    ("P21 entities", "p{color:red}", "<p>&nbsp;&copy;&zwnj;&#847;", [">&nbsp;&copy;&zwnj;&#847;"], []),
    (
        "P22 placeholders",
        "a{color:red}",
        '<a href="{{ url }}">{% if a > 1 %}</a>',
        ['<a href="{{ url }}" style="color:red">{% if a > 1 %}</a>'],
        [],
    ),
    (
        "P23 odd addresses",
        "a{color:red}",
        '<a href="http://[bad"><img srcset="a 1x, b 2x">',
        ['href="http://[bad"', 'srcset="a 1x, b 2x"'],
        [],
    ),
    (
        "P24 data in an address",
        "p{background:url(\"data:image/svg+xml;utf8,<svg a='b'/>\")}",
        "<p>a",
        ["url(&quot;data:image/svg+xml;utf8,&lt;svg a='b'/&gt;&quot;)"],
        [],
    ),
    (
        "P27 classes of rules that stay",
        ".x{color:red}@media (max-width:9px){.x{color:blue}}",
        "<p class=x>",
        ["class=x", ".x {color:blue !important}"],
        [],
    ),
    (
        "P28 what only Outlook knows",
        "p{mso-line-height-rule:exactly;gap:1px}",
        "<p>a",
        ['style="mso-line-height-rule:exactly;gap:1px"'],
        [],
    ),
    (
        "P29 colours and lengths as they are",
        "p{color:#000000;background:#fff url(x)}",
        "<p>a",
        ["color:#000000"],
        [],
    ),
    (
        "P34 a block for some screens",
        "",
        "<style media=print>p{color:red}</style><p>a",
        ["<p>a", "<style media=print>p{color:red}</style>"],
        [],
    ),
]


@pytest.mark.parametrize(
    ("styles", "body", "there", "gone"), [row[1:] for row in WRONG], ids=[row[0] for row in WRONG]
)
def test_what_premailer_alone_gets_wrong_comes_out_right(
    styles: str, body: str, there: list[str], gone: list[str]
) -> None:
    inlined = inline(f"<!DOCTYPE html><head><style>{styles}</style></head><body>{body}")
    assert [text for text in there if text not in inlined] == [], inlined
    assert [text for text in gone if text in inlined] == [], inlined


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("<!doctype html>", "<!doctype html>"),
        ("<!-- c --><!DOCTYPE html>", "<!-- c --><!DOCTYPE html>"),
        ("\ufeff<!DOCTYPE html>", "<!DOCTYPE html>"),
        ('<?xml version="1.0"?><!DOCTYPE html>', '<?xml version="1.0"?><!DOCTYPE html>'),
        (
            '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/x.dtd">',
            '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/x.dtd">',
        ),
        ('<!DOCTYPE HTML PUBLIC "-//IETF//DTD HTML 3.0//EN">', "<!DOCTYPE html>"),
        ("", "<!DOCTYPE html>"),
    ],
)
def test_p18_a_doctype_stays_and_none_or_an_old_one_is_replaced(before: str, after: str) -> None:
    assert inline(f"{before}<p>x</p>") == f"{after}<p>x</p>"


def test_p30_a_fragment_grows_no_tags() -> None:
    written = "<style>p{color:red}</style><p>x</p>"
    assert inline(written) == '<!DOCTYPE html><p style="color:red">x</p>'


def test_p32_files_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "x.css").write_text("p { color: #12345a }")
    assert "12345a" not in inline(f'<link rel="stylesheet" href="{(tmp_path / "x.css").as_uri()}"><p>x</p>')


def test_p33_an_issue_of_40_kb_takes_some_thirty_times_what_reading_and_writing_it_takes() -> None:
    """That is 60 ms where the reading and writing takes 2."""
    written = page(
        "<div class=a><p>Some words of a <a href=x>link</a></p></div>\n" * 700, "p, .a a { color: #12345a }"
    )
    assert len(written) > 40_000

    def ten_times_read_and_written() -> list[bytes]:
        return [lxml_html.tostring(lxml_html.fromstring(written)) for _ in range(10)]

    assert times(lambda: inline(written), ten_times_read_and_written) < 10


SHEET = """
    p, .a a { color: #12345a; margin: 0 } a:hover { color: red } [data-ogsc] .b { color: blue !important }
    @media (max-width: 9em) { .a { padding: 0 } } .b { color: #234; background-color: #fff }
"""


def test_pages_of_one_theme_share_the_reading_of_its_sheets_and_the_plan(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stylesheets.read.cache_clear()
    cascade.plan.cache_clear()
    read = calls(monkeypatch, css, "read")
    for words in ("one", "two", "three"):
        assert words in inline(page(f"<div class=a><p>{words} <a href=x>link</a></p></div>", SHEET))
    assert len(read) == 1
    assert cascade.plan.cache_info().misses == 1


PARTS = st.sampled_from(
    ["<p>x</p>", "<p class=b>x</p>", "<div class=a><a href=x>y</a></div>", '<p style="color: red">z</p>',
     '<p class="b a" style="margin: 1px">z</p>', "<a class=b href=x>y</a>", "<td class=b>x</td>"]
)  # fmt: skip
BODIES = st.lists(PARTS, max_size=5).map("".join)


@settings(deadline=None)
@given(BODIES, st.lists(BODIES, max_size=3))
def test_what_was_inlined_before_changes_nothing(body: str, others: list[str]) -> None:
    forget()
    alone = inline(page(body, SHEET))
    forget()
    for other in others:
        inline(page(other, SHEET))
    assert inline(page(body, SHEET)) == alone


def forget() -> None:
    """Begin as a new process does."""
    stylesheets.read.cache_clear()
    cascade.plan.cache_clear()
    selectors.read.cache_clear()


# ------------------------------------------------------------------------------------------- what may be lost


@given(strategies.texts(20))
@settings(deadline=None)
def test_nothing_but_styles_is_written(text: str) -> None:
    from html import escape  # noqa: PLC0415 (as above)

    body = f'<p title="{escape(text)}" class=a>{escape(text)}&nbsp;<!-- {text.replace("--", "")} --><br/></p>'
    inlined = inline(page(body))
    assert inlined.replace(' style="color:#12345a"', "") == page(body).replace(
        "<style>\np { color: #12345a }\n</style>", ""
    )


def test_what_is_hoped_for_in_a_mail_program_wins_there_as_it_won_before() -> None:
    inlined = inline(page("<p class=x>a</p>", ".x{color:red} [data-ogsc] .x{color:#fff} p.y{color:lime}"))
    assert "[data-ogsc] .x {color:#fff !important}" in inlined


def test_what_would_have_lost_is_not_made_important() -> None:
    inlined = inline(page("<a id=i href=x>a</a>", "#i{color:red} a:hover{color:blue}"))
    assert "a:hover {color:blue}" in inlined


def test_a_selector_that_looks_at_styles_sees_what_its_author_wrote() -> None:
    assert 'style="margin:16px 0"' in inline(page("<p>a", 'p{margin:16px 0} div[style*="16px"]{margin:0}'))
    assert "<p>a" in inline(page("<p>a", 'p{margin:16px 0} p[style*="16px"]{margin:0}'))


def test_what_is_nested_without_end_is_refused() -> None:
    with pytest.raises(InputError, match="nested too deeply"):
        inline(page("<p>x", "p{" * 3000))


@pytest.mark.parametrize("body", ["<p><b>y</b></p>" + "<div>" * 3000 + "<p><b>x", "<body class=b><p><b>x"])
def test_a_page_that_is_not_read_to_its_end_stays_as_it_is(body: str) -> None:
    assert inline(page(body, "p b{color:red}")) == page(body, "p b{color:red}")


@pytest.mark.parametrize(
    "css", ["p{color:red}", "p{color:red}}}", "p{color:red", "{", "@", "p{color:", 'p{content:"', "\\"]
)
def test_styles_with_slips_do_no_harm(css: str) -> None:
    assert words(inline(page("<p>Words</p>", css))) == "Words"


def test_premailer_writes_what_is_plain_and_nothing_that_it_gets_wrong(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[bool] = []

    def styles(*given: Any) -> Any:
        found = by_premailer.styles(*given)
        asked.append(found is not None)
        return found

    monkeypatch.setattr("bot.inline.by_premailer", SimpleNamespace(styles=styles))
    inline(page("<p class=a>a", "p{color:red;margin:0 0 12px} .a{color:blue}"))
    inline(page("<p class=a>a", "p{color:red} .a{color:blue;color:rgb(0 0 0/50%)}"))
    inline(page("<p class=a>a", ".a{padding-right:0} p{padding:1px} p.a{padding:2px}"))
    assert asked == [True, False, False]
