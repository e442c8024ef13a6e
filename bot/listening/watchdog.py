"""Decides whether a connection is still worth having."""

from dataclasses import dataclass

HELLO = 10.0
"""Seconds from the connection to Slack's hello."""
SILENCE = 30.0
"""Seconds without an answer to our pings; one goes out every five."""
WAITS = (1.0, 2.0, 5.0, 15.0, 60.0)
"""Seconds before the next try after so many that failed; the last of them from then on."""


@dataclass(frozen=True, slots=True)
class Pulse:
    """What is known of a connection; times in seconds of one clock."""

    opened_at: float
    answered_at: float | None
    """When Slack last answered a ping."""
    greeted: bool
    """Whether Slack said hello."""
    open: bool
    sent_away: str | None
    """The reason of Slack's `disconnect`, if it came."""


def lost(pulse: Pulse, now: float) -> str | None:
    """Why a connection must be replaced; None while it is well.

    What the SDK says of itself is not believed alone: it has called dead connections open for hours.
    """
    if pulse.sent_away is not None:
        return f"Slack asks for a new one ({pulse.sent_away})"
    if not pulse.open:
        return "it was closed"
    if not pulse.greeted and now - pulse.opened_at > HELLO:
        return "no hello came"
    if now - max(pulse.opened_at, pulse.answered_at or 0.0) > SILENCE:
        return "it fell silent"
    return None


def wait_before(failures: int) -> float:
    """Seconds to wait before the next try, after so many failures in a row."""
    return WAITS[min(failures, len(WAITS)) - 1] if failures else 0.0
