"""Slack: an issue as a careful person would post it, by the Web API, or into a folder to look at."""

import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal
from uuid import NAMESPACE_URL, uuid5

from pydantic import Field, SecretStr

from bot import plugins
from bot.channels import Audience, Courier
from bot.errors import InDoubtError, InputError
from bot.models import Delivery, Issue, Reader, Receipt, Rendered

if TYPE_CHECKING:
    from bot.compose import Templates
    from bot.settings import Newsletter, Settings

TIMEOUT = 30


class Options(plugins.Options):
    """`[channels.<name>]` with `kind = "slack"`."""

    conversation: Annotated[str, Field(min_length=1, max_length=80, pattern=r"^\S+$")]
    """The ID of the channel to post to, such as C0123456789."""
    layout: Literal["thread", "messages", "digest"] = "thread"
    """Whether what is too long for one message goes into its thread or more messages; a digest fits."""
    api_url: str = "https://slack.com/api/"
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
    return _Slack(options, newsletter, templates, settings.url, settings.secret("slack_token"), folder)


class _Slack:
    audience = Audience.CONVERSATION
    concurrency = 1

    def __init__(
        self,
        options: Options,
        newsletter: "Newsletter",
        templates: "Templates",
        url: str,
        token: SecretStr | None,
        folder: Path | None,
    ) -> None:
        self._options, self._newsletter, self._templates, self._url = options, newsletter, templates, url
        self._token, self._folder = token, folder
        self.local = folder is not None
        self.by = f"folder {options.folder}" if folder else f"slack {options.conversation}"

    def freeze(self, issue: Issue, rendered: Rendered) -> bytes:  # noqa: ARG002 (Slack renders its own blocks)
        from bot.blockkit import packed  # noqa: PLC0415 (options are read without it)
        from bot.channels._slack_template import groups  # noqa: PLC0415
        from bot.compose import numbered  # noqa: PLC0415

        context = {
            "issue": issue,
            "newsletter": self._newsletter,
            "sections": list(numbered(issue)),
            "layout": self._options.layout,
            "web_url": f"{self._url}/issues/{issue.week}",
        }
        messages = packed(groups(self._templates, context))
        return json.dumps(self._arguments(issue, messages), ensure_ascii=False).encode()

    def _arguments(self, issue: Issue, messages: Sequence[list[dict[str, Any]]]) -> list[dict[str, Any]]:
        """The arguments of chat.postMessage for each part, in order."""
        parts = []
        for number, blocks in enumerate(messages, 1):
            digest = sha256(json.dumps(blocks, sort_keys=True).encode()).hexdigest()
            key = f"{issue.key}/{self._options.conversation}/{number}"
            payload = {"key": key, "issue": issue.key, "part": number, "hash": digest[:16]}
            parts.append(
                {
                    "channel": self._options.conversation,
                    "text": self._text(issue, number, len(messages)),
                    "blocks": blocks,
                    "unfurl_links": False,
                    "unfurl_media": False,
                    "metadata": {"event_type": "newsletter_part", "event_payload": payload},
                    "client_msg_id": str(uuid5(NAMESPACE_URL, f"{key}/{digest}")),
                }
            )
        return parts

    def _text(self, issue: Issue, number: int, parts: int) -> str:
        from bot.blockkit import fallback  # noqa: PLC0415

        title = issue.title if parts == 1 else f"{issue.title} ({number}/{parts})"
        return fallback(title, list(_lines(issue)) if number == 1 else [])

    def parts(self, payload: bytes) -> int:
        return len(json.loads(payload))

    def files(self, payload: bytes, reader: Reader, now: datetime) -> dict[str, bytes]:  # noqa: ARG002 (every reader sees the same)
        document = json.dumps(json.loads(payload), ensure_ascii=False, indent=2)
        return {"slack.json": document.encode() + b"\n"}

    def courier(self, payload: bytes) -> Courier:
        messages = json.loads(payload)
        in_thread = self._options.layout == "thread"
        if self._folder:
            return _FolderCourier(messages, self._folder)
        if self._token is None:
            raise InputError(
                "BROADSHEET_SLACK_TOKEN", "not set", "set it to the app's bot token, or set `folder`"
            )
        return _Courier(messages, self._options.api_url, self._token, in_thread=in_thread)


def _lines(issue: Issue) -> Iterable[str]:
    for number, entry in enumerate(issue.entries, 1):
        yield f"{number}. {entry.title}" + (f" {entry.url}" if entry.url else "")


class _Courier:
    """Posts parts one by one, without the SDK's own retries: they post twice when an answer is lost."""

    def __init__(
        self, messages: list[dict[str, Any]], api_url: str, token: SecretStr, *, in_thread: bool
    ) -> None:
        from slack_sdk import WebClient  # noqa: PLC0415

        url = api_url if api_url.endswith("/") else f"{api_url}/"
        self._client = WebClient(token.get_secret_value(), base_url=url, timeout=TIMEOUT, retry_handlers=[])
        self._messages, self._in_thread = messages, in_thread

    def deliver(self, delivery: Delivery, now: datetime) -> Receipt:  # noqa: ARG002 (Slack stamps its own time)
        from slack_sdk.errors import SlackApiError  # noqa: PLC0415

        from bot.channels._slack_errors import FAILURES, from_answer, from_failure  # noqa: PLC0415

        message = dict(self._messages[delivery.part - 1])
        if self._in_thread and delivery.part > 1 and delivery.root:
            message["thread_ts"] = delivery.root.reference.partition(":")[2]
        try:
            answer = self._client.chat_postMessage(**message)
        except SlackApiError as error:
            raise _translated(error.response, from_answer) from error
        except FAILURES as error:
            raise from_failure(error) from error
        conversation, ts = answer.get("channel"), answer.get("ts")
        if not (isinstance(conversation, str) and isinstance(ts, str)):
            raise InDoubtError("Slack said yes, but not where: look before you resolve")
        return Receipt(f"{conversation}:{ts}")

    def close(self) -> None:
        """Nothing stays open between posts."""


def _translated(response: Any, from_answer: Any) -> Exception:
    """slack_sdk gives its answer, or a bare dict where the body was not JSON (python-slack-sdk#1421)."""
    headers = {str(name).lower(): value for name, value in (getattr(response, "headers", None) or {}).items()}
    data = getattr(response, "data", response)
    status = getattr(response, "status_code", None) or (
        response.get("status") if isinstance(response, dict) else 0
    )
    retry_after = headers.get("retry-after")
    value = retry_after[0] if isinstance(retry_after, list) else retry_after
    error: Exception = from_answer(data if isinstance(data, dict) else {}, int(status or 0), value)
    return error


class _FolderCourier:
    """Writes parts where they can be looked at, as they would be posted."""

    def __init__(self, messages: list[dict[str, Any]], folder: Path) -> None:
        self._messages, self._folder = messages, folder

    def deliver(self, delivery: Delivery, now: datetime) -> Receipt:  # noqa: ARG002 (a file has its own time)
        from bot.errors import StopRunError  # noqa: PLC0415

        folder = self._folder / delivery.issue.replace("/", "-")
        path = folder / f"part-{delivery.part}.json"
        document = json.dumps(self._messages[delivery.part - 1], ensure_ascii=False, indent=2)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            partial = path.with_suffix(".partial")
            partial.write_text(document + "\n", "utf-8")
            partial.replace(path)
        except OSError as error:
            raise StopRunError(f"{self._folder}: {error.strerror}: make it writable") from error
        return Receipt(str(path))

    def close(self) -> None:
        """Every file is closed already."""
