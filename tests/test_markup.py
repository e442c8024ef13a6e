"""Markdown becomes one tree, and every medium shows the same words."""

import lxml.html
import nh3
import pytest
from hypothesis import example, given, settings, strategies as st
from markdown_it import MarkdownIt
from markdown_it.rules_core import inline

from bot import markup
from bot.markup import html
from bot.markup.rules import markdown
from bot.text import (
    Blocks,
    Bullets,
    Code,
    CodeBlock,
    Emphasis,
    Heading,
    Inline,
    Inlines,
    LineBreak,
    Link,
    Paragraph,
    Quote,
    Strong,
    Struck,
    Table,
    Text,
)
from tests import strategies
from tests.measuring import times

BREAK = LineBreak()


def paragraph(*inlines: Inline) -> Blocks:
    return (Paragraph(inlines),)


# ---------------------------------------------------------------------------------- what authors write


@pytest.mark.parametrize(
    ("source", "tree"),
    [
        ("- a\n  - b", (Bullets(((*paragraph(Text("a")), Bullets((paragraph(Text("b")),))),)),)),
        ("Intro:\n- a", (*paragraph(Text("Intro:")), Bullets((paragraph(Text("a")),)))),
        ("2024. A good year", paragraph(Text("2024. A good year"))),
        ("3. a\n4. b", (Bullets((paragraph(Text("a")), paragraph(Text("b"))), 3),)),
        ("1) a", (Bullets((paragraph(Text("a")),), 1),)),
        ("这是**重要。**后面", paragraph(Text("这是"), Strong((Text("重要。"),)), Text("后面"))),
        ("**「重要」**です", paragraph(Strong((Text("「重要」"),)), Text("です"))),
        ("2*3*4", paragraph(Text("2"), Emphasis((Text("3"),)), Text("4"))),
        ("2 * 3 * 4 and snake_case", paragraph(Text("2 * 3 * 4 and snake_case"))),
        ("$250 ... $208K, ~$9 ~1 h, ~/x, ~~~", paragraph(Text("$250 ... $208K, ~$9 ~1 h, ~/x, ~~~"))),
        ("~~$9~~ $8", paragraph(Struck((Text("$9"),)), Text(" $8"))),
        ("a ~~~b~~~ x~~y", paragraph(Text("a ~~~b~~~ x~~y"))),
        ("这是~~划掉。~~后面", paragraph(Text("这是"), Struck((Text("划掉。"),)), Text("后面"))),
        ("~~**a** b~~", paragraph(Struck((Strong((Text("a"),)), Text(" b"))))),
        ("<del>a</del> <s>b</s>", paragraph(Struck((Text("a b"),)))),
        ("#hashtag", paragraph(Text("#hashtag"))),
        ("#5 is great", paragraph(Text("#5 is great"))),
        ("#### Small", (Heading((Text("Small"),)),)),
        ("a\n\n---\n\nb", (*paragraph(Text("a")), *paragraph(Text("b")))),
        ("a  \nb\\\nc<br/>d", paragraph(Text("a"), BREAK, Text("b"), BREAK, Text("c"), BREAK, Text("d"))),
        ("> a\n> b", (Quote(paragraph(Text("a b"))),)),
        ("```py\nx\n\ny\n```", (CodeBlock("x\n\ny"),)),
        ("a [^1].\n\n[^1]: note", (*paragraph(Text("a [^1].")), *paragraph(Text("[^1]: note")))),
        ("'90s, “q”... -- (c)", paragraph(Text("'90s, “q”... -- (c)"))),
        ("{% x %} {{ 7*7 }} {{< y >}}", paragraph(Text("{% x %} {{ 7*7 }} {{< y >}}"))),
        ("AT&T &amp; Q&amp;A &copy", paragraph(Text("AT&T & Q&A &copy"))),
        ("**s [a](https://x.org)**", paragraph(Strong((Text("s "), Link("https://x.org", (Text("a"),)))))),
        ("***a** b*", paragraph(Emphasis((Strong((Text("a"),)), Text(" b"))))),
        ("![a *chart*](https://x.org/i.png)", paragraph(Link("https://x.org/i.png", (Text("a chart"),)))),
        ("pass@1, README.md, www.x.org", paragraph(Text("pass@1, README.md, www.x.org"))),
    ],
)  # fmt: skip
def test_markdown_means_what_its_author_meant(source: str, tree: Blocks) -> None:
    assert markup.parse_blocks(source) == tree
    assert markup.parse_blocks(source.replace("\n", "\r\n")) == tree


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("a “</think>” and <RET> b", "a “</think>” and <RET> b"),
        ("List<int>, Vec<b> and <Continue>", "List<int>, Vec<b> and <Continue>"),
        ("<b>a</b> <i>b</i> H<sub>2</sub>O <span class='x'>c</span>", "a b H2O c"),
        ("a <!-- note --> b<!--\nmore\n\nlines\n-->", "a b"),
        ("`<!-- kept -->` \\<!-- kept too -->", "<!-- kept --> <!-- kept too -->"),
        ("a <img src=x onerror=alert(1)> b <svg onload=x> c", "a b c"),
        ("<script>alert(1)</script>a<style>p{}</style>", "a"),
        ("<form action=x>a</form>", "a"),
        ("<!channel> <?php x ?> <![CDATA[y]]>", "<!channel> <?php x ?> <![CDATA[y]]>"),
        ("a\x00b\x1bc\u2028d", "abc d"),
    ],
)
def test_raw_html_is_words_a_look_or_nothing(source: str, words: str) -> None:
    blocks = markup.parse_blocks(source)
    assert markup.words(blocks) == words
    assert nh3.clean(markup.to_html(blocks), tags=set(html._ALLOWED), attributes=html._ALLOWED, link_rel=None)
    assert "<script" not in markup.to_html(blocks)


