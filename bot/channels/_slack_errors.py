"""What Slack's answers mean: one table from its words to our errors, each with the remedy.

Sources: the error list of chat.postMessage, and what was seen of slack_sdk when connections break.
"""

import re
from dataclasses import dataclass
from datetime import timedelta
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import Any
from urllib.error import URLError

from bot.errors import BroadsheetError, InDoubtError, PermanentError, StopRunError, TransientError

LONGEST_WAIT = 3600.0
"""Seconds; a Retry-After beyond it is nonsense."""


class LimitedError(TransientError):
    """Slack takes no more for now; nothing was posted, and nobody is charged for it."""

    def __init__(self, reason: str, retry_after: timedelta | None) -> None:
        super().__init__(reason, retry_after=retry_after, charged=False)


class TooLongError(PermanentError):
    """The blocks are too much for one message, by a limit of Slack's that nobody knows."""


class ImagesError(PermanentError):
    """Slack could not fetch an image, and refuses the whole message for it."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """What one of Slack's words says of the message: the error it is, and what a person can do."""

    error: type[BroadsheetError]
    remedy: str = ""


_WAIT = Meaning(LimitedError)
_LATER = Meaning(TransientError, "Slack or the workspace's owner must finish something first")
_DOUBT = Meaning(InDoubtError)
_ID = Meaning(
    StopRunError,
    "set `conversation` to its ID, such as C0123456789, and invite the bot: /invite @<its name>",
)
_INVITE = Meaning(StopRunError, "invite the bot: write /invite @<its name> in that conversation")
_POSTING = Meaning(StopRunError, "allow the app to post there, or name another conversation")
_TOKEN = Meaning(StopRunError, "put the app's bot token (xoxb-…) into BROADSHEET_SLACK_TOKEN")
_OWNER = Meaning(StopRunError, "ask the workspace's owner to allow the app")
_RELEASE = Meaning(StopRunError, "install a newer release of Broadsheet")
_BLOCKS = Meaning(PermanentError, "`broadsheet render` shows the blocks: simplify the template or the entry")
_LONG = Meaning(PermanentError, "shorten the entry, or divide it in two")

_ROOTLESS = Meaning(PermanentError, "the issue's first message is gone, and its thread with it")
_THREADS = Meaning(StopRunError, 'nobody may reply in threads there: set layout = "messages"')

CODES: dict[str, Meaning] = {
    # Nothing was posted; again when the time has come.
    **dict.fromkeys(("ratelimited", "rate_limited"), _WAIT),
    "message_limit_exceeded": Meaning(TransientError, "the workspace's plan takes no more messages for now"),
    **dict.fromkeys(
        ("team_added_to_org", "org_login_required", "accesslimited", "ekm_access_denied", "update_failed",
         "external_channel_migrating"), _LATER,
    ),
    # Who knows.
    **dict.fromkeys(
        ("fatal_error", "internal_error", "request_timeout", "service_unavailable",
         "duplicate_message_not_found", "duplicate_channel_not_found"), _DOUBT,
    ),
    # The conversation is not one we can post to, and every part would hear the same.
    "channel_not_found": _ID,
    "not_in_channel": _INVITE,
    "no_permission": _INVITE,
    "is_archived": Meaning(StopRunError, "it is archived: unarchive it, or name another conversation"),
    "messages_tab_disabled": Meaning(StopRunError, "this is an app's own conversation: name a channel"),
    "team_not_found": Meaning(StopRunError, "the token is another workspace's, or `conversation` is no ID"),
    "restricted_action": _POSTING,
    "restricted_action_read_only_channel": _POSTING,
    "restricted_action_thread_only_channel": _POSTING,
    **dict.fromkeys(
        ("cannot_reply_to_message", "restricted_action_non_threadable_channel",
         "restricted_action_thread_locked"), _THREADS,
    ),
    # The app may not speak at all.
    **dict.fromkeys(
        ("invalid_auth", "not_authed", "account_inactive", "token_revoked", "token_expired",
         "not_allowed_token_type"), _TOKEN,
    ),
    "missing_scope": Meaning(StopRunError, "give the app the scope, and install it again"),
    "two_factor_setup_required": Meaning(StopRunError, "set up two-factor authentication for the account"),
    **dict.fromkeys(
        ("enterprise_is_restricted", "team_access_not_granted", "access_denied"),
        _OWNER,
    ),
    **dict.fromkeys(("deprecated_endpoint", "method_deprecated"), _RELEASE),
    # What stands there cannot be changed.
    "message_not_found": Meaning(PermanentError, "it was deleted there, and no correction reaches it"),
    "cant_update_message": Meaning(
        PermanentError, "another app or person posted it: correct with the token that it was posted with"
    ),
    "edit_window_closed": Meaning(PermanentError, "the workspace does not allow to change what is so old"),
    "is_inactive": Meaning(PermanentError, "the conversation takes no changes any more: is it archived?"),
    "block_mismatch": Meaning(
        PermanentError, "Slack does not put such blocks in the place of those: write it below by hand"
    ),
    "streaming_state_conflict": Meaning(TransientError, "Slack is writing that message still"),
    # The message is wrong, and would be wrong tomorrow.
    **dict.fromkeys(("thread_not_found", "invalid_thread_ts"), _ROOTLESS),
    "msg_blocks_too_long": Meaning(TooLongError, _LONG.remedy),
    **dict.fromkeys(("msg_too_long", "metadata_too_large"), _LONG),
    **dict.fromkeys(
        ("invalid_blocks", "invalid_blocks_format", "no_text", "markdown_text_conflict",
         "too_many_attachments",
         "attachment_payload_limit_exceeded", "invalid_metadata_format", "invalid_metadata_schema",
         "invalid_arguments", "invalid_array_arg", "invalid_charset"), _BLOCKS,
    ),
}  # fmt: skip
UNKNOWN = _BLOCKS
"""A word that is not in the table: not posted, and not to be tried again."""

