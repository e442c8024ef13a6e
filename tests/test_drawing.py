"""What a curator sees of Slack: every word of the JSON, nothing that runs, and whom it would call."""

import json
import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st
from markupsafe import Markup

from bot.channels._slack_posts import Setter
from bot.drawing import drawn
from bot.drawing.blocks import block
from bot.drawing.words import mrkdwn
from bot.markup import parse_blocks
from bot.models import Entry, Issue, Reference, Section, Week
from bot.templates import Templates
from tests.oracles.samples import newsletter

HOSTILE = '<script>alert(1)</script> "><img src=x onerror=alert(1)> <!channel> &amp;'


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("plain", "plain"),
        ("a\nb", "a<br>b"),
        ("*bold*", "<strong>bold</strong>"),
        ("_it_ ~out~ `code`", "<em>it</em> <s>out</s> <code>code</code>"),
        ("*_both_*", "<strong><em>both</em></strong>"),
        ("*a _b_ c*", "<strong>a <em>b</em> c</strong>"),
        ("(*x*), *y*.", "(<strong>x</strong>), <strong>y</strong>."),
        ("2 * 3 * 4", "2 * 3 * 4"),
        ("snake_case_name", "snake_case_name"),
        ("Super*cali*fragilistic", "Super*cali*fragilistic"),
        ("*x*です", "*x*です"),
        ("**x**", "**x**"),
        ("&lt;b&gt; &amp; &quot;", "&lt;b&gt; &amp; &amp;quot;"),
        ("<https://x.org/?a=1&amp;b=2|there>",
         '<a href="https://x.org/?a=1&amp;b=2" rel="noreferrer noopener" target="_blank">there</a>'),
        ("*<https://x.org|there>*",
         '<strong><a href="https://x.org" rel="noreferrer noopener" target="_blank">there</a></strong>'),
        ("<https://x.org/a_b_c>",
         '<a href="https://x.org/a_b_c" rel="noreferrer noopener" target="_blank">https://x.org/a_b_c</a>'),
        ("<javascript:alert(1)|there>", "there"),
        ("&gt; said", "<q>said</q>"),
        ("<!date^1700000000^{date}|then>", "then"),
        ("`<https://x.org|x>`",
         '<code><a href="https://x.org" rel="noreferrer noopener" target="_blank">x</a></code>'),
    ],
)  # fmt: skip
def test_words_are_read_as_slack_reads_them(text: str, html: str) -> None:
    assert str(mrkdwn(text, verbatim=True)) == html


@pytest.mark.parametrize(
    ("text", "verbatim", "calls"),
    [
        ("<!channel> now", True, ["@channel"]),
        ("<!subteam^S1|@team>", True, ["@@team"]),
        ("<@U0123456>", True, ["@U0123456"]),
        ("<#C1|general>", True, ["#general"]),
        ("@here", True, []),
        ("@here", False, ["@here"]),
        ("see #general", False, ["#general"]),
        ("me@here.org, @hereby, &lt;!channel&gt;", False, []),
    ],
)
def test_what_calls_people_is_marked(text: str, calls: list[str], *, verbatim: bool) -> None:
    found = re.findall(r'<mark class="calls"[^>]*>(.*?)</mark>', mrkdwn(text, verbatim=verbatim))
    assert found == calls


