"""A whole issue as Slack shows it: within every limit, no word lost, and none that comes alive."""

import html
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass, replace
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Literal

import pytest
from hypothesis import example, given, settings, strategies as st

from bot import blockkit, markup
from bot.blockkit import Group, packed
from bot.channels import slack
from bot.models import Entry, Issue, Reference, Rendered, Section, Week
from bot.templates import Templates
from bot.text import Block, Blocks, Bullets, CodeBlock, Heading, Link, Paragraph, Quote, Table, Text
from tests import strategies
from tests.servers.slack.rules import faults, is_too_long, mentions
from tests.test_compose import newsletter

Layout = Literal["thread", "messages", "digest"]
LAYOUTS: tuple[Layout, ...] = ("thread", "messages", "digest")
Json = dict[str, Any]


@cache
def shipped() -> Templates:
    return Templates(Path("/nowhere"))


def frozen(issue: Issue, layout: Layout = "thread") -> list[Json]:
    """The messages of an issue, as they are kept."""
    installation: Any = SimpleNamespace(
        root=Path(), url="http://localhost:8000", several=False, secret=lambda _: None
    )
    channel = slack.build(
        slack.Options(kind="slack", conversation="C0123456789", layout=layout),
        newsletter=newsletter(),
        settings=installation,
        templates=shipped(),
        transport=None,
    )
    found: list[Json] = json.loads(channel.freeze(issue, Rendered("", "", "", "", "", "")))
    return found


# ------------------------------------------------------------------------------------- what Slack would show


def shown(block: Json) -> str:
    """The words a reader sees of a block."""
    if block["type"] == "section":
        return spoken(block["text"]["text"])
    if "elements" in block:
        return " ".join(_shown_elements(block["elements"]))
    return str(block["text"]["text"]) if "text" in block else ""


def _shown_elements(elements: Sequence[Json]) -> Iterator[str]:
    for element in elements:
        if element["type"] == "rich_text_list":
            yield from _shown_elements(element["elements"])
        elif element["type"] == "button":
            yield element["text"]["text"]
        elif "elements" in element:
            yield "".join(_shown_elements(element["elements"]))
        else:
            yield element["text"]


def spoken(mrkdwn: str) -> str:
    """The words of our own mrkdwn: `*<url|title>*` or `*title*`, and a lead below it."""
    found = re.fullmatch(r"\*(?:<[^<>|]+\|([^<>|]+)>|([^<>*]+))\*(?:\n([^<>]+))?", mrkdwn)
    assert found, mrkdwn
    return html.unescape(" ".join(filter(None, found.groups())))


def words_of(issue: Issue, layout: Layout) -> str:
    """The words of an issue, in the order of its messages."""
    pieces = [issue.title, "" if layout == "digest" else markup.words(issue.intro)]
    if layout != "messages":
        pieces += _contents_of(issue)
    return " ".join(pieces if layout == "digest" else [*pieces, *_entries_of(issue)])


def _contents_of(issue: Issue) -> Iterator[str]:
    for section in issue.sections:
        yield section.title or ""
        yield from (entry.title for entry in section.entries)


def _entries_of(issue: Issue) -> Iterator[str]:
    number = 0
    for section in issue.sections:
        yield section.title or ""
        for number, entry in enumerate(section.entries, number + 1):  # noqa: B020 (it counts through all sections)
            lead = markup.words((entry.lead,) if entry.lead else ())
            links = " · ".join(reference.label for reference in entry.references)
            yield " ".join((f"{number}. {entry.title}", lead, links, markup.words(entry.rest)))


def letters(text: str) -> str:
    return "".join(text.split())


def is_ours(block: Json) -> bool:
    """Whether a block says nothing of the issue: small print, and what leads to the page."""
    return block["type"] in {"context", "actions"} or shown(block) == "Read it on the web"


def assert_words_kept(issue: Issue, layout: Layout, messages: Sequence[Json]) -> None:
    """Every letter is there, in order, and nothing else but marks of lists and tables that are put flat."""
    blocks = [block for message in messages for block in message["blocks"]]
    theirs = [block for block in blocks if not is_ours(block)]
    said, meant = letters(" ".join(map(shown, theirs))), letters(words_of(issue, layout))
    rest = iter(said)
    assert all(letter in rest for letter in meant), (said, meant)
    assert set(Counter(said) - Counter(meant)) <= set("•|─.0123456789")


def texts_in(value: Any) -> Iterator[Json]:
    """Every object of a block that has a text of its own."""
    if isinstance(value, dict):
        if isinstance(value.get("text"), str):
            yield value
        value = list(value.values())
    if isinstance(value, list):
        for one in value:
            yield from texts_in(one)


