"""Which entries of a mail fold into a link to the page, so that no mail program clips what comes last.

Gmail shows some 102 KB of HTML and hides the rest behind a link, the unsubscribe link with it.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable

from bot.links import unsubscribe_url
from bot.markup import to_html
from bot.models import Entry
from bot.slots import Slot, Slots

LIMIT = 100_000
"""Bytes of HTML that a letter may have (Gmail's limit has been seen to move; hteumeuleu/email-bugs#41)."""
LINK = 400
"""Bytes that a link costs which stands for what was folded, without its address and its entry's title."""
LONGEST = {Slot.NAME: 200, Slot.EMAIL: 325}
"""Bytes of what is filled in per reader: a long name with its entities, the longest address there is."""


def foldable(entries: Iterable[Entry], web_url: str) -> list[int]:
    """The numbers (from 1) of the entries that have more after their lead than a link takes, last first."""
    numbers = [number for number, entry in enumerate(entries, 1) if _saves(entry, web_url)]
    return numbers[::-1]


def _saves(entry: Entry, web_url: str) -> bool:
    return len(to_html(entry.rest).encode()) > LINK + len((web_url + entry.title).encode())


def fewest(count: int, fits: Callable[[int], bool]) -> int:
    """The smallest number up to `count` that fits, or else `count`: each try costs a whole rendering.

    More must fit where fewer do. None and all are tried first: that settles most, and what is beyond help.
    """
    if not count or fits(0):
        return 0
    if not fits(count):
        return count
    return 1 + bisect_left(range(1, count), True, key=fits)  # noqa: FBT003 (it is what is looked for)


def longest(html: str, slots: Slots, base_url: str) -> int:
    """Bytes of a mail's HTML, its lines ended by CRLF, for the reader with the longest name and address."""
    values = {**LONGEST, Slot.UNSUBSCRIBE: len(unsubscribe_url(base_url, "x" * 22))}
    pieces = slots.split(html)
    sizes = (values[piece] if isinstance(piece, Slot) else len(piece.encode()) for piece in pieces)
    return html.count("\n") + sum(sizes)
