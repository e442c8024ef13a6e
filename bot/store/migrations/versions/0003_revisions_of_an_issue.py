"""An issue can be corrected: its revisions after the first, and which of them stands where."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Tables for revisions and what channels make of them; each delivery knows which one it shows."""
    op.create_table(
        "revisions",
        sa.Column("issue_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["issue_id"], ["issues.id"], name=op.f("fk_revisions_issue_id")),
        sa.PrimaryKeyConstraint("issue_id", "number", name=op.f("pk_revisions")),
    )
    op.create_table(
        "revised_payloads",
        sa.Column("issue_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("channel", sa.String(length=100), nullable=False),
        sa.Column("payload", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["issue_id"], ["issues.id"], name=op.f("fk_revised_payloads_issue_id")),
        sa.PrimaryKeyConstraint("issue_id", "number", "channel", name=op.f("pk_revised_payloads")),
    )
    op.add_column("deliveries", sa.Column("revision", sa.Integer(), server_default="1", nullable=False))
