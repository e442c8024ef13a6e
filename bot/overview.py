"""What there is to see from a desk, as documents: issues, coming sends, plans, balances; nothing changes."""

from collections.abc import Iterable, Iterator
from dataclasses import asdict
from datetime import datetime
from typing import Any

from bot.calendar import send_at, upcoming, window_of
from bot.channels import Audience, CorrectableChannel
from bot.desk import Desk
from bot.errors import InputError
from bot.models import Balance, Reader, Week, Window
from bot.picker import Picked
from bot.store import balances, corrections, issues, readers
from bot.store.issues import Published
from bot.subscriptions import key_of

SAMPLE = Reader("reader@example.org", "", "0" * 22)
"""Who gets a letter that is only looked at."""


# --------------------------------------------------------------------------------------------------- issues


def listing(desk: Desk, now: datetime) -> Iterator[dict[str, Any]]:
    """Every issue there is or was, newest first."""
    with desk.store.read() as connection:
        gone = {one.week: one for one in issues.every(connection, desk.newsletter.name)}
    for week in sorted({*gone, *desk.weeks(now)}, reverse=True):
        picked = desk.picked(week, now)
        if picked.issue or week in gone:
            yield _row(desk, week, picked, gone.get(week))


def _row(desk: Desk, week: Week, picked: Picked, gone: Published | None) -> dict[str, Any]:
    issue, schedule = picked.issue, desk.newsletter.schedule
    content_hash = gone.hash if gone else desk.proofs.hash_of(issue) if issue else None
    return {
        "newsletter": desk.newsletter.name,
        "issue": str(week),
        "title": gone.title if gone else issue.title if issue else "",
        "state": _state(desk, week, picked, gone),
        "approval": desk.approval(week, content_hash),
        "hash": content_hash,
        "entries": len(issue.entries) if issue else 0,
        "window": _ends(window_of(schedule, week)),
        "due": send_at(schedule, week).isoformat(),
        "published": gone.at.isoformat() if gone else None,
    }


def _state(desk: Desk, week: Week, picked: Picked, gone: Published | None) -> str:
    if gone:
        with desk.store.read() as connection:
            return _progress(balances.by_channel(connection, gone.id).values())
    if desk.faults(picked, week):
        return "faulty"
    return str(picked.issue.status) if picked.issue else "empty"


# ------------------------------------------------------------------------------------------------ to be sent


def coming(desk: Desk, now: datetime, count: int) -> Iterator[dict[str, Any]]:
    """The next sends."""
    schedule = desk.newsletter.schedule
    for send in upcoming(schedule, now, count):
        yield {
            "newsletter": desk.newsletter.name,
            "issue": str(send.week),
            "window": _ends(send.window),
            "local": send.local.isoformat(),
            "zone": str(schedule.zone),
            "utc": send.utc.isoformat(),
        }


def plan(desk: Desk, week: Week, now: datetime) -> dict[str, Any]:
    """Who would get what, when and how, and who would not; InputError where it could not be sent."""
    issue = desk.issue(week, now)
    payloads = desk.proofs.of(issue).passed().payloads
    return {
        "issue": issue.key,
        "due": send_at(desk.newsletter.schedule, week).isoformat(),
        "channels": {name: _planned(desk, name, payloads[name]) for name in desk.channels},
    }


def _planned(desk: Desk, name: str, payload: bytes) -> dict[str, Any]:
    channel = desk.channels[name]
    if channel.audience is Audience.CONVERSATION:
        return {"recipients": channel.parts(payload), "excluded": {}, "by": channel.by}
    with desk.store.read() as connection:
        census = readers.census(connection, desk.newsletter.name)
    return {"recipients": census.pop("confirmed", 0), "excluded": census, "by": channel.by}


def rendered_files(desk: Desk, week: Week, email: str | None, now: datetime) -> dict[str, bytes]:
    """Every file of an issue as it would go out to a reader: what was published, or else the draft.

    Errors of the mail do not matter here: whoever mends them wants to see it.
    """
    gone = desk.find(week)
    issue = desk.issue(week, now)
    made = desk.proofs.of(issue).looked_at()
    payloads = desk.frozen(gone) if gone else made.payloads
    reader = _reader(desk, email)
    files: dict[str, bytes] = {}
    for name, channel in desk.channels.items():
        if name in payloads:
            files |= channel.files(payloads[name], reader, now)
    return {**files, "page.html": made.rendered.page.encode()}


def _reader(desk: Desk, email: str | None) -> Reader:
    if email is None:
        return SAMPLE
    name = desk.newsletter.name
    with desk.store.read() as connection:
        if found := readers.reader(connection, name, key_of(email)):
            return found
    raise InputError("--as", f"{email!r} does not read {name}", "`broadsheet subscribers list`")


# ----------------------------------------------------------------------------------------------------- sent


def statuses(desk: Desk) -> Iterator[dict[str, Any]]:
    """The balances of every published issue, newest first."""
    with desk.store.read() as connection:
        every = issues.every(connection, desk.newsletter.name)
    for gone in reversed(every):
        yield _balances(desk, gone)


def status(desk: Desk, week: Week) -> dict[str, Any]:
    """The balances of an issue, the rows that are not sent, and which revision stands where."""
    gone = desk.published(week)
    with desk.store.read() as connection:
        rows = [_unsent(row) for row in balances.unsent(connection, gone.id)]
        shown = [_shown(desk, one) for one in corrections.shown(connection, gone.id)]
    return {**_balances(desk, gone), "rows": rows, "revision": gone.revision, "shown": shown}


def _shown(desk: Desk, one: corrections.Shown) -> dict[str, Any]:
    """How many messages of a channel show a revision, and whether a later one can be put there."""
    correctable = isinstance(desk.channels.get(one.channel), CorrectableChannel)
    return {**asdict(one), "reasons": list(one.reasons), "correctable": correctable}


def _balances(desk: Desk, gone: Published) -> dict[str, Any]:
    with desk.store.read() as connection:
        counted = balances.by_channel(connection, gone.id)
    channels = {name: _counts(balance) for name, balance in counted.items()}
    name = f"{gone.newsletter}/{gone.week}"
    return {"issue": name, "state": _progress(counted.values()), "channels": channels}


def _progress(balances: Iterable[Balance]) -> str:
    """`sending` while rows wait, `incomplete` while rows need a person, then `sent`."""
    every = list(balances)
    if any(balance.waiting for balance in every):
        return "sending"
    return "incomplete" if any(balance.failed or balance.in_doubt for balance in every) else "sent"


def _ends(window: Window) -> list[str]:
    return [window.start.isoformat(), window.end.isoformat()]


def _counts(balance: Balance) -> dict[str, int]:
    return {"planned": balance.planned, **asdict(balance)}


def _unsent(row: balances.Unsent) -> dict[str, Any]:
    return {
        "channel": row.channel,
        "recipient": row.recipient,
        "state": str(row.state),
        "reason": row.reason,
        "attempts": row.attempts,
        "due": row.due_at.isoformat(),
    }
