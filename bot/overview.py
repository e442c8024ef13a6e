"""What there is to see from a desk, as documents: issues, coming sends, plans, balances; nothing changes."""

from collections.abc import Iterable, Iterator
from dataclasses import asdict
from datetime import datetime
from typing import Any

from bot.calendar import send_at, skipped_before, upcoming, window_of
from bot.channels import Audience, CorrectableChannel
from bot.checks import as_json
from bot.desk import Desk
from bot.errors import InputError
from bot.models import Balance, Reader, Week, Window, errors_of
from bot.notices import Kind, Notice, first_errors
from bot.outlook import against, against_one, skipped
from bot.pages import Page
from bot.picker import Picked
from bot.proofs import Print
from bot.store import balances, corrections, issues, readers
from bot.store.issues import PAGE, Published
from bot.subscriptions import key_of

SAMPLE = Reader("reader@example.org", "", "0" * 22)
"""Who gets a letter that is only looked at."""


# --------------------------------------------------------------------------------------------------- issues


def listing(desk: Desk, now: datetime) -> Iterator[dict[str, Any]]:
    """Every issue there is or was, newest first."""
    with desk.store.read() as connection:
        gone = {one.week: one for one in issues.every(connection, desk.newsletter.name)}
    why = against(desk, now)
    for week in sorted({*gone, *desk.weeks(now)}, reverse=True):
        picked = desk.picked(week, now)
        if picked.issue or week in gone or desk.faults(picked, week):
            left_out = None if week in gone else skipped(desk, week, now)
            yield _row(desk, week, picked, gone.get(week), why.get(week) or left_out)


def _row(
    desk: Desk, week: Week, picked: Picked, gone: Published | None, why: Notice | None
) -> dict[str, Any]:
    issue, schedule = picked.issue, desk.newsletter.schedule
    content_hash = gone.hash if gone else desk.proofs.hash_of(issue) if issue else None
    return {
        "newsletter": desk.newsletter.name,
        "issue": str(week),
        "title": gone.title if gone else issue.title if issue else "",
        "state": _state(desk, week, picked, gone, why),
        "approval": desk.approval(week, content_hash),
        "hash": content_hash,
        "entries": len(issue.entries) if issue else 0,
        "window": _ends(window_of(schedule, week)),
        "due": send_at(schedule, week).isoformat(),
        "published": gone.at.isoformat() if gone else None,
        "why": _why(why) if why else None,
    }


def _why(notice: Notice) -> dict[str, Any]:
    """Why an issue does not go out, for whoever asks."""
    findings = as_json(errors_of(notice.findings))
    first = list(first_errors(notice))
    return {"reason": notice.reason, "remedy": notice.remedy, "first": first, "findings": findings}


def _state(desk: Desk, week: Week, picked: Picked, gone: Published | None, why: Notice | None) -> str:
    if gone:
        with desk.store.read() as connection:
            return _progress(balances.by_channel(connection, gone.id).values())
    if desk.faults(picked, week):
        return "faulty"
    if why and why.kind is Kind.HELD:
        return "held"
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
            "skipped": [str(week) for week in skipped_before(schedule, send.week)],
        }


def plan(desk: Desk, week: Week, now: datetime) -> dict[str, Any]:
    """Who would get what, when and how, who would not, and what is against it as everything is now.

    InputError where the content cannot be read; no channels where nothing could be made of it.
    """
    issue = desk.issue(week, now)
    made = desk.proof(issue, now).result
    why = None if desk.find(week) else against_one(desk, week, now)
    payloads = made.payloads if isinstance(made, Print) else {}
    return {
        "issue": issue.key,
        "due": send_at(desk.newsletter.schedule, week).isoformat(),
        "channels": {
            name: _planned(desk, name, payloads[name]) for name in desk.channels if name in payloads
        },
        "why": _why(why) if why else None,
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
    issue = desk.issue(week, now)
    return files_for(desk, week, desk.proofs.of(issue).looked_at(), _reader(desk, email), now)


def files_for(desk: Desk, week: Week, made: Print, reader: Reader, now: datetime) -> dict[str, bytes]:
    """The files of an issue for one reader: of what was published or else of what was `made` of the draft."""
    gone = desk.find(week)
    payloads = desk.frozen(gone) if gone else made.payloads
    files: dict[str, bytes] = {}
    for name, channel in desk.channels.items():
        if name in payloads:
            files |= channel.files(payloads[name], reader, now)
    page = Page.load(payloads[PAGE]).page if PAGE in payloads else made.rendered.page
    return {**files, "page.html": page.encode()}


def _reader(desk: Desk, email: str | None) -> Reader:
    if email is None:
        return SAMPLE
    name = desk.newsletter.name
    with desk.store.read() as connection:
        if found := readers.reader(connection, name, key_of(email)):
            return found
    raise InputError("--as", f"{email!r} does not read {name}", "`broadsheet subscribers list`")


# ----------------------------------------------------------------------------------------------------- sent


def statuses(desk: Desk, now: datetime) -> Iterator[dict[str, Any]]:
    """What is due and held, then the balances of every published issue, newest first."""
    yield from (_unsent_issue(one) for one in against(desk, now).values() if one.kind is Kind.HELD)
    with desk.store.read() as connection:
        every = issues.every(connection, desk.newsletter.name)
    for gone in reversed(every):
        yield _balances(desk, gone)


def unsent(desk: Desk, week: Week, now: datetime) -> dict[str, Any]:
    """Why an issue was not sent that is due; InputError where it is not due, or there is none."""
    if why := against(desk, now).get(week):
        return _unsent_issue(why)
    desk.published(week)  # raises: it was not
    return status(desk, week)


def _unsent_issue(why: Notice) -> dict[str, Any]:
    state = "held" if why.kind is Kind.HELD else "waiting"
    return {"issue": why.issue, "state": state, "channels": {}, "rows": [], "why": _why(why)}


def status(desk: Desk, week: Week) -> dict[str, Any]:
    """The balances of an issue, the rows that are not sent, and which revision stands where."""
    gone = desk.published(week)
    with desk.store.read() as connection:
        rows = [_unsent_row(row) for row in balances.unsent(connection, gone.id)]
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


def _unsent_row(row: balances.Unsent) -> dict[str, Any]:
    return {
        "channel": row.channel,
        "recipient": row.recipient,
        "state": str(row.state),
        "reason": row.reason,
        "attempts": row.attempts,
        "due": row.due_at.isoformat(),
    }
