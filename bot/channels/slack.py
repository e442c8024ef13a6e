"""Slack: an issue as a careful person would post it, by the Web API, or into a folder to look at."""

import json
import logging
import re
from collections.abc import Sequence
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal
from uuid import NAMESPACE_URL, uuid5

from pydantic import Field, SecretStr

from bot import plugins
from bot.channels import Audience, Courier, Wait
from bot.errors import InDoubtError, InputError
from bot.models import Delivery, Issue, Reader, Receipt, Rendered

if TYPE_CHECKING:
    from slack_sdk import WebClient
    from slack_sdk.web import SlackResponse

    from bot.blockkit import Message
    from bot.settings import Newsletter, Settings
    from bot.templates import Templates

TIMEOUT = 30
"""Seconds that Slack may take to say anything."""
_SDK_LOG = logging.getLogger(f"{__name__}.sdk")
_SDK_LOG.setLevel(logging.CRITICAL)  # it logs whole answers as errors; ours say what is needed
_TS = re.compile(r"\d+\.\d+")
"""The name of a message in its conversation: never a number, which would lose digits."""


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
    return _Slack(options, newsletter, templates, settings, folder)


class _Slack:
    audience = Audience.CONVERSATION
    concurrency = 1

    def __init__(
        self,
        options: Options,
        newsletter: "Newsletter",
        templates: "Templates",
        settings: "Settings",
        folder: Path | None,
    ) -> None:
        self._options, self._newsletter, self._templates, self._settings = (
            options,
            newsletter,
            templates,
            settings,
        )
        self._token, self._folder = settings.secret("slack_token"), folder
        self.local = folder is not None
        self.by = f"folder {options.folder}" if folder else f"slack {options.conversation}"

    def freeze(self, issue: Issue, rendered: Rendered) -> bytes:  # noqa: ARG002 (Slack renders its own blocks)
        from bot.blockkit import packed
        from bot.channels._slack_template import groups
        from bot.compose import numbered
        from bot.links import issue_url

        context = {
            "issue": issue,
            "newsletter": self._newsletter,
            "sections": list(numbered(issue)),
            "layout": self._options.layout,
            "web_url": issue_url(
                self._settings.url, issue.newsletter, issue.week, several=self._settings.several
            ),
        }
        messages = packed(groups(self._templates, context))
        if not messages:
            raise InputError("templates/slack/issue.j2", "it gives no blocks", "there is nothing to post")
        posts = [self._post(issue, messages, number) for number in range(1, len(messages) + 1)]
        return json.dumps(posts, ensure_ascii=False).encode()

    def _post(self, issue: Issue, messages: "Sequence[Message]", number: int) -> dict[str, Any]:
        """The arguments of chat.postMessage for one part."""
        blocks = [*self._running_head(issue, number, len(messages)), *messages[number - 1].blocks]
        digest = sha256(json.dumps(blocks, sort_keys=True).encode()).hexdigest()
        key = f"{issue.key}/{self._options.conversation}/{number}"
        payload = {"key": key, "issue": issue.key, "part": number, "hash": digest[:16]}
        return {
            "channel": self._options.conversation,
            "text": _text(issue, messages, number),
            "blocks": blocks,
            "unfurl_links": False,
            "unfurl_media": False,
            "metadata": {"event_type": "newsletter_part", "event_payload": payload},
            "client_msg_id": str(uuid5(NAMESPACE_URL, f"{key}/{digest}")),
        }

    def _running_head(self, issue: Issue, number: int, parts: int) -> list[dict[str, Any]]:
        """What a later message opens with where no thread holds it together with the first."""
        from bot.blockkit import context

        in_thread = self._options.layout == "thread"
        return [] if number == 1 or in_thread else context(f"{issue.title[:150]} · {number}/{parts}")

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
        return _Courier(messages, self._options.api_url, self._token, in_thread=in_thread)


def _usable(token: SecretStr | None) -> SecretStr:
    """The token, if a header can hold it."""
    mend = "set it to the app's bot token (xoxb-…), or set `folder` to only look at the messages"
    if token is None or not token.get_secret_value():
        raise InputError("BROADSHEET_SLACK_TOKEN", "not set", mend)
    if not re.fullmatch(r"[\x21-\x7e]+", token.get_secret_value()):
        raise InputError("BROADSHEET_SLACK_TOKEN", "not a token: it has blanks or foreign characters", mend)
    return token


