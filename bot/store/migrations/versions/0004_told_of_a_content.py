"""Curators are told of each content once: what they were told knows of which."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the content hash; empty where the reason does not depend on the content."""
    op.add_column("told", sa.Column("hash", sa.String(length=64), server_default="", nullable=False))
