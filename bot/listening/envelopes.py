"""What Slack sends over Socket Mode, read as far as it means something here; hostile until read."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

Json: TypeAlias = Mapping[str, Any]
_LONGEST = 255
"""Characters of an ID; what is longer is none."""


@dataclass(frozen=True, slots=True)
class Click:
    """A button that was pressed."""

    action: str
    """Which button: its `action_id`."""
    value: str
    """What the button was given, `newsletter/…` by our own custom."""
    user: str
    """Slack's ID of who pressed it."""
    answer_to: str = ""
    """Where an answer may be put that they alone see."""

    @property
    def newsletter(self) -> str:
        return self.value.partition("/")[0]


def click(kind: str, payload: Json) -> Click | None:
    """The click that an envelope tells of; None for everything else, such as a mention."""
    actions = payload.get("actions")
    if kind != "interactive" or payload.get("type") != "block_actions" or not isinstance(actions, list):
        return None
    pressed = actions[0] if actions and isinstance(actions[0], Mapping) else {}
    user = payload.get("user")
    found = Click(
        action=_text(pressed, "action_id"),
        value=_text(pressed, "value", 2000),
        user=_text(user if isinstance(user, Mapping) else {}, "id"),
        answer_to=_text(payload, "response_url", 2000),
    )
    return found if found.action and found.user else None


def names(envelope_id: str, payload: Json) -> list[str]:
    """What an envelope is known again by: Slack tells an event anew under the same `event_id`."""
    event = _text(payload, "event_id")
    return [name for name in (envelope_id[:_LONGEST], event) if name]


def _text(table: Json, key: str, longest: int = _LONGEST) -> str:
    value = table.get(key)
    return value if isinstance(value, str) and len(value) <= longest else ""
