"""What Slack's answers mean: one table from its words to our errors, each with the remedy.

Sources: the error lists of chat.postMessage, and what was seen of slack_sdk when connections
break.
"""

import socket
import ssl
from datetime import timedelta
from http.client import HTTPException
from typing import Any
from urllib.error import URLError

from bot.errors import (
    BroadsheetError,
    InDoubtError,
    PermanentError,
    StopRunError,
    TransientError,
)

LONGEST_WAIT = 3600.0
"""Seconds; a Retry-After beyond it is nonsense."""

_INVITE = "invite the bot: write /invite @<its name> in that conversation"
_ID = "set `conversation` to the ID, such as C0123456789: right-click it, copy link; the bot must be a member"
_LOGIN = "put the app's bot token (xoxb-…) into BROADSHEET_SLACK_TOKEN"
_BUG = "`broadsheet render` shows the blocks; simplify the template or the entry"

_WAIT = {"ratelimited", "rate_limited", "message_limit_exceeded"}
_LATER = {
    "team_added_to_org",
    "org_login_required",
    "accesslimited",
    "ekm_access_denied",
    "external_channel_migrating",
}
_DOUBT = {
    "fatal_error", "internal_error", "request_timeout", "service_unavailable", "duplicate_message_not_found",
    "duplicate_channel_not_found",
}  # fmt: skip
_STOP = {
    "channel_not_found": _ID,
    "not_in_channel": _INVITE,
    "is_archived": "the conversation is archived: unarchive it, or name another",
    "no_permission": _INVITE,
    "cannot_reply_to_message": 'the conversation allows no threads: set layout = "messages"',
    "messages_tab_disabled": "this is an app's own conversation: name a channel",
    "team_not_found": "the token belongs to another workspace",
    "invalid_auth": _LOGIN,
    "not_authed": _LOGIN,
    "account_inactive": _LOGIN,
    "token_revoked": _LOGIN,
    "token_expired": _LOGIN,
    "not_allowed_token_type": _LOGIN,
    "two_factor_setup_required": "set up two-factor authentication for the workspace's account",
    "enterprise_is_restricted": "ask the workspace's owner to allow the app",
    "team_access_not_granted": "ask the workspace's owner to allow the app",
    "access_denied": "ask the workspace's owner to allow the app",
    "deprecated_endpoint": "install a newer release",
    "method_deprecated": "install a newer release",
}


def from_answer(answer: dict[str, Any], status: int, retry_after: str | None) -> BroadsheetError:
    """The error that an answer with `ok: false`, or a bad HTTP status, means."""
    code = str(answer.get("error") or "")[:80]
    if status == 429 or code in _WAIT:  # noqa: PLR2004 (HTTP: too many requests)
        return TransientError(
            f"Slack: {code or 'rate limited'}", retry_after=_span(retry_after), charged=False
        )
    if code in _DOUBT or status >= 500 or not code:  # noqa: PLR2004 (HTTP: their trouble)
        return InDoubtError(
            f"Slack answered {code or status}: the message may be there; look before you resolve"
        )
    if code in _LATER:
        return TransientError(f"Slack: {code}", retry_after=timedelta(hours=1))
    return _refusal(code, answer)


def _refusal(code: str, answer: dict[str, Any]) -> BroadsheetError:
    """Nothing was posted, and a person must mend something."""
    if code == "missing_scope":
        return StopRunError(
            f"Slack: missing_scope: give the app the scope {answer.get('needed', 'chat:write')}"
        )
    if code in _STOP:
        return StopRunError(f"Slack: {code}: {_STOP[code]}")
    if code.startswith("restricted_action"):
        return StopRunError(f"Slack: {code}: allow the app to post there, or name another conversation")
    return PermanentError(f"Slack: {code}{_pointers(answer)}: {_BUG}")


def _pointers(answer: dict[str, Any]) -> str:
    """What Slack says of the very blocks it refuses."""
    metadata = answer.get("response_metadata")
    messages = metadata.get("messages") if isinstance(metadata, dict) else None
    said = [str(message)[:200] for message in messages[:5]] if isinstance(messages, list) else []
    return f" ({'; '.join(said)})" if said else ""


def _span(retry_after: str | None) -> timedelta | None:
    """A Retry-After header: seconds, perhaps with a fraction; None where it is missing or nonsense."""
    try:
        seconds = float(retry_after or "")
    except ValueError:
        return None
    return timedelta(seconds=seconds) if 0 <= seconds <= LONGEST_WAIT else None


def from_failure(error: Exception) -> BroadsheetError:
    """The error that a broken connection means: nothing was posted, or who knows once the request left."""
    cause = error.reason if isinstance(error, URLError) else error
    if isinstance(cause, ConnectionRefusedError | socket.gaierror | ssl.SSLError):
        what = cause.strerror or type(cause).__name__
        return TransientError(f"Slack cannot be reached: {what}", charged=False)
    return InDoubtError(f"Slack's answer never came ({type(cause).__name__}): look before you resolve")


FAILURES: tuple[type[Exception], ...] = (OSError, HTTPException, ValueError)
"""What escapes slack_sdk beside its own errors: resets, time-outs, cut answers, numbers that are none."""
