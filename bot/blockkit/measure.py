"""How much JSON blocks make, and how they are divided when it is too much."""

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
    for element in elements:
        if group and size([*group, element]) > limit:
            yield group
            group = []
        group.append(element)
    if group:
        yield group


def cut(text: str, limit: int) -> Iterator[str]:
    """A text in pieces of at most `limit` characters, after blanks where there are any."""
    while len(text) > limit:
        blank = max(text.rfind(" ", 0, limit), text.rfind("\n", 0, limit))
        end = blank + 1 if blank > 0 else limit
        yield text[:end]
        text = text[end:]
    yield text
