"""Blocks that Slack takes, whatever the words are, and that say those words and no others."""

import json
import re
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st
from slack_sdk.models.blocks import Block as SdkBlock

from bot import blockkit, markup
from bot.blockkit import Group, Json, limits
from bot.text import (
    Blocks,
    Bullets,
    Code,
    CodeBlock,
    Emphasis,
    Heading,
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
from tests.servers.slack import rules as slack_rules

URL = "https://example.org/"
X = (Text("x"),)


# ------------------------------------------------------------------------------- how Slack would show blocks


def shown(blocks: list[Json]) -> str:
    """The words on the screen, read from the JSON alone: no marks of lists, one blank between words."""
    return " ".join(" ".join(_shown(block) for block in blocks).split())


def _shown(block: Json) -> str:
    match block["type"]:
        case "header":
            return str(block["text"]["text"])
        case "section":
            return unescaped(block["text"]["text"])
        case "context":
            return " ".join(element["text"] for element in block["elements"])
        case "rich_text":
            return " ".join(_rich(element) for element in block["elements"])
    return ""


def _rich(element: Json) -> str:
    if element["type"] == "rich_text_list":
        return " ".join(_rich(section) for section in element["elements"])
    return "".join(run["text"] for run in element["elements"])


def unescaped(mrkdwn: str) -> str:
    """Bold and links taken off, entities decoded: all that mrkdwn of ours may hold."""
    bare = re.sub(r"^\*(?:<[^|>]*\|([^>]*)>|([^*\n]*))\*(?=\n|$)", r"\1\2", mrkdwn)
    assert not re.search(r"[*_~`<>|]", bare), bare
    return bare.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def letters(text: str) -> str:
    """A text without blanks, and without what lists and tables are marked with: no layout may change it."""
    return re.sub(r"[\s•|─\d.]+", "", text)


# ------------------------------------------------------------------------------------------------- every text


@given(strategies.blocks())
@settings(max_examples=60)
def test_rich_text_says_every_word_and_slack_takes_it(blocks: Blocks) -> None:
    made = blockkit.rich(blocks)
    assert letters(shown(made)) == letters(markup.words(blocks))
    assert not made or slack_rules.faults(made[: limits.BLOCKS]) == []
    assert slack_rules.mentions({"blocks": made}) == []


@given(strategies.titles(), st.none() | strategies.urls(), st.none() | strategies.inlines().map(Paragraph))
def test_an_entry_s_title_says_every_word_and_slack_takes_it(
    title: str, url: str | None, lead: Paragraph | None
) -> None:
    made = blockkit.entry_title(f"1. {title}", url, lead)
    words = f"1. {title} {markup.words((lead,)) if lead else ''}"
    assert letters(shown(made)) == letters(words)
    assert slack_rules.faults(made) == []
    assert slack_rules.mentions({"blocks": made}) == []
    assert not url or url in addresses(made)


def addresses(blocks: list[Json]) -> list[str]:
    """Where blocks lead to."""
    typed = re.findall(r'"url": "([^"]+)"', json.dumps(blocks))
    marked = re.findall(r"<([^|>]+)\|", json.dumps(blocks))
    return [*typed, *(url.replace("&amp;", "&") for url in marked)]


@given(strategies.texts(), strategies.texts())
def test_headers_and_small_print_say_every_word(header: str, small: str) -> None:
    made = [*blockkit.header(header), *blockkit.context(small, header)]
    assert letters(shown(made)) == letters(f"{header} {small} {header}")
    assert not made or slack_rules.faults(made) == []


@given(strategies.blocks())
@settings(max_examples=30)
def test_the_sdk_s_own_models_say_the_same(blocks: Blocks) -> None:
    for block in blockkit.rich(blocks):
        parsed = SdkBlock.parse(block)
        assert parsed is not None
        parsed.validate_json()


# ------------------------------------------------------------------------------------------- one text each


def elements(*blocks: Any) -> list[Json]:
    (made,) = blockkit.rich(blocks)
    found: list[Json] = made["elements"]
    return found


def section(*runs: Json) -> Json:
    return {"type": "rich_text_section", "elements": list(runs)}


def run(text: str, **style: bool) -> Json:
    return {"type": "text", "text": text, "style": style} if style else {"type": "text", "text": text}


def bullets(*texts: str, indent: int = 0, style: str = "bullet", **more: int) -> Json:
    items = [section(run(text)) for text in texts]
    return {"type": "rich_text_list", "style": style, "indent": indent, **more, "elements": items}


def items(*texts: str, start: int | None = None) -> Bullets:
    return Bullets(tuple((Paragraph((Text(text),)),) for text in texts), start)


def test_each_run_says_how_it_looks() -> None:
    inlines = (
        Strong((Text("a"),)),
        Emphasis((Code("b"),)),
        Struck((Text("s"),)),
        Link(URL, (Strong((Text("c"),)),)),
        Text(" d"),
    )
    assert elements(Paragraph(inlines)) == [
        section(
            run("a", bold=True),
            run("b", italic=True, code=True),
            run("s", strike=True),
            {"type": "link", "url": URL, "text": "c", "style": {"bold": True}},
            run(" d"),
        )
    ]


def test_paragraphs_are_parted_by_an_empty_line_and_headings_are_not() -> None:
    made = elements(Heading((Text("a"),)), Paragraph((Text("b"),)), Paragraph((Text("c"), LineBreak(), *X)))
    runs = [run("a", bold=True), run("\n"), run("b"), run("\n\n"), run("c"), run("\n"), run("x")]
    assert made == [section(*runs)]


def test_a_list_inside_a_list_is_indented() -> None:
    nested = Bullets(((Paragraph((Text("a"),)), items("b", "c")), (Paragraph((Text("d"),)),)))
    assert elements(nested) == [bullets("a"), bullets("b", "c", indent=1), bullets("d")]


@pytest.mark.parametrize(("start", "offset"), [(0, {}), (1, {}), (7, {"offset": 6})])
def test_a_numbered_list_counts_from_its_first_number(start: int, offset: dict[str, int]) -> None:
    assert elements(items("a", "b", start=start)) == [bullets("a", "b", style="ordered", **offset)]


def test_a_numbered_list_goes_on_counting_below_a_list_inside_it() -> None:
    nested = Bullets(((Paragraph((Text("a"),)), items("b")), (Paragraph((Text("c"),)),)), start=1)
    assert elements(nested) == [
        bullets("a", style="ordered"),
        bullets("b", indent=1),
        bullets("c", style="ordered", offset=1),
    ]


def test_quotes_code_and_tables_are_kept() -> None:
    quote = Quote((Paragraph((Text("a"),)), items("b", start=3)))
    table = Table((((Text("h"),), X), ((Text("i"),), X)))
    assert elements(quote, CodeBlock("if x:\n    y"), table) == [
        {"type": "rich_text_quote", "elements": [run("a"), run("\n"), run("3. "), run("b")]},
        {"type": "rich_text_preformatted", "elements": [run("if x:\n    y")]},
        {"type": "rich_text_preformatted", "elements": [run("h  x\n────\ni  x")]},
    ]


@pytest.mark.parametrize(
    "cells", [(Text("w" * 40),), (Link(URL, X),), (Strong(X),), (Text("a"), LineBreak(), Text("b"))]
)
def test_a_table_that_would_break_or_lose_something_is_lines(cells: Inlines) -> None:
    table = Table(((X, X), (cells, X)))
    (made,) = elements(table)
    assert made["type"] == "rich_text_section"
    assert made["elements"][:4] == [run("x", bold=True), run(" | "), run("x", bold=True), run("\n")]


def test_columns_stand_below_one_another_in_every_script() -> None:
    table = Table((((Text("重要"),), (Text("b"),)), ((Text("e\u0301x"),), (Text("c"),)), ((), (Text("d"),))))
    (made,) = elements(table)
    assert made["elements"][0]["text"].split("\n") == ["重要  b", "───────", "e\u0301x    c", "      d"]


def test_code_and_tables_in_a_quote_keep_their_face() -> None:
    (made,) = elements(Quote((CodeBlock("x\ny"),)))
    assert made["elements"] == [run("x\ny", code=True)]


def test_a_quote_in_a_bullet_stays_a_quote() -> None:
    made = elements(Bullets(((Paragraph((Text("a"),)), Quote((Paragraph((Text("b"),)),))),)))
    assert made == [bullets("a"), {"type": "rich_text_quote", "elements": [run("b")]}]


@pytest.mark.parametrize(
    "title", ["plain", "5 < 6 & 7 > 3", "“Brain Rot”!", "重要。", "a: b", "C++", "1.58 bits"]
)
def test_a_tame_title_and_its_lead_share_a_section(title: str) -> None:
    (made,) = blockkit.entry_title(title, URL, Paragraph((Text("The lead."),)))
    assert made["text"] == {
        "type": "mrkdwn",
        "text": f"*<{URL}|{blockkit.escape(title)}>*\nThe lead.",
        "verbatim": True,
    }


@pytest.mark.parametrize(
    "words",
    [
        "2 * 3 * 4", "snake_case_", "~x~", "`x`", "a|b", ":tada: x", "at 10:30:45", "> x", "@here",
        "#general", "https://x.org", "a@b.c",
        "\uff0ax\uff0a", "\uff3fx\uff3f", "\uff5ex\uff5e", "\uff40x\uff40",
    ],
)  # fmt: skip
def test_words_that_could_be_markup_are_typed(words: str) -> None:
    assert [block["type"] for block in blockkit.entry_title(words, URL, None)] == ["rich_text"]
    made = blockkit.entry_title("tame", URL, Paragraph((Text(words),)))
    assert [block["type"] for block in made] == ["section", "rich_text"]


@pytest.mark.parametrize("words", ["List<int> & more", "2 + 2 = 4", "it's", "x (y)", "100%", "a-b", "1:2"])
def test_words_that_mean_themselves_are_tame(words: str) -> None:
    assert blockkit.is_tame(words)


@pytest.mark.parametrize("url", ["javascript:alert(1)", "", "/relative", "https://x.org/ a"])
def test_an_address_that_is_not_safe_leads_nowhere(url: str) -> None:
    assert blockkit.entry_title("x", url, None)[0]["text"]["text"] == "*x*"
    assert blockkit.entry_title("x*", url, None)[0]["elements"] == [section(run("x*", bold=True))]


def test_an_address_cannot_end_its_link() -> None:
    (made,) = blockkit.entry_title("x", "https://x.org/?a=1|2&b=<3>", None)
    assert made["text"]["text"] == "*<https://x.org/?a=1%7C2&amp;b=%3C3%3E|x>*"


# ----------------------------------------------------------------------------------------------- long texts


@pytest.mark.parametrize("length", [150, 151, 5000])
def test_a_title_of_any_length_is_shown_whole(length: int) -> None:
    made = blockkit.header("x" * length)
    assert shown(made).replace(" ", "") == "x" * length
    assert (made[0]["type"] == "header") == (length <= 150)
    assert slack_rules.faults(made) == []


@pytest.mark.parametrize("lead", ["word " * 3000, "x" * 20_000, '"\\' * 9000, "重要" * 8000, "& " * 2000])
def test_a_lead_of_any_length_is_shown_whole(lead: str) -> None:
    made = blockkit.entry_title("1. T", URL, Paragraph((Text(lead),)))
    assert letters(shown(made)) == letters("1. T" + lead)
    assert slack_rules.faults(made) == []
    assert all(blockkit.size([block]) <= limits.SERIALISED for block in made)


def test_words_are_not_cut_where_there_are_blanks() -> None:
    made = blockkit.rich((Paragraph((Text("word " * 3000),)),))
    assert set(shown(made).split()) == {"word"}


@pytest.mark.parametrize(
    "block",
    [
        items(*["word " * 300] * 30),
        items("word " * 3000, "short", start=1),
        Quote((Paragraph((Text("word " * 3000),)),)),
        CodeBlock("line of code\n" * 1000),
        Table(((X, X),) * 500),
    ],
)
def test_any_text_fits_into_messages(block: Any) -> None:
    made = blockkit.rich((block,))
    messages = blockkit.packed([Group(tuple(made))])
    assert letters(" ".join(shown(message.blocks) for message in messages)) == letters(markup.words((block,)))
    for message in messages:
        assert slack_rules.faults(message.blocks) == []
        assert blockkit.size(message.blocks) <= limits.SERIALISED


def test_a_bullet_that_is_too_long_goes_on_below_and_the_next_keeps_its_number() -> None:
    made = blockkit.rich((items("word " * 3000, "short", start=1),))
    last = made[-1]["elements"][-1]
    assert (last["offset"], shown([{"type": "rich_text", "elements": [last]}])) == (1, "short")


def test_small_print_of_any_length_is_shown_whole() -> None:
    made = blockkit.context(*["x" * 5000] * 12)
    assert letters(shown(made)) == "x" * 60_000
    assert all(slack_rules.faults([block]) == [] for block in made)


# -------------------------------------------------------------------------------------------------- packing


def group(*texts: str, lines: tuple[str, ...] = ()) -> Group:
    return Group(tuple(block for text in texts for block in blockkit.heading(text)), lines)


def test_a_group_is_never_torn_where_it_fits_into_a_message() -> None:
    groups = [group("a" * 3000, "b" * 3000, lines=("1",)), group("c" * 3000, "d" * 3000, lines=("2",))]
    messages = blockkit.packed(groups)
    assert [len(message.blocks) for message in messages] == [2, 2]
    assert [message.lines for message in messages] == [["1"], ["2"]]


def test_a_group_that_is_too_large_alone_is_torn_between_blocks() -> None:
    messages = blockkit.packed([group("a"), group(*["b" * 3000] * 5, lines=("1",))])
    assert [len(message.blocks) for message in messages] == [3, 3]
    assert [message.lines for message in messages] == [["1"], []]


def test_many_small_groups_share_messages_up_to_the_number_of_blocks() -> None:
    messages = blockkit.packed([group("a", "b")] * 50)
    assert [len(message.blocks) for message in messages] == [40, 40, 20]


def test_no_message_ends_in_a_line() -> None:
    line = Group(tuple(blockkit.divider()))
    (message,) = blockkit.packed([group("a"), line, group("b"), line, line])
    assert [block["type"] for block in message.blocks] == ["rich_text", "divider", "rich_text"]


@given(st.lists(st.lists(st.sampled_from(["a", "b" * 1000, "c" * 3500]), max_size=6), max_size=8))
@settings(max_examples=30)
def test_packing_keeps_every_block_in_order(texts: list[list[str]]) -> None:
    groups = [group(*some) for some in texts]
    messages = blockkit.packed(groups)
    assert [block for message in messages for block in message.blocks] == [
        block for one in groups for block in one.blocks
    ]
    assert all(blockkit.size(message.blocks) <= limits.SERIALISED for message in messages)


# ------------------------------------------------------------------------------------------------- fallback


def test_the_fallback_is_the_title_and_a_line_for_each_entry_escaped() -> None:
    assert blockkit.fallback("A & B", ["1. <!channel>", "2. x"]) == "A &amp; B\n1. &lt;!channel&gt;\n2. x"


@pytest.mark.parametrize("title", ["T", "&" * 6000])
def test_the_fallback_has_whole_lines_only_and_says_how_many_are_left_out(title: str) -> None:
    text = blockkit.fallback(title, [f"{number}. {'&' * 100}" for number in range(50)])
    *lines, last = text.split("\n")[1:]
    assert len(text) <= limits.FALLBACK
    assert all(len(line) >= 503 for line in lines)
    assert last == f"… +{50 - len(lines)}"
