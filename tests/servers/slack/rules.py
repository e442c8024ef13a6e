"""What Slack refuses of blocks: the shapes and limits of Block Kit, told as Slack tells them.

Written from Slack's reference, apart from the product's own table, so that each can find the other wrong.
`[json-pointer:/blocks/0/text]` says where. Elements that nobody here would post (date pickers, inputs) are
refused as unknown.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

Check: TypeAlias = Callable[[Any, str], Iterator[str]]

BLOCKS = 50
CUMULATIVE = 13_000
"""Serialised. Nowhere documented; seen at 13,297 and 13,172 characters (slackapi/bolt-js#2509)."""
MIXED = 11_340
"""Of text, where not all of it is markdown; 11,341 were refused (slackapi/bolt-js#2867)."""
MARKDOWN = 12_000
TABLE = 10_000
DATA_TABLE = 20_000


def faults(blocks: Any) -> list[str]:
    """All that is wrong with the blocks of one message, but for their size taken together."""
    found = list(_array(_block, 1, BLOCKS)(blocks, "/blocks"))
    if isinstance(blocks, list):
        known = [block for block in blocks if isinstance(block, dict)]
        for whole in (_same_ids, _same_actions, _too_much_markdown, _too_much_data, _two_tables):
            found += whole(known)
    return found


def is_too_long(blocks: Any) -> bool:
    """Whether Slack would say `msg_blocks_too_long`."""
    kinds = {block.get("type") for block in blocks if isinstance(block, dict)}
    mixed = not kinds <= {"markdown", "divider"}
    return serialised(blocks) > CUMULATIVE or (mixed and _characters(blocks) > MIXED)


def serialised(blocks: Any) -> int:
    """Characters of the JSON of some blocks."""
    return len(json.dumps(blocks, ensure_ascii=False, separators=(",", ":")))


def _characters(value: Any) -> int:
    """Characters of text in a block, or in several."""
    if isinstance(value, list):
        return sum(map(_characters, value))
    if not isinstance(value, dict):
        return 0
    own = len(value["text"]) if isinstance(value.get("text"), str) else 0
    return own + sum(map(_characters, value.values()))


def _of(kind: str, blocks: list[Any]) -> list[Any]:
    return [block for block in blocks if block.get("type") == kind]


def _same_ids(blocks: list[Any]) -> Iterator[str]:
    ids = [str(block["block_id"]) for block in blocks if "block_id" in block]
    yield from _fault(f"`block_id`s exist twice: {ids}", "/blocks", when=len(set(ids)) < len(ids))


def _same_actions(blocks: list[Any]) -> Iterator[str]:
    for at, block in enumerate(blocks):
        elements = block.get("elements") if block.get("type") == "actions" else None
        held = [one for one in elements if isinstance(one, dict)] if isinstance(elements, list) else []
        ids = [str(one["action_id"]) for one in held if "action_id" in one]
        twice = len(set(ids)) < len(ids)
        yield from _fault(f"`action_id`s exist twice: {ids}", f"/blocks/{at}", when=twice)


def _too_much_markdown(blocks: list[Any]) -> Iterator[str]:
    length = sum(map(_characters, _of("markdown", blocks)))
    yield from _fault(f"more than {MARKDOWN} characters of markdown", "/blocks", when=length > MARKDOWN)


def _two_tables(blocks: list[Any]) -> Iterator[str]:
    yield from _fault("only_one_table_allowed", "/blocks", when=len(_of("table", blocks)) > 1)


def _too_much_data(blocks: list[Any]) -> Iterator[str]:
    for kind, most in (("table", TABLE), ("data_table", DATA_TABLE)):
        length = sum(map(_characters, _of(kind, blocks)))
        yield from _fault(f"more than {most} characters in a {kind}", "/blocks", when=length > most)


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


def _any_number(value: Any, at: str) -> Iterator[str]:
    yield from _fault(
        "must be a number", at, when=isinstance(value, bool) or not isinstance(value, int | float)
    )


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


def _one_key(**kinds: Check) -> Check:
    """An object with one of these keys."""

    def check(value: Any, at: str) -> Iterator[str]:
        yield from _shape({}, kinds)(value, at)
        yield from _fault(f"must have one of {', '.join(kinds)}", at,
                          when=isinstance(value, dict) and len(value) != 1)  # fmt: skip

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
        "mrkdwn": _mrkdwn(longest),
    }
    return _typed(kinds)


