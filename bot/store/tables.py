"""The tables of the ledger. Times are aware UTC; words in CHECK constraints are those of `bot.models`."""

from datetime import UTC, datetime

from sqlalchemy import (
    CheckConstraint,
    Column,
    DateTime,
    Dialect,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
    false,
    text,
)
from sqlalchemy.types import Boolean

from bot.models import Consent, DeliveryState, aware


class Instant(TypeDecorator[datetime]):
    """An aware instant in UTC; SQLite keeps no zone, and PostgreSQL answers in the zone of its server."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002 (named by sqlalchemy)
        return aware(value) if value else None

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002 (named by sqlalchemy)
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


def _one_of(column: str, words: type[Consent] | type[DeliveryState]) -> CheckConstraint:
    listed = ", ".join(f"'{word}'" for word in words)
    return CheckConstraint(f"{column} IN ({listed})", name=f"{column}_known")


def _partial_index(name: str, *columns: str, where: str) -> Index:
    return Index(name, *columns, sqlite_where=text(where), postgresql_where=text(where))


UNCLAIMED = "state = 'queued' AND worker_id IS NULL"
"""In SQL: rows that wait for a worker. A question that is to use the index must say it in these words."""

metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "uq": "uq_%(table_name)s_%(column_0_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "ix": "ix_%(table_name)s_%(column_0_name)s",
    }
)

issues = Table(
    "issues",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("newsletter", String(100), nullable=False),
    Column("week", String(8), nullable=False),
    Column("title", Text, nullable=False),
    Column("hash", String(64), nullable=False),
    Column("late", Boolean, nullable=False, server_default=false()),
    Column("published_at", Instant, nullable=False),
    UniqueConstraint("newsletter", "week", name="uq_issues_week"),
)

payloads = Table(
    "payloads",
    metadata,
    Column("issue_id", ForeignKey(issues.c.id), primary_key=True),
    Column("channel", String(100), primary_key=True),
    Column("payload", LargeBinary, nullable=False),
)

# What became of an issue after it was published, counted from 2: the first revision is the issue itself.
revisions = Table(
    "revisions",
    metadata,
    Column("issue_id", ForeignKey(issues.c.id), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("hash", String(64), nullable=False),
    Column("at", Instant, nullable=False),
)

revised_payloads = Table(
    "revised_payloads",
    metadata,
    Column("issue_id", ForeignKey(issues.c.id), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("channel", String(100), primary_key=True),
    Column("payload", LargeBinary, nullable=False),
)

# The single entries that issues took: an entry goes into one issue of its newsletter, ever.
issue_entries = Table(
    "issue_entries",
    metadata,
    Column("newsletter", String(100), primary_key=True),
    Column("key", String(1024), primary_key=True),
    Column("issue_id", ForeignKey(issues.c.id), nullable=False),
)

subscribers = Table(
    "subscribers",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("email", String(320), nullable=False),
    Column("email_key", String(320), nullable=False, unique=True),
    Column("name", Text, nullable=False, server_default=""),
    Column("language", String(35), nullable=False, server_default=""),
    Column("created_at", Instant, nullable=False),
)

subscriptions = Table(
    "subscriptions",
    metadata,
    Column("subscriber_id", ForeignKey(subscribers.c.id), primary_key=True),
    Column("newsletter", String(100), primary_key=True),
    Column("state", String(12), nullable=False),
    Column("token", String(22), nullable=False, unique=True),
    Column("changed_at", Instant, nullable=False),
    _one_of("state", Consent),
)

suppressions = Table(
    "suppressions",
    metadata,
    Column("email_key", String(320), primary_key=True),
    Column("reason", Text, nullable=False),
    Column("at", Instant, nullable=False),
)

deliveries = Table(
    "deliveries",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("issue_id", ForeignKey(issues.c.id), nullable=False),
    Column("channel", String(100), nullable=False),
    # The subscriber's id; 0 for a conversation. No foreign key: the ledger outlives an erased reader.
    Column("recipient", Integer, nullable=False, server_default="0"),
    Column("part", Integer, nullable=False, server_default="0"),
    Column("state", String(12), nullable=False),
    Column("reason", Text),
    Column("receipt", Text),
    Column("attempts", Integer, nullable=False, server_default="0"),
    Column("first_tried_at", Instant),
    Column("due_at", Instant, nullable=False),
    Column("settled_at", Instant),
    Column("worker_id", Integer),
    # Of what stands there: this revision or, where a correction came while it was sent, a later one.
    Column("revision", Integer, nullable=False, server_default="1"),
    UniqueConstraint("issue_id", "channel", "recipient", "part", name="uq_deliveries_recipient"),
    _one_of("state", DeliveryState),
    # Open rows alone: most rows of a ledger are settled, and what a courier writes changes one index at most.
    _partial_index("ix_deliveries_outbox", "issue_id", "channel", "due_at", "id", where=UNCLAIMED),
    _partial_index("ix_deliveries_worker_id", "worker_id", where="worker_id IS NOT NULL"),
)

events = Table(
    "events",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("at", Instant, nullable=False),
    Column("kind", String(30), nullable=False),
    Column("delivery_id", Integer),
    Column("subscriber_id", Integer),
    Column("newsletter", String(100)),
    Column("week", String(8)),
    Column("detail", Text, nullable=False, server_default=""),
    Index("ix_events_delivery_id", "delivery_id"),
)

# What curators said, only ever added to: the last word on an issue is what stands.
decisions = Table(
    "decisions",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("newsletter", String(100), nullable=False),
    Column("week", String(8), nullable=False),
    Column("decision", String(10), nullable=False),
    Column("hash", String(64), nullable=False),
    # The curator's key in the configuration or, on the command line, the name of the machine's user.
    Column("by", String(100), nullable=False, server_default=""),
    Column("origin", String(10), nullable=False, server_default=""),
    Column("at", Instant, nullable=False),
    CheckConstraint("decision IN ('approved', 'held', 'released')", name="decision_known"),
    Index("ix_decisions_issue", "newsletter", "week", "id"),
)

# The words of contents that were decided on or published, compressed, so that changes since can be told.
snapshots = Table(
    "snapshots",
    metadata,
    Column("hash", String(64), primary_key=True),
    Column("words", LargeBinary, nullable=False),
    Column("at", Instant, nullable=False),
)

# What curators are told, each once for what it is about: a row per recipient, as deliveries are for readers.
notices = Table(
    "notices",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("newsletter", String(100), nullable=False),
    Column("week", String(8), nullable=False),
    Column("about", String(100), nullable=False),
    Column("medium", String(10), nullable=False),
    # A conversation's ID, or a curator's key in the configuration.
    Column("recipient", String(100), nullable=False),
    # What is to stand there: of a draft in Slack, what stands there follows it.
    Column("payload", LargeBinary, nullable=False),
    Column("state", String(12), nullable=False),
    Column("reason", Text),
    Column("receipt", Text),
    Column("attempts", Integer, nullable=False, server_default="0"),
    Column("first_tried_at", Instant),
    Column("changed_at", Instant, nullable=False),
    Column("due_at", Instant, nullable=False),
    UniqueConstraint("newsletter", "week", "about", "medium", "recipient", name="uq_notices_recipient"),
    _one_of("state", DeliveryState),
)

# Why a due issue did not go out, as it was last told to a curator; of which content, where that matters.
told = Table(
    "told",
    metadata,
    Column("newsletter", String(100), primary_key=True),
    Column("week", String(8), primary_key=True),
    Column("reason", Text, nullable=False),
    Column("hash", String(64), nullable=False, server_default=""),
    Column("at", Instant, nullable=False),
)

# Words that opened the studio once, and sessions that were ended: until they would be too old anyway.
spent = Table(
    "spent",
    metadata,
    Column("name", String(64), primary_key=True),
    Column("until", Instant, nullable=False),
)

workers = Table(
    "workers",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("host", String(255), nullable=False),
    # What a power cut changes: the machine's boot id and, for PostgreSQL, the server's own start.
    Column("boot", String(100), nullable=False),
    Column("pid", Integer, nullable=False),
    Column("started", String(40), nullable=False),
    Column("heartbeat_at", Instant, nullable=False),
)
