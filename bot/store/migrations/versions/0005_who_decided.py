"""Every decision with who took it and from where, in one table that is only added to; the words it was of."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Take over the decisions that were events; what stands is the last of them, so `approvals` goes."""
    op.create_table(
        "decisions",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("newsletter", sa.String(length=100), nullable=False),
        sa.Column("week", sa.String(length=8), nullable=False),
        sa.Column("decision", sa.String(length=10), nullable=False),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("by", sa.String(length=100), server_default="", nullable=False),
        sa.Column("origin", sa.String(length=10), server_default="", nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "decision IN ('approved', 'held', 'released')", name=op.f("ck_decisions_decision_known")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_decisions")),
    )
    op.create_index("ix_decisions_issue", "decisions", ["newsletter", "week", "id"])
    op.create_table(
        "snapshots",
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("words", sa.LargeBinary(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("hash", name=op.f("pk_snapshots")),
    )
    op.execute(
        "INSERT INTO decisions (newsletter, week, decision, hash, at) "
        "SELECT newsletter, week, kind, detail, at FROM events "
        "WHERE kind IN ('approved', 'held', 'released') AND newsletter IS NOT NULL AND week IS NOT NULL "
        "ORDER BY id"
    )
    op.drop_table("approvals")