def _mrkdwn(longest: int) -> Check:
    return _typed({"mrkdwn": _shape({"text": _string(longest)}, {"verbatim": _flag})})


_URL = _string(3000, r"https?://\S+")
_HTTPS = _string(3000, r"https://\S+")
_ID = {"block_id": _string(255)}
_ALT = {"alt_text": _string(2000)}
_FILE = _one_key(id=_string(255), url=_URL)


def _image(more: Mapping[str, Check] | None = None) -> Check:
    """An image by its address, or one that Slack has already."""

    def check(value: Any, at: str) -> Iterator[str]:
        source = {"slack_file": _FILE} if "slack_file" in value else {"image_url": _URL}
        yield from _shape({**source, **_ALT}, more)(value, at)

    return check


# -------------------------------------------------------------------------------------------- what is pressed

_STYLES = _one_of("primary", "danger")
_CONFIRM = _shape(
    {"text": _text(300)},
    {"title": _plain_text(100), "confirm": _plain_text(30), "deny": _plain_text(30), "style": _STYLES},
)
_ACTION = {"action_id": _string(255), "confirm": _CONFIRM, "focus_on_load": _flag}
_BUTTON = _shape(
    {"text": _plain_text(75)},
    {
        **_ACTION,
        "value": _string(2000),
        "url": _URL,
        "style": _STYLES,
        "accessibility_label": _string(75),
    },
)


def _option(text: Check, **more: Check) -> Check:
    return _shape({"text": text}, {"value": _string(150), "description": _plain_text(75), **more})


_CHOICE, _MARKED = _option(_plain_text(75)), _option(_text(75))
_CHOICES = _array(_CHOICE, 1, 100)
_GROUP = _shape({"label": _plain_text(75), "options": _CHOICES})


def _select(value: Any, at: str) -> Iterator[str]:
    choices = {"options": _CHOICES, "option_groups": _array(_GROUP, 1, 100)}
    more = {**_ACTION, "placeholder": _plain_text(150), "initial_option": _CHOICE}
    yield from _shape({}, {**choices, **more})(value, at)
    yield from _fault("needs `options` or `option_groups`", at, when=len(choices.keys() & value.keys()) != 1)


_MARKS = {"options": _array(_MARKED, 1, 10)}
_PRESSED = {
    "button": _BUTTON,
    "static_select": _select,
    "overflow": _shape({"options": _array(_option(_plain_text(75), url=_URL), 1, 5)}, _ACTION),
    "radio_buttons": _shape(_MARKS, {**_ACTION, "initial_option": _MARKED}),
    "checkboxes": _shape(_MARKS, {**_ACTION, "initial_options": _array(_MARKED, 1, 10)}),
}

# ------------------------------------------------------------------------------------------------- rich_text

_STYLE = {
    "style": _shape({}, dict.fromkeys(("bold", "italic", "strike", "code", "underline"), _flag)),
}
_ANY = 10**6
_RUN = {
    "text": _shape({"text": _string(_ANY)}, _STYLE),
    "link": _shape({"url": _string(3000, r"(https?://|mailto:)\S+")}, {"text": _string(_ANY), **_STYLE}),
    "emoji": _shape({"name": _string(100)}, {"unicode": _string(100), **_STYLE}),
    "color": _shape({"value": _string(100)}, _STYLE),
    "date": _shape(
        {"timestamp": _number(0, 2**40), "format": _string(_ANY)},
        {"url": _URL, "fallback": _string(_ANY), **_STYLE},
    ),
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
        {"elements": _array(_typed({kind: _RUN[kind] for kind in ("text", "link")}), 1, _ANY)},
        {"language": _string(100), **_BORDER},
    ),
    "rich_text_list": _shape(
        {"style": _one_of("bullet", "ordered"), "elements": _array(_typed(_RICH_SECTION), 1, _ANY)},
        {"indent": _number(0, 8), "offset": _number(0, _ANY), **_BORDER},
    ),
}

# ---------------------------------------------------------------------------------------------------- blocks


def _section(value: Any, at: str) -> Iterator[str]:
    shown = {"text": _text(3000), "fields": _array(_text(2000), 1, 10)}
    more = {"accessory": _typed({"image": _image(), **_PRESSED}), "expand": _flag, **_ID}
    yield from _shape({}, {**shown, **more})(value, at)
    yield from _fault("missing required field: text", at, when=not shown.keys() & value.keys())


