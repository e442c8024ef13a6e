"""What an incoming webhook's answers mean: words as plain text, each under some HTTP status of 4xx.

Which status goes with which word has changed over the years: the word decides.
"""

import re

from bot.channels._slack_errors import (
    ImagesError,
    LimitedError,
    Meaning,
    TooLongError,
    span,
)
from bot.errors import BroadsheetError, InDoubtError, PermanentError, StopRunError

LOOK = "a webhook cannot read back: look into the conversation, then `broadsheet resolve`"

_ANEW = Meaning(StopRunError, "the webhook is gone: make a new one, and put it into BROADSHEET_SLACK_WEBHOOK")
_CONVERSATION = Meaning(StopRunError, "its conversation is gone or archived: make a webhook for another one")
_ADMIN = Meaning(
    StopRunError, "an admin of the workspace does not allow it: ask, or choose another conversation"
)
_BLOCKS = Meaning(PermanentError, "`broadsheet render` shows the blocks: simplify the template or the entry")

WORDS: dict[str, Meaning] = {
    **dict.fromkeys(
        ("no_active_hooks", "no_service", "no_service_id", "no_team", "team_disabled", "invalid_token"), _ANEW
    ),
    **dict.fromkeys(("channel_not_found", "channel_is_archived", "user_not_found"), _CONVERSATION),
    **dict.fromkeys(("action_prohibited", "posting_to_general_channel_denied"), _ADMIN),
    **dict.fromkeys(("invalid_payload", "invalid_blocks", "no_text", "too_many_attachments"), _BLOCKS),
    "msg_blocks_too_long": Meaning(TooLongError, "shorten the entry, or divide it in two"),
}


def from_words(status: int, body: str, retry_after: str | None) -> BroadsheetError:
    """The error that any answer but `200 ok` means."""
    word = body.strip()
    if status == 429:  # noqa: PLR2004 (HTTP: too many requests)
        return LimitedError("Slack: rate limited", span(retry_after))
    if status == 200 or status >= 500:  # noqa: PLR2004 (HTTP: yes, but of whom; their trouble)
        return InDoubtError(f"Slack's webhook answered HTTP {status}, and not with ok: {LOOK}")
    if "downloading image failed" in body:
        return ImagesError("Slack: downloading image failed")
    if not re.fullmatch(r"[a-z][a-z0-9_]{1,80}", word):
        return StopRunError(f"HTTP {status}, and not as Slack says it: is the webhook's address right?")
    meaning = WORDS.get(word, _BLOCKS)
    return meaning.error(f"Slack: {word}: {meaning.remedy}")
