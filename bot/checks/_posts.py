"""One issue as it would be posted to chats, as the rules about Slack look at it."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self, TypeAlias

from bot.models import Issue
from bot.settings import Newsletter

Json: TypeAlias = dict[str, Any]

TEMPLATE = "templates/slack/issue.j2"
"""What a Slack message is made by."""
SLACK = ("slack", "slack-webhook")
"""The kinds of channels whose payload is a list of Slack's messages."""


@dataclass(frozen=True)  # without slots, so that what was gathered can be kept
class Post:
    """One message of an issue, as it would be posted."""

    channel: str
    """The channel's name in the configuration."""
    number: int
    """From 1."""
    message: Json

    @property
    def name(self) -> str:
        """What findings call it."""
        return f"{self.channel}, message {self.number}"

    @property
    def blocks(self) -> list[Json]:
        blocks = self.message.get("blocks")
        return [one for one in blocks if isinstance(one, dict)] if isinstance(blocks, list) else []

    @property
    def text(self) -> str:
        """What stands for the blocks where they are not shown."""
        return str(self.message.get("text") or "")

    @cached_property
    def pieces(self) -> tuple[Json, ...]:
        """Its blocks and everything in them that is an object of its own, outer ones first."""
        return tuple(piece for block in self.blocks for piece in _pieces(block))

    def of(self, *types: str) -> Iterator[Json]:
        """The pieces of some types."""
        return (piece for piece in self.pieces if piece.get("type") in types)


@dataclass(frozen=True)  # without slots, so that what was gathered can be kept
class Posts:
    """An issue as chats would get it."""

    issue: Issue
    newsletter: Newsletter
    channels: Mapping[str, tuple[Json, ...]]
    """The messages of each channel in their order, each the arguments of one chat.postMessage."""

    @property
    def issues(self) -> tuple[Issue, ...]:
        return (self.issue,)

    @property
    def newsletters(self) -> tuple[Newsletter, ...]:
        return (self.newsletter,)

    @classmethod
    def read(cls, issue: Issue, newsletter: Newsletter, payloads: Mapping[str, bytes]) -> Self:
        """What the channels that post to Slack froze; `payloads` by the channels' names, of any kind."""
        kinds = {name: options.kind for name, options in newsletter.channels.items()}
        posted = {name: payload for name, payload in payloads.items() if kinds.get(name) in SLACK}
        return cls(issue, newsletter, {name: tuple(json.loads(one)) for name, one in posted.items()})

    @cached_property
    def all(self) -> tuple[Post, ...]:
        """Every message of every channel."""
        return tuple(
            Post(channel, number, message)
            for channel, messages in self.channels.items()
            for number, message in enumerate(messages, 1)
        )


def _pieces(value: object) -> Iterator[Json]:
    if isinstance(value, dict):
        yield value
        value = list(value.values())
    if isinstance(value, list):
        for one in value:
            if isinstance(one, dict | list):
                yield from _pieces(one)
