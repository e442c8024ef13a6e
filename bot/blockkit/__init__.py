"""Slack's blocks, built so that they cannot be wrong: within every limit, every text escaped or typed.

Words of ours and tame words go out as `section` and `header`; anything that could be taken for markup goes
out as `rich_text`, where each run says what it is.
"""

from bot.blockkit.blocks import button, context, divider, entry_title, header, heading, link
from bot.blockkit.graphemes import shortened
from bot.blockkit.measure import Json, size
from bot.blockkit.mrkdwn import escape, fallback, is_tame
from bot.blockkit.packing import Group, Message, packed
from bot.blockkit.rich_text import rich

__all__ = [
    "Group",
    "Json",
    "Message",
    "button",
    "context",
    "divider",
    "entry_title",
    "escape",
    "fallback",
    "header",
    "heading",
    "is_tame",
    "link",
    "packed",
    "rich",
    "shortened",
    "size",
]
