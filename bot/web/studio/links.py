"""Links that open the studio once to whoever has the terminal in which they stand."""

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from threading import Lock

LASTS = timedelta(minutes=10)
AT_ONCE = 5
"""Links that are open at the same time; one more closes the oldest."""


@dataclass(frozen=True, slots=True)
class _Open:
    until: datetime
    to: str


class Links:
    """The links that a process has handed out: only it knows them, and it forgets each as it is used."""

    def __init__(self) -> None:
        self._open: dict[bytes, _Open] = {}
        self._lock = Lock()

    def new(self, now: datetime, to: str = "") -> str:
        """A new token, which leads to the page `to`."""
        token = secrets.token_urlsafe(32)
        with self._lock:
            self._open[_named(token)] = _Open(now + LASTS, to)
            for oldest in list(self._open)[:-AT_ONCE]:
                del self._open[oldest]
        return token

    def use(self, token: str, now: datetime) -> str | None:
        """Where a token leads, and never again; None where it is none of ours, too old, or used."""
        with self._lock:
            found = self._open.pop(_named(token), None)
        return found.to if found and now < found.until else None


def _named(token: str) -> bytes:
    """By a hash, so that looking for one takes a time that tells nothing of another."""
    return sha256(token.encode()).digest()
