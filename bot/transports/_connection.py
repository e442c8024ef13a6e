"""A courier's connection: a place at the first relay that is well, opened at the first mail and mended.

ready   a place at a relay ─ this mail's turn there
send    open the line if there is none ─ the transaction ─┬─ taken: the relay is well
        ▲                                                 ├─ gone stale: once more on a fresh line
        └── before a byte of the mail has left: the next ─┴─ away: the relay is unwell
"""

import ssl
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import partial

from bot.errors import BroadsheetError, StopRunError, TransientError
from bot.models import Receipt
from bot.steps import Aside, Pause, Steps
from bot.transports._opening import Relay, opened
from bot.transports._pace import Pace
from bot.transports._patience import Patience
from bot.transports._relays import Away, Hold, Refused, Relays, Seat
from bot.transports._replies import PolicyError
from bot.transports._transaction import ElsewhereError, Line, StaleError, check_envelope
from bot.transports._wire import Wire

STRIKES = 3
"""So many policy answers in a row without one mail taken, and the run stops."""
HOLD = 1.0
"""Seconds after which somebody who waits for a place looks up; a place that becomes free is told at once."""

Trust = Callable[[], ssl.SSLContext | None]
"""Whom to trust as a relay; None where it is spoken to in clear."""


class Strikes:
    """Counts policy answers over all connections: one may be a reader's affair, several in a row are ours."""

    def __init__(self) -> None:
        self._count = 0

    def taken(self) -> None:
        """A mail was accepted."""
        self._count = 0

    def weighed(self, error: BroadsheetError) -> BroadsheetError:
        """The same error, or the one that stops the run."""
        if not isinstance(error, PolicyError):
            return error
        self._count += 1
        return StopRunError(f"{error} ({STRIKES} such answers in a row)") if self._count >= STRIKES else error


@dataclass
class Route:
    """The way to one relay, and what is kept of it for all connections."""

    relay: Relay
    helo: str | None
    """What we call ourselves there; the sender's domain where it is None."""
    messages_per_connection: int
    trusted: Trust
    pace: Pace
    strikes: Strikes
    last_words: str = ""
    """Why it was away the last time."""

    def open(self, domain: str, patience: Patience) -> Wire:
        """A new connection; a relay that is away is a TransientError that charges nobody."""
        return opened(self.relay, self.helo or domain, self.trusted(), patience)


class SmtpConnection:
    """One connection to whichever relay is well; used by one courier."""

    def __init__(
        self, routes: Sequence[Route], relays: Relays, patience: Patience, clock: Callable[[], float]
    ) -> None:
        self._routes, self._relays, self._patience, self._clock = routes, relays, patience, clock
        self._seat: Seat | None = None
        self._line: Line | None = None
        self._passed: set[int] = set()
        """Relays that were away for the mail in hand: it goes to none of them twice."""
        self._none: Away | Refused | None = None
        """Why there is no place at any relay."""
        self._turn: float | None = None
        """When the next mail may go, once it has its turn."""

    def send(self, sender: str, recipient: str, pieces: Sequence[bytes]) -> Steps[Receipt]:
        """Hand over one mail; an error says how far it came."""
        check_envelope(sender, recipient)
        try:
            while True:
                try:
                    return (yield from self._sent(sender, recipient, pieces))
                except (StaleError, ElsewhereError):
                    continue
        finally:
            self._passed.clear()

    def close(self) -> Steps[None]:
        """Say goodbye to the relay."""
        if self._line:
            yield from self._line.close()
        self._leave()

    # ------------------------------------------------------------------------------------------ before a mail

    def ready(self) -> Steps[bool]:
        """Wait for a place at a relay and for the next mail's turn there; False where the run ended first."""
        if self._line and self._line.begun >= self._route.messages_per_connection:
            yield from self.close()
        while self._seat is None:
            seen = self._relays.changes
            match self._relays.seat(self._passed):
                case Seat() as seat:
                    self._seat = seat
                case Hold():
                    if not (yield Pause(HOLD, partial(self._relays.have_changed, seen))):
                        return False
                case none:
                    self._none = none
                    return True  # sending says so
        if self._turn is None:
            self._turn = self._route.pace.turn()
        delay = self._turn and self._turn - self._clock()
        return delay <= 0 or (yield Pause(delay))

    @property
    def _route(self) -> Route:
        assert self._seat is not None  # noqa: S101 (asked for where there is a seat)
        return self._routes[self._seat.number]

    def _leave(self) -> None:
        """Give up the place."""
        if self._seat:
            if self._turn:
                self._route.pace.give_back(self._turn)
            self._relays.left(self._seat)
        self._seat = self._line = self._turn = None

    # ------------------------------------------------------------------------------------------------ a mail

    def _sent(self, sender: str, recipient: str, pieces: Sequence[bytes]) -> Steps[Receipt]:
        if self._turn is None and not (yield from self.ready()):
            raise TransientError("the run ended before this mail had its turn", charged=False)
        if self._seat is None:
            raise self._no_relay()
        seat = self._seat
        route = self._routes[seat.number]
        try:
            line = self._line or (yield from self._opened(route, seat, sender.rpartition("@")[2]))
            self._turn = None
            words = yield from line.send(sender, recipient, pieces)
        except BroadsheetError as error:
            yield from self._blame(route, seat, error)
            if (weighed := route.strikes.weighed(error)) is not error:
                raise weighed from error
            raise
        except StaleError:
            raise
        except Exception:  # a fault of ours: whose answer comes next on this line, nobody knows
            if self._line:
                self._line.drop()
            raise
        finally:
            if self._line is None or self._line.dead:
                self._leave()
        route.strikes.taken()
        self._relays.taken(seat)
        return Receipt(f"{words} ({line.relay})")

    def _opened(self, route: Route, seat: Seat, domain: str) -> Steps[Line]:
        try:
            wire = yield Aside(partial(route.open, domain, self._patience))
        except TransientError as error:
            raise ElsewhereError(str(error), charged=False) from error
        except StopRunError as error:
            route.last_words = str(error)
            self._relays.failed(seat, refused=True)
            raise
        self._relays.opened(seat)
        self._line = Line(wire, str(route.relay))
        return self._line

    def _blame(self, route: Route, seat: Seat, error: BroadsheetError) -> Steps[None]:
        """Note what an error says of the relay itself."""
        if isinstance(error, TransientError) and not error.charged:
            route.last_words = str(error)
            self._relays.failed(seat)
            self._passed.add(seat.number)
            if self._line:
                yield from self._line.close()
        elif self._line and self._line.broke:
            route.last_words = str(error)
            self._relays.broke(seat)

    def _no_relay(self) -> BroadsheetError:
        """Why no relay takes this mail: one refused us; or all are away, which is no reader's fault."""
        if isinstance(self._none, Refused):
            return StopRunError(self._routes[self._none.number].last_words)
        words = "; ".join(route.last_words for route in self._routes if route.last_words)
        again = timedelta(seconds=self._relays.back_in())
        return TransientError(words, retry_after=again, charged=False)
