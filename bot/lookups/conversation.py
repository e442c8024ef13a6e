"""What to ask about one address, and what to make of the answers: a conversation without a socket.

HEAD first, since it costs both sides least; GET where that is refused, since many answer HEAD wrongly.
Redirects are followed by hand, so that each of their hosts is checked; what is busy is asked again, later.
"""

from collections.abc import Generator
from dataclasses import dataclass, replace
from urllib.parse import urljoin

from bot.checks import Answer, Fault, Step
from bot.markup import safe_url

REDIRECTS = 8
TRIES = 3
LONGEST_WAIT = 10.0
"""Seconds; a server that asks for more patience is not asked again in this run."""

REDIRECTED = (301, 302, 303, 307, 308)
_BUSY = (429, 500, 502, 503, 504)
_REFUSED = 400
"""From this status on, HEAD is not believed."""
_TOO_MANY = 429


@dataclass(frozen=True, slots=True)
class Ask:
    """One request, and the seconds to wait before it."""

    method: str
    url: str
    wait: float = 0.0
    whole: bool = False
    """Whether the page itself is wanted."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back of one request, or the fault for which nothing did."""

    status: int | None = None
    location: str | None = None
    retry_after: float | None = None
    """Seconds."""
    digest: str | None = None
    fault: Fault | None = None
    kind: str = ""
    """The Content-Type."""
    page: bytes = b""
    """Its beginning, where it was wanted."""


Conversation = Generator[Ask, Reply, Answer]


def conversation(url: str, *, whole: bool = False) -> Conversation:
    """Ask for an address until it is known what it comes to."""
    answer = Answer()
    while True:
        reply = yield from _answered(Ask("GET" if whole else "HEAD", url, whole=whole))
        if reply.status not in REDIRECTED or reply.location is None:
            return replace(answer, status=reply.status, fault=reply.fault, digest=reply.digest)
        target = target_of(url, reply.location)
        if target is None or not target.lower().startswith(("http://", "https://")):
            return replace(answer, fault=Fault.SCHEME)
        url = target.partition("#")[0]
        answer = replace(answer, steps=(*answer.steps, Step(reply.status, target)))
        if len(answer.steps) > REDIRECTS:
            return replace(answer, fault=Fault.CIRCLE)


def target_of(url: str, location: str) -> str | None:
    """Where a redirect leads; None where no link may."""
    try:
        return safe_url(urljoin(url, location))
    except ValueError:  # an unclosed bracket
        return None


def _answered(ask: Ask) -> Generator[Ask, Reply, Reply]:
    """One answer, after as many tries as it takes."""
    for again in range(TRIES):
        reply = yield ask
        if ask.method == "HEAD" and _is_doubtful(reply):
            ask = replace(ask, method="GET", wait=0.0)
            reply = yield ask
        wait = _patience(reply, again)
        if wait is None:
            break
        ask = replace(ask, wait=wait)
    return reply


def _is_doubtful(reply: Reply) -> bool:
    """Whether a server may answer GET otherwise: not where it asks for peace, or is not there."""
    if reply.status is None:
        return reply.fault is Fault.BROKEN
    return reply.status >= _REFUSED and reply.status != _TOO_MANY


def _patience(reply: Reply, again: int) -> float | None:
    """Seconds to wait before the next try; None where another would not help."""
    if reply.status not in _BUSY and reply.fault is not Fault.TIMEOUT:
        return None
    wait = float(2**again) if reply.retry_after is None else reply.retry_after
    return wait if wait <= LONGEST_WAIT and again + 1 < TRIES else None
