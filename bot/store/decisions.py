"""What curators said of issues, each word kept, and the words of the content that they said it of."""

import gzip
from datetime import datetime
from typing import Literal

from sqlalchemy import ColumnElement, Connection, Row, and_, func, insert, select

from bot.models import Approval, Origin, Week
from bot.store.tables import decisions, issues, revisions, snapshots

Verb = Literal["approved", "held", "released"]


def standing(connection: Connection, newsletter: str, week: Week) -> Approval | None:
    """What a curator said last of an issue; None where nobody did, or the last word lifted a hold."""
    last = select(decisions).where(_of(newsletter, week)).order_by(decisions.c.id.desc()).limit(1)
    row = connection.execute(last).one_or_none()
    return None if row is None or row.decision == "released" else _approval(row)


def last_approved(connection: Connection, newsletter: str, week: Week) -> Approval | None:
    """The last yes to an issue, whatever was said or written since."""
    yes = and_(_of(newsletter, week), decisions.c.decision == "approved")
    row = connection.execute(
        select(decisions).where(yes).order_by(decisions.c.id.desc()).limit(1)
    ).one_or_none()
    return _approval(row) if row else None


def every(connection: Connection, newsletter: str, week: Week) -> list[tuple[Verb, Approval]]:
    """Every word said of an issue, the oldest first; the hash of a release is that of the content then."""
    rows = connection.execute(select(decisions).where(_of(newsletter, week)).order_by(decisions.c.id))
    return [(row.decision, _approval(row)) for row in rows]


def reached(connection: Connection) -> str:
    """How far the words of curators, the sends and the corrections have come: another after each of them."""
    counts = (
        select(func.max(decisions.c.id)).scalar_subquery(),
        select(func.count()).select_from(issues).scalar_subquery(),
        select(func.count()).select_from(revisions).scalar_subquery(),
    )
    return "-".join(str(count or 0) for count in connection.execute(select(*counts)).one())


def add(
    connection: Connection,
    newsletter: str,
    week: Week,
    decision: Verb,
    content_hash: str,
    by: str,
    origin: Origin,
    now: datetime,
) -> None:
    """Write down one word of a curator."""
    row = {"newsletter": newsletter, "week": str(week), "decision": decision, "hash": content_hash}
    connection.execute(insert(decisions).values(**row, by=by, origin=str(origin), at=now))


def _approval(row: Row[tuple[object, ...]]) -> Approval:
    decision: Literal["approved", "held"] = "held" if row.decision == "held" else "approved"
    origin = Origin(row.origin) if row.origin else None
    return Approval(decision, row.hash, row.at, row.by, origin)


def _of(newsletter: str, week: Week) -> ColumnElement[bool]:
    return and_(decisions.c.newsletter == newsletter, decisions.c.week == str(week))


# ------------------------------------------------------------------------------------------------ snapshots


def keep(connection: Connection, content_hash: str, words: str, now: datetime) -> None:
    """Keep the words of a content, as `bot.changes.to_json` wrote them; those that are kept stay."""
    if find(connection, content_hash) is None:
        packed = gzip.compress(words.encode(), mtime=0)
        connection.execute(insert(snapshots).values(hash=content_hash, words=packed, at=now))


def find(connection: Connection, content_hash: str) -> str | None:
    """The words of a content, if they were kept."""
    packed = connection.scalar(select(snapshots.c.words).where(snapshots.c.hash == content_hash))
    return gzip.decompress(packed).decode() if packed is not None else None