LATER = timedelta(hours=1)
"""How long to wait where somebody has to do something first."""


# -------------------------------------------------------------------------------------------------- answers


def from_answer(answer: dict[str, Any], status: int, retry_after: str | None) -> BroadsheetError:
    """The error that an answer with `ok: false`, or a bad HTTP status, means."""
    code = _code(answer)
    if status == 429:  # noqa: PLR2004 (HTTP: too many requests)
        return LimitedError("Slack: rate limited", span(retry_after))
    if 300 <= status < 500 and not code:  # noqa: PLR2004 (HTTP: elsewhere, or our fault)
        return StopRunError(f"HTTP {status}, and not as Slack says it: is `api_url` right? is there a proxy?")
    if status >= 500 or not code:  # noqa: PLR2004 (HTTP: their trouble)
        return InDoubtError(_doubt(f"Slack answered {code or f'HTTP {status} and no reason'}"))
    return _meant(code, CODES.get(code, UNKNOWN), answer, retry_after)


def _code(answer: dict[str, Any]) -> str:
    """Slack's word for what is wrong; slack_sdk puts whole sentences and pages of HTML there, too."""
    code = answer.get("error")
    return code if isinstance(code, str) and re.fullmatch(r"[a-z][a-z0-9_]{1,80}", code) else ""


def _meant(code: str, meaning: Meaning, answer: dict[str, Any], retry_after: str | None) -> BroadsheetError:
    said = f"Slack: {code}{_details(answer)}" + (f": {meaning.remedy}" if meaning.remedy else "")
    if meaning is _WAIT:
        return LimitedError(said, span(retry_after))
    if meaning.error is TransientError:
        return TransientError(said, retry_after=LATER, charged=False)
    if code == "invalid_blocks" and _is_of_images(answer):
        return ImagesError(said)
    return InDoubtError(_doubt(said)) if meaning.error is InDoubtError else meaning.error(said)


def _doubt(what: str) -> str:
    return f"{what}: the message may be there: look, then `broadsheet resolve`"


def _is_of_images(answer: dict[str, Any]) -> bool:
    """Whether an image that Slack could not fetch is all that is wrong (slackapi/python-slack-sdk#1782)."""
    said = _pointed(answer)
    return bool(said) and all("downloading image failed" in words.lower() for words in said)


def _pointed(answer: dict[str, Any]) -> list[str]:
    """What Slack says of the very blocks it refuses."""
    metadata = answer.get("response_metadata")
    listed = metadata.get("messages") if isinstance(metadata, dict) else None
    listed = listed or answer.get("errors")
    return [str(words) for words in listed] if isinstance(listed, list) else []


def _details(answer: dict[str, Any]) -> str:
    """What Slack says of the very blocks it refuses, or the scope it misses."""
    said = _pointed(answer)
    if needed := answer.get("needed"):
        said.append(f"it needs {needed}")
    clean = [" ".join("".join(filter(str.isprintable, text)).split())[:200] for text in said[:5]]
    return f" ({'; '.join(clean)})" if clean else ""


def span(retry_after: str | None) -> timedelta | None:
    """A Retry-After header: seconds, perhaps with a fraction; None where it is missing or nonsense."""
    try:
        seconds = float(retry_after or "")
    except ValueError:
        return None
    return timedelta(seconds=seconds) if 0 <= seconds <= LONGEST_WAIT else None


# ------------------------------------------------------------------------------------------------- failures

FAILURES: tuple[type[Exception], ...] = (OSError, HTTPException, ValueError, LookupError, AttributeError)
"""What escapes slack_sdk beside its own errors: resets, time-outs, cut answers, and what it makes of
charsets nobody knows and of JSON that is no object."""

_CONNECTING = {HTTPConnection.connect.__code__, HTTPSConnection.connect.__code__}


def from_failure(error: Exception) -> BroadsheetError:
    """The error that a broken connection means: nothing was posted, or who knows once it stood."""
    cause = error.reason if isinstance(error, URLError) else error
    if not isinstance(cause, BaseException):
        return StopRunError(f"Slack cannot be reached: {cause}: mend `api_url` or the proxy")
    name = getattr(cause, "strerror", None) or type(cause).__name__
    if _while_connecting(cause):
        return TransientError(f"Slack cannot be reached: {name}", charged=False)
    return InDoubtError(_doubt(f"Slack's answer never came ({name})"))


def _while_connecting(cause: BaseException) -> bool:
    """Whether it happened before a connection stood: a time-out has the same type before and after."""
    step = cause.__traceback__
    while step:
        if step.tb_frame.f_code in _CONNECTING:
            return True
        step = step.tb_next
    return False
