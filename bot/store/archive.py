"""What the web shows: the published issues, when they were corrected, and their frozen pages."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, and_, select

from bot.models import Week
from bot.store.issues import PAGE
from bot.store.tables import issues, payloads, revised_payloads, revisions


@dataclass(frozen=True, slots=True)
class Shown:
    """A published issue that has a page; one from before there were pages has none, and is not among them."""

    id: int
    newsletter: str
    week: Week
    title: str
    at: datetime
    """When it was published."""
    corrected: tuple[datetime, ...] = ()
    """When its page was corrected, earliest first."""
    revision: int = 1
    """The number of the revision that the page shows."""

    @property
    def updated(self) -> datetime:
        """When the page last changed."""
        return max((self.at, *self.corrected))


def shown(connection: Connection, newsletter: str | None = None) -> list[Shown]:
    """The issues of a newsletter or, newest publication first, of all; of one, the latest week first."""
    rows = connection.execute(
        select(issues)
        .join(payloads, and_(payloads.c.issue_id == issues.c.id, payloads.c.channel == PAGE))
        .where(issues.c.newsletter == newsletter if newsletter else issues.c.newsletter.is_not(None))
        .order_by(issues.c.week.desc() if newsletter else issues.c.published_at.desc(), issues.c.id.desc())
    ).all()
    corrections = _corrections(connection)
    return [_shown(row, corrections.get(row.id, [])) for row in rows]


def _corrections(connection: Connection) -> dict[int, list[tuple[int, datetime]]]:
    """The numbers and times of the revisions that changed a page, by issue."""
    here = and_(
        revised_payloads.c.issue_id == revisions.c.issue_id,
        revised_payloads.c.number == revisions.c.number,
        revised_payloads.c.channel == PAGE,
    )
    found: dict[int, list[tuple[int, datetime]]] = {}
    rows = connection.execute(select(revisions).join(revised_payloads, here).order_by(revisions.c.number))
    for row in rows:
        found.setdefault(row.issue_id, []).append((row.number, row.at))
    return found


def _shown(row: Row[*tuple[Any, ...]], corrections: list[tuple[int, datetime]]) -> Shown:
    times = tuple(at for _, at in corrections)
    number = corrections[-1][0] if corrections else 1
    return Shown(row.id, row.newsletter, Week.parse(row.week), row.title, row.published_at, times, number)


def page_of(connection: Connection, one: Shown) -> bytes:
    """The frozen page of an issue, of the revision that is shown."""
    first = (payloads.c.issue_id == one.id, payloads.c.channel == PAGE)
    later = (
        revised_payloads.c.issue_id == one.id,
        revised_payloads.c.number == one.revision,
        revised_payloads.c.channel == PAGE,
    )
    question = (
        select(payloads.c.payload).where(*first)
        if one.revision == 1
        else select(revised_payloads.c.payload).where(*later)
    )
    return bytes(connection.execute(question).scalar_one())
