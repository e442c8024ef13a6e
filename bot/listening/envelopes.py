"""What Slack sends over Socket Mode, read as far as it means something here; hostile until read."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

Json: TypeAlias = Mapping[str, Any]
_LONGEST = 255
"""Characters of an ID; what is longer is none."""
_LONGEST_URL = 2000
_LONGEST_TEXT = 40_000
"""Characters of a message; Slack keeps no more."""


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


@dataclass(frozen=True, slots=True)
class Command:
    """A slash command that was given, whatever the app calls it."""

    text: str
    """What stood behind the command, as Slack writes it: see `bot.listening.words`."""
    user: str
    user_name: str = ""
    """What they are called in Slack: anything at all."""
    answer_to: str = ""


@dataclass(frozen=True, slots=True)
class Shortcut:
    """A shortcut that was chosen at somebody's message."""

    name: str
    """Which shortcut: its `callback_id`."""
    text: str
    """The message, as Slack writes it."""
    user: str
    """Who chose it, not who wrote the message."""
    user_name: str = ""
    answer_to: str = ""


Heard: TypeAlias = Click | Command | Shortcut


def heard(kind: str, payload: Json) -> Heard | None:
    """What an envelope tells of; None for everything else, such as a mention."""
    if kind == "slash_commands":
        return command(payload)
    if kind == "interactive" and payload.get("type") == "message_action":
        return shortcut(payload)
    return click(kind, payload)


def click(kind: str, payload: Json) -> Click | None:
    """The click that an envelope tells of; None for everything else."""
    actions = payload.get("actions")
    if kind != "interactive" or payload.get("type") != "block_actions" or not isinstance(actions, list):
        return None
    pressed = actions[0] if actions and isinstance(actions[0], Mapping) else {}
    found = Click(
        action=_text(pressed, "action_id"),
        value=_text(pressed, "value", 2000),
        user=_text(_table(payload, "user"), "id"),
        answer_to=_text(payload, "response_url", _LONGEST_URL),
    )
    return found if found.action and found.user else None


def command(payload: Json) -> Command | None:
    """The slash command that an envelope tells of."""
    found = Command(
        text=_text(payload, "text", _LONGEST_TEXT),
        user=_text(payload, "user_id"),
        user_name=_text(payload, "user_name"),
        answer_to=_text(payload, "response_url", _LONGEST_URL),
    )
    return found if found.user and _text(payload, "command") else None


def shortcut(payload: Json) -> Shortcut | None:
    """The shortcut at a message that an envelope tells of."""
    user = _table(payload, "user")
    found = Shortcut(
        name=_text(payload, "callback_id"),
        text=_text(_table(payload, "message"), "text", _LONGEST_TEXT),
        user=_text(user, "id"),
        user_name=_text(user, "name"),
        answer_to=_text(payload, "response_url", _LONGEST_URL),
    )
    return found if found.name and found.user else None


def names(envelope_id: str, payload: Json) -> list[str]:
    """What an envelope is known again by: Slack tells an event anew under the same `event_id`."""
    event = _text(payload, "event_id")
    return [name for name in (envelope_id[:_LONGEST], event) if name]


def _table(payload: Json, key: str) -> Json:
    value = payload.get(key)
    return value if isinstance(value, Mapping) else {}


def _text(table: Json, key: str, longest: int = _LONGEST) -> str:
    value = table.get(key)
    return value if isinstance(value, str) and len(value) <= longest else ""
