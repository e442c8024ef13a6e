"""Words that open the studio once, and sessions that were ended before their time."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table: a word stands in it from its use until the time at which it would be worth nothing."""
    op.create_table(
        "spent",
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("until", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_spent")),
    )
