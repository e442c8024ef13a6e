"""Blocks packed into messages: what belongs together stays together, as long as one message can hold it."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from bot.blockkit.limits import BLOCKS, SERIALISED
from bot.blockkit.measure import Json, size


@dataclass(frozen=True, slots=True)
class Group:
    """Blocks that stay together, and what each entry among them is called where blocks are not shown."""

    blocks: tuple[Json, ...]
    lines: tuple[str, ...] = ()


@dataclass(slots=True)
class Message:
    """What one post holds."""

    blocks: list[Json] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)


def packed(groups: Iterable[Group]) -> list[Message]:
    """Groups as messages, each group whole, unless it alone is too much for one."""
    messages: list[Message] = []
    for group in groups:
        for piece in _pieces(group):
            if not (messages and _fits([*messages[-1].blocks, *piece.blocks])):
                messages.append(Message())
            messages[-1].blocks += piece.blocks
            messages[-1].lines += piece.lines
    for message in messages:
        message.blocks = _trimmed(message.blocks)
    return messages


def _pieces(group: Group) -> Iterator[Group]:
    """The group, or its blocks one by one; its lines go with the first. None where it has no blocks."""
    if group.blocks and _fits(group.blocks):
        yield group
        return
    for at, block in enumerate(group.blocks):
        yield Group((block,), group.lines if at == 0 else ())


def _fits(blocks: Sequence[Json]) -> bool:
    return len(blocks) <= BLOCKS and size(blocks) <= SERIALISED


def _trimmed(blocks: list[Json]) -> list[Json]:
    """No line at the end of a message, where nothing follows it."""
    while len(blocks) > 1 and blocks[-1]["type"] == "divider":
        blocks = blocks[:-1]
    return blocks
