"""Reads a conversation back: which of our own messages stand there, by the names in their metadata.

The text is never compared: Slack rewrites it (emoji become `:words:`, addresses are put in brackets).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Any, TypeAlias

from bot.channels._slack_pieces import halves, key_of
from bot.channels._slack_posts import EVENT
from bot.errors import InDoubtError

Json: TypeAlias = dict[str, Any]
Ask = Callable[..., Json]
"""Calls one of Slack's methods that change nothing: its name, then its arguments."""
Standing: TypeAlias = dict[str, str]
"""Our messages that stand in a conversation: the `ts` of each by its key, whatever revision it shows."""

PAGE = 200
PAGES = 50
"""So many pages, and reading ends: nobody says that much in the time that a post takes."""
EARLIER = timedelta(hours=1)
"""How far before the post reading begins: our clock need not be Slack's."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a part goes: into a conversation, or into the thread below one of its messages."""

    conversation: str
    thread: str | None = None


class Reading:
    """What the bot sees of conversations."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    def standing(self, place: Place, since: datetime | None) -> Standing:
        """Our messages in a place since then; what `ask` raises says why it cannot be read."""
        found: Standing = {}
        for message in self._messages(place, oldest(since, datetime.now(UTC))):
            if self._is_ours(message) and (key := key_of(message)):
                found.setdefault(key, str(message.get("ts")))
        return found

    def _messages(self, place: Place, since: str) -> Iterator[Json]:
        where = {"ts": place.thread} if place.thread else {}
        method = "conversations.replies" if place.thread else "conversations.history"
        cursor: Json = {}
        for _ in range(PAGES):
            answer = self._ask(
                method,
                channel=place.conversation,
                **where,
                oldest=since,
                inclusive="true",
                include_all_metadata="true",
                limit=PAGE,
                **cursor,
            )
            yield from (one for one in answer.get("messages") or [] if isinstance(one, dict))
            if not (following := (answer.get("response_metadata") or {}).get("next_cursor")):
                return
            cursor = {"cursor": following}
        raise InDoubtError(f"more than {PAGE * PAGES} messages were written there since")

    def _is_ours(self, message: Json) -> bool:
        """Whether this very app wrote it: metadata can be written by anybody."""
        metadata = message.get("metadata")
        if not isinstance(metadata, dict) or metadata.get("event_type") != EVENT:
            return False
        names = [(message.get(name), self._self.get(name)) for name in ("bot_id", "app_id")]
        if any(mine for _, mine in names):
            return any(mine and theirs == mine for theirs, mine in names)
        return bool(message.get("user")) and message.get("user") == self._self.get("user_id")

    @cached_property
    def _self(self) -> Json:
        """Who we are: `bot_id`, where the token is a bot's, and `user_id`."""
        return self._ask("auth.test")


def oldest(since: datetime | None, now: datetime) -> str:
    """From where to read, as Slack writes time; everything where `since` is a pretended instant to come."""
    return "0" if since is None or since > now else f"{(since - EARLIER).timestamp():.6f}"


def complete(message: Json, standing: Standing) -> list[str] | None:
    """The `ts` of a message, or of the halves it was posted in, in order; None unless all of it stands."""
    key = key_of(message)
    if ts := standing.get(key):
        return [ts]
    pair = halves(message) if any(one.startswith(f"{key}.") for one in standing) else None
    if not pair:
        return None
    first, second = (complete(half, standing) for half in pair)
    return [*first, *second] if first and second else None