def _text(issue: Issue, messages: "Sequence[Message]", number: int) -> str:
    """What is shown and read out where blocks are not: of the whole issue first, then of each part."""
    from bot.blockkit import fallback

    title = issue.title if len(messages) == 1 else f"{issue.title} ({number}/{len(messages)})"
    shown = messages if number == 1 else messages[number - 1 : number]
    return fallback(title, [line for message in shown for line in message.lines])


def client(api_url: str, token: SecretStr | None, *, timeout: int = TIMEOUT) -> "WebClient":
    """Slack's Web API for one token; InputError where there is none that could be sent."""
    from slack_sdk import WebClient

    made = WebClient(
        _usable(token).get_secret_value(),
        base_url=api_url if api_url.endswith("/") else f"{api_url}/",
        timeout=timeout,
        retry_handlers=[],
        logger=_SDK_LOG,
    )
    made.proxy = None  # the SDK forgets no_proxy; urllib below it reads the same variables and does not
    return made


class _Courier:
    """Posts parts one by one, without the SDK's own retries: they post twice when an answer is lost."""

    def __init__(
        self, messages: list[dict[str, Any]], api_url: str, token: SecretStr | None, *, in_thread: bool
    ) -> None:
        self._client = client(api_url, token)
        self._messages, self._in_thread = messages, in_thread

    def ready(self, wait: Wait) -> bool:  # noqa: ARG002 (Slack says itself when it is too much)
        return True

    def deliver(self, delivery: Delivery, now: datetime) -> Receipt:  # noqa: ARG002 (Slack stamps its own time)
        from slack_sdk.errors import SlackApiError

        from bot.channels._slack_errors import FAILURES, from_failure

        message = self._messages[delivery.part - 1] | self._thread(delivery)
        try:
            answer = self._client.chat_postMessage(**message)
        except SlackApiError as error:
            raise _refusal(error.response) from error
        except FAILURES as error:
            raise from_failure(error) from error
        return _receipt(answer)

    def _thread(self, delivery: Delivery) -> dict[str, str]:
        """Where a later part goes: below the first, unless only a person knows that the first was posted."""
        ts = delivery.root.reference.rpartition(":")[2] if delivery.root else ""
        return {"thread_ts": ts} if self._in_thread and delivery.part > 1 and _TS.fullmatch(ts) else {}

    def close(self) -> None:
        """Nothing stays open between posts."""


def _receipt(answer: "SlackResponse") -> Receipt:
    conversation, ts = answer.get("channel"), answer.get("ts")
    if not (isinstance(conversation, str) and conversation and isinstance(ts, str) and _TS.fullmatch(ts)):
        raise InDoubtError("Slack said yes, but not where: look, then `broadsheet resolve`")
    return Receipt(f"{conversation}:{ts}")


def _refusal(response: "SlackResponse | dict[str, Any]") -> Exception:
    """What an answer other than yes means; of some, slack_sdk gives a bare dict (python-slack-sdk#1421)."""
    from bot.channels._slack_errors import from_answer

    if isinstance(response, dict):
        return from_answer(response, int(response.get("status") or 0), None)
    retry_after = next(
        (value for name, value in response.headers.items() if name.lower() == "retry-after"), None
    )
    data = response.data if isinstance(response.data, dict) else {}
    return from_answer(data, response.status_code, retry_after)


class _FolderCourier:
    """Writes parts where they can be looked at, as they would be posted."""

    def __init__(self, messages: list[dict[str, Any]], folder: Path) -> None:
        self._messages, self._folder = messages, folder

    def ready(self, wait: Wait) -> bool:  # noqa: ARG002 (a folder has no limits)
        return True

    def deliver(self, delivery: Delivery, now: datetime) -> Receipt:  # noqa: ARG002 (a file has its own time)
        from bot.errors import StopRunError

        folder = self._folder / delivery.issue.replace("/", "-")
        path = folder / f"part-{delivery.part:03}.json"
        document = json.dumps(self._messages[delivery.part - 1], ensure_ascii=False, indent=2)
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
