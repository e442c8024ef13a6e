"""Transports: how one finished mail leaves, one file each, found by the `kind` in `[transport]`.

A transport module has `Options` (its keys) and `build(options, *, root, password)`, which gives a
`Transport`.
"""

from collections.abc import Callable
from typing import Protocol

from bot.models import Receipt


class Connection(Protocol):
    """One conversation with the next hop, used by one thread."""

    def ready(self, wait: Callable[[float], bool]) -> bool:
        """Wait until the next mail may go, where there is a limit; False where the run ended first.

        `wait` lets seconds pass, and says False as soon as the run ends.
        """

    def send(self, sender: str, recipient: str, message: bytes) -> Receipt:
        """Hand over one mail; a DeliveryError or StopRunError says why it did not go."""

    def close(self) -> None:
        """Say goodbye to the next hop."""


class Transport(Protocol):
    """One way out for mail."""

    connections: int
    """How many connections may be open at once."""
    local: bool
    """True where nothing leaves this machine."""
    by: str
    """How it leaves, in a few words: `smtp 127.0.0.1:2525`."""

    def connect(self) -> Connection:
        """A connection, opened at its first use."""
