"""What a page calls itself is read within limits, and asked of nobody inside."""

import pytest
from hypothesis import given, strategies as st

from bot.checks import Fault
from bot.lookups import Wire, title
from bot.lookups.conversation import Ask, Reply
from bot.lookups.titles import LONGEST, REDIRECTS, title_in
from tests.servers.web import Page, serving
from tests.test_lookups import wire

HTML = "text/html; charset=utf-8"


def page(text: str, kind: str = HTML) -> Page:
    return (200, {"Content-Type": kind}, text.encode())


def read(text: str | bytes, kind: str = HTML, status: int = 200) -> str | None:
    return title_in(Reply(status, kind=kind, page=text if isinstance(text, bytes) else text.encode()))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("<title>A page</title>", "A page"),
        ("<TITLE lang=en>\n  A\n page &amp; more &#8212; x</TITLE>", "A page & more — x"),
        ('<title>x - Site</title><meta property="og:title" content="x">', "x"),
        ("<meta content='A \"page\"' name='citation_title'><title>[2504.1] x</title>", 'A "page"'),
        ('<meta property="og:title" content=""><title>A page</title>', "A page"),
        ("<title> </title>", None),
        ("<p>no title</p>", None),
        ("", None),
        ("<title>&lt;script&gt;alert(1)&lt;/script&gt;</title>", "<script>alert(1)</script>"),
        ("<title>a\x00\x1b[31m\u2028b</title>", "a[31m b"),
        (f"<title>{'x' * 500}</title>", "x" * (LONGEST - 1) + "…"),
    ],
)
def test_the_title_is_one_line_of_words(text: str, found: str | None) -> None:
    assert read(text) == found


@pytest.mark.parametrize(
    ("content", "kind", "found"),
    [
        ("<title>Größe</title>".encode("latin-1"), "text/html; charset=ISO-8859-1", "Größe"),
        ('<meta charset="shift_jis"><title>日本</title>'.encode("shift_jis"), "text/html", "日本"),
        ("<title>Größe</title>".encode("latin-1"), "text/html", "Gr\ufffd\ufffde"),
        (b'<meta charset="punycode"><title>a</title>', "text/html", "a"),
        (b"<title>a</title>", "text/html; charset=iso-8859-12", "a"),
        (b"<title>a</title>", "application/xhtml+xml", "a"),
        (b"<title>a</title>", "application/pdf", None),
        (b"<title>a</title>", "", None),
    ],
)
def test_it_is_read_in_the_page_s_own_encoding(content: bytes, kind: str, found: str | None) -> None:
    assert read(content, kind) == found


@pytest.mark.parametrize("status", [403, 404, 500, 503, None])
def test_a_page_that_says_no_has_no_title_of_what_was_asked_for(status: int | None) -> None:
    assert title_in(Reply(status, kind=HTML, page=b"<title>Just a moment...</title>")) is None


@given(st.binary(max_size=300))
def test_no_page_is_too_broken_to_look_at(content: bytes) -> None:
    read(b"<title>" + content)
    read(b"<meta " + content)


def test_redirects_are_followed_and_each_host_is_checked() -> None:
    away: Page = (302, {"Location": "/there"}, b"")
    inside: Page = (302, {"Location": "http://10.0.0.1/"}, b"")
    pages = {"/": away, "/there": page("<title>There</title>"), "/in": inside}
    with serving(pages) as server:  # type: ignore[arg-type] # a dict of pages
        asked = wire(
            server.port, resolver=lambda host, _port: ["10.0.0.1" if host == "10.0.0.1" else "127.0.0.1"]
        )
        assert title(f"http://x.org:{server.port}/", asked) == "There"
        assert title(f"http://x.org:{server.port}/in", asked) is None


def test_a_circle_and_a_slow_way_end() -> None:
    asked: list[str] = []

    class Circle(Wire):
        def ask(self, ask: Ask) -> Reply:
            asked.append(ask.url)
            return Reply(302, f"/{len(asked)}")

    assert title("https://x.org/", Circle()) is None
    assert len(asked) == 1 + REDIRECTS
    ticks = iter(range(0, 1000, 5))
    asked.clear()
    assert title("https://x.org/", Circle(), clock=lambda: next(ticks), within=8.0) is None
    assert len(asked) == 2


def test_a_paper_is_asked_for_by_the_page_of_its_abstract() -> None:
    asked: list[str] = []

    class Noting(Wire):
        def ask(self, ask: Ask) -> Reply:
            asked.append(ask.url)
            return Reply(fault=Fault.TIMEOUT)

    assert title("https://arxiv.org/pdf/2504.12285v2", Noting()) is None
    assert asked == ["https://arxiv.org/abs/2504.12285"]


@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://x.org/", "mailto:a@x.org", "http://[", ""])
def test_nothing_but_the_web_is_asked(url: str) -> None:
    class Never(Wire):
        def ask(self, ask: Ask) -> Reply:
            raise AssertionError(ask.url)

    assert title(url, Never()) is None


def test_the_guard_of_the_lookups_holds_for_titles_as_well() -> None:
    with serving({"/": page("<title>Inside</title>")}) as server:
        assert title(f"http://127.0.0.1:{server.port}/", Wire(ports=(server.port,))) is None
        assert server.asked == []
