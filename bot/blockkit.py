"""Slack's blocks, built so that they cannot be wrong: every limit in one table, every text escaped or typed.

Words of ours and tame words go out as `section` and `header`; anything that could be taken for markup goes
out as `rich_text`, where each run says what it is and nothing needs escaping.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, TypeAlias

from bot.markup import inline_text, runs
from bot.text import (
    Block as TextBlock,
    Blocks,
    Bullets,
    CodeBlock,
    Heading,
    Inlines,
    Link,
    Paragraph,
    Quote,
    Strong,
    Table,
    Text,
)

Json: TypeAlias = dict[str, Any]

# Slack's limits, in characters and pieces (docs.slack.dev, Block Kit reference).
HEADER = 150
SECTION = 3000
CONTEXT = 10
INDENT = 8
FALLBACK = 4000

# Ours, below what Slack takes: 50 blocks, and some 12,000 characters that are documented nowhere
# (slackapi/bolt-js#2509, #2867).
BLOCKS = 40
SERIALISED = 10_000
PIECE = 4000
"""How long one rich_text block may get before it is divided: pieces that messages are packed from."""

_FULL_WIDTH = "\uff0a\uff3f\uff40\uff5e\uff1e"  # Slack takes these for markers, too
_MARKER = re.compile(
    rf"[*_~`|{_FULL_WIDTH}]|:[\w+'-]+:|^\s*>|[@#]\w|https?://|\S@\S|[\x00-\x1f\u2028\u2029]", re.MULTILINE
)


def escape(text: str) -> str:
    """Words as mrkdwn; Slack decodes these three and nothing else."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def is_tame(text: str) -> bool:
    """Whether words mean themselves in mrkdwn: no marker, emoji name, mention or address in them."""
    return not _MARKER.search(text)


def size(blocks: Sequence[Json]) -> int:
    """The characters of blocks as they are sent."""
    return len(json.dumps(blocks, ensure_ascii=False, separators=(",", ":")))


# --------------------------------------------------------------------------------------------------- blocks


def header(text: str) -> list[Json]:
    """A large title; one that is too long for Slack's is bold text instead."""
    if len(text) > HEADER or not text.strip():
        return rich((Paragraph((Strong((Text(text),)),)),)) if text.strip() else []
    return [{"type": "header", "text": _plain(text)}]


def heading(text: str) -> list[Json]:
    """The title of a section."""
    return rich((Heading((Text(text),)),))


def context(*texts: str) -> list[Json]:
    """Small print."""
    elements = [_plain(text[:SECTION]) for text in texts if text.strip()]
    return [{"type": "context", "elements": elements[:CONTEXT]}] if elements else []


def divider() -> list[Json]:
    """A thin line."""
    return [{"type": "divider"}]


def entry_title(title: str, url: str | None, lead: Paragraph | None) -> list[Json]:
    """A bold title that leads to the entry, with the lead below it in the same block where both are tame."""
    words = inline_text(lead.children) if lead else ""
    whole = f"*<{_url(url)}|{escape(title)}>*" if url else f"*{escape(title)}*"
    if not (is_tame(title) and title.strip() == title):
        return [*rich((Paragraph(_linked(title, url)),)), *(rich((lead,)) if lead else [])]
    if lead and _is_plain(lead.children) and is_tame(words) and len(whole) + len(escape(words)) < SECTION:
        return [_section(f"{whole}\n{escape(words)}")]
    title_block = [_section(whole)] if len(whole) <= SECTION else rich((Paragraph(_linked(title, url)),))
    return [*title_block, *(rich((lead,)) if lead else [])]


def _linked(title: str, url: str | None) -> Inlines:
    words = (Strong((Text(title),)),)
    return (Link(url, words),) if url else words


def _is_plain(inlines: Inlines) -> bool:
    return all(isinstance(inline, Text) for inline in inlines)


def _plain(text: str) -> Json:
    return {"type": "plain_text", "text": text, "emoji": False}


def _section(mrkdwn: str) -> Json:
    return {"type": "section", "text": {"type": "mrkdwn", "text": mrkdwn, "verbatim": True}, "expand": True}


def _url(url: str) -> str:
    """An address inside `<…|…>`: what would end it is percent-encoded."""
    for character, code in (("|", "%7C"), ("<", "%3C"), (">", "%3E"), (" ", "%20")):
        url = url.replace(character, code)
    return url.replace("&", "&amp;")


# ------------------------------------------------------------------------------------------------ rich_text


def rich(blocks: Blocks) -> list[Json]:
    """Blocks of text as rich_text, divided where one block would grow too large."""
    elements = [piece for block in blocks for element in _elements(block) for piece in _divided(element)]
    return [{"type": "rich_text", "elements": group} for group in _gathered(elements)]


def _elements(block: TextBlock, indent: int = 0) -> Iterator[Json]:
    match block:
        case Paragraph():
            yield _run_section(block.children)
        case Heading():
            yield _run_section((Strong(block.children),))
        case Bullets():
            yield from _list(block, indent)
        case Quote():
            yield {"type": "rich_text_quote", "elements": _flat(block.children)}
        case CodeBlock():
            yield {
                "type": "rich_text_preformatted",
                "elements": [{"type": "text", "text": block.value or " "}],
            }
        case Table():
            for row in block.rows:
                yield _run_section(_joined(row))


def _joined(cells: Sequence[Inlines]) -> Inlines:
    """The cells of a row in one line."""
    line: list[Any] = []
    for cell in cells:
        line += [Text(" | "), *cell] if line else cell
    return tuple(line)


def _run_section(inlines: Inlines) -> Json:
    return {"type": "rich_text_section", "elements": _runs(inlines)}


