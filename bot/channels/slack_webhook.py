"""Slack by an incoming webhook: the least to set up, and the least that can be known afterwards.

A webhook says `ok` and not where: nothing can be read back, put into a thread or corrected. An answer that is
lost stays in doubt until a person has looked.
"""

import json
import re
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import SecretStr

from bot import plugins
from bot.channels import Audience, Courier, Wait
from bot.channels._slack_posts import Setter
from bot.errors import DeliveryError, InDoubtError, InputError, StopRunError
from bot.models import Delivery, Issue, Reader, Receipt, Rendered

if TYPE_CHECKING:
    from bot.settings import Newsletter, Settings
    from bot.templates import Templates

VARIABLE = "BROADSHEET_SLACK_WEBHOOK"
TAKEN = ("text", "blocks", "unfurl_links", "unfurl_media")
"""Of a post's arguments, those that a webhook takes."""


class Options(plugins.Options):
    """`[channels.<name>]` with `kind = "slack-webhook"`: its address is a secret, and not written here."""

    layout: Literal["messages", "digest"] = "messages"
    """Whether what is too long for one message makes more messages; a digest fits. No threads by webhook."""
    url_file: Path | None = None
    """A file that holds this webhook's address, where one BROADSHEET_SLACK_WEBHOOK does not do for all."""


def build(
    options: Options,
    *,
    newsletter: "Newsletter",
    settings: "Settings",
    templates: "Templates",
    transport: object,  # noqa: ARG001 (mail's way out is not Slack's)
) -> "_SlackWebhook":
    """The channel that posts a newsletter's issues by a webhook."""
    setter = Setter(newsletter, templates, settings.url, settings.several, options.layout, "webhook")
    return _SlackWebhook(options, setter, settings)


def secret_url(options: Options, settings: "Settings") -> SecretStr:
    """The webhook's address; InputError where there is none that could be one."""
    from bot.settings.secrets import read_secret

    if options.url_file:
        where, found = "url_file", read_secret(settings.root, options.url_file, "url_file")
    else:
        where, found = VARIABLE, settings.secret("slack_webhook")  # type: ignore[assignment]
    if not found or not found.get_secret_value():
        raise InputError(where, "not set", "set it to the webhook's address, or name its file in `url_file`")
    if not re.fullmatch(r"https?://[\x21-\x7e]+", found.get_secret_value()):
        raise InputError(where, "not an address", "it begins with https://hooks.slack.com/services/")
    return found


class _SlackWebhook:
    audience = Audience.CONVERSATION
    concurrency = 1
    local = False
    by = "slack webhook"

    def __init__(self, options: Options, setter: Setter, settings: "Settings") -> None:
        self._options, self._setter, self._settings = options, setter, settings

    def freeze(self, issue: Issue, rendered: Rendered) -> bytes:  # noqa: ARG002 (Slack renders its own blocks)
        posts = [{key: post[key] for key in TAKEN} for post in self._setter.posts(issue)]
        return json.dumps(posts, ensure_ascii=False).encode()

    def parts(self, payload: bytes) -> int:
        return len(json.loads(payload))

    def files(self, payload: bytes, reader: Reader, now: datetime) -> dict[str, bytes]:  # noqa: ARG002 (every reader sees the same)
        document = json.dumps(json.loads(payload), ensure_ascii=False, indent=2)
        return {"slack-webhook.json": document.encode() + b"\n"}

    def courier(self, payload: bytes) -> Courier:
        return _Courier(json.loads(payload), secret_url(self._options, self._settings))


class _Courier:
    """Posts parts one by one; what they become nobody says."""

    def __init__(self, messages: list[dict[str, Any]], url: SecretStr) -> None:
        from slack_sdk.webhook import WebhookClient

        from bot.channels import _slack_client
        from bot.channels._slack_courier import Pace

        self._hook = WebhookClient(
            url.get_secret_value(),
            timeout=_slack_client.TIMEOUT,
            retry_handlers=[],
            logger=_slack_client.SDK_LOG,
        )
        self._hook.proxy = None  # urllib reads the same variables, and honours no_proxy
        self._messages, self._pace = messages, Pace()

    def ready(self, wait: Wait) -> bool:
        return self._pace.kept(wait)

    def deliver(self, delivery: Delivery, now: datetime) -> Receipt:  # noqa: ARG002 (Slack stamps its own time)
        self._post(self._messages[delivery.part - 1])
        return Receipt("ok")

    def close(self) -> None:
        """Nothing stays open between posts."""

    def _post(self, message: dict[str, Any]) -> None:
        from bot.channels._slack_errors import ImagesError, TooLongError
        from bot.channels._slack_pieces import halves, without_images

        try:
            self._pace.patiently(lambda: self._sent(message))
        except TooLongError:
            if not (pair := halves(message)):
                raise
        except ImagesError:
            if not (bare := without_images(message)):
                raise
            self._post(bare)
            return
        else:
            return
        self._post(pair[0])
        self._pace.kept()
        try:
            self._post(pair[1])
        except (DeliveryError, StopRunError) as error:
            # Sent again, the first would come twice: what stands there is for a person to see.
            raise InDoubtError(f"one half is there, of the other: {error}") from error

    def _sent(self, message: dict[str, Any]) -> None:
        from bot.channels._slack_errors import FAILURES, from_failure
        from bot.channels._slack_words import from_words

        try:
            answer = self._hook.send_dict(message)
        except FAILURES as error:
            raise from_failure(error) from error
        if answer.status_code == 200 and answer.body.strip() == "ok":  # noqa: PLR2004 (HTTP: yes)
            return
        retry_after = next(
            (value for name, value in answer.headers.items() if name.lower() == "retry-after"), None
        )
        raise from_words(answer.status_code, answer.body, retry_after)