@pytest.mark.parametrize(
    ("one", "html"),
    [
        ({"type": "divider"}, "<hr>"),
        ({"type": "header", "text": {"type": "plain_text", "text": "A & B"}},
         '<p class="header" role="heading" aria-level="3">A &amp; B</p>'),
        ({"type": "rich_text", "elements": [{"type": "rich_text_list", "style": "ordered", "offset": 4,
          "indent": 1, "elements": [
              {"type": "rich_text_section", "elements": [{"type": "text", "text": "x"}]}]}]},
         '<ol class="in1" start="5"><li>x</li></ol>'),
        ({"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": [
            {"type": "text", "text": "b", "style": {"bold": True, "code": True}},
            {"type": "emoji", "name": "wave", "unicode": "1f44b"}, {"type": "emoji", "name": "party"}]}]},
         "<p><code><strong>b</strong></code>\N{WAVING HAND SIGN}:party:</p>"),
        ({"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": [
            {"type": "broadcast", "range": "here"}]}]},
         '<p><mark class="calls" title="This would notify people">@here</mark></p>'),
        ({"type": "actions", "elements": [
            {"type": "button", "style": "danger", "text": {"type": "plain_text", "text": "Hold"}}]},
         '<p class="actions"><span class="button danger">Hold</span></p>'),
    ],
)  # fmt: skip
def test_a_block_is_drawn_as_what_it_is(one: dict[str, Any], html: str) -> None:
    assert str(block(one)) == html


def test_a_long_section_is_folded_unless_it_is_to_stay_open() -> None:
    section = {"type": "section", "text": {"type": "plain_text", "text": "word " * 150}}
    assert "See more" in block(section)
    assert "See more" not in block({**section, "expand": True})


@pytest.mark.parametrize(
    "one", [{}, {"type": "rich_text"}, {"type": "section", "text": 5}, {"type": HOSTILE}]
)
def test_a_block_that_is_none_is_shown_as_it_stands(one: dict[str, Any]) -> None:
    assert str(block(one)).startswith('<pre class="unknown">')
    assert "<script" not in block(one)


def set_issue(layout: str) -> list[dict[str, Any]]:
    """The posts of an issue with hostile words everywhere."""
    text = parse_blocks(
        f"{HOSTILE}\n\n* **{HOSTILE}** and [{HOSTILE}](https://example.org/?q=1&r=2)\n\n> quoted\n"
    )
    entry = Entry(HOSTILE, (Reference(HOSTILE, "https://example.org/"),), text)
    issue = Issue("ai-papers", Week(2025, 17), HOSTILE, (Section(HOSTILE, (entry,) * 30),), intro=text)
    made = Setter(
        newsletter(),
        Templates(Path("/nowhere")),
        "https://x.org",
        several=False,
        layout=layout,
        conversation="C1",
    )
    return made.posts(issue)


@pytest.mark.parametrize("layout", ["thread", "messages", "digest"])
def test_an_issue_of_hostile_words_is_drawn_word_by_word_and_nothing_in_it_runs(layout: str) -> None:
    posts = set_issue(layout)
    page = drawn(posts, name="AI <Papers>", in_thread=layout == "thread")
    tags = set(re.findall(r"<([a-z]+)", page))
    assert not tags & {"script", "img", "iframe", "object", "style", "form"}
    assert not re.search(r"<[^>]*\son[a-z]+\s*=", page)
    assert 'class="calls"' not in page  # content calls nobody
    words = unescape(Markup(page).striptags())
    assert words.count("alert(1)") >= json.dumps(posts[0]["blocks"]).count("alert(1)")
    assert page.count("<article") == len(posts)
    assert ('class="thread"' in page) == (layout == "thread")


@given(st.text(st.sampled_from("*_~`<>|&;@#! \nab\0é漢"), max_size=60), st.booleans())
def test_any_words_are_drawn_and_none_of_them_becomes_a_tag(text: str, verbatim: bool) -> None:  # noqa: FBT001 (hypothesis)
    made = mrkdwn(text, verbatim=verbatim)
    assert set(re.findall(r"</?([a-z]+)", made)) <= {"strong", "em", "s", "code", "a", "mark", "q", "br"}
    letters = re.sub(r"[^abé漢]", "", unescape(Markup(made).striptags()).replace("<br>", ""))
    outside = re.sub(r"<![^<>\n]*>", "", text)  # a command may show a label in the place of its name
    assert len(letters) <= len(re.sub(r"[^abé漢]", "", text))
    if "|" not in text and "!" not in text:
        assert letters == re.sub(r"[^abé漢]", "", outside)
