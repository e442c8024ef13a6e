"""What is made of a message that Slack refuses as it is: two halves of it, or the same without images."""

import json
from collections.abc import Iterator
from itertools import accumulate
from typing import Any, TypeAlias
from uuid import NAMESPACE_URL, uuid5

Json: TypeAlias = dict[str, Any]


def key_of(message: Json) -> str:
    """The name that a message carries in its metadata, or '' where it is none of ours."""
    return str(_payload(message).get("key") or "")


def revised(message: Json, revision: int) -> Json:
    """The message as it says which revision of its part it is."""
    payload = {**_payload(message), "revision": revision}
    return {**message, "metadata": {**message["metadata"], "event_payload": payload}}


def _payload(message: Json) -> Json:
    metadata = message.get("metadata")
    payload = metadata.get("event_payload") if isinstance(metadata, dict) else None
    return payload if isinstance(payload, dict) else {}


# --------------------------------------------------------------------------------------------------- halves


def halves(message: Json) -> tuple[Json, Json] | None:
    """The message as two, cut between the blocks where both are nearest in size; None for a single block.

    The halves of `…/3` are named `…/3.1` and `…/3.2`, and always the same for the same message.
    """
    blocks = message["blocks"]
    if len(blocks) < 2:  # noqa: PLR2004 (one cannot be cut)
        return None
    cut = _middle([len(json.dumps(block, ensure_ascii=False)) for block in blocks])
    return _half(message, 1, blocks[:cut]), _half(message, 2, blocks[cut:])


def split(message: Json, count: int) -> list[Json]:
    """The message in so many pieces, the largest halved first; fewer where it has no more blocks."""
    pieces = [message]
    while len(pieces) < count:
        largest = max(pieces, key=lambda piece: (len(piece["blocks"]) > 1, _size(piece)))
        if not (pair := halves(largest)):
            break
        at = pieces.index(largest)
        pieces[at : at + 1] = pair
    return pieces


def _size(message: Json) -> int:
    return len(json.dumps(message["blocks"], ensure_ascii=False))


def _middle(sizes: list[int]) -> int:
    """After how many of them, one at least on either side, the sums are nearest to each other."""
    ends = list(accumulate(sizes))
    return min(range(1, len(sizes)), key=lambda cut: abs(2 * ends[cut - 1] - ends[-1]))


def _half(message: Json, number: int, blocks: list[Json]) -> Json:
    first_line = message["text"].partition("\n")[0]
    text = message["text"] if number == 1 else f"{first_line} …"
    made = {**message, "blocks": blocks, "text": text}
    if "metadata" in message:
        key = f"{key_of(message)}.{number}"
        payload = {**_payload(message), "key": key}
        made["metadata"] = {**message["metadata"], "event_payload": payload}
    if "client_msg_id" in message:
        made["client_msg_id"] = str(uuid5(NAMESPACE_URL, f"{message['client_msg_id']}.{number}"))
    return made


# ---------------------------------------------------------------------------------------------- corrections


def note(message: Json, words: str, part: int | None = None) -> Json:
    """What stands in the place of a message that a correction left out, be it a whole part of that number."""
    section = {"type": "rich_text_section", "elements": [{"type": "text", "text": words}]}
    made = {**message, "text": words, "blocks": [{"type": "rich_text", "elements": [section]}]}
    payload = _payload(message)
    key = f"{key_of(message).rpartition('/')[0]}/{part}" if part else f"{key_of(message)}-"
    payload = {**payload, "key": key, **({"part": part} if part else {})}
    made["metadata"] = {**message["metadata"], "event_payload": payload}
    made["client_msg_id"] = str(uuid5(NAMESPACE_URL, key))
    return made


# --------------------------------------------------------------------------------------------------- images


def without_images(message: Json) -> Json | None:
    """The message without any image; None where it has none, or nothing else."""
    blocks = list(_bare(message["blocks"]))
    return {**message, "blocks": blocks} if blocks and blocks != message["blocks"] else None


def _bare(blocks: list[Json]) -> Iterator[Json]:
    for block in blocks:
        if block["type"] == "image":
            continue
        bare = {key: value for key, value in block.items() if not (key == "accessory" and _is_image(value))}
        if block["type"] == "context":
            bare["elements"] = [one for one in block["elements"] if not _is_image(one)]
        if bare.get("elements") != []:
            yield bare


def _is_image(element: Any) -> bool:
    return isinstance(element, dict) and element.get("type") == "image"
