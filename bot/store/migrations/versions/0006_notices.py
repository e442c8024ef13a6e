"""What curators are told: a row per notice and recipient, with the states of a delivery."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table, its rows unique by what they tell and whom."""
    op.create_table(
        "notices",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("newsletter", sa.String(length=100), nullable=False),
        sa.Column("week", sa.String(length=8), nullable=False),
        sa.Column("about", sa.String(length=100), nullable=False),
        sa.Column("medium", sa.String(length=10), nullable=False),
        sa.Column("recipient", sa.String(length=100), nullable=False),
        sa.Column("payload", sa.LargeBinary(), nullable=False),
        sa.Column("state", sa.String(length=12), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("receipt", sa.Text(), nullable=True),
        sa.Column("attempts", sa.Integer(), server_default="0", nullable=False),
        sa.Column("first_tried_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("changed_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("due_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "state IN ('queued', 'sending', 'sent', 'failed', 'in_doubt', 'suppressed', 'skipped')",
            name=op.f("ck_notices_state_known"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_notices")),
        sa.UniqueConstraint(
            "newsletter", "week", "about", "medium", "recipient", name="uq_notices_recipient"
        ),
    )