def test_a_fence_keeps_its_comment() -> None:
    assert markup.parse_blocks("```\n<!-- a -->\n```\n\nb <!-- c -->")[0] == CodeBlock("<!-- a -->")


def test_tables_keep_every_cell_and_the_bar_in_code() -> None:
    document = markup.parse_document("| a | b |\n|---|---|\n| `p\\|q` | x <br>● y | extra |\n| one |")
    (part,) = document.parts
    assert part.block == Table(
        (
            ((Text("a"),), (Text("b"),)),
            ((Code("p|q"),), (Text("x"), LineBreak(), Text("● y extra"))),
            ((Text("one"),), ()),
        )
    )
    assert [(doubt.line, doubt.kind) for doubt in document.doubts] == [(3, "table"), (4, "table")]


def test_bare_addresses_become_links_with_their_brackets_and_without_the_full_stop() -> None:
    blocks = markup.parse_blocks("See https://x.org/A_(b). And (https://x.org/a), and <https://x.org/c>")
    assert isinstance(blocks[0], Paragraph)
    links = [run.url for run in markup.runs(blocks[0].children) if run.url]
    assert links == ["https://x.org/A_(b)", "https://x.org/a", "https://x.org/c"]


@pytest.mark.parametrize(
    ("source", "line", "kind"),
    [
        ("a\n\nb\n[c](https://x.org/a b)", 4, "link"),
        ("[c](<https://x.org/a b>)", 1, "link"),
        ("[c](javascript:alert(1))", 1, "link"),
        ("a\n[c](/about)", 2, "link"),
        ("<a href='jav   ascript:x'>y</a>", 1, "link"),
        ("![c](data:image/png;base64,x)", 1, "link"),
        ("![](https://x.org/i.png)", 1, "image"),
        ("a\n\nb <!-- c", 3, "comment"),
        ("```\na", 1, "code"),
        ("Great news\n---", 1, "heading"),
        ("#\u00a0Title", 1, "blank"),
        ("a\n\n-\u00a0item", 3, "blank"),
        ("**a", 1, "emphasis"),
        ("a <img src=x>", 1, "html"),
    ],
)
def test_what_an_author_cannot_have_meant_is_told_with_its_line(source: str, line: int, kind: str) -> None:
    (doubt,) = markup.parse_document(source).doubts
    assert (doubt.line, doubt.kind) == (line, kind)


@pytest.mark.parametrize(
    "source",
    ["a `**` b", r"2 \*\* 3", '[a](https://x.org "t")', "```\n[a](https://x.org b) **\n```", "a\n\n---\n\nb"],
)  # fmt: skip
def test_what_is_in_order_is_not_doubted(source: str) -> None:
    assert markup.parse_document(source).doubts == ()


# ----------------------------------------------------------------------------------------- addresses


@pytest.mark.parametrize(
    ("url", "safe"),
    [
        ("https://example.org/a?b=1&c=2#d", "https://example.org/a?b=1&c=2#d"),
        ("\u200bhttps://x.org", "https://x.org"),
        ("HTTPS://x.org/%20%zz", "https://x.org/%20%25zz"),
        ("https://x.org/ä|<b>", "https://x.org/%C3%A4%7C%3Cb%3E"),
        ("https://bücher.example/", "https://xn--bcher-kva.example/"),
        ("mailto:a@x.org?subject=b", "mailto:a@x.org?subject=b"),
        ("javascript:alert(1)", None),
        ("JAVASCRIPT:x", None),
        ("\x1ajavascript:x", None),
        ("java\u200bscript:x", None),
        ("jav\tascript:x", None),
        ("data:text/html,x", None),
        ("vbscript:x", None),
        ("file:///etc/passwd", None),
        ("https://x.org/a b", None),
        ("/about", None),
        ("//x.org", None),
        ("x.org", None),
        ("https:", None),
        ("https://", None),
        ("https://[::1", None),
        ("https://x.org:port/", None),
        ("https://x.org\\@evil.example/", None),
        ("mailto:", None),
        ("mailto:a@x.org%0ABcc:b@x.org", None),
        ("", None),
        ("https://x.org/" + "a" * 3000, None),
    ],
)
def test_only_whole_and_honest_addresses_are_links(url: str, safe: str | None) -> None:
    assert markup.safe_url(url) == safe
    assert (markup.url_fault(url) is None) == (safe is not None)


