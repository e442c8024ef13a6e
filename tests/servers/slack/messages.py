"""What Slack refuses of a whole message, and in what shape it keeps and shows the rest."""

import copy
import re
from collections.abc import Mapping
from typing import Any, TypeAlias

from tests.servers.slack import rules

Json: TypeAlias = dict[str, Any]

SPLIT = 4_040
"""Characters beyond which a bare text becomes several messages (slackapi/java-slack-sdk#704)."""
TRUNCATED = 40_000
"""Characters that are kept of a text."""
UPDATED = 4_000
"""Characters that chat.update takes; more is refused, and not cut."""
ATTACHMENTS = 100

_FLAGS = {"reply_broadcast", "unfurl_links", "unfurl_media", "mrkdwn", "link_names"}
_TEXTS = {"channel", "text", "thread_ts", "client_msg_id", "parse", "markdown_text"} | (
    CUSTOM := {"username", "icon_emoji", "icon_url"}
)
_LISTS = {"blocks", "attachments"}
POSTED = _FLAGS | _TEXTS | _LISTS | {"metadata"}
"""What chat.postMessage has a meaning for."""
EDITED = {
    "channel",
    "ts",
    "text",
    "blocks",
    "attachments",
    "metadata",
    "markdown_text",
    "reply_broadcast",
} | {
    "parse",
    "link_names",
}
"""What chat.update has a meaning for."""
HOOKED = (POSTED - {"channel", "metadata", "client_msg_id", "markdown_text"}) - CUSTOM | {"response_type"}
"""What an incoming webhook has a meaning for; of metadata, a public project says that it is not supported."""
ANSWERED = HOOKED | {"response_type", "replace_original", "delete_original"}
"""What the address to answer a press at has a meaning for."""


class Refused(Exception):  # noqa: N818 (Slack's answer, not our error)
    """The word that Slack says no with, and what it adds."""

    def __init__(self, code: str, *, retry_after: int | None = None, **more: Any) -> None:
        super().__init__(code)
        self.code, self.retry_after = code, retry_after
        self.answer = {"ok": False, "error": code, **more}


def invalid(*what: str) -> Refused:
    """A no to arguments, each with what is wrong."""
    return Refused("invalid_arguments", response_metadata={"messages": list(what)})


def check_arguments(message: Json, known: set[str]) -> None:
    """Refuse arguments that mean nothing, or are of a type that Slack does not take."""
    if unknown := message.keys() - known:
        raise invalid(f"unknown: {sorted(unknown)}")
    kinds: Mapping[type, set[str]] = {str: _TEXTS | {"ts"}, list: _LISTS, bool: _FLAGS}
    for kind, keys in kinds.items():
        wrong = [key for key in sorted(keys & message.keys()) if not _is(message[key], kind)]
        if wrong:
            code = "invalid_blocks_format" if wrong == ["blocks"] else "invalid_arguments"
            raise Refused(code, response_metadata={"messages": [f"not a {kind.__name__}: {wrong}"]})


def _is(value: Any, kind: type) -> bool:
    return (
        value in ("0", "1", "true", "false")
        if kind is bool and isinstance(value, str)
        else isinstance(value, kind)
    )


def check_post(message: Json) -> None:
    """Refuse what chat.postMessage refuses, whatever the conversation."""
    check_arguments(message, POSTED)
    if "reply_broadcast" in message and "thread_ts" not in message:
        raise invalid("reply_broadcast without thread_ts")
    check_said(message)
    check_metadata(message)


def check_update(message: Json) -> None:
    """Refuse what chat.update refuses, whatever stands there already."""
    check_arguments(message, EDITED)
    if len(message.get("text", "")) > UPDATED:
        raise Refused("msg_too_long")
    if message.keys() & {"text", "blocks", "markdown_text", "attachments"}:
        check_said(message)
    elif "metadata" not in message:
        raise Refused("no_text")
    if message.get("metadata") != {}:
        check_metadata(message)