def _list(bullets: Bullets, indent: int) -> Iterator[Json]:
    """A list, in as many pieces as the lists inside its entries make of it."""
    number = bullets.start if bullets.start is not None else 1
    for blocks in bullets.items:
        first, inner = _split_nested(blocks)
        piece: Json = {
            "type": "rich_text_list",
            "style": "bullet" if bullets.start is None else "ordered",
            "indent": min(indent, INDENT),
            "elements": [{"type": "rich_text_section", "elements": _flat(first)}],
        }
        if bullets.start is not None and number > 1:
            piece["offset"] = number - 1
        yield piece
        for block in inner:
            yield from _elements(block, indent + 1)
        number += 1


def _split_nested(blocks: Blocks) -> tuple[Blocks, Blocks]:
    """What stands in a bullet's own line, and what follows from its first inner list or code on."""
    for number, block in enumerate(blocks):
        if isinstance(block, Bullets | CodeBlock):
            return blocks[:number], blocks[number:]
    return blocks, ()


def _flat(blocks: Blocks) -> list[Json]:
    """Blocks where Slack takes runs only: one below the other."""
    elements: list[Json] = []
    for block in blocks:
        for piece in _elements(block):
            inner = _inner_runs(piece)
            elements += [{"type": "text", "text": "\n"}, *inner] if elements else inner
    return elements or [{"type": "text", "text": " "}]


def _inner_runs(piece: Json) -> list[Json]:
    if piece["type"] != "rich_text_list":
        return list(piece["elements"])
    return [
        run for section in piece["elements"] for run in [{"type": "text", "text": "• "}, *section["elements"]]
    ]


def _runs(inlines: Inlines) -> list[Json]:
    elements = [_run(run) for run in runs(inlines) if run.text]
    return elements or [{"type": "text", "text": " "}]


def _run(run: Any) -> Json:
    element: Json = (
        {"type": "link", "url": run.url, "text": run.text} if run.url else {"type": "text", "text": run.text}
    )
    style = {name: True for name in ("bold", "italic", "code") if getattr(run, name)}
    return {**element, "style": style} if style else element


# ------------------------------------------------------------------------------------------------- dividing


def _divided(element: Json) -> Iterator[Json]:
    """One element in pieces that each fit; only a text that is too long by itself is cut, between words."""
    if size([element]) <= PIECE or element["type"] == "rich_text_list":
        yield from _divided_list(element) if size([element]) > PIECE else [element]
        return
    for group in _gathered(_short_runs(element["elements"])):
        yield {**element, "elements": group}


def _divided_list(element: Json) -> Iterator[Json]:
    """A bullet that is too long goes on as plain text below itself."""
    (section,) = element["elements"]
    groups = list(_gathered(_short_runs(section["elements"])))
    yield {**element, "elements": [{"type": "rich_text_section", "elements": groups[0]}]}
    for group in groups[1:]:
        yield {"type": "rich_text_section", "elements": group}


def _short_runs(elements: Iterable[Json]) -> Iterator[Json]:
    for element in elements:
        text = element["text"]
        cuts = _cuts(text, PIECE // 2)
        for start, end in pairwise(cuts):
            yield {**element, "text": text[start:end]}


def _cuts(text: str, limit: int) -> list[int]:
    """Where to cut a text into pieces of at most `limit` characters, after blanks where there are any."""
    cuts = [0]
    while len(text) - cuts[-1] > limit:
        window = text[cuts[-1] : cuts[-1] + limit]
        blank = max(window.rfind(" "), window.rfind("\n"))
        cuts.append(cuts[-1] + (blank + 1 if blank > 0 else limit))
    return [*cuts, len(text)]


def _gathered(elements: Iterable[Json], limit: int = PIECE) -> Iterator[list[Json]]:
    """Elements in groups that each fit; lists that continue one another become one again."""
    group: list[Json] = []
    for element in elements:
        if group and size([*group, element]) > limit:
            yield group
            group = []
        if group and _continues(group[-1], element):
            group[-1] = {**group[-1], "elements": [*group[-1]["elements"], *element["elements"]]}
        else:
            group.append(element)
    if group:
        yield group


def _continues(last: Json, element: Json) -> bool:
    if not (last["type"] == element["type"] == "rich_text_list"):
        return False
    same = last["style"] == element["style"] and last["indent"] == element["indent"]
    follows: bool = element.get("offset", 0) == last.get("offset", 0) + len(last["elements"])
    return bool(same and (element["style"] == "bullet" or follows))


# -------------------------------------------------------------------------------------------------- packing


def packed(groups: Iterable[Sequence[Json]]) -> list[list[Json]]:
    """Groups of blocks as messages: each group whole, unless it alone is too much for one."""
    messages: list[list[Json]] = []
    for group in groups:
        for piece in [group] if _fits(group) else ([block] for block in group):
            if messages and _fits([*messages[-1], *piece]):
                messages[-1].extend(piece)
            else:
                messages.append(list(piece))
    return [_trimmed(message) for message in messages]


def _fits(blocks: Sequence[Json]) -> bool:
    return len(blocks) <= BLOCKS and size(blocks) <= SERIALISED


def _trimmed(blocks: list[Json]) -> list[Json]:
    """No line at the end of a message, where nothing follows it."""
    while len(blocks) > 1 and blocks[-1]["type"] == "divider":
        blocks = blocks[:-1]
    return blocks


def fallback(title: str, lines: Sequence[str]) -> str:
    """What notifications show and screen readers read, as mrkdwn; whole lines as long as there is room."""
    text = escape(title)
    for number, line in enumerate(lines):
        more = f"\n… +{len(lines) - number}"
        if len(text) + len(escape(line)) + len(more) + 1 > FALLBACK:
            return text + more
        text += f"\n{escape(line)}"
    return text