@given(st.text() | strategies.urls())
def test_a_safe_address_stays_as_it_is(url: str) -> None:
    if safe := markup.safe_url(url):
        assert markup.safe_url(safe) == safe
        assert safe.isascii()


@pytest.mark.parametrize("entity", ["javascript&colon;x", "javascript&#058;x", "&#106;avascript:x"])
def test_an_entity_hides_no_scheme(entity: str) -> None:
    assert "href" not in markup.to_html(markup.parse_blocks(f"[a]({entity}) <a href='{entity}'>b</a>"))


# ---------------------------------------------------------------------------------------- properties


@given(strategies.any_blocks())
def test_the_normal_form_is_normal(blocks: Blocks) -> None:
    normal = markup.normalise(blocks)
    assert markup.normalise(normal) == normal
    assert markup.words(normal) == markup.words(blocks)


@given(strategies.any_blocks())
def test_markdown_written_is_the_tree_read(blocks: Blocks) -> None:
    written = markup.to_markdown(blocks)
    assert markup.parse_blocks(written) == markup.normalise(blocks)


@given(strategies.inlines())
def test_a_text_written_is_the_text_read(inlines: Inlines) -> None:
    assert markup.parse_inline(markup.inline_markdown(inlines)) == inlines


@given(strategies.blocks())
def test_html_text_and_tree_show_the_same_words(blocks: Blocks) -> None:
    page = lxml.html.fragment_fromstring(markup.to_html(blocks), create_parent="div")
    assert " ".join(str(page.text_content()).split()) == markup.words(blocks)
    assert " ".join(markup.to_text(blocks, marks=False, width=20).split()) == markup.words(blocks)


@given(strategies.inlines())
def test_runs_show_the_same_words(inlines: Inlines) -> None:
    runs = markup.runs(inlines)
    assert " ".join("".join(run.text for run in runs).split()) == markup.inline_words(inlines)
    assert all(run.text for run in runs)


@given(strategies.any_blocks(), st.booleans())
def test_the_second_lock_finds_nothing_to_change(blocks: Blocks, columns: bool) -> None:  # noqa: FBT001 (drawn)
    ours = html._blocks(markup.normalise(blocks), html._Look(4, columns))
    assert markup.to_html(blocks, columns=columns) == ours


@given(strategies.texts(20))
def test_any_text_parses_to_its_normal_form_and_loses_no_letter(text: str) -> None:
    blocks = markup.parse_blocks(text)
    assert markup.normalise(blocks) == blocks
    assert markup.parse_blocks(markup.to_markdown(blocks)) == blocks


@given(strategies.titles())
def test_escaped_words_mean_just_themselves(title: str) -> None:
    (part,) = markup.parse_document("## " + markup.escape(title)).parts
    assert part.level == 2
    assert isinstance(part.block, Heading)
    assert markup.plain_text(part.block.children) == title


@given(st.text())
def test_any_string_at_all_parses(text: str) -> None:
    markup.to_html(markup.parse_blocks(text))


# ----------------------------------------------------------------------------------------------- text


def test_plain_text_is_set_with_marks_and_footnotes() -> None:
    links = markup.Footnotes()
    source = (
        "A **lead** with [one](https://x.org/1), [two](https://x.org/2) and [one](https://x.org/1) again; "
        "<https://x.org/3>\n\n- **Point.** Text\n  - inner\n\n7. seven\n8. eight\n\n> said\n\n"
        "```\ncode\n```\n\n| a | b |\n|---|---|\n| c | d |"
    )
    assert markup.to_text(markup.parse_blocks(source), width=40, links=links) == (
        "A lead with one [1], two [2] and one [1]\nagain; https://x.org/3\n\n- Point. Text\n  - inner\n\n"
        "7. seven\n8. eight\n\n> said\n\n    code\n\na | b\nc | d"
    )
    assert links.lines() == ("[1] https://x.org/1", "[2] https://x.org/2")


def test_no_address_is_broken() -> None:
    url = "https://example.org/" + "long/" * 40
    assert url in markup.to_text(markup.parse_blocks(f"before <{url}> after"), width=30).split("\n")


