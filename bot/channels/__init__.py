"""Channels: the media an issue is published in, one file each, found by the `kind` in `[channels.…]`.

A channel module has `Options` (its keys) and `build`, which takes what `Parts` lists and gives a `Channel`.
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from enum import Enum
from functools import partial
from typing import Protocol, TypeVar, runtime_checkable

from bot.errors import InDoubtError
from bot.models import Delivery, Issue, Reader, Receipt, Rendered
from bot.policy import LOOKS, Doubt, Sight, after_looks
from bot.steps import NEXT_TURN, Aside, Steps

_T = TypeVar("_T")


class Audience(Enum):
    """Whom a channel delivers to."""

    READERS = "readers"
    """One delivery per confirmed subscriber."""
    CONVERSATION = "conversation"
    """One delivery per part of the issue, in order."""


Wait = Callable[[float], bool]
"""Lets so many seconds pass; False as soon as the run ends."""


class Courier(Protocol):
    """Carries deliveries of one frozen payload, one at a time; each of its calls may block."""

    def ready(self, wait: Wait) -> bool:
        """Wait until the next delivery may go, before it is marked; False where the run ended meanwhile."""

    def deliver(self, delivery: Delivery, now: datetime) -> Receipt:
        """Send one delivery; a DeliveryError or StopRunError says why it did not go."""

    def close(self) -> None:
        """Say goodbye to the far side."""


@runtime_checkable
class SteppingCourier(Protocol):
    """A courier that says what it has to wait for, so that one thread drives very many of them."""

    def standing_by(self) -> Steps[bool]:
        """As `ready`: wait until the next delivery may go."""

    def delivering(self, delivery: Delivery, now: datetime) -> Steps[Receipt]:
        """As `deliver`: send one delivery."""

    def leaving(self) -> Steps[None]:
        """As `close`: say goodbye to the far side."""


def in_steps(courier: "Courier | SteppingCourier", wait: Wait) -> SteppingCourier:
    """The same courier, its calls aside where they block; `wait` is for whoever waits there."""
    return courier if isinstance(courier, SteppingCourier) else _Aside(courier, wait)


class _Aside:
    def __init__(self, courier: Courier, wait: Wait) -> None:
        self._courier, self._wait = courier, wait

    def standing_by(self) -> Steps[bool]:
        yield NEXT_TURN  # what is done is written down first: the wait may be long
        return bool((yield Aside(partial(self._courier.ready, self._wait))))

    def delivering(self, delivery: Delivery, now: datetime) -> Steps[Receipt]:
        receipt: Receipt = yield Aside(partial(self._courier.deliver, delivery, now))
        return receipt

    def leaving(self) -> Steps[None]:
        yield Aside(self._courier.close)


@runtime_checkable
class LookingCourier(Courier, Protocol):
    """A courier that can look whether a delivery in doubt has arrived."""

    def look(self, delivery: Delivery) -> Receipt | None:
        """Where it stands, or None where it does not; InDoubtError says why that cannot be seen."""


@runtime_checkable
class CorrectingCourier(Courier, Protocol):
    """A courier that can change what it delivered."""

    def correct(self, delivery: Delivery, standing: Receipt) -> Receipt:
        """Put its payload's part in the place of what stands there; where it stands then.

        What is the same already stays as it is; errors are those of `deliver`.
        """


@runtime_checkable
class CorrectableChannel(Protocol):
    """A channel whose deliveries can be changed afterwards; its couriers are CorrectingCouriers."""

    def revised(self, payload: bytes, revision: int) -> bytes:
        """The payload as it says which revision of the issue it is."""


def sought(
    look: Callable[[], _T | None],
    wait: Wait,
    doubt: InDoubtError,
    *,
    again: bool = False,
    waits: Sequence[float] = LOOKS,
) -> tuple[_T | None, Doubt]:
    """Look for what is in doubt, as often as it takes to be sure; what was found, and what follows.

    InDoubtError, with the doubt's own words, where it cannot be seen or the run ends meanwhile.
    """
    sights: list[Sight] = []
    while (verdict := after_looks(sights, again=again)) is Doubt.LOOK:
        if not wait(waits[len(sights)]):
            raise doubt
        try:
            found = look()
        except InDoubtError as unseen:
            raise InDoubtError(f"{doubt}; {unseen}") from unseen
        sights.append(Sight.ABSENT if found is None else Sight.THERE)
    return found, verdict


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

    def courier(self, payload: bytes) -> Courier | SteppingCourier:
        """A new courier for this payload."""
