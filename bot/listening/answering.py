"""Answers who asked for something, so that they alone see it."""

import logging
from urllib.parse import urlsplit

from bot import blockkit, markup
from bot.channels._slack_client import SDK_LOG
from bot.text import Paragraph, Text

log = logging.getLogger(__name__)

TIMEOUT = 10
"""Seconds that an answer may take."""
LONGEST = 2500
"""Characters of an answer."""


class Answering:
    """Where answers go: to Slack alone, whatever an envelope names."""

    def __init__(self, api_url: str) -> None:
        self._api_url = api_url

    def say(self, url: str, words: str) -> None:
        """Answer at the address that came with what was asked; one that is lost is logged."""
        if not self._is_slack_s(url):
            return
        from slack_sdk.webhook import WebhookClient  # noqa: PLC0415 (only where somebody asked something)

        webhook = WebhookClient(url, timeout=TIMEOUT, retry_handlers=[], logger=SDK_LOG)
        webhook.proxy = None  # as for the Web API
        try:
            webhook.send_dict(answer(words))
        except Exception as error:  # noqa: BLE001 (whatever the SDK gives: what was done is done all the same)
            log.warning("an answer did not reach Slack error=%s", type(error).__name__)

    def _is_slack_s(self, url: str) -> bool:
        """Whether an address is Slack's: at its own hosts over TLS, or where our Web API is."""
        try:
            there, ours = urlsplit(url), urlsplit(self._api_url)
        except ValueError:
            return False
        if (there.scheme, there.netloc) == (ours.scheme, ours.netloc):
            return True
        return there.scheme == "https" and (there.hostname or "").endswith(".slack.com")


def answer(words: str) -> dict[str, object]:
    """An answer's message: typed text, so that nothing in it is taken for markup or a mention."""
    lines = map(_plain, blockkit.shortened(words, LONGEST).split("\n"))
    first, *more = list(filter(None, lines)) or ["…"]
    return {
        "text": blockkit.fallback(first, more),
        "blocks": blockkit.rich(tuple(Paragraph((Text(line),)) for line in (first, *more))),
        "mrkdwn": False,
        "response_type": "ephemeral",
        "replace_original": False,
    }


def _plain(line: str) -> str:
    """A line without what no message may hold."""
    return markup.inline_words(markup.text(line))