@settings(deadline=None)
@given(strategies.texts(12))
@example(r"\* `a` *b* _c_ ~~d~~ [e](f) ![g](h) <i> <https://x.org> &amp; two  \nlines")
@example("to https://x.org, HTTP://x.org and mailto:a@b.example")
@example(r"to https\://x.org and mailto:a@b.example")
@example("~~d~~")
@example("&amp;")
@example("mailto:a@b.example")
def test_the_short_way_through_plain_words_reads_as_the_rules_do(source: str) -> None:
    ours, plain = markdown(), markdown()
    plain.core.ruler.at("inline", inline)
    vars(plain.linkify).pop("pretest")  # its own question takes its place again
    assert tokens(ours, source) == tokens(plain, source)


def tokens(md: MarkdownIt, source: str) -> list[object]:
    return [token.as_dict() for token in [*md.parseInline(source), *md.parse(source)]]


# ---------------------------------------------------------------------------------------------- bounds


@pytest.mark.parametrize(
    "source",
    [
        "> " * 5000 + "x",
        "- " * 5000 + "x",
        "".join("  " * depth + "- x\n" for depth in range(200)),
        "[" * 20000,
        "![" * 10000,
        "*a **b " * 5000,
        "`" * 20001 + " " + "`" * 20000,
        "<!--" * 10000,
        "<a " * 10000,
        "<b>" * 10000,
        "&" * 20000,
        "https://" * 3000,
        "a\\\n" * 5000,
        "|a" * 500 + "\n" + "|-" * 500 + "\n" + "|b\n" * 20,
        "[a]: x\n" * 5000,
    ],
    ids=lambda source: source[:12],
)
def test_no_input_takes_for_ever_or_exhausts_the_stack(source: str) -> None:
    prose = "Some *words* of **a** [link](https://example.org/a) and `code`.\n\n- one\n- two\n\n" * 250
    assert times(lambda: in_every_form(source), lambda: in_every_form(prose), turns=1) < 50


def in_every_form(source: str) -> tuple[str, ...]:
    blocks = markup.parse_blocks(source)
    return markup.to_html(blocks), markup.to_text(blocks), markup.to_markdown(blocks)


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("- one\n- two", '<ul dir="ltr">|<li dir="auto">one</li>|<li dir="auto">two</li>|</ul>'),
        ("- אחת\n- שתיים", '<ul dir="rtl">|<li dir="auto">אחת</li>|<li dir="auto">שתיים</li>|</ul>'),
        (
            "1. אחת\n2. שתיים\n3. three",
            '<ol dir="rtl">|<li dir="auto">אחת</li>|<li dir="auto">שתיים</li>|<li dir="ltr">three</li>|</ol>',
        ),
        ("- 1\n- 2", '<ul>|<li dir="auto">1</li>|<li dir="auto">2</li>|</ul>'),
        ("> אחת", '<blockquote dir="rtl">|<p dir="auto">אחת</p>|</blockquote>'),
        ("> 12", '<blockquote dir="auto">|<p dir="auto">12</p>|</blockquote>'),
        ("```\nאחת\n```", '<pre dir="ltr"><code>אחת</code></pre>'),
    ],
)
def test_lists_and_quotes_read_as_most_of_them_do_and_items_that_differ_say_so(text: str, html: str) -> None:
    assert markup.to_html(markup.parse_blocks(text)).strip().replace("\n", "|") == html


@pytest.mark.parametrize(
    ("text", "widths"),
    [
        ("|a|b|\n|-|-|\n|c|d|", ["50%", "50%"]),
        ("|Name|What it does|\n|-|-|\n|One|" + "a sentence of words " * 5 + "|", ["25%", "74%"]),
        ("|Δ|" + "x" * 80 + "|\n|-|-|\n|1|2|", ["8%", "91%"]),
        ("||\n|-|\n|x|", ["100%"]),
    ],
)
def test_columns_are_as_wide_as_their_words_ask_for(text: str, widths: list[str]) -> None:
    page = markup.to_html(markup.parse_blocks(text), columns=True)
    assert [head.get("width") for head in lxml.html.fromstring(page).iter("th")] == widths
    assert "width" not in markup.to_html(markup.parse_blocks(text))


@given(strategies.blocks())
@settings(max_examples=30)
def test_columns_together_are_no_wider_than_their_table(blocks: Blocks) -> None:
    page = lxml.html.fragment_fromstring(markup.to_html(blocks, columns=True), create_parent="div")
    for row in page.iter("thead"):
        widths = [int(str(head.get("width")).removesuffix("%")) for head in row.iter("th")]
        assert min(widths) >= 1
        assert sum(widths) <= 100
