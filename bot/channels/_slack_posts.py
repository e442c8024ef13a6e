"""An issue as Slack will get it: the arguments of chat.postMessage for each part, frozen."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any
from uuid import NAMESPACE_URL, uuid5

from bot.errors import InputError
from bot.models import Issue

if TYPE_CHECKING:
    from bot.blockkit import Message
    from bot.settings import Newsletter
    from bot.templates import Templates

EVENT = "newsletter_part"
"""The type of the metadata that our messages carry, so that they are known again."""


@dataclass(frozen=True, slots=True)
class Setter:
    """Sets issues of one newsletter for one conversation."""

    newsletter: "Newsletter"
    templates: "Templates"
    base_url: str
    several: bool
    layout: str
    conversation: str
    """Its ID; any name where the far side knows itself what it posts to."""

    def posts(self, issue: Issue) -> list[dict[str, Any]]:
        """The posts of an issue, one per part, the same for the same issue."""
        from bot.blockkit import packed
        from bot.channels._slack_template import groups

        head = self._running_head(issue, 999, 999)
        messages = packed(groups(self.templates, self._context(issue)), head)
        if not messages:
            raise InputError("templates/slack/issue.j2", "it gives no blocks", "there is nothing to post")
        return [self._post(issue, messages, number) for number in range(1, len(messages) + 1)]

    def _context(self, issue: Issue) -> dict[str, Any]:
        from bot.compose import numbered
        from bot.links import issue_url

        return {
            "issue": issue,
            "newsletter": self.newsletter,
            "sections": list(numbered(issue)),
            "layout": self.layout,
            "web_url": issue_url(self.base_url, issue.newsletter, issue.week, several=self.several),
        }

    def _post(self, issue: Issue, messages: "Sequence[Message]", number: int) -> dict[str, Any]:
        blocks = [*self._running_head(issue, number, len(messages)), *messages[number - 1].blocks]
        digest = sha256(json.dumps(blocks, sort_keys=True).encode()).hexdigest()
        key = f"{issue.key}/{self.conversation}/{number}"
        payload = {"key": key, "revision": 1, "issue": issue.key, "part": number, "hash": digest[:16]}
        return {
            "channel": self.conversation,
            "text": self._text(issue, messages, number),
            "blocks": blocks,
            "unfurl_links": False,
            "unfurl_media": False,
            "metadata": {"event_type": EVENT, "event_payload": payload},
            "client_msg_id": str(uuid5(NAMESPACE_URL, f"{key}/{digest}")),
        }

    def _running_head(self, issue: Issue, number: int, parts: int) -> list[dict[str, Any]]:
        """What a later message opens with where no thread holds it together with the first."""
        from bot.blockkit import context, shortened

        in_thread = self.layout == "thread"
        return (
            [] if number == 1 or in_thread else context(f"{shortened(issue.title, 150)} · {number}/{parts}")
        )

    def _text(self, issue: Issue, messages: "Sequence[Message]", number: int) -> str:
        """What is shown and read out where blocks are not: of the whole issue first, then of each part."""
        from bot.blockkit import fallback

        alone = len(messages) == 1 or (number == 1 and self.layout == "thread")
        title = issue.title if alone else f"{issue.title} ({number}/{len(messages)})"
        shown = messages if number == 1 else messages[number - 1 : number]
        lines = dict.fromkeys(line for message in shown for line in message.lines)  # contents name each, too
        return fallback(title, list(lines))
