"""What people can press: buttons that an app hears of, and one that leads to a page."""

from collections.abc import Sequence
from typing import Literal

from bot.blockkit.blocks import OPENED
from bot.blockkit.graphemes import shortened
from bot.blockkit.limits import ADDRESS, BUTTON
from bot.blockkit.measure import Json
from bot.markup import safe_url

VALUE = 2000
"""Characters that a button may be given."""


def pressable(words: str, action: str, value: str, style: Literal["primary", "danger"] | None = None) -> Json:
    """A button of ours, heard as `action` with its `value`; ValueError where that is too long."""
    if len(value) > VALUE:
        raise ValueError(f"a button holds {VALUE} characters, not {len(value)}")
    text = {"type": "plain_text", "text": shortened(words, BUTTON), "emoji": False}
    made: Json = {"type": "button", "text": text, "action_id": action, "value": value}
    return {**made, "style": style} if style else made


def leading(words: str, url: str) -> list[Json]:
    """A button that leads to a page; none where Slack would not take its address."""
    target = safe_url(url)
    if not (target and target.startswith("http") and len(target) <= ADDRESS):
        return []
    text = {"type": "plain_text", "text": shortened(words, BUTTON), "emoji": False}
    return [{"type": "button", "text": text, "url": target, "action_id": OPENED}]


def actions(elements: Sequence[Json]) -> list[Json]:
    """A row of buttons."""
    return [{"type": "actions", "elements": list(elements)}] if elements else []
