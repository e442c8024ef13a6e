"""Steps waited for one after the other, for tests that look at one connection or courier at a time."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from bot.channels import Courier, SteppingCourier, in_steps
from bot.models import Delivery, Receipt
from bot.steps import Pause, Steps, finish
from bot.transports import Connection

_T = TypeVar("_T")
Rest = Callable[[float], bool]


@dataclass(frozen=True)
class Waited:
    """A connection whose calls block; `rest` lets time pass, or else time passes by itself."""

    connection: Connection
    rest: Rest | None = None

    def ready(self, rest: Rest | None = None) -> bool:
        return finish(_resting(self.connection.ready(), rest or self.rest))

    def send(self, sender: str, recipient: str, message: bytes) -> Receipt:
        return finish(_resting(self.connection.send(sender, recipient, [message]), self.rest))

    def close(self) -> None:
        finish(self.connection.close())


@dataclass(frozen=True)
class WaitedCourier:
    """A courier whose calls block."""

    courier: SteppingCourier

    @classmethod
    def of(cls, courier: Courier | SteppingCourier) -> "WaitedCourier":
        return cls(in_steps(courier, lambda _seconds: True))

    def deliver(self, delivery: Delivery, now: datetime) -> Receipt:
        return finish(self.courier.delivering(delivery, now))

    def close(self) -> None:
        finish(self.courier.leaving())


def _resting(steps: Steps[_T], rest: Rest | None) -> Steps[_T]:
    """The same steps, with time passing as `rest` says."""
    if rest is None:
        return (yield from steps)
    try:
        wait = next(steps)
        while True:
            try:
                answer = rest(wait.seconds) if isinstance(wait, Pause) else (yield wait)
            except (OSError, RuntimeError) as error:
                wait = steps.throw(error)
            else:
                wait = steps.send(answer)
    except StopIteration as end:
        answered: _T = end.value
        return answered