def check_said(message: Json) -> None:
    """Refuse a message that says nothing, or too much."""
    if "markdown_text" in message and message.keys() & {"text", "blocks"}:
        raise Refused("markdown_text_conflict")
    if len(message.get("markdown_text", "")) > rules.MARKDOWN:
        raise Refused("msg_too_long")
    shown = [message.get(key) for key in ("blocks", "attachments", "markdown_text")]
    if not (message.get("text", "").strip() or any(shown)):
        raise Refused("no_text")
    if len(message.get("attachments", [])) > ATTACHMENTS:
        raise Refused("too_many_attachments")
    if message.get("blocks"):
        check_blocks(message["blocks"])


def check_metadata(message: Json) -> None:
    if "metadata" in message and (code := rules.metadata_fault(message["metadata"])):
        raise Refused(code)


def check_blocks(blocks: Any) -> None:
    """Refuse blocks that Slack refuses, with a pointer to each fault."""
    found = rules.faults(blocks)
    if not found and _images(blocks, r"\.webp(\?|$)"):
        found = [image_fault()]
    if found:
        raise Refused("invalid_blocks", errors=found, response_metadata={"messages": found})
    if rules.is_too_long(blocks):
        raise Refused("msg_blocks_too_long")


def image_fault(at: int = 0) -> str:
    """What Slack says when it could not fetch an image (slackapi/python-slack-sdk#1782)."""
    return f"[ERROR] downloading image failed [json-pointer:/blocks/{at}/image_url]"


def image_blocks(blocks: Any) -> bool:
    """Whether an image stands as a block of its own; beside a section it fails without harm (java#1396)."""
    return _images(blocks, "")


def _images(blocks: Any, pattern: str) -> bool:
    images = [block for block in blocks if block.get("type") == "image"] if isinstance(blocks, list) else []
    return any(re.search(pattern, image.get("image_url", "")) for image in images)


def validated(arguments: Json) -> Json:
    """What Slack's own validator says; it asks for no token."""
    given = [arguments[key] for key in ("blocks", "message", "view") if key in arguments]
    if len(given) != 1 or "view" in arguments:
        raise Refused("invalid_arguments")
    found = rules.faults(given[0].get("blocks") if "message" in arguments else given[0])
    errors = [
        {"pointer": one.partition("[json-pointer:")[2].rstrip("]"), "code": "invalid", "message": one}
        for one in found
    ]
    if errors:
        raise Refused("invalid_blocks", errors=errors)
    return {"ok": True}


def check_same_kind(old: Json, new: Json) -> None:
    """Refuse to put other blocks where nothing but rich text stood."""
    kinds = {block["type"] for block in old.get("blocks", [])}
    others = {block["type"] for block in new.get("blocks", [])}
    if kinds == {"rich_text"} and others and "rich_text" not in others:
        raise Refused("block_mismatch")


# ---------------------------------------------------------------------------------------- as Slack keeps it


def kept(message: Json) -> list[Json]:
    """A message as it is stored: cut, or in several where a bare text is long."""
    text = message.get("text", "")[:TRUNCATED]
    if message.get("blocks") or message.get("attachments") or len(text) <= SPLIT:
        return [{**message, "text": text} if "text" in message else message]
    return [{**message, "text": text[at : at + SPLIT]} for at in range(0, len(text), SPLIT)]


def updated(old: Json, given: Json) -> Json:
    """A message after an update: a text without blocks takes the blocks away, metadata stays if unnamed."""
    new = dict(old)
    if given.keys() & {"text", "blocks", "markdown_text", "attachments"}:
        for key in ("text", "blocks", "markdown_text", "attachments"):
            new.pop(key, None)
    new |= {key: value for key, value in given.items() if key not in {"channel", "ts"}}
    return {key: value for key, value in new.items() if (key, value) != ("metadata", {})}


def shown_text(text: str) -> str:
    """A text as it is read back: never quite what was sent, since Slack marks what it understood."""
    return re.sub(r"(?<![<|])\bhttps?://[^\s<>|]+", r"<\g<0>>", text)


def shown_blocks(blocks: list[Json], message_ts: str) -> list[Json]:
    """Blocks as they are read back: each with an ID, whether it was given one or not."""
    found = copy.deepcopy(blocks)
    for at, block in enumerate(found):
        if block["type"] == "markdown":
            block.pop("block_id", None)  # Slack ignores it there, and drops it
        block.setdefault("block_id", f"b{message_ts[-4:]}{at}")
    return found
