"""The ledger as it began."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """The ledger as it began."""
    op.create_table(
        "approvals",
        sa.Column("newsletter", sa.String(length=100), nullable=False),
        sa.Column("week", sa.String(length=8), nullable=False),
        sa.Column("decision", sa.String(length=10), nullable=False),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("decision IN ('approved', 'held')", name=op.f("ck_approvals_decision_known")),
        sa.PrimaryKeyConstraint("newsletter", "week", name=op.f("pk_approvals")),
    )
    op.create_table(
        "events",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("kind", sa.String(length=30), nullable=False),
        sa.Column("delivery_id", sa.Integer(), nullable=True),
        sa.Column("subscriber_id", sa.Integer(), nullable=True),
        sa.Column("newsletter", sa.String(length=100), nullable=True),
        sa.Column("week", sa.String(length=8), nullable=True),
        sa.Column("detail", sa.Text(), server_default="", nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_events")),
    )
    op.create_index("ix_events_delivery_id", "events", ["delivery_id"], unique=False)

    op.create_table(
        "issues",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("newsletter", sa.String(length=100), nullable=False),
        sa.Column("week", sa.String(length=8), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("late", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("published_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_issues")),
        sa.UniqueConstraint("newsletter", "week", name="uq_issues_week"),
    )
    op.create_table(
        "subscribers",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("email", sa.String(length=320), nullable=False),
        sa.Column("email_key", sa.String(length=320), nullable=False),
        sa.Column("name", sa.Text(), server_default="", nullable=False),
        sa.Column("language", sa.String(length=35), server_default="", nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_subscribers")),
        sa.UniqueConstraint("email_key", name=op.f("uq_subscribers_email_key")),
    )
    op.create_table(
        "suppressions",
        sa.Column("email_key", sa.String(length=320), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("email_key", name=op.f("pk_suppressions")),
    )
    op.create_table(
        "told",
        sa.Column("newsletter", sa.String(length=100), nullable=False),
        sa.Column("week", sa.String(length=8), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("newsletter", "week", name=op.f("pk_told")),
    )
    op.create_table(
        "workers",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("host", sa.String(length=255), nullable=False),
        sa.Column("boot", sa.String(length=100), nullable=False),
        sa.Column("pid", sa.Integer(), nullable=False),
        sa.Column("started", sa.String(length=40), nullable=False),
        sa.Column("heartbeat_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_workers")),
    )
    op.create_table(
        "deliveries",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("issue_id", sa.Integer(), nullable=False),
        sa.Column("channel", sa.String(length=100), nullable=False),
        sa.Column("recipient", sa.Integer(), server_default="0", nullable=False),
        sa.Column("part", sa.Integer(), server_default="0", nullable=False),
        sa.Column("state", sa.String(length=12), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("receipt", sa.Text(), nullable=True),
        sa.Column("attempts", sa.Integer(), server_default="0", nullable=False),
        sa.Column("first_tried_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("due_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("settled_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("worker_id", sa.Integer(), nullable=True),
        sa.CheckConstraint(
            "state IN ('queued', 'sending', 'sent', 'failed', 'in_doubt', 'suppressed', 'skipped')",
            name=op.f("ck_deliveries_state_known"),
        ),
        sa.ForeignKeyConstraint(["issue_id"], ["issues.id"], name=op.f("fk_deliveries_issue_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_deliveries")),
        sa.UniqueConstraint("issue_id", "channel", "recipient", "part", name="uq_deliveries_recipient"),
    )
    op.create_index(
        "ix_deliveries_outbox", "deliveries", ["issue_id", "channel", "state", "due_at", "id"], unique=False
    )
    op.create_index("ix_deliveries_worker_id", "deliveries", ["worker_id"], unique=False)

    op.create_table(
        "issue_entries",
        sa.Column("newsletter", sa.String(length=100), nullable=False),
        sa.Column("key", sa.String(length=1024), nullable=False),
        sa.Column("issue_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["issue_id"], ["issues.id"], name=op.f("fk_issue_entries_issue_id")),
        sa.PrimaryKeyConstraint("newsletter", "key", name=op.f("pk_issue_entries")),
    )
    op.create_table(
        "payloads",
        sa.Column("issue_id", sa.Integer(), nullable=False),
        sa.Column("channel", sa.String(length=100), nullable=False),
        sa.Column("payload", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["issue_id"], ["issues.id"], name=op.f("fk_payloads_issue_id")),
        sa.PrimaryKeyConstraint("issue_id", "channel", name=op.f("pk_payloads")),
    )
    op.create_table(
        "subscriptions",
        sa.Column("subscriber_id", sa.Integer(), nullable=False),
        sa.Column("newsletter", sa.String(length=100), nullable=False),
        sa.Column("state", sa.String(length=12), nullable=False),
        sa.Column("token", sa.String(length=22), nullable=False),
        sa.Column("changed_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "state IN ('pending', 'confirmed', 'unsubscribed')", name=op.f("ck_subscriptions_state_known")
        ),
        sa.ForeignKeyConstraint(
            ["subscriber_id"], ["subscribers.id"], name=op.f("fk_subscriptions_subscriber_id")
        ),
        sa.PrimaryKeyConstraint("subscriber_id", "newsletter", name=op.f("pk_subscriptions")),
        sa.UniqueConstraint("token", name=op.f("uq_subscriptions_token")),
    )
