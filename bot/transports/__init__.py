"""Transports: how one finished mail leaves, one file each, found by the `kind` in `[transport]`.

A transport module has `Options` (its keys) and `build(options, *, root, password)`, which gives a
`Transport`.
"""

from collections.abc import Sequence
from typing import Protocol

from bot.models import Receipt
from bot.steps import Steps


class Connection(Protocol):
    """One conversation with the next hop, in steps: what blocks is done aside."""

    def ready(self) -> Steps[bool]:
        """Wait until the next mail may go, where there is a limit; False where the run ended first."""

    def send(self, sender: str, recipient: str, pieces: Sequence[bytes]) -> Steps[Receipt]:
        """Hand over one mail, which is its pieces joined; an error says why it did not go.

        Pieces that are the same for all readers are the same objects. DeliveryError, StopRunError.
        """

    def close(self) -> Steps[None]:
        """Say goodbye to the next hop."""


class Transport(Protocol):
    """One way out for mail; its connections are used by one thread at a time."""

    connections: int
    """How many connections may be open at once."""
    local: bool
    """True where nothing leaves this machine."""
    by: str
    """How it leaves, in a few words: `smtp 127.0.0.1:2525`."""

    def connect(self) -> Connection:
        """A connection, opened at its first use."""