def _card(value: Any, at: str) -> Iterator[str]:
    shown = {
        "hero_image": _typed({"image": _image()}),
        "title": _mrkdwn(150),
        "body": _mrkdwn(200),
        "actions": _array(_typed({"button": _BUTTON}), 1, 3),
    }
    more = {"icon": _typed({"image": _image()}), "subtitle": _mrkdwn(150), **_ID}
    yield from _shape({}, {**shown, **more})(value, at)
    yield from _fault("shows nothing", at, when=not shown.keys() & value.keys())


def _container(value: Any, at: str) -> Iterator[str]:
    titles = {"title": _plain_text(150), "rich_text_title": _typed({"rich_text": _RICH_TEXT})}
    more = {
        "subtitle": _text(150),
        "width": _one_of("narrow", "standard", "wide", "full"),
        "icon": _typed({"image": _image()}),
        "is_collapsible": _flag,
        "default_collapsed": _flag,
        "has_header_divider": _flag,
    }
    held = {"child_blocks": _array(_typed(_INSIDE), 1, 10)}
    yield from _shape(held, {**titles, **more, **_ID})(value, at)
    yield from _fault("missing required field: title", at, when=not titles.keys() & value.keys())


_CELL = _typed(
    {
        "raw_text": _shape({"text": _string(_ANY)}),
        "raw_number": _shape({"value": _any_number, "text": _string(_ANY)}),
        "rich_text": _shape({"elements": _array(_typed(_RICH), 1, _ANY)}),
    }
)
_COLUMN = _shape({}, {"align": _one_of("left", "center", "right"), "is_wrapped": _flag})
_RICH_TEXT = _shape({"elements": _array(_typed(_RICH), 1, _ANY)}, _ID)
_TALE = {"plain_text": _text(3000), "mrkdwn": _text(3000), "image": _image()}
_INSIDE: dict[str, Check] = {
    "header": _shape({"text": _plain_text(150)}, _ID),
    "section": _section,
    "divider": _shape({}, _ID),
    "context": _shape({"elements": _array(_typed(_TALE), 1, 10)}, _ID),
    "image": _image({"title": _plain_text(2000), **_ID}),
    "actions": _shape({"elements": _array(_typed(_PRESSED), 1, 25)}, _ID),
    "rich_text": _RICH_TEXT,
    "table": _shape(
        {"rows": _array(_array(_CELL, 1, 20), 1, 100)}, {"column_settings": _array(_COLUMN, 1, 20), **_ID}
    ),
    "video": _shape(
        {"video_url": _HTTPS, "thumbnail_url": _URL, "title": _plain_text(200), **_ALT},
        {
            "title_url": _HTTPS,
            "author_name": _string(50),
            "provider_name": _string(50),
            "provider_icon_url": _URL,
            "description": _plain_text(200),
            **_ID,
        },
    ),
}
"""What may stand in a container as well."""
_block = _typed(
    {
        **_INSIDE,
        "markdown": _shape({"text": _string(MARKDOWN)}, _ID),
        "data_table": _shape(
            {"rows": _array(_array(_CELL, 1, 20), 2, 201), "caption": _string(_ANY)},
            {"page_size": _number(1, 100), "row_header_column_index": _number(0, 19), **_ID},
        ),
        "card": _card,
        "carousel": _shape({"elements": _array(_typed({"card": _card}), 1, 10)}, _ID),
        "container": _container,
    }
)


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
    """Slack's own type: plain values, an object of such, or a list of such objects; never null."""
    objects = value if isinstance(value, list) else [value]
    if isinstance(value, list | dict):
        return all(isinstance(one, dict) and all(map(_is_plain, one.values())) for one in objects)
    return _is_plain(value)


def _is_plain(value: Any) -> bool:
    return isinstance(value, str | int | float)


def mentions(message: Mapping[str, Any]) -> list[str]:
    """Whatever in a message calls people, or leads to a conversation or group."""
    links = [key for key in ("link_names", "parse") if message.get(key) in (True, 1, "1", "true", "full")]
    text = _in_mrkdwn(message.get("text", ""), verbatim=not links)
    return [*links, *text, *_in_blocks(message.get("blocks", []))]


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
    return found if verbatim else [*found, *re.findall(r"(?<![\w<])[@#]\w+", text)]
