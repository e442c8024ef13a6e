"""Inlining: styles go into the elements, and nothing else of a mail changes."""

import re
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from lxml import html as lxml_html

from bot.errors import InputError
from bot.inline import inline
from tests import strategies

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
    assert 'href="https://example.org/?a=1&amp;b=2"' in inlined


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
def test_words_are_what_they_were(text: str) -> None:
    from html import escape  # noqa: PLC0415 (the one test that needs it)

    written = page(f'<p title="{escape(text)}">{escape(text)}</p>', head=KEPT)
    assert words(inline(written)) == words(written)


@pytest.mark.parametrize(
    "rule",
    [
        "@font-face { font-family: X }",
        "@keyframes x { from { color: red } }",
        "@supports (a: b) { p { a: b } }",
    ],
)
def test_a_rule_that_would_be_lost_is_refused_with_the_place_where_it_stays(rule: str) -> None:
    with pytest.raises(InputError, match=r"@[a-z-]+ cannot be moved into tags: .*kept_styles"):
        inline(page("<p>Words</p>", rule))
    kept = f'<style data-premailer="ignore">{rule}</style>'
    assert rule in inline(page("<p>Words</p>", head=kept))


def test_rules_that_match_nothing_here_stay_where_they_are_kept() -> None:
    hacks = (
        "[data-ogsc] p { color: red !important } u + .body a { a: b } a[x-apple-data-detectors] > b { a: b }"
    )
    assert hacks in inline(page("<p>Words</p>", head=f'<style data-premailer="ignore">{hacks}</style>'))


def test_a_hovered_link_beats_the_colour_in_its_tag() -> None:
    inlined = inline(page('<a href="https://example.org">x</a>', "a { color: blue } a:hover { color: red }"))
    assert re.search(r"a:hover \{color:\s?red !important\}", inlined)


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


@pytest.mark.parametrize("nothing", ["", " ", "<!-- x -->"])
def test_a_theme_that_makes_no_page_is_told(nothing: str) -> None:
    with pytest.raises(InputError, match="templates: its styles cannot be inlined"):
        inline(nothing)
