"""What Slack refuses of a message: the shapes and limits of Block Kit, told as Slack tells them.

Written from Slack's reference, apart from the product's own table, so that each can find the other wrong.
`[json-pointer:/blocks/0/text]` says where.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

Check: TypeAlias = Callable[[Any, str], Iterator[str]]

BLOCKS = 50
CUMULATIVE = 13_000
"""Nowhere documented; seen at 13,297 and 13,172 characters (slackapi/bolt-js#2509)."""
MARKDOWN = 12_000


def faults(blocks: Any) -> list[str]:
    """All that is wrong with the blocks of one message, but for their size taken together."""
    found = list(_array(_block, 1, BLOCKS)(blocks, "/blocks"))
    if isinstance(blocks, list):
        found += _same_ids(blocks)
        found += _too_much_markdown(blocks)
    return found


def is_too_long(blocks: Any) -> bool:
    """Whether Slack would say `msg_blocks_too_long`."""
    return len(json.dumps(blocks, ensure_ascii=False, separators=(",", ":"))) > CUMULATIVE


def _same_ids(blocks: list[Any]) -> Iterator[str]:
    ids = [block["block_id"] for block in blocks if isinstance(block, dict) and "block_id" in block]
    yield from _fault(f"`block_id`s exist twice: {ids}", "/blocks", when=len(set(map(str, ids))) < len(ids))


def _too_much_markdown(blocks: list[Any]) -> Iterator[str]:
    texts = (block["text"] for block in blocks if isinstance(block, dict) and block.get("type") == "markdown")
    length = sum(len(text) for text in texts if isinstance(text, str))
    yield from _fault(f"more than {MARKDOWN} characters of markdown", "/blocks", when=length > MARKDOWN)


# ----------------------------------------------------------------------------------------------- what may be


def _fault(what: str, at: str, *, when: bool) -> Iterator[str]:
    if when:
        yield f"[ERROR] {what} [json-pointer:{at}]"


def _string(longest: int, pattern: str = r"[\s\S]+") -> Check:
    def check(value: Any, at: str) -> Iterator[str]:
        if not isinstance(value, str):
            yield from _fault("must be a string", at, when=True)
            return
        yield from _fault(f"must be 1 to {longest} characters", at, when=not 1 <= len(value) <= longest)
        yield from _fault(f"must match {pattern}", at, when=not re.fullmatch(pattern, value))

    return check


def _flag(value: Any, at: str) -> Iterator[str]:
    yield from _fault("must be a boolean", at, when=not isinstance(value, bool))


def _number(low: int, high: int) -> Check:
    def check(value: Any, at: str) -> Iterator[str]:
        is_number = isinstance(value, int) and not isinstance(value, bool)
        yield from _fault(f"must be {low} to {high}", at, when=not (is_number and low <= value <= high))

    return check


def _one_of(*values: str) -> Check:
    def check(value: Any, at: str) -> Iterator[str]:
        yield from _fault(f"must be one of {', '.join(values)}", at, when=value not in values)

    return check


def _array(of: Check, low: int, high: int) -> Check:
    def check(value: Any, at: str) -> Iterator[str]:
        if not isinstance(value, list):
            yield from _fault("must be an array", at, when=True)
            return
        yield from _fault(f"must have {low} to {high} items", at, when=not low <= len(value) <= high)
        for number, one in enumerate(value):
            yield from of(one, f"{at}/{number}")

    return check


def _shape(required: Mapping[str, Check], optional: Mapping[str, Check] | None = None) -> Check:
    """An object with these keys and no others; `type` was looked at already."""
    known = {**required, **(optional or {})}

    def check(value: Any, at: str) -> Iterator[str]:
        if not isinstance(value, dict):
            yield from _fault("must be an object", at, when=True)
            return
        for key in required.keys() - value.keys():
            yield from _fault(f"missing required field: {key}", at, when=True)
        for key, one in value.items():
            if key in known:
                yield from known[key](one, f"{at}/{key}")
            else:
                yield from _fault(f"invalid additional property: {key}", at, when=key != "type")

    return check


def _typed(kinds: Mapping[str, Check]) -> Check:
    """An object whose `type` says which shape it has."""

    def check(value: Any, at: str) -> Iterator[str]:
        kind = value.get("type") if isinstance(value, dict) else None
        if not isinstance(kind, str) or kind not in kinds:
            yield from _fault(f"unsupported type: {kind}", f"{at}/type", when=True)
            return
        yield from kinds[kind](value, at)

    return check


# ------------------------------------------------------------------------------------------- texts and images


def _plain_text(longest: int) -> Check:
    return _typed({"plain_text": _shape({"text": _string(longest)}, {"emoji": _flag})})


def _text(longest: int) -> Check:
    kinds = {
        "plain_text": _plain_text(longest),
        "mrkdwn": _shape({"text": _string(longest)}, {"verbatim": _flag}),
    }
    return _typed(kinds)


_URL = _string(3000, r"https?://\S+")
_ID = {"block_id": _string(255)}
_IMAGE = {"image_url": _URL, "alt_text": _string(2000)}
_BUTTON = _shape(
    {"text": _plain_text(75), "action_id": _string(255)},
    {
        "value": _string(2000),
        "url": _URL,
        "style": _one_of("primary", "danger"),
        "accessibility_label": _string(75),
    },
)

# ------------------------------------------------------------------------------------------------- rich_text

_STYLE = {
    "style": _shape({}, dict.fromkeys(("bold", "italic", "strike", "code", "underline"), _flag)),
}
_ANY = 10**6
_RUN = {
    "text": _shape({"text": _string(_ANY)}, _STYLE),
    "link": _shape({"url": _string(3000, r"(https?://|mailto:)\S+")}, {"text": _string(_ANY), **_STYLE}),
    "emoji": _shape({"name": _string(100)}, {"unicode": _string(100)}),
    "broadcast": _shape({"range": _one_of("here", "channel", "everyone")}),
    "user": _shape({"user_id": _string(30)}, _STYLE),
    "channel": _shape({"channel_id": _string(30)}, _STYLE),
    "usergroup": _shape({"usergroup_id": _string(30)}, _STYLE),
}
_RUNS = {"elements": _array(_typed(_RUN), 1, _ANY)}
_BORDER = {"border": _number(0, 1)}
_RICH_SECTION = {"rich_text_section": _shape(_RUNS)}
_RICH = {
    **_RICH_SECTION,
    "rich_text_quote": _shape(_RUNS, _BORDER),
    "rich_text_preformatted": _shape(
        {"elements": _array(_typed({kind: _RUN[kind] for kind in ("text", "link")}), 1, _ANY)}, _BORDER
    ),
    "rich_text_list": _shape(
        {"style": _one_of("bullet", "ordered"), "elements": _array(_typed(_RICH_SECTION), 1, _ANY)},
        {"indent": _number(0, 8), "offset": _number(0, _ANY), **_BORDER},
    ),
}

# ---------------------------------------------------------------------------------------------------- blocks


def _section(value: Any, at: str) -> Iterator[str]:
    shown = {"text": _text(3000), "fields": _array(_text(2000), 1, 10)}
    more = {"accessory": _typed({"image": _shape(_IMAGE), "button": _BUTTON}), "expand": _flag, **_ID}
    yield from _shape({}, {**shown, **more})(value, at)
    yield from _fault("missing required field: text", at, when=not shown.keys() & value.keys())


_block = _typed(
    {
        "header": _shape({"text": _plain_text(150)}, _ID),
        "section": _section,
        "divider": _shape({}, _ID),
        "context": _shape(
            {"elements": _array(_typed({"plain_text": _text(3000), "mrkdwn": _text(3000),
                                        "image": _shape(_IMAGE)}), 1, 10)}, _ID,
        ),
        "image": _shape(_IMAGE, {"title": _plain_text(2000), **_ID}),
        "actions": _shape({"elements": _array(_typed({"button": _BUTTON}), 1, 25)}, _ID),
        "markdown": _shape({"text": _string(MARKDOWN)}, _ID),
        "rich_text": _shape({"elements": _array(_typed(_RICH), 1, _ANY)}, _ID),
    }
)  # fmt: skip


# -------------------------------------------------------------------------------------------------- the rest


def metadata_fault(metadata: Any) -> str | None:
    """Slack's word for what is wrong with a message's metadata."""
    if not isinstance(metadata, dict) or metadata.keys() != {"event_type", "event_payload"}:
        return "invalid_metadata_format"
    payload = metadata["event_payload"]
    if not (isinstance(metadata["event_type"], str) and metadata["event_type"] and isinstance(payload, dict)):
        return "invalid_metadata_format"
    if not all(_may_be_metadata(value) for value in payload.values()):
        return "invalid_metadata_schema"
    return "metadata_too_large" if len(json.dumps(metadata)) > 1024 else None


def _may_be_metadata(value: Any) -> bool:
    if isinstance(value, list):
        return all(isinstance(one, dict) and _may_be_metadata(one) for one in value)
    if isinstance(value, dict):
        return all(_may_be_metadata(one) for one in value.values())
    return isinstance(value, str | int | float)


def mentions(message: Mapping[str, Any]) -> list[str]:
    """Whatever in a message calls people, or leads to a conversation or group."""
    return [*_in_mrkdwn(message.get("text", ""), verbatim=True), *_in_blocks(message.get("blocks", []))]


def _in_blocks(value: Any) -> Iterator[str]:
    if isinstance(value, list):
        for one in value:
            yield from _in_blocks(one)
    elif isinstance(value, dict):
        if value.get("type") in {"broadcast", "user", "channel", "usergroup"}:
            yield str(value)
        elif value.get("type") == "mrkdwn":
            yield from _in_mrkdwn(value["text"], verbatim=value.get("verbatim", False))
        else:
            yield from _in_blocks(list(value.values()))


def _in_mrkdwn(text: str, *, verbatim: bool) -> list[str]:
    found = re.findall(r"<[!@#][^>]*>", text)
    return found if verbatim else [*found, *re.findall(r"(?<!\w)[@#]\w+", text)]
