"""How much JSON blocks make, and how they are gathered so that it is not too much."""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeAlias

from bot.blockkit.limits import PIECE

Json: TypeAlias = dict[str, Any]


def size(blocks: Sequence[Json]) -> int:
    """The characters of blocks: with the SDK's separators, without its escapes, as Slack counts."""
    return len(json.dumps(blocks, ensure_ascii=False))


def gathered(elements: Iterable[Json], limit: int = PIECE) -> Iterator[list[Json]]:
    """Elements in groups, in order, each as large as fits; an element that is too large is alone."""
    group: list[Json] = []
    reached = 0
    for element in elements:
        more = size([element])
        if group and reached + more > limit:
            yield group
            group, reached = [], 0
        group.append(element)
        reached += more
    if group:
        yield group