def assert_slack_takes(messages: Sequence[Json]) -> None:
    assert messages
    for message in messages:
        assert faults(message["blocks"]) == []
        assert not is_too_long(message["blocks"])
        assert len(message["blocks"]) <= 40
        assert len(json.dumps(message["blocks"], ensure_ascii=False)) <= 10_000
        assert 0 < len(message["text"]) <= 4000
        assert not re.search(r"[<>]", message["text"])


# ------------------------------------------------------------------------------------------ whatever is said

EMPTY = Issue("ai-papers", Week(2025, 17), "x")
LONG, HUGE = "word " * 3000, "x" * 15_000


def words(text: str) -> Paragraph:
    return Paragraph((Text(text),))


def nested(depth: int) -> Blocks:
    return (Bullets(((words("deep"), *nested(depth - 1)),)),) if depth else ()


def of(*blocks: Block, title: str = "Title", **more: Any) -> Issue:
    """An issue of one entry that says this."""
    return replace(EMPTY, sections=(Section(None, (Entry(title, blocks=blocks, **more),)),))


CELLS = ((Text("cell"),),) * 20
HOLLOW = (Paragraph(()), CodeBlock(""), Bullets(()), Quote(()), Table(((),)), Heading(()))
LINKS = tuple(Reference(f"r{n}", f"https://x.org/{'y' * 1900}") for n in range(30))
EXTREMES = {
    "nothing": EMPTY,
    "long titles": replace(of(title=LONG), title=HUGE, intro=(words(LONG),)),
    "titles of entities": of(words("&" * 900), title="&" * 900),
    "a title at the limit": replace(EMPTY, title="é" * 150),
    "a long section": replace(of(), sections=(Section(HUGE, (Entry("x"),)),)),
    "words without blanks": of(words(HUGE), words(HUGE)),
    "a long lead": of(words(LONG), words(LONG)),
    "much code": of(CodeBlock("line\n" * 4000)),
    "a large table": of(Table((CELLS,) * 200)),
    "a deep list": of(*nested(30)),
    "a long bullet": of(Bullets(((words(LONG),),) * 3, start=7)),
    "a list of a thousand": of(Bullets(((words("x"),),) * 1000, start=0)),
    "eight hundred bullets": of(Bullets(((words("a b c d e f"),),) * 800)),
    "a word of fifty thousand": of(words("x" * 50_000)),
    "a bullet of fifty thousand": of(Bullets(((words("Say it again. " * 3600),),))),
    "a narrow table": of(Table((((Text("a"),), (Text("b"),)),) * 400)),
    "a quoted list": of(Quote((Bullets(((words(LONG),),) * 2, start=3), CodeBlock(HUGE)))),
    "a long link": of(Paragraph((Link("https://example.org/" + "é" * 300, (Text(HUGE),)),))),
    "many links": of(references=LINKS),
    "quotation marks": of(words('"\\' * 5000)),
    "many entries": replace(EMPTY, sections=(Section("S", tuple(Entry(f"t{n}") for n in range(300))),)),
    "emoji": of(words("👩‍💻" * 4000), title="👩‍💻" * 600),
    "hollow blocks": of(*HOLLOW, title=""),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("issue", EXTREMES.values(), ids=EXTREMES)
def test_no_extreme_breaks_a_limit_or_loses_a_word(issue: Issue, layout: Layout) -> None:
    messages = frozen(issue, layout)
    assert_slack_takes(messages)
    assert_words_kept(issue, layout, messages)


@settings(max_examples=25, deadline=None)
@given(strategies.issues(), st.sampled_from(LAYOUTS))
def test_any_issue_fits_and_keeps_its_words_in_order(issue: Issue, layout: Layout) -> None:
    messages = frozen(issue, layout)
    assert_slack_takes(messages)
    assert_words_kept(issue, layout, messages)


HUGE_BLOCKS = tuple(issue.sections[0].entries[0].blocks for issue in EXTREMES.values() if issue.sections)


def huge_entries() -> st.SearchStrategy[Entry]:
    """Entries of everything at once: what is drawn, between what is too large."""
    pieces = st.lists(st.sampled_from(HUGE_BLOCKS) | strategies.blocks(), max_size=3)
    return st.builds(
        lambda title, blocks: Entry(title, blocks=tuple(one for some in blocks for one in some)),
        strategies.titles() | st.sampled_from([LONG[:4000], "&" * 900, "👩‍💻" * 300]),
        pieces,
    )


@settings(max_examples=15, deadline=None)
@given(st.lists(huge_entries(), min_size=1, max_size=3), strategies.titles(), st.sampled_from(LAYOUTS))
def test_any_issue_of_extremes_fits_and_keeps_its_words(
    entries: list[Entry], title: str, layout: Layout
) -> None:
    issue = replace(EMPTY, title=title, sections=(Section(title, tuple(entries)),))
    messages = frozen(issue, layout)
    assert_slack_takes(messages)
    assert_words_kept(issue, layout, messages)


# --------------------------------------------------------------------------------------- what must stay dead

LIVE = (
    "<!channel>", "<!here>", "<@U0123456>", "<#C0123456>", "<https://x.org|bank>", "@here", "@channel",
    "#general", "*bold*", "_italic_", "~struck~", "`code`", "```code```", ":tada:", ":+1:", "> quote",
    "https://x.org", "x@y.org", "<!date^0^{date}|x>", "\uff0abold\uff0a", "\uff3fitalic\uff3f",
)  # fmt: skip


@pytest.mark.parametrize("trap", LIVE)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_what_would_come_alive_is_said_only_where_it_cannot(trap: str, layout: Layout) -> None:
    entry = Entry(trap, (Reference(trap, "https://example.org/"),), (words(trap), words(trap)))
    issue = replace(EMPTY, title=trap, sections=(Section(trap, (entry,)),), intro=(words(trap),))
    messages = frozen(issue, layout)
    texts = [text for message in messages for text in texts_in(message["blocks"])]
    assert {text["type"] for text in texts if trap in text["text"]} <= {"text", "link", "plain_text"}
    assert all(text["emoji"] is False for text in texts if text["type"] == "plain_text")
    assert all(text["verbatim"] is True for text in texts if text["type"] == "mrkdwn")
    assert not any(re.search(r"<|@here|@channel", message["text"]) for message in messages)
    assert [mentions(message) for message in messages] == [[]] * len(messages)


@settings(max_examples=25, deadline=None)
@given(strategies.issues(), st.sampled_from(LIVE), st.sampled_from(LAYOUTS))
def test_no_issue_calls_anybody_or_leads_where_it_does_not_say(
    issue: Issue, trap: str, layout: Layout
) -> None:
    issue = replace(issue, title=f"{issue.title} {trap}", intro=(*issue.intro, words(trap)))
    safe = {"http://localhost:8000/issues/" + str(issue.week), *addresses_of(issue)}
    for message in frozen(issue, layout):
        assert mentions(message) == []
        marked = " ".join(one["text"] for one in texts_in(message["blocks"]) if one.get("type") == "mrkdwn")
        assert set(re.findall(r"<([^|>]*)", marked)) <= set(map(in_mrkdwn, safe))
        assert {link["url"] for link in links_in(message["blocks"])} <= safe


def in_mrkdwn(url: str) -> str:
    return url.replace("&", "&amp;")


def addresses_of(value: Any) -> Iterator[str]:
    """Every address that an issue holds, wherever it does."""
    if isinstance(value, Link | Reference):
        yield value.url
    if is_dataclass(value):
        value = tuple(getattr(value, each.name) for each in fields(value))
    if isinstance(value, tuple):
        for one in value:
            yield from addresses_of(one)


def links_in(value: Any) -> Iterator[Json]:
    if isinstance(value, dict):
        if "url" in value:
            yield value
        value = list(value.values())
    if isinstance(value, list):
        for one in value:
            yield from links_in(one)


@settings(max_examples=40, deadline=None)
@given(strategies.titles(), strategies.texts().map(words), st.none() | strategies.urls())
@example("x", words("*a*"), "https://example.org/a|b>c")
@example("x", words("> y"), None)
def test_mrkdwn_holds_tame_words_and_one_link(title: str, lead: Paragraph, url: str | None) -> None:
    for block in blockkit.entry_title(title, url, lead):
        if block["type"] == "section":
            assert blockkit.is_tame(spoken(block["text"]["text"]))


# ------------------------------------------------------------------------------------------- what is together


def together(sections: tuple[Section, ...]) -> list[list[str]]:
    """The words of each message of an issue."""
    messages = frozen(replace(EMPTY, sections=sections), "messages")
    assert len(messages) > 2
    return [" ".join(map(shown, message["blocks"])).split() for message in messages]


def test_an_entry_stands_in_one_message() -> None:
    texts = [(words("lead " * 200), words("rest " * 150), words(f"E{n}")) for n in range(20)]
    said = together((Section("S", tuple(Entry(f"T{n}", blocks=text) for n, text in enumerate(texts))),))
    for n in range(20):
        assert [f"T{n}" in one for one in said] == [f"E{n}" in one for one in said]


def test_a_section_opens_in_the_message_of_its_first_entry() -> None:
    long = words("x " * 1400)
    said = together(tuple(Section(f"S{n}", (Entry(f"T{n}", blocks=(long,)),)) for n in range(9)))
    for n in range(9):
        assert [f"S{n}" in one for one in said] == [f"T{n}" in one for one in said]


def test_no_message_begins_or_ends_with_a_line() -> None:
    sizes = [400, 2250, 800] * 9
    entries = tuple(Entry(f"T{n}", blocks=(words("x " * size),)) for n, size in enumerate(sizes))
    issue = replace(EMPTY, sections=(Section(None, entries),))
    for message in [one for layout in LAYOUTS for one in frozen(issue, layout)]:
        assert message["blocks"][0]["type"] != "divider"
        assert message["blocks"][-1]["type"] != "divider"


def test_the_words_where_blocks_are_not_shown_name_every_entry_of_the_message() -> None:
    entries = tuple(Entry(f"T{n}", blocks=(words("x " * 1400),)) for n in range(6))
    first, *others = frozen(replace(EMPTY, sections=(Section(None, entries),)), "messages")
    assert all(f"{n + 1}. T{n}" in first["text"] for n in range(6))
    for message in others:
        titles = re.findall(r"\d+\. T\d+", " ".join(map(shown, message["blocks"])))
        assert re.findall(r"\d+\. T\d+", message["text"]) == titles


def test_a_call_that_gives_nothing_makes_no_message() -> None:
    assert packed([Group(())]) == []
    huge = {"type": "x", "text": "x" * 12_000}
    assert [message.blocks for message in packed([Group((huge,)), Group(()), Group(())])] == [[huge]]


# ---------------------------------------------------------------------------------------------------- layouts

LONG_TEXTS = (words("x " * 1400),)
FIVE = replace(
    EMPTY,
    intro=(words("An opening."),),
    sections=(
        Section(
            "First",
            tuple(Entry(f"T{n}", (Reference("r", f"https://x.org/{n}"),), LONG_TEXTS) for n in (1, 2)),
        ),
        Section("Second", tuple(Entry(f"T{n}", blocks=LONG_TEXTS) for n in (3, 4, 5))),
    ),
)  # fmt: skip


def said_by(layout: Layout, issue: Issue = FIVE) -> list[str]:
    return [" ".join(map(shown, message["blocks"])) for message in frozen(issue, layout)]


def test_a_thread_opens_with_the_contents_and_replies_with_the_entries_in_order() -> None:
    lead, *replies = said_by("thread")
    assert re.findall(r"An opening|First|Second|T\d|Read it", lead) == [
        "An opening", "First", "T1", "T2", "Second", "T3", "T4", "T5", "Read it",
    ]  # fmt: skip
    assert re.findall(r"First|Second|T\d", " ".join(replies)) == [
        "First", "T1", "T2", "Second", "T3", "T4", "T5",
    ]  # fmt: skip
    assert "x x" not in lead


def test_the_contents_of_a_thread_lead_where_the_entries_lead() -> None:
    lead = frozen(FIVE, "thread")[0]
    assert re.findall(r'"url": "(https://x[^"]+)"', json.dumps(lead["blocks"])) == [
        "https://x.org/1", "https://x.org/2",
    ]  # fmt: skip
    assert lead["text"].split("\n")[0] == "x"
    assert len(lead["text"].split("\n")) == 6


def test_consecutive_messages_say_which_of_how_many_they_are() -> None:
    first, *others = said_by("messages")
    assert "1/" not in first
    assert [one.split("T")[0].split("x ")[1][2:5] for one in others] == [
        f"{number}/{len(others) + 1}" for number in range(2, len(others) + 2)
    ]


def test_a_digest_is_a_title_a_line_for_each_entry_and_a_button() -> None:
    (message,) = frozen(FIVE, "digest")
    (button,) = message["blocks"][-1]["elements"]
    assert button["text"]["text"] == "Read the issue"
    assert button["url"] == "http://localhost:8000/issues/2025-W17"
    assert re.findall(r"An opening|First|Second|T\d|x x", shown_all(message)) == [
        "First", "T1", "T2", "Second", "T3", "T4", "T5",
    ]  # fmt: skip


def shown_all(message: Json) -> str:
    return " ".join(map(shown, message["blocks"]))


def test_an_issue_without_entries_is_one_message_in_every_layout() -> None:
    assert [len(frozen(EMPTY, layout)) for layout in LAYOUTS] == [1, 1, 1]


def test_a_title_is_not_the_last_line_of_a_message() -> None:
    """An entry that is too large for one message is torn below its title, not between them."""
    small = tuple(Entry(f"small{n}", blocks=(words("y " * 1000),)) for n in range(3))
    large = Entry("large", blocks=tuple(words("Word word. " * 300) for _ in range(8)))
    for message in frozen(replace(EMPTY, sections=(Section(None, (*small, large)),)), "messages"):
        assert not shown(message["blocks"][-1]).endswith("large")
