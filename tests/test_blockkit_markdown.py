"""Ordinary Markdown on which other converters fail, each line as Slack has to get it."""

from typing import Any

import pytest

from bot import blockkit, markup
from bot.blockkit import Json
from bot.text import Paragraph
from tests.servers.slack import rules

WIKI = "https://en.wikipedia.org/wiki/Foo_(bar)"


def words(text: str, **style: bool) -> Json:
    return {"type": "text", "text": text, **({"style": style} if style else {})}


def link(text: str, url: str) -> Json:
    return {"type": "link", "url": url, "text": text}


def elements(source: str) -> list[Json]:
    made = blockkit.rich(markup.parse_blocks(source))
    assert not made or rules.faults(made) == []
    assert rules.mentions({"blocks": made}) == []
    return [element for block in made for element in block["elements"]]


def section(*runs: Json) -> Json:
    return {"type": "rich_text_section", "elements": list(runs)}


def items(style: str, *texts: str, indent: int = 0, **more: int) -> Json:
    sections = [section(words(text)) for text in texts]
    return {"type": "rich_text_list", "style": style, "indent": indent, **more, "elements": sections}


@pytest.mark.parametrize(
    ("source", "runs"),
    [
        ("5 < 6 & 7 > 3", [words("5 < 6 & 7 > 3")]),
        ("<!channel> hello", [words("<!channel> hello")]),
        ("<@U0123456> and <!here|here>", [words("<@U0123456> and <!here|here>")]),
        ("<https://x.org|bank>", [words("https://x.org|bank")]),
        ("<!date^1392734382^{date}|x>", [words("<!date^1392734382^{date}|x>")]),
        ("@here @channel #general :tada:", [words("@here @channel #general :tada:")]),
        ("[a|b](https://x/?b=2|3)", [link("a|b", "https://x/?b=2%7C3")]),
        (f"[w]({WIKI})", [link("w", WIKI)]),
        ("[x](javascript:alert(1))", [words("x")]),
        ("**bold**text", [words("bold", bold=True), words("text")]),
        ("这是**粗体**文字", [words("这是"), words("粗体", bold=True), words("文字")]),
        ("*x*です", [words("x", italic=True), words("です")]),
        ("2 * 3 * 4", [words("2 * 3 * 4")]),
        (r"Escaped \*stars\*", [words("Escaped *stars*")]),
        ("~~old~~ new", [words("old", strike=True), words(" new")]),
        ("### Head **b**", [words("Head b", bold=True)]),
        ("one  \nline", [words("one"), words("\n"), words("line")]),
        ("one\\\nline", [words("one"), words("\n"), words("line")]),
        ("one\nline", [words("one line")]),
        ("`<foo|bar>`", [words("<foo|bar>", code=True)]),
        ("[text]()", [words("text")]),
        ("![a & b](https://x/i.png)", [link("a & b", "https://x/i.png")]),
        ("AT&amp;T", [words("AT&T")]),
        ("[**b**](https://x.org)", [{**link("b", "https://x.org"), "style": {"bold": True}}]),
        ("at 10:30:45, 2001:db8::1", [words("at 10:30:45, 2001:db8::1")]),
        ("\uff0abold\uff0a \uff3fx\uff3f", [words("\uff0abold\uff0a \uff3fx\uff3f")]),
        ("مرحبا **بكم**", [words("مرحبا "), words("بكم", bold=True)]),
        ("👩‍💻 ❤️", [words("👩‍💻 ❤️")]),
    ],
)
def test_a_line_is_what_its_author_wrote(source: str, runs: list[Json]) -> None:
    assert elements(source) == [section(*runs)]


@pytest.mark.parametrize(
    ("source", "made"),
    [
        ("- a\n  - b\n- c", [items("bullet", "a"), items("bullet", "b", indent=1), items("bullet", "c")]),
        ("1. a\n\n2. b", [items("ordered", "a", "b")]),
        ("3. a\n   - b\n4. c", [
            items("ordered", "a", offset=2), items("bullet", "b", indent=1), items("ordered", "c", offset=3),
        ]),
        ("1. a\n\ntext\n\n2. b", [
            items("ordered", "a"), section(words("text")), items("ordered", "b", offset=1),
        ]),
        ("> a\n>\n> b", [{"type": "rich_text_quote", "elements": [words("a"), words("\n"), words("b")]}]),
        ("```c\nif (a < b && c)\n```", [
            {"type": "rich_text_preformatted", "elements": [words("if (a < b && c)")]},
        ]),
        ("| a | b |\n|---|---|\n| 1 | 2 |", [
            {"type": "rich_text_preformatted", "elements": [words("a  b\n────\n1  2")]},
        ]),
        ("[]( https://x )", []),
    ],
)  # fmt: skip
def test_blocks_are_what_their_author_wrote(source: str, made: list[Json]) -> None:
    assert elements(source) == made


@pytest.mark.parametrize(
    "words",
    [
        "<!channel>",
        "<@U1>",
        "<https://x.org|bank>",
        "@here",
        "5 < 6 & 7 > 3",
        "**",
        "_x_",
        "~x~",
        "`x`",
        "> q",
    ],
)
def test_the_same_words_are_only_words_as_title_lead_and_fallback(words: str) -> None:
    lead = Paragraph(markup.text(words))
    blocks: list[Any] = blockkit.entry_title(words, "https://example.org/", lead)
    message = {"text": blockkit.fallback(words, [words]), "blocks": blocks}
    assert rules.faults(blocks) == []
    assert rules.mentions(message) == []
    assert not any(word in message["text"] for word in ("<", ">", "@here"))
