"""The blocks a message is made of; each function gives as many as its words need."""

from bot.blockkit.dividing import cut
from bot.blockkit.graphemes import shortened
from bot.blockkit.limits import ADDRESS, BUTTON, CONTEXT, HEADER, PIECE, TEXT
from bot.blockkit.measure import Json, gathered
from bot.blockkit.mrkdwn import bold_link, escape, is_tame
from bot.blockkit.rich_text import rich
from bot.markup import inline_text, safe_url
from bot.text import Heading, Inlines, Link, Paragraph, Strong, Text

OPENED = "opened"
"""What Slack tells an app that a button was pressed which only leads to a page; nothing is to be done."""


def header(text: str) -> list[Json]:
    """A large title; one that is too long for Slack's is bold text instead."""
    text = " ".join(text.split())
    if len(text) > HEADER:
        return heading(text)
    return [{"type": "header", "text": _plain(text)}] if text else []


def heading(text: str) -> list[Json]:
    """The title of a section."""
    return rich((Heading((Text(text),)),))


def context(*texts: str) -> list[Json]:
    """Small print."""
    pieces = (piece for text in texts for piece in cut(text.strip(), PIECE // 2) if piece.strip())
    groups = list(gathered(_plain(piece) for piece in pieces))
    return [
        {"type": "context", "elements": group[start : start + CONTEXT]}
        for group in groups
        for start in range(0, len(group), CONTEXT)
    ]


def divider() -> list[Json]:
    """A thin line."""
    return [{"type": "divider"}]


def link(words: str, url: str) -> list[Json]:
    """A line that leads somewhere."""
    return rich((Paragraph((Link(url, (Text(words),)),)),))


def button(words: str, url: str) -> list[Json]:
    """A button that leads somewhere; ValueError where it could not."""
    target = safe_url(url)
    words = " ".join(words.split())
    if not (target and target.startswith("http") and len(target) <= ADDRESS and words):
        raise ValueError(f"a button needs words and an http address: {words[:40]!r}, {url[:80]!r}")
    pressed = {"type": "button", "text": _plain(shortened(words, BUTTON)), "url": target, "action_id": OPENED}
    return [{"type": "actions", "elements": [pressed]}]


def entry_title(title: str, url: str | None, lead: Paragraph | None) -> list[Json]:
    """A bold title that leads to the entry, and the lead: below it in the same block where both are tame."""
    whole = bold_link(title, url)
    below = inline_text(lead.children) if lead and _is_plain(lead.children) else ""
    if not (title.strip() and is_tame(title) and len(whole) <= TEXT):
        return [*rich((Paragraph(_linked(title, url)),)), *_lead(lead)]
    together = f"{whole}\n{escape(below)}"
    if below and is_tame(below) and len(together) <= TEXT:
        return [_section(together)]
    return [_section(whole), *_lead(lead)]


def _lead(lead: Paragraph | None) -> list[Json]:
    return rich((lead,)) if lead else []


def _linked(title: str, url: str | None) -> Inlines:
    words = (Strong((Text(title),)),)
    return (Link(url, words),) if url else words


def _is_plain(inlines: Inlines) -> bool:
    return all(isinstance(inline, Text) for inline in inlines)


def _plain(text: str) -> Json:
    return {"type": "plain_text", "text": text, "emoji": False}


def _section(mrkdwn: str) -> Json:
    return {"type": "section", "text": {"type": "mrkdwn", "text": mrkdwn, "verbatim": True}, "expand": True}
