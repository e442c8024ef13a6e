"""Slack's rules for a message, as strict as its documentation: what breaks one is named by a JSON pointer."""

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

SERIALISED = 13_000
"""Characters of a message's blocks; Slack refuses beyond about so many (slackapi/bolt-js#2509)."""
METADATA = 8_000
BLOCKS, CONTEXT, FIELDS = 50, 10, 10
TEXT, HEADER, FIELD, URL, ALT, ID = 3000, 150, 2000, 3000, 2000, 255

Rule = Callable[[Any, str], Iterator[str]]
"""Gives what is wrong with the value that stands at a pointer."""


def faults(blocks: Any) -> list[str]:
    """Whatever Slack would call invalid_blocks, each with its pointer; none if all is well."""
    return list(_all(blocks, "/blocks", _block, 1, BLOCKS)) + list(_twice(blocks))


def is_too_long(blocks: Any) -> bool:
    """Whether blocks, each by itself good, are too much together."""
    return len(json.dumps(blocks, ensure_ascii=False)) > SERIALISED


def metadata_fault(metadata: Any) -> str | None:
    """The error code that metadata deserve."""
    if not isinstance(metadata, dict) or set(metadata) != {"event_type", "event_payload"}:
        return "invalid_metadata_format"
    kind, payload = metadata["event_type"], metadata["event_payload"]
    if not (isinstance(kind, str) and 0 < len(kind) <= ID and isinstance(payload, dict)):
        return "invalid_metadata_format"
    if not all(isinstance(value, str | int | float | bool) for value in payload.values()):
        return "invalid_metadata_schema"
    return "metadata_too_large" if len(json.dumps(metadata)) > METADATA else None


# ---------------------------------------------------------------------------------------------- small pieces


def _said(what: str, pointer: str) -> Iterator[str]:
    yield f"[ERROR] {what} [json-pointer:{pointer}]"


def _all(value: Any, pointer: str, rule: Rule, least: int, most: int) -> Iterator[str]:
    """A list of `least` to `most` values, each by the rule."""
    if not isinstance(value, list):
        yield from _said("must be an array", pointer)
    elif len(value) < least:
        yield from _said(f"no less than {least} items", pointer)
    elif len(value) > most:
        yield from _said(f"no more than {most} items allowed", pointer)
    else:
        for at, one in enumerate(value):
            yield from rule(one, f"{pointer}/{at}")


def _list_of(rule: Rule, least: int = 1, most: int = 10_000) -> Rule:
    return lambda value, pointer: _all(value, pointer, rule, least, most)


def _string(most: int, least: int = 1) -> Rule:
    def rule(value: Any, pointer: str) -> Iterator[str]:
        if not isinstance(value, str):
            yield from _said("must be a string", pointer)
        elif len(value) < least:
            yield from _said(f"must be more than {least - 1} characters", pointer)
        elif len(value) > most:
            yield from _said(f"must be less than {most + 1} characters", pointer)

    return rule


def _url(value: Any, pointer: str) -> Iterator[str]:
    yield from _string(URL)(value, pointer)
    schemes = ("https://", "http://", "mailto:")
    if isinstance(value, str) and (not value.lower().startswith(schemes) or any(map(str.isspace, value))):
        yield from _said("must be a valid URL", pointer)


def _flag(value: Any, pointer: str) -> Iterator[str]:
    if not isinstance(value, bool):
        yield from _said("must be a boolean", pointer)


def _number(least: int, most: int) -> Rule:
    def rule(value: Any, pointer: str) -> Iterator[str]:
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            yield from _said(f"must be a whole number from {least} to {most}", pointer)

    return rule


def _one_of(*choices: str) -> Rule:
    def rule(value: Any, pointer: str) -> Iterator[str]:
        if value not in choices:
            yield from _said(f"must be one of {', '.join(choices)}", pointer)

    return rule


def _keys(required: Mapping[str, Rule], optional: Mapping[str, Rule]) -> Rule:
    """An object with these keys and no others."""

    def rule(value: Any, pointer: str) -> Iterator[str]:
        for key in required.keys() - value.keys():
            yield from _said(f"missing required field: {key}", pointer)
        for key, one in value.items():
            if key == "type":
                continue
            if known := required.get(key) or optional.get(key):
                yield from known(one, f"{pointer}/{key}")
            else:
                yield from _said(f"invalid additional property: {key}", pointer)

    return rule


