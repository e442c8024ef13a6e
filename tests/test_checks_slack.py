"""What is found in an issue as it would be posted to Slack: for each rule a hit and a near miss."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st
from jinja2 import Environment

from bot.checks import Rule, slack
from bot.checks._posts import Posts
from bot.models import Entry, Finding, Issue, Reference, Section, Severity, Week
from bot.plugins import Options
from bot.settings import Newsletter
from bot.text import Paragraph, Text
from tests.test_slack_corpus import corpus
from tests.test_slack_issues import LAYOUTS, Layout, frozen

Json = dict[str, Any]

NEWSLETTER = Newsletter.model_validate(
    {
        "name": "ai-papers",
        "title": "AI Papers",
        "sender": "AI Papers <papers@letters.org>",
        "list_id": "ai-papers.letters.org",
        "postal_address": "1 Example Street",
        "channels": {
            "team": Options(kind="slack"),
            "hook": Options(kind="slack-webhook"),
            "readers": Options(kind="email"),
        },
        "schedule": {"day": "fri", "at": "09:00", "zone": "Europe/Berlin"},
    }
)
LONG = "https://example.org/" + "x" * 3000
ENTRIES = (
    Entry("One", (Reference("Paper", LONG),), place="content/a.md:8"),
    Entry("Two", blocks=(Paragraph((Text("Ask @Here about it"),)),), place="content/a.md:12"),
)
ISSUE = Issue("ai-papers", Week(2025, 17), "AI Papers", (Section(None, ENTRIES),), place="content/a.md:1")
DIVIDER: Json = {"type": "divider"}


def text(words: str, kind: str = "plain_text", **keys: object) -> Json:
    return {"type": kind, "text": words, **keys}


def mrkdwn(words: str, **keys: object) -> Json:
    return {"type": "section", "text": text(words, "mrkdwn", **keys)}


def header(length: int) -> Json:
    return {"type": "header", "text": text("x" * length)}


def small_print(count: int) -> Json:
    return {"type": "context", "elements": [text("x")] * count}


def button(length: int, url: str = "https://example.org") -> Json:
    pressed = {"type": "button", "text": text("x" * length), "url": url}
    return {"type": "actions", "elements": [pressed]}


def rich(*elements: Json) -> Json:
    return {"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": list(elements)}]}


def link(url: str) -> Json:
    return rich({"type": "link", "url": url, "text": "x"})


def image(url: str, **keys: object) -> Json:
    return {"type": "image", "image_url": url, "alt_text": "x", **keys}


def message(*blocks: Json, **keys: object) -> Json:
    """A message that is in order, but for what a test says."""
    plain = {"text": "AI Papers", "unfurl_links": False, "unfurl_media": False}
    return {**plain, "blocks": list(blocks) or [DIVIDER], **keys}


def posts(*messages: Json, issue: Issue = ISSUE) -> Posts:
    return Posts(issue, NEWSLETTER, {"team": messages})


def findings(given_posts: Posts) -> list[Finding]:
    return [finding for rule in slack.RULES for finding in rule.findings(given_posts)]


def found(*messages: Json) -> list[str]:
    return [told(finding) for finding in findings(posts(*messages))]


def told(finding: Finding) -> str:
    """`image-alt`, or `image hint` where it is no error."""
    name = finding.rule.removeprefix("slack.")
    return name if finding.severity is Severity.ERROR else f"{name} {finding.severity}"


def test_a_message_that_is_in_order_has_no_findings() -> None:
    assert found(message()) == []


@pytest.mark.parametrize(
    ("block", "rules"),
    [
        (header(150), ["header hint"]),
        (header(135), ["header hint"]),
        (header(134), []),
        (header(151), ["header"]),
        (mrkdwn("x" * 3001), ["text"]),
        (mrkdwn("x" * 3000), ["text hint"]),
        (mrkdwn("x" * 2699), []),
        ({"type": "section", "fields": [text("x" * 3001)]}, ["text"]),
        (small_print(10), []),
        (small_print(11), ["elements"]),
        ({"type": "actions", "elements": [{"type": "button", "text": text("x")}] * 26}, ["elements"]),
        ({"type": "actions", "elements": [{"type": "button", "text": text("x")}] * 25}, []),
        (button(30), []),
        (button(31), ["button hint"]),
        (button(75), ["button hint"]),
        (button(76), ["button"]),
        (button(9, "https://example.org/" + "x" * 2980), []),
        (button(9, LONG), ["link"]),
        (mrkdwn(""), ["empty"]),
        (mrkdwn(" "), ["empty"]),
        (rich({"type": "text", "text": " "}), []),
        (link("https://example.org"), []),
        (link("mailto:ann@example.org"), []),
        (link("https://example.org/" + "x" * 2980), []),
        (link("https://example.org/" + "x" * 2981), ["link"]),
        (link("/issues/2025-W17"), ["link"]),
        (link("javascript:x()"), ["link"]),
        (image("https://example.org/a.png"), ["image hint"]),
        (image("https://example.org/a"), ["image hint"]),
        (image("http://example.org/a.png"), ["image warning"]),
        (image("/a.png"), ["image warning"]),
        (image("//example.org/a.png"), ["image warning"]),
        (image("https://localhost/a.png"), ["image warning"]),
        (image("https://127.0.0.1/a.png"), ["image warning"]),
        (image("https://example.org/a.webp?w=9"), ["image warning"]),
        (image("https://example.org/a.SVG"), ["image warning"]),
        (image("https://["), ["image warning"]),
        ({"type": "image", "slack_file": {"id": "F1"}, "alt_text": "x"}, []),
        (image("https://example.org/a.png", alt_text=" "), ["image hint", "image-alt"]),
        ({"type": "section", "text": text("x"), "accessory": image("/a.png")}, ["image warning"]),
    ],
)  # fmt: skip
def test_what_slack_refuses_or_cuts_is_told(block: Json, rules: list[str]) -> None:
    assert found(message(block)) == rules


@pytest.mark.parametrize(
    ("given_message", "rules"),
    [
        (message(*[DIVIDER] * 44), []),
        (message(*[DIVIDER] * 45), ["blocks hint"]),
        (message(*[DIVIDER] * 50), ["blocks hint"]),
        (message(*[DIVIDER] * 51), ["blocks"]),
        (message(*[mrkdwn("x" * 2690)] * 3), []),
        (message(*[mrkdwn("x" * 2400)] * 4), []),
        (message(*[mrkdwn("x" * 2500)] * 4), ["size hint"]),
        (message(*[mrkdwn("x" * 2650)] * 4), ["size hint"]),
        (message(*[mrkdwn("x" * 2690)] * 4), ["size"]),
        (message(blocks=[]), ["empty"]),
        (message(text=" "), ["fallback"]),
        ({"blocks": [DIVIDER], "unfurl_links": False, "unfurl_media": False}, ["fallback"]),
        (message(text="x" * 4000), []),
        (message(text="x" * 4001), ["fallback warning"]),
        (message(unfurl_media=True), ["unfurl warning"]),
        ({"blocks": [DIVIDER], "text": "x", "unfurl_links": False}, ["unfurl warning"]),
    ],
)
def test_what_is_amiss_with_a_message_as_a_whole_is_told(given_message: Json, rules: list[str]) -> None:
    assert found(given_message) == rules


@pytest.mark.parametrize(("count", "rules"), [(8, []), (9, ["messages warning"])])
def test_an_issue_that_fills_a_conversation_is_told(count: int, rules: list[str]) -> None:
    assert found(*[message()] * count) == rules


@pytest.mark.parametrize(("length", "rules"), [(150, []), (151, ["header hint"])])
def test_a_title_that_cannot_be_a_header_is_told(length: int, rules: list[str]) -> None:
    issue = Issue("ai-papers", Week(2025, 17), "x" * length, place="content/a.md:1")
    assert [told(one) for one in findings(posts(message(), issue=issue))] == rules


@pytest.mark.parametrize(
    ("words", "rules"),
    [
        ("Ask @here about it", ["mention hint"]),
        ("@channel", ["mention hint"]),
        ("(@Everyone)", ["mention hint"]),
        ("<!channel> look", ["mention hint"]),
        ("<!subteam^S012|team>", ["mention hint"]),
        ("<@U0123456789> look", ["mention hint"]),
        ("go to #general now", ["mention hint"]),
        ("@here and @here", ["mention hint"]),
        ("@here and @channel", ["mention hint", "mention hint"]),
        ("Mail me@here.example", []),
        ("@hereafter, @karpathy", []),
        ("a@channel", []),
        ("the generals, #generality, #17, C#general", []),
        ("a <!-- comment -->", []),
        ("<@user>", []),
    ],
)
def test_what_looks_like_a_call_to_people_is_told(words: str, rules: list[str]) -> None:
    assert found(message(rich(text(words, "text")))) == rules


def test_what_is_quoted_as_code_does_not_look_like_a_call() -> None:
    assert found(message(rich(text("@here", "text", style={"code": True})))) == []


def test_a_look_alike_is_found_in_the_content() -> None:
    (finding,) = findings(posts(message(rich(text("Ask @Here about it", "text")))))
    assert finding.place == "content/a.md:12"
    (finding,) = findings(posts(message(small_print(1)), message(rich(text("@channel", "text")))))
    assert finding.place == "content/a.md:1"


def test_a_link_of_the_content_is_found_in_the_content() -> None:
    (finding,) = findings(posts(message(link(LONG))))
    assert finding.place == "content/a.md:8"
    assert len(finding.message) < 200
    (finding,) = findings(posts(message(link("/x"))))
    assert finding.place == "templates/slack/issue.j2"


@pytest.mark.parametrize(
    ("given_message", "rules"),
    [
        (message(mrkdwn("<!channel> look", verbatim=True)), ["mention hint", "call"]),
        (message(mrkdwn("&lt;!channel&gt; look", verbatim=True)), []),
        (message(mrkdwn("<@U0123456789>", verbatim=True)), ["mention hint", "call"]),
        (message(mrkdwn("<!date^1392734382^{date}|2014>", verbatim=True)), []),
        (message(mrkdwn("ask @here", verbatim=True)), ["mention hint"]),
        (message(mrkdwn("ask @here")), ["mention hint", "call"]),
        (message(text="<!here> AI Papers"), ["call"]),
        (message(text="&lt;!here&gt; AI Papers"), []),
        (message(rich({"type": "broadcast", "range": "here"})), ["call"]),
        (message(rich({"type": "user", "user_id": "U0123456789"})), ["call"]),
        (message(rich({"type": "emoji", "name": "wave"})), []),
    ],
)
def test_what_would_call_people_holds_the_issue(given_message: Json, rules: list[str]) -> None:
    assert found(given_message) == rules


def test_nobody_can_switch_off_what_keeps_phones_from_ringing() -> None:
    assert [rule.id for rule in slack.RULES if rule.binding] == ["slack.call"]


# ------------------------------------------------------------------------------------------- the examples


def in_messages(example: str) -> list[Json]:
    """What an example stands for: blocks of one message, or messages."""
    given_pieces = json.loads(f"[{Environment(autoescape=False).from_string(example).render()}]")
    if "type" in given_pieces[0]:
        return [message(*given_pieces)]
    return [message(**keys) for keys in given_pieces]


@pytest.mark.parametrize("rule", slack.RULES, ids=lambda rule: rule.id)
def test_the_example_of_a_rule_is_found_by_it(rule: Rule[Posts]) -> None:
    assert isinstance(rule.example, str)
    severities = [finding.severity for finding in rule.findings(posts(*in_messages(rule.example)))]
    assert rule.severity in severities
    assert rule.why.endswith(".")
    assert rule.mend.endswith(".")


# --------------------------------------------------------------------------------------------- what is read


def test_of_all_payloads_only_those_for_slack_are_read() -> None:
    payload = json.dumps([message(), message(text="")]).encode()
    read = Posts.read(ISSUE, NEWSLETTER, {"team": payload, "hook": payload[:0] + b"[]", "readers": b"\xff"})
    assert {name: len(messages) for name, messages in read.channels.items()} == {"team": 2, "hook": 0}
    assert [one.message for one in findings(read)] == [
        "team, message 2: no text for notifications and screen readers"
    ]


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["type", "text", "blocks", "elements", "url", "image_url", "style", "alt_text"]),
            inner | st.sampled_from(["section", "header", "image", "link", "button", "mrkdwn", "text"]),
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(st.lists(anything, max_size=3), anything)
def test_whatever_a_channel_froze_is_judged(blocks: list[Any], words: object) -> None:
    assert all(finding.issue == ISSUE.key for finding in findings(posts(message(blocks=blocks, text=words))))


# ----------------------------------------------------------------------------------------- real newsletters


@pytest.mark.parametrize("layout", LAYOUTS)
def test_real_newsletters_give_no_false_alarm(shared: Path, layout: Layout) -> None:
    for issue in corpus(shared)[::13]:
        real = Posts(issue, NEWSLETTER, {"team": tuple(frozen(issue, layout))})
        alarms = [str(one) for one in findings(real) if one.severity is not Severity.HINT]
        assert alarms == [], issue.key
