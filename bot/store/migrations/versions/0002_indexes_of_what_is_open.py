"""The outbox's indexes hold open rows alone: marking and settling a mail then changes no index but one."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Replace both indexes by partial ones."""
    op.drop_index("ix_deliveries_outbox", "deliveries")
    op.drop_index("ix_deliveries_worker_id", "deliveries")
    _partial(
        "ix_deliveries_outbox",
        ["issue_id", "channel", "due_at", "id"],
        "state = 'queued' AND worker_id IS NULL",
    )
    _partial("ix_deliveries_worker_id", ["worker_id"], "worker_id IS NOT NULL")


def _partial(name: str, columns: list[str], where: str) -> None:
    words = sa.text(where)
    op.create_index(name, "deliveries", columns, sqlite_where=words, postgresql_where=words)
