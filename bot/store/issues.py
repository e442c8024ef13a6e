"""The issues that were published, what they were made of, and what was told of them."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import (
    CompoundSelect,
    Connection,
    and_,
    delete,
    insert,
    select,
    text,
    union,
    update,
)
from sqlalchemy.exc import IntegrityError

from bot.models import Week
from bot.store.tables import (
    UNCLAIMED,
    deliveries,
    issue_entries,
    issues,
    payloads,
    revised_payloads,
    revisions,
    told,
)

PAGE = "/page"
"""What is kept beside the channels' payloads, under a name that no channel can have: see `bot.pages`."""


@dataclass(frozen=True, slots=True)
class Published:
    """An issue in the ledger."""

    id: int
    newsletter: str
    week: Week
    title: str
    hash: str
    """Of its latest revision's content."""
    late: bool
    at: datetime
    revision: int = 1
    """The number of the latest."""


def find(connection: Connection, newsletter: str, week: Week) -> Published | None:
    """The published issue of a week, if there is one."""
    return next((one for one in every(connection, newsletter) if one.week == week), None)


def every(connection: Connection, newsletter: str) -> list[Published]:
    """The published issues of a newsletter, oldest first."""
    here = issues.c.newsletter == newsletter
    later = select(revisions).join(issues, issues.c.id == revisions.c.issue_id).where(here)
    latest = {row.issue_id: row for row in connection.execute(later.order_by(revisions.c.number))}
    rows = connection.execute(select(issues).where(here).order_by(issues.c.week))
    return [
        Published(
            row.id,
            row.newsletter,
            Week.parse(row.week),
            row.title,
            latest.get(row.id, row).hash,
            row.late,
            row.published_at,
            latest[row.id].number if row.id in latest else 1,
        )
        for row in rows
    ]


def unsettled(connection: Connection, newsletter: str) -> list[Published]:
    """The published issues that still have deliveries to work off."""
    ids = set(connection.scalars(_open_issues()))
    return [one for one in every(connection, newsletter) if one.id in ids]


def _open_issues() -> CompoundSelect[Any]:
    """The issues with rows that wait or that a worker holds; each half of the question has its index."""
    halves = (text(UNCLAIMED), deliveries.c.worker_id.is_not(None))
    return union(*(select(deliveries.c.issue_id).where(half) for half in halves))


def add(
    connection: Connection,
    newsletter: str,
    week: Week,
    title: str,
    content_hash: str,
    now: datetime,
    *,
    late: bool,
) -> int | None:
    """Enter an issue; None where somebody else has entered that week's already."""
    row = {
        "newsletter": newsletter,
        "week": str(week),
        "title": title,
        "hash": content_hash,
        "late": late,
        "published_at": now,
    }
    try:
        with connection.begin_nested():
            number: int = connection.execute(insert(issues).values(row).returning(issues.c.id)).scalar_one()
            return number
    except IntegrityError:
        return None


def add_payload(connection: Connection, issue: int, channel: str, payload: bytes) -> None:
    """Freeze what a channel sends of an issue."""
    connection.execute(insert(payloads).values(issue_id=issue, channel=channel, payload=payload))


def payloads_of(connection: Connection, issue: int) -> dict[str, bytes]:
    """What each channel sends of an issue, byte for byte: of its latest revision, where that went there."""
    first = select(payloads).where(payloads.c.issue_id == issue).order_by(payloads.c.channel)
    later = (
        select(revised_payloads)
        .where(revised_payloads.c.issue_id == issue)
        .order_by(revised_payloads.c.number)
    )
    rows = [*connection.execute(first), *connection.execute(later)]
    return {row.channel: bytes(row.payload) for row in rows}


def add_revision(
    connection: Connection,
    gone: Published,
    title: str,
    content_hash: str,
    made: Mapping[str, bytes],
    now: datetime,
) -> int:
    """Enter the next revision of an issue, with what each channel that can be corrected makes of it."""
    number = gone.revision + 1
    here = {"issue_id": gone.id, "number": number}
    connection.execute(insert(revisions).values(**here, hash=content_hash, at=now))
    connection.execute(update(issues).where(issues.c.id == gone.id).values(title=title))
    for channel, payload in made.items():
        connection.execute(insert(revised_payloads).values(**here, channel=channel, payload=payload))
    return number


def take_entries(connection: Connection, newsletter: str, issue: int, keys: Collection[str]) -> None:
    """Note which single entries an issue took."""
    if keys:
        rows = [{"newsletter": newsletter, "key": key, "issue_id": issue} for key in keys]
        connection.execute(insert(issue_entries), rows)


def taken_entries(connection: Connection, newsletter: str, *, but: Week | None = None) -> set[str]:
    """The keys of the single entries that issues took, those of the week `but` left out."""
    rows = connection.execute(
        select(issue_entries.c.key)
        .join(issues, issues.c.id == issue_entries.c.issue_id)
        .where(issue_entries.c.newsletter == newsletter, issues.c.week != str(but or ""))
    )
    return {row.key for row in rows}


# -------------------------------------------------------------------------------------------------- deciding


def reserve(connection: Connection, newsletter: str, week: Week) -> None:
    """Keep everybody else from publishing or deciding on an issue until this transaction ends.

    SQLite has one writer anyway. In PostgreSQL a hold could else slip in beside the publishing that it stops.
    """
    if connection.dialect.name == "postgresql":
        key = {"key": f"{newsletter}/{week}"}
        connection.execute(text("SELECT pg_advisory_xact_lock(hashtextextended(:key, 0))"), key)


# --------------------------------------------------------------------------------------------------- telling


def told_of(connection: Connection, newsletter: str) -> dict[Week, tuple[str, str]]:
    """The last reason told to a curator for each week, and the content hash that it was told of."""
    rows = connection.execute(select(told).where(told.c.newsletter == newsletter))
    return {Week.parse(row.week): (row.reason, row.hash) for row in rows}


def tell(
    connection: Connection, newsletter: str, week: Week, reason: str, content_hash: str, now: datetime
) -> bool:
    """Note that a curator is told something of a week; False where it was told before, by whomever.

    `content_hash` is that of the content it is told of, or empty where it is the same for any content.
    """
    reserve(connection, newsletter, week)
    here = {"newsletter": newsletter, "week": str(week)}
    mine = and_(*(told.c[name] == value for name, value in here.items()))
    before = connection.execute(select(told.c.reason, told.c.hash).where(mine)).one_or_none()
    if before and tuple(before) == (reason, content_hash):
        return False
    connection.execute(delete(told).where(mine))
    connection.execute(insert(told).values(**here, reason=reason, hash=content_hash, at=now))
    return True
