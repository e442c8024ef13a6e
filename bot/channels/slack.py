"""Slack: an issue as a careful person would post it, by the Web API, or into a folder to look at."""

import json
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from bot import plugins
from bot.channels import Audience, Courier, Wait
from bot.channels._slack_gone import no_more
from bot.channels._slack_posts import Setter
from bot.models import Delivery, Issue, Reader, Receipt, Rendered

if TYPE_CHECKING:
    from bot.settings import Newsletter, Settings
    from bot.templates import Templates


class Options(plugins.Options):
    """`[channels.<name>]` with `kind = "slack"`."""

    conversation: Annotated[str, Field(min_length=1, max_length=80, pattern=r"^\S+$")]
    """The ID of the channel to post to, such as C0123456789."""
    layout: Literal["thread", "messages", "digest"] = "thread"
    """Whether what is too long for one message goes into its thread or more messages; a digest fits."""
    api_url: Annotated[str, Field(pattern=r"^https?://[^\s/]\S*$")] = "https://slack.com/api/"
    """Slack's Web API."""
    folder: Path | None = None
    """Write the messages into this folder instead of posting them."""


def build(
    options: Options,
    *,
    newsletter: "Newsletter",
    settings: "Settings",
    templates: "Templates",
    transport: object,  # noqa: ARG001 (mail's way out is not Slack's)
) -> "_Slack":
    """The channel that posts a newsletter's issues to one conversation."""
    folder = settings.root / options.folder if options.folder else None
    setter = Setter(
        newsletter, templates, settings.url, settings.several, options.layout, options.conversation
    )
    return _Slack(options, setter, settings, folder)


class _Slack:
    audience = Audience.CONVERSATION
    concurrency = 1

    def __init__(self, options: Options, setter: Setter, settings: "Settings", folder: Path | None) -> None:
        self._options, self._setter = options, setter
        self._token, self._folder = settings.secret("slack_token"), folder
        self.local = folder is not None
        self._no_more = no_more(setter.newsletter.language)
        self.by = f"folder {options.folder}" if folder else f"slack {options.conversation}"

    def freeze(self, issue: Issue, rendered: Rendered) -> bytes:  # noqa: ARG002 (Slack renders its own blocks)
        return json.dumps(self._setter.posts(issue), ensure_ascii=False).encode()

    def revised(self, payload: bytes, revision: int) -> bytes:
        from bot.channels._slack_pieces import revised

        posts = [revised(post, revision) for post in json.loads(payload)]
        return json.dumps(posts, ensure_ascii=False).encode()

    def parts(self, payload: bytes) -> int:
        return len(json.loads(payload))

    def files(self, payload: bytes, reader: Reader, now: datetime) -> dict[str, bytes]:  # noqa: ARG002 (every reader sees the same)
        document = json.dumps(json.loads(payload), ensure_ascii=False, indent=2)
        return {"slack.json": document.encode() + b"\n"}

    def courier(self, payload: bytes) -> Courier:
        messages = json.loads(payload)
        if self._folder:
            return _FolderCourier(messages, self._folder, self._no_more)
        from bot.channels._slack_client import client
        from bot.channels._slack_courier import PostingCourier

        slack = client(self._options.api_url, self._token)
        in_thread = self._options.layout == "thread"
        return PostingCourier(messages, slack, in_thread=in_thread, no_more=self._no_more)


class _FolderCourier:
    """Writes parts where they can be looked at, as they would be posted."""

    def __init__(self, messages: list[dict[str, Any]], folder: Path, no_more: str) -> None:
        self._messages, self._folder, self._no_more = messages, folder, no_more

    def ready(self, wait: Wait) -> bool:  # noqa: ARG002 (a folder has no limits)
        return True

    def deliver(self, delivery: Delivery, now: datetime) -> Receipt:  # noqa: ARG002 (a file has its own time)
        return self._written(delivery)

    def correct(self, delivery: Delivery, standing: Receipt) -> Receipt:  # noqa: ARG002 (its name is the same)
        return self._written(delivery)

    def _written(self, delivery: Delivery) -> Receipt:
        from bot.channels._slack_pieces import note
        from bot.errors import StopRunError

        folder = self._folder / delivery.issue.replace("/", "-")
        path = folder / f"part-{delivery.part:03}.json"
        there = delivery.part <= len(self._messages)
        last = self._messages[-1]
        message = self._messages[delivery.part - 1] if there else note(last, self._no_more, delivery.part)
        document = json.dumps(message, ensure_ascii=False, indent=2)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            partial = path.with_suffix(".partial")
            partial.write_text(f"{document}\n", "utf-8")
            partial.replace(path)
        except OSError as error:
            raise StopRunError(f"{self._folder}: {error.strerror}: make it writable") from error
        return Receipt(str(path))

    def close(self) -> None:
        """Every file is closed already."""
