"""The subscribers, what each agreed to, and the addresses that nobody here may mail."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeAlias

from sqlalchemy import Connection, Row, Select, and_, exists, func, insert, or_, select, update

from bot.models import Consent, Reader, Subscriber
from bot.store.tables import events, subscribers, subscriptions, suppressions

_Row: TypeAlias = Row[*tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class Wish:
    """A person who is to be entered as a reader."""

    email: str
    key: str
    """The address in the form that tells persons apart: see `subscriptions.key_of`."""
    name: str
    language: str


@dataclass(frozen=True, slots=True)
class Standing:
    """How an address stands to one newsletter before anything is changed."""

    subscriber: int | None
    consent: Consent | None
    suppressed: str | None


def standings(connection: Connection, newsletter: str, keys: Sequence[str]) -> dict[str, Standing]:
    """How each of some addresses stands to a newsletter; unknown ones too."""
    rows = connection.execute(
        select(subscribers.c.email_key, subscribers.c.id, subscriptions.c.state)
        .outerjoin(subscriptions, _subscription_to(newsletter))
        .where(subscribers.c.email_key.in_(keys))
    )
    known = {row.email_key: row for row in rows}
    barred = {
        row.email_key: row.reason
        for row in connection.execute(select(suppressions).where(suppressions.c.email_key.in_(keys)))
    }
    return {key: _standing(known.get(key), barred.get(key)) for key in keys}


def _standing(row: _Row | None, suppressed: str | None) -> Standing:
    consent = Consent(row.state) if row is not None and row.state else None
    return Standing(row.id if row is not None else None, consent, suppressed)


def enter(
    connection: Connection,
    newsletter: str,
    wishes: Sequence[Wish],
    consent: Consent,
    token: Callable[[], str],
    now: datetime,
) -> None:
    """Make subscribers of persons who are none yet, each with a subscription."""
    if not wishes:
        return
    people = [
        {
            "email": wish.email,
            "email_key": wish.key,
            "name": wish.name,
            "language": wish.language,
            "created_at": now,
        }
        for wish in wishes
    ]
    connection.execute(insert(subscribers), people)
    keys = [wish.key for wish in wishes]
    rows = connection.execute(select(subscribers.c.id).where(subscribers.c.email_key.in_(keys)))
    subscribe(connection, newsletter, [row.id for row in rows], consent, token, now)


def subscribe(
    connection: Connection,
    newsletter: str,
    people: Sequence[int],
    consent: Consent,
    token: Callable[[], str],
    now: datetime,
) -> None:
    """Give subscribers a subscription to a newsletter that they have none to."""
    if not people:
        return
    rows = [
        {
            "subscriber_id": one,
            "newsletter": newsletter,
            "state": consent,
            "token": token(),
            "changed_at": now,
        }
        for one in people
    ]
    connection.execute(insert(subscriptions), rows)
    _record(connection, people, newsletter, consent, now)


def change(
    connection: Connection, newsletter: str, people: Sequence[int], consent: Consent, now: datetime
) -> None:
    """Move subscriptions to another state; who may do that is decided before."""
    if not people:
        return
    mine = and_(subscriptions.c.newsletter == newsletter, subscriptions.c.subscriber_id.in_(people))
    connection.execute(update(subscriptions).where(mine).values(state=consent, changed_at=now))
    _record(connection, people, newsletter, consent, now)


def _record(
    connection: Connection, people: Sequence[int], newsletter: str, consent: Consent, now: datetime
) -> None:
    rows = [{"at": now, "kind": consent, "subscriber_id": one, "newsletter": newsletter} for one in people]
    connection.execute(insert(events), rows)


def leave(connection: Connection, key: str, newsletter: str | None, now: datetime) -> list[str]:
    """Unsubscribe an address from one newsletter or all; the newsletters it left."""
    rows = connection.execute(
        select(subscriptions.c.subscriber_id, subscriptions.c.newsletter)
        .join(subscribers, subscribers.c.id == subscriptions.c.subscriber_id)
        .where(subscribers.c.email_key == key, subscriptions.c.state != Consent.UNSUBSCRIBED)
        .order_by(subscriptions.c.newsletter)
    ).all()
    left = [row for row in rows if newsletter in {None, row.newsletter}]
    for row in left:
        change(connection, row.newsletter, [row.subscriber_id], Consent.UNSUBSCRIBED, now)
    return [row.newsletter for row in left]


def suppress(connection: Connection, key: str, reason: str, now: datetime) -> None:
    """Bar an address from all mail."""
    known = connection.execute(select(suppressions.c.reason).where(suppressions.c.email_key == key)).scalar()
    if known is None:
        connection.execute(insert(suppressions).values(email_key=key, reason=reason, at=now))


def every(connection: Connection, newsletter: str | None = None) -> Iterator[Subscriber]:
    """The subscribers in the order of their addresses, one by one; all, or those of one newsletter."""
    rows = connection.execution_options(yield_per=1000).execute(
        select(
            subscribers.c.id,
            subscribers.c.email,
            subscribers.c.name,
            subscribers.c.language,
            suppressions.c.reason,
            subscriptions.c.newsletter,
            subscriptions.c.state,
        )
        .outerjoin(subscriptions, subscriptions.c.subscriber_id == subscribers.c.id)
        .outerjoin(suppressions, suppressions.c.email_key == subscribers.c.email_key)
        .order_by(subscribers.c.email_key, subscriptions.c.newsletter)
    )
    for one in _grouped(rows):
        if newsletter is None or newsletter in one.subscriptions:
            yield one


def _grouped(rows: Any) -> Iterator[Subscriber]:
    """One subscriber from all the rows of theirs, which follow one another."""
    person: _Row | None = None
    stands: dict[str, Consent] = {}
    for row in rows:
        if person is not None and person.id != row.id:
            yield _subscriber(person, stands)
            stands = {}
        person = row
        if row.newsletter:
            stands[row.newsletter] = Consent(row.state)
    if person is not None:
        yield _subscriber(person, stands)


def _subscriber(row: _Row, stands: dict[str, Consent]) -> Subscriber:
    return Subscriber(row.email, row.name, row.language, stands, row.reason)


def reader(connection: Connection, newsletter: str, key: str) -> Reader | None:
    """One reader of a newsletter, as a letter needs them."""
    row = connection.execute(
        select(subscribers.c.email, subscribers.c.name, subscriptions.c.token)
        .join(subscriptions, _subscription_to(newsletter))
        .where(subscribers.c.email_key == key)
    ).one_or_none()
    return Reader(row.email, row.name, row.token) if row else None


def numbered(connection: Connection, newsletter: str, subscriber: int) -> Reader | None:
    """The reader of a newsletter who has that number."""
    row = connection.execute(
        select(subscribers.c.email, subscribers.c.name, subscriptions.c.token)
        .join(subscriptions, _subscription_to(newsletter))
        .where(subscribers.c.id == subscriber)
    ).one_or_none()
    return Reader(row.email, row.name, row.token) if row else None


def beginning(connection: Connection, newsletter: str, letters: str, most: int) -> list[tuple[int, str, str]]:
    """The first readers who can be mailed and whose address or name begins so: number, address, name."""
    small = letters.lower()
    begins = or_(
        subscribers.c.email_key.startswith(small, autoescape=True),
        func.lower(subscribers.c.name).startswith(small, autoescape=True),
        subscribers.c.name.startswith(letters, autoescape=True),  # SQLite knows only small ASCII letters
    )
    rows = connection.execute(
        _mailable(newsletter)
        .with_only_columns(subscribers.c.id, subscribers.c.email, subscribers.c.name)
        .where(begins)
        .order_by(subscribers.c.email_key)
        .limit(most)
    )
    return [(row.id, row.email, row.name) for row in rows]


def census(connection: Connection, newsletter: str) -> dict[str, int]:
    """How many readers are in each state; `suppressed` are those confirmed whose address is barred."""
    rows = connection.execute(
        select(
            subscriptions.c.state,
            suppressions.c.reason.is_not(None).label("barred"),
            func.count().label("people"),
        )
        .join(subscribers, subscribers.c.id == subscriptions.c.subscriber_id)
        .outerjoin(suppressions, suppressions.c.email_key == subscribers.c.email_key)
        .where(subscriptions.c.newsletter == newsletter)
        .group_by(subscriptions.c.state, suppressions.c.reason.is_not(None))
    )
    counts: dict[str, int] = {}
    for row in rows:
        word = "suppressed" if row.state == Consent.CONFIRMED and row.barred else row.state
        counts[word] = counts.get(word, 0) + row.people
    return counts


def nameless(connection: Connection, newsletter: str) -> int:
    """How many readers who can be mailed gave no name."""
    return connection.scalars(_mailable(newsletter).where(subscribers.c.name == "")).one()


def shared(connection: Connection, newsletter: str, other: str) -> int:
    """How many readers of a newsletter who can be mailed are readers of another as well."""
    also = subscriptions.alias("also")
    both = and_(also.c.subscriber_id == subscribers.c.id, also.c.newsletter == other)
    counted = _mailable(newsletter).where(exists().where(both, also.c.state == Consent.CONFIRMED))
    return connection.scalars(counted).one()


def _mailable(newsletter: str) -> Select[int]:
    """Counts the confirmed readers whose address is not suppressed."""
    return (
        select(func.count())
        .select_from(subscribers)
        .join(subscriptions, _subscription_to(newsletter))
        .outerjoin(suppressions, suppressions.c.email_key == subscribers.c.email_key)
        .where(subscriptions.c.state == Consent.CONFIRMED, suppressions.c.email_key.is_(None))
    )


def _subscription_to(newsletter: str) -> Any:
    return and_(subscriptions.c.subscriber_id == subscribers.c.id, subscriptions.c.newsletter == newsletter)
