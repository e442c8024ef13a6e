"""So many mails a second and no more, over all connections to one relay."""

from collections.abc import Callable


class Pace:
    """Gives out turns, evenly spaced, to whoever asks first; what was missed is not made up for."""

    def __init__(self, per_second: float | None, clock: Callable[[], float]) -> None:
        """`clock` gives seconds that never go back; without a number there is no limit."""
        self._gap = 1 / per_second if per_second else 0.0
        self._clock = clock
        self._next = 0.0
        """The first instant that nobody has yet."""

    def turn(self) -> float:
        """The instant from which one mail may go; it is the caller's own."""
        if not self._gap:
            return 0.0
        turn = max(self._clock(), self._next)
        self._next = turn + self._gap
        return turn

    def give_back(self, turn: float) -> None:
        """Let somebody else have a turn that is not used, where it was the last one given out."""
        if self._gap and self._next == turn + self._gap:
            self._next = turn
