"""Blocks packed into messages: what belongs together stays together, as long as one message can hold it."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from bot.blockkit.limits import BLOCKS, SERIALISED
from bot.blockkit.measure import Json, size

_SHORT = 500
"""Characters of a block that could be a title, and does not stand alone at the end of a message."""


@dataclass(frozen=True, slots=True)
class Group:
    """Blocks that stay together, and what each entry among them is called where blocks are not shown."""

    blocks: tuple[Json, ...]
    lines: tuple[str, ...] = ()
    opens: bool = False
    """Whether a message begins here, however much room the one before has."""


@dataclass(slots=True)
class Message:
    """What one post holds."""

    blocks: list[Json] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Room:
    """What one message can hold."""

    blocks: int
    characters: int

    def holds(self, blocks: Sequence[Json]) -> bool:
        return len(blocks) <= self.blocks and size(blocks) <= self.characters


def packed(groups: Iterable[Group], head: Sequence[Json] = ()) -> list[Message]:
    """Groups as messages, each group whole, unless it alone is too much for one.

    Room is left in each of them for `head`, which the caller may put on top.
    """
    room = _Room(BLOCKS - len(head), SERIALISED - size(head))
    messages: list[Message] = []
    opens = True
    for group in groups:
        opens = opens or group.opens
        for piece in _pieces(group, room):
            if opens or not room.holds([*messages[-1].blocks, *piece.blocks]):
                messages.append(Message())
            messages[-1].blocks += piece.blocks
            messages[-1].lines += piece.lines
            opens = False
    for message in messages:
        message.blocks = _trimmed(message.blocks)
    return messages


def _pieces(group: Group, room: _Room) -> Iterator[Group]:
    """The group, or else its blocks, each with the titles above it. None where it has no blocks."""
    if room.holds(group.blocks):
        yield from [group] if group.blocks else []
        return
    lines = group.lines
    for blocks in _with_titles(group.blocks, room):
        yield Group(blocks, lines)
        lines = ()


def _with_titles(blocks: Sequence[Json], room: _Room) -> Iterator[tuple[Json, ...]]:
    """Blocks one by one, but short ones together with the next."""
    together: list[Json] = []
    for block in blocks:
        if together and not room.holds([*together, block]):
            yield tuple(together)
            together = []
        together.append(block)
        if size([block]) > _SHORT:
            yield tuple(together)
            together = []
    if together:
        yield tuple(together)


def _trimmed(blocks: list[Json]) -> list[Json]:
    """No line at the edge of a message, where nothing is parted by it."""
    while len(blocks) > 1 and blocks[-1]["type"] == "divider":
        blocks = blocks[:-1]
    while len(blocks) > 1 and blocks[0]["type"] == "divider":
        blocks = blocks[1:]
    return blocks
