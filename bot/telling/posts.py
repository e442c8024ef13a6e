"""What curators are told, as Slack messages with buttons."""

import json
from hashlib import sha256
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from bot import blockkit
from bot.blockkit.pressing import actions, leading, pressable
from bot.channels._slack_posts import EVENT
from bot.telling.documents import Document
from bot.text import Blocks, Bullets, Paragraph, Strong, Text

APPROVE, HOLD, TEST = "approve", "hold", "test"
"""The `action_id` of each button."""
MOST_LINES = 10


def post(document: Document, about: str, conversation: str, studio: str) -> dict[str, Any]:
    """The arguments of `chat.postMessage`; `studio` is where the issue is looked at."""
    blocks = [
        *blockkit.header(document.heading),
        *(blockkit.context(document.small) if document.small else []),
        *blockkit.rich(_said(document)),
        *actions([*_pressable(document), *leading("Open the studio", studio)]),
    ]
    digest = sha256(json.dumps(blocks, sort_keys=True).encode()).hexdigest()
    key = f"{document.issue}/{about}/{conversation}"
    payload = {"key": key, "revision": 1, "issue": document.issue, "part": 1, "hash": digest[:16]}
    return {
        "channel": conversation,
        "text": blockkit.fallback(document.heading, [document.stands, *document.lines[:MOST_LINES]]),
        "blocks": blocks,
        "unfurl_links": False,
        "unfurl_media": False,
        "metadata": {"event_type": EVENT, "event_payload": payload},
        "client_msg_id": str(uuid5(NAMESPACE_URL, f"{key}/{digest}")),
    }


def _said(document: Document) -> Blocks:
    stands = Paragraph((Strong((Text(document.stands),)),))
    shown, more = document.lines[:MOST_LINES], len(document.lines) - MOST_LINES
    items = tuple(
        (Paragraph((Text(line),)),) for line in (*shown, *([f"and {more} more"] if more > 0 else []))
    )
    return (stands, Bullets(items)) if items else (stands,)


def _pressable(document: Document) -> list[dict[str, Any]]:
    if document.decided:
        return []
    value = f"{document.issue}@{document.hash}"
    return [
        pressable("Approve", APPROVE, value, "primary"),
        pressable("Hold", HOLD, value, "danger"),
        pressable("Send me a test", TEST, value),
    ]


def pressed(value: str) -> tuple[str, str]:
    """The issue and the content hash that a button was given."""
    issue, _, content_hash = value.rpartition("@")
    return issue, content_hash
