"""Slack's Web API, one request per call: yes is data, and everything else one of our errors.

The SDK's own retries are off: they post twice when an answer is lost.
"""

import logging
import re
from typing import TYPE_CHECKING, Any, TypeAlias

from pydantic import SecretStr

from bot.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from slack_sdk import WebClient
    from slack_sdk.web import SlackResponse

Json: TypeAlias = dict[str, Any]

TIMEOUT = 30
"""Seconds that Slack may take to say anything."""
SDK_LOG = logging.getLogger(f"{__name__}.sdk")
SDK_LOG.setLevel(logging.CRITICAL)  # it logs whole answers as errors; ours say what is needed


BOT_TOKEN = (
    "BROADSHEET_SLACK_TOKEN",
    "set it to the app's bot token (xoxb-…), or set `folder` to only look at the messages",
)
APP_TOKEN = "BROADSHEET_SLACK_APP_TOKEN", "set it to an app-level token of the app's (xapp-…)"


def client(
    api_url: str,
    token: SecretStr | None,
    *,
    timeout: int | None = None,
    kind: tuple[str, str] = BOT_TOKEN,
) -> "WebClient":
    """Slack's Web API for one token; InputError where there is none that could be sent.

    `kind` is where such a token is set, and how.
    """
    from slack_sdk import WebClient

    made = WebClient(
        _usable(token, *kind).get_secret_value(),
        base_url=api_url if api_url.endswith("/") else f"{api_url}/",
        timeout=TIMEOUT if timeout is None else timeout,
        retry_handlers=[],
        logger=SDK_LOG,
    )
    made.proxy = None  # the SDK forgets no_proxy; urllib below it reads the same variables and does not
    return made


def _usable(token: SecretStr | None, variable: str, mend: str) -> SecretStr:
    """The token, if a header can hold it."""
    if token is None or not token.get_secret_value():
        raise InputError(variable, "not set", mend)
    if not re.fullmatch(r"[\x21-\x7e]+", token.get_secret_value()):
        raise InputError(variable, "not a token: it has blanks or foreign characters", mend)
    return token


def written(slack: "WebClient", method: str, arguments: Json) -> Json:
    """Ask for something that changes a conversation; an answer that never came is in doubt."""
    return _called(lambda: slack.api_call(method, json=arguments))


def asked(slack: "WebClient", method: str, **arguments: Any) -> Json:
    """Ask for something that changes nothing."""
    return _called(lambda: slack.api_call(method, params=arguments))


def _called(call: "Callable[[], SlackResponse]") -> Json:
    from slack_sdk.errors import SlackApiError

    from bot.channels._slack_errors import FAILURES, from_failure

    try:
        answer = call()
    except SlackApiError as error:
        raise _refusal(error.response) from error
    except FAILURES as error:
        raise from_failure(error) from error
    return answer.data if isinstance(answer.data, dict) else {}


def _refusal(response: "SlackResponse | Json") -> Exception:
    """What an answer other than yes means; of some, slack_sdk gives a bare dict (python-slack-sdk#1421)."""
    from bot.channels._slack_errors import from_answer

    if isinstance(response, dict):
        return from_answer(response, int(response.get("status") or 0), None)
    retry_after = next(
        (value for name, value in response.headers.items() if name.lower() == "retry-after"), None
    )
    data = response.data if isinstance(response.data, dict) else {}
    return from_answer(data, response.status_code, retry_after)
