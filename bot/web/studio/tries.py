"""How often somebody may try to come in: by name, by where they come from, and all together.

It is kept in this process, and forgotten with it. Names are of people who may not exist, and so their number
is bounded; whoever makes up many is held by where they come from.
"""

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from threading import Lock

FREE = 3
"""Wrong passwords after which there is a wait, twice as long for each more."""
LONGEST_FOR_A_NAME = timedelta(minutes=1)
"""Whoever is locked out by another's tries is so for no longer."""
LONGEST_FOR_A_CLIENT = timedelta(minutes=15)
FORGOTTEN = timedelta(hours=1)
KEPT = 10_000


def pause(wrong: int, longest: timedelta) -> timedelta:
    """How long to wait after as many wrong passwords in a row."""
    if wrong < FREE:
        return timedelta(0)
    return min(longest, timedelta(seconds=2 ** min(wrong - FREE, 20)))


@dataclass(frozen=True, slots=True)
class _Row:
    wrong: int
    last: datetime


class Waits:
    """Waits that grow with each wrong try, by name."""

    def __init__(self, longest: timedelta) -> None:
        self._rows: OrderedDict[str, _Row] = OrderedDict()
        self._longest = longest

    def left(self, name: str, now: datetime) -> timedelta:
        """How long it is until another try is heard; nothing where it is heard now."""
        row = self._rows.get(name)
        if row is None or now - row.last >= FORGOTTEN:
            return timedelta(0)
        return max(timedelta(0), row.last + pause(row.wrong, self._longest) - now)

    def add(self, name: str, now: datetime) -> None:
        """One more, taken for wrong until it turns out right."""
        row = self._rows.pop(name, None)
        fresh = row is None or now - row.last >= FORGOTTEN
        self._rows[name] = _Row(1 if fresh or row is None else row.wrong + 1, now)
        if len(self._rows) > KEPT:
            self._rows.popitem(last=False)

    def forget(self, name: str) -> None:
        """It was right."""
        self._rows.pop(name, None)


class Allowance:
    """So many in a span of time, by name."""

    def __init__(self, most: int, span: timedelta) -> None:
        self._taken: OrderedDict[str, list[datetime]] = OrderedDict()
        self._most, self._span = most, span

    def has(self, name: str, now: datetime) -> bool:
        return len(self._recent(name, now)) < self._most

    def take(self, name: str, now: datetime) -> None:
        self._taken[name] = [*self._recent(name, now), now]
        self._taken.move_to_end(name)
        if len(self._taken) > KEPT:
            self._taken.popitem(last=False)

    def _recent(self, name: str, now: datetime) -> list[datetime]:
        return [at for at in self._taken.get(name, ()) if now - at < self._span]


class Door:
    """Who may knock, for links by mail and for passwords."""

    def __init__(self) -> None:
        span = timedelta(minutes=20)
        self._lock = Lock()
        self._mails = (Allowance(3, span), Allowance(10, span), Allowance(60, span))
        self._names, self._clients = Waits(LONGEST_FOR_A_NAME), Waits(LONGEST_FOR_A_CLIENT)
        self._passwords = Allowance(60, timedelta(minutes=1))
        self._printed = Allowance(1, timedelta(seconds=5))

    def mail(self, email: str, client: str, now: datetime) -> bool:
        """Whether a link may be written to an address, whoever's it is."""
        with self._lock:
            return _all_take(zip(self._mails, (email, client, ""), strict=True), now)

    def knock(self, name: str, client: str, now: datetime) -> timedelta:
        """How long to wait before a password is looked at; where nothing, the try is counted as a wrong one.

        So a thousand at the same moment are as many as a thousand one after the other.
        """
        with self._lock:
            left = max(self._names.left(name, now), self._clients.left(client, now))
            if not left and not self._passwords.has("", now):
                left = timedelta(seconds=10)
            if not left:
                self._names.add(name, now)
                self._clients.add(client, now)
                self._passwords.take("", now)
            return left

    def welcome(self, name: str, client: str) -> None:
        """The password was right."""
        with self._lock:
            self._names.forget(name)
            self._clients.forget(client)

    def print(self, now: datetime) -> bool:
        """Whether another link may be printed in the terminal."""
        with self._lock:
            return _all_take([(self._printed, "")], now)


def _all_take(each: Iterable[tuple[Allowance, str]], now: datetime) -> bool:
    """Take one of each allowance, or of none where one is used up."""
    wanted = list(each)
    if not all(allowance.has(name, now) for allowance, name in wanted):
        return False
    for allowance, name in wanted:
        allowance.take(name, now)
    return True
