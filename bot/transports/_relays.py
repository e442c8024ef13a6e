"""Which relay a new connection goes to: the first in order that is well; decided purely.

    well ──failed──▶ unwell, for a growing while ──▶ one connection tries it ──opened──▶ in use again
      ▲                        ▲                              └──failed──┘                    │
      └────────────────────────┴──── a mail is taken: forgotten; another failure: longer ─────┘

A relay that nobody has spoken to yet is tried by one connection as well, and one that refuses us altogether
is not asked again for a while either: a wrong password is said once.
"""

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, replace

FIRST_PAUSE, LONGEST_PAUSE = 15.0, 300.0
"""Seconds that a relay is left alone after a failure, at most; twice as many after each further one."""
BREAKS = 3
"""So many connections that broke off in a row without a mail taken, and the relay counts as away."""


@dataclass(frozen=True, slots=True)
class Standing:
    """How one relay stands. Instants are seconds by one clock."""

    limit: int
    """How many connections it allows."""
    open: int = 0
    known: bool = False
    """Whether a connection was ever opened."""
    tried: bool = False
    """Whether one connection is finding out how it is."""
    failures: int = 0
    """Failures in a row."""
    breaks: int = 0
    """Connections in a row that broke off in the middle."""
    failed_at: float = float("-inf")
    unwell_until: float = float("-inf")
    refused: bool = False
    """Whether it refused us altogether when it was last tried, as against: was away."""

    def seated(self) -> "Standing":
        """A connection is about to be opened."""
        return replace(self, open=self.open + 1, tried=self.tried or self.in_question)

    def opened(self, *, trying: bool) -> "Standing":
        """It could be opened."""
        return replace(self, known=True, tried=self.tried and not trying, refused=False)

    def taken(self) -> "Standing":
        """A mail was taken: whatever was, it is well."""
        return replace(self, failures=0, breaks=0, unwell_until=float("-inf"), refused=False)

    def broke(self, now: float, began: float, chance: float) -> "Standing":
        """A connection broke off in the middle of a mail, which may be that mail's affair or the relay's."""
        if self.breaks + 1 < BREAKS:
            return replace(self, breaks=self.breaks + 1)
        return self.failed(now, began, chance, trying=False)

    def failed(
        self, now: float, began: float, chance: float, *, trying: bool, refused: bool = False
    ) -> "Standing":
        """It was away for a connection that was begun at some instant; `chance` is from 0 to 1.

        Connections that were under way together when it went away fail once.
        """
        failures = self.failures + 1 if began >= self.failed_at else max(self.failures, 1)
        return replace(
            self,
            failures=failures,
            failed_at=now,
            tried=self.tried and not trying,
            unwell_until=now + pause(failures, chance),
            refused=refused,
        )

    def left(self, *, trying: bool) -> "Standing":
        """A connection is closed, or was never opened."""
        return replace(self, open=self.open - 1, tried=self.tried and not trying)

    @property
    def in_question(self) -> bool:
        """Whether one connection should find out how it is before others follow."""
        return self.failures > 0 or not self.known


def pause(failures: int, chance: float) -> float:
    """Seconds to leave a relay alone after so many failures in a row, spread over half of them."""
    longest: float = min(FIRST_PAUSE * 2 ** min(failures - 1, 16), LONGEST_PAUSE)
    return longest * (1 - chance / 2)


@dataclass(frozen=True, slots=True)
class Use:
    """Open a connection to this one."""

    number: int


@dataclass(frozen=True, slots=True)
class Hold:
    """Wait: a place may become free, or somebody finds out that a relay is back."""


@dataclass(frozen=True, slots=True)
class Away:
    """None is well, and none is tried again for so many seconds; or this mail has been to all of them."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Refused:
    """The run must stop: this one refused us altogether, and a person has to see to it."""

    number: int


Choice = Use | Hold | Away | Refused


def choose(standings: Sequence[Standing], now: float, passed: Container[int] = ()) -> Choice:
    """Which relay a new connection goes to, but for those that have `passed` this mail on.

    A full one is waited for and not passed over, and neither is one that nobody knows yet or that refused us:
    those behind it are there for when it is away.
    """
    again = []
    in_question = False
    for number, one in enumerate(standings):
        if number in passed:
            continue
        if now < one.unwell_until and one.refused:
            return Refused(number)
        if now < one.unwell_until:
            again.append(one.unwell_until - now)
        elif one.tried and one.failures:
            in_question = True
        else:
            return Hold() if one.tried or one.open >= one.limit else Use(number)
    return Hold() if in_question else Away(min(again, default=0))


@dataclass(slots=True)
class Seat:
    """One place for a connection at one relay."""

    number: int
    trying: bool
    """Whether others wait for what becomes of it."""
    began: float


class Relays:
    """How all relays stand, for all connections."""

    def __init__(
        self, limits: Sequence[int], clock: Callable[[], float], jitter: Callable[[], float]
    ) -> None:
        self.standings = [Standing(limit) for limit in limits]
        """In order."""
        self.changes = 0
        """How often any of them changed."""
        self._clock, self._jitter = clock, jitter

    def seat(self, passed: Container[int] = ()) -> Seat | Hold | Away | Refused:
        """A place for a new connection, or why there is none now."""
        now = self._clock()
        choice = choose(self.standings, now, passed)
        if not isinstance(choice, Use):
            return choice
        before = self.standings[choice.number]
        after = self.standings[choice.number] = before.seated()
        return Seat(choice.number, after.tried and not before.tried, now)

    def have_changed(self, seen: int) -> bool:
        """Whether there are more changes than were `seen`."""
        return self.changes > seen

    def opened(self, seat: Seat) -> None:
        """The connection stands."""
        trying, seat.trying = seat.trying, False
        self._change(seat, lambda one: one.opened(trying=trying))

    def taken(self, seat: Seat) -> None:
        """The relay took a mail."""
        standing = self.standings[seat.number]
        if standing.failures or standing.breaks:
            self._change(seat, Standing.taken)

    def broke(self, seat: Seat) -> None:
        """The connection broke off in the middle of a mail."""
        now, chance = self._clock(), self._jitter()
        self._change(seat, lambda one: one.broke(now, seat.began, chance))

    def failed(self, seat: Seat, *, refused: bool = False) -> None:
        """The relay is away, or has refused us altogether."""
        now, chance, trying = self._clock(), self._jitter(), seat.trying
        seat.trying = False
        self._change(seat, lambda one: one.failed(now, seat.began, chance, trying=trying, refused=refused))

    def back_in(self) -> float:
        """Seconds until the first relay may be tried; 0 where one is well."""
        first = min(one.unwell_until for one in self.standings)
        return max(first - self._clock(), 0.0)

    def left(self, seat: Seat) -> None:
        """The connection is no more."""
        self._change(seat, lambda one: one.left(trying=seat.trying))

    def _change(self, seat: Seat, change: Callable[[Standing], Standing]) -> None:
        self.standings[seat.number] = change(self.standings[seat.number])
        self.changes += 1
