"""How a history is read: a span of time, page by page, as Slack wants to be asked."""

from base64 import b64decode, b64encode
from binascii import Error as NotBase64
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from typing import Any, Protocol, TypeVar

from tests.servers.slack.messages import Json, Refused

PAGE = 999
"""Messages at most on one page of a history."""


class Named(Protocol):
    """Whatever has a time for a name."""

    ts: str


P = TypeVar("P", bound=Named)


def within(posts: Sequence[P], arguments: Json) -> list[P]:
    """The messages between `oldest` and `latest`; the ends themselves where that is asked for."""
    oldest, latest = _moment("oldest", arguments), _moment("latest", arguments)
    ends = is_true(arguments.get("inclusive"))

    def held(ts: Decimal) -> bool:
        inside = (oldest is None or ts > oldest) and (latest is None or ts < latest)
        return inside or (ends and ts in {oldest, latest})

    return [post for post in posts if held(Decimal(post.ts))]


def _moment(name: str, arguments: Json) -> Decimal | None:
    value = arguments.get(name)
    if value in (None, "", "0", 0):
        return None
    try:
        moment = Decimal(str(value))
    except InvalidOperation as error:
        raise Refused(f"invalid_ts_{name}") from error
    if not moment.is_finite():
        raise Refused(f"invalid_ts_{name}")
    return moment


def is_true(value: Any) -> bool:
    return str(value).lower() in {"1", "true"}


def paged(posts: Sequence[P], arguments: Json, usual: int) -> tuple[list[P], str]:
    """One page of messages, and the word that the next is asked for with; empty where none follows."""
    limit, start = _limit(arguments.get("limit"), usual), _start(str(arguments.get("cursor") or ""))
    more = start + limit < len(posts)
    return [*posts[start : start + limit]], _cursor(start + limit) if more else ""


def _limit(value: Any, usual: int) -> int:
    text = str(value or usual)
    if not (text.isdecimal() and 1 <= int(text) <= PAGE):
        raise Refused("invalid_limit")
    return int(text)


def _cursor(start: int) -> str:
    return b64encode(f"next_ts:{start}".encode()).decode()


def _start(cursor: str) -> int:
    """Where a page begins, by the word that the page before it gave."""
    try:
        _, _, start = b64decode(cursor, validate=True).decode().partition(":")
        return int(start) if cursor else 0
    except (NotBase64, ValueError) as error:
        raise Refused("invalid_cursor") from error
