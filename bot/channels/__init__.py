"""Channels: the media an issue is published in, one file each, found by the `kind` in `[channels.…]`.

A channel module has `Options` (its keys) and `build`, which takes what `Parts` lists and gives a `Channel`.
"""

from collections.abc import Callable
from datetime import datetime
from enum import Enum
from typing import Protocol

from bot.models import Delivery, Issue, Reader, Receipt, Rendered


class Audience(Enum):
    """Whom a channel delivers to."""

    READERS = "readers"
    """One delivery per confirmed subscriber."""
    CONVERSATION = "conversation"
    """One delivery per part of the issue, in order."""


Wait = Callable[[float], bool]
"""Lets so many seconds pass; False as soon as the run ends."""


class Courier(Protocol):
    """Carries deliveries of one frozen payload, one at a time; each worker thread has its own."""

    def ready(self, wait: Wait) -> bool:
        """Wait until the next delivery may go, before it is marked; False where the run ended meanwhile."""

    def deliver(self, delivery: Delivery, now: datetime) -> Receipt:
        """Send one delivery; a DeliveryError or StopRunError says why it did not go."""

    def close(self) -> None:
        """Say goodbye to the far side."""


class Channel(Protocol):
    """One medium of one newsletter."""

    audience: Audience
    concurrency: int
    """How many couriers may work at once."""
    local: bool
    """True where nothing leaves this machine."""
    by: str
    """How it leaves, in a few words: `smtp 127.0.0.1:2525`."""

    def freeze(self, issue: Issue, rendered: Rendered) -> bytes:
        """The finished payload, byte for byte what the ledger keeps; the same for the same issue."""

    def parts(self, payload: bytes) -> int:
        """How many deliveries the payload makes for one recipient."""

    def files(self, payload: bytes, reader: Reader, now: datetime) -> dict[str, bytes]:
        """The payload as files by name, exactly as it would go out to `reader`."""

    def courier(self, payload: bytes) -> Courier:
        """A new courier for this payload."""