def _typed(kinds: Mapping[str, Rule]) -> Rule:
    """An object of one of these types."""

    def rule(value: Any, pointer: str) -> Iterator[str]:
        if not isinstance(value, dict):
            yield from _said("must be an object", pointer)
        elif not isinstance(kind := value.get("type"), str) or kind not in kinds:
            yield from _said(f"unsupported type: {kind}", f"{pointer}/type")
        else:
            yield from kinds[kind](value, pointer)

    return rule


# ------------------------------------------------------------------------------------------------- the rules


def _plain(most: int) -> Rule:
    return _keys({"text": _string(most)}, {"emoji": _flag})


def _mrkdwn(most: int) -> Rule:
    return _keys({"text": _string(most)}, {"verbatim": _flag})


def _text(most: int) -> Rule:
    return _typed({"plain_text": _plain(most), "mrkdwn": _mrkdwn(most)})


def _style(value: Any, pointer: str) -> Iterator[str]:
    if isinstance(value, dict):
        looks = dict.fromkeys(("bold", "italic", "strike", "code", "underline"), _flag)
        yield from _keys({}, looks)(value, pointer)
    else:
        yield from _said("must be an object", pointer)


_IMAGE = _keys({"image_url": _url, "alt_text": _string(ALT)}, {})
_RUN = _keys({"text": _string(10**6)}, {"style": _style})
_LINK = _keys({"url": _url}, {"text": _string(10**6), "style": _style, "unsafe": _flag})
_USER = _keys({"user_id": _string(ID)}, {"style": _style})
_BROADCAST = _keys({"range": _one_of("here", "channel", "everyone")}, {"style": _style})
_EMOJI = _keys({"name": _string(ID)}, {"unicode": _string(ID), "style": _style})
_RUNS = _typed({"text": _RUN, "link": _LINK, "user": _USER, "broadcast": _BROADCAST, "emoji": _EMOJI})
_CODE = _typed({"text": _RUN, "link": _LINK})
_SECTION = _keys({"elements": _list_of(_RUNS)}, {})
_LIST = _keys(
    {"style": _one_of("bullet", "ordered"), "elements": _list_of(_typed({"rich_text_section": _SECTION}))},
    {"indent": _number(0, 8), "offset": _number(0, 10**9), "border": _number(0, 1)},
)
_RICH = _typed(
    {
        "rich_text_section": _SECTION,
        "rich_text_list": _LIST,
        "rich_text_quote": _keys({"elements": _list_of(_RUNS)}, {"border": _number(0, 1)}),
        "rich_text_preformatted": _keys({"elements": _list_of(_CODE)}, {"border": _number(0, 1)}),
    }
)
_BLOCK_ID: dict[str, Rule] = {"block_id": _string(ID)}


def _text_section(value: Any, pointer: str) -> Iterator[str]:
    fields = _list_of(_text(FIELD), most=FIELDS)
    yield from _keys({}, {"text": _text(TEXT), "fields": fields, "expand": _flag, **_BLOCK_ID})(
        value, pointer
    )
    if "text" not in value and "fields" not in value:
        yield from _said("missing required field: text", pointer)


_block = _typed(
    {
        "section": _text_section,
        "header": _keys({"text": _typed({"plain_text": _plain(HEADER)})}, _BLOCK_ID),
        "context": _keys(
            {
                "elements": _list_of(
                    _typed({"plain_text": _plain(TEXT), "mrkdwn": _mrkdwn(TEXT), "image": _IMAGE}),
                    most=CONTEXT,
                )
            },
            _BLOCK_ID,
        ),
        "divider": _keys({}, _BLOCK_ID),
        "image": _keys(
            {"image_url": _url, "alt_text": _string(ALT)},
            {"title": _typed({"plain_text": _plain(ALT)}), **_BLOCK_ID},
        ),
        "rich_text": _keys({"elements": _list_of(_RICH)}, _BLOCK_ID),
    }
)


def _twice(blocks: Any) -> Iterator[str]:
    """Names that two blocks share."""
    seen: set[str] = set()
    for at, block in enumerate(blocks if isinstance(blocks, list) else []):
        name = block.get("block_id") if isinstance(block, dict) else None
        if isinstance(name, str) and name in seen:
            yield from _said("block_id already exists", f"/blocks/{at}/block_id")
        seen |= {name} if isinstance(name, str) else set()
