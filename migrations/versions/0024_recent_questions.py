"""Create the table of the questions of the last minute, which all bots on a database count together."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision: str = "0024"
down_revision: str | None = "0023"
branch_labels: str | None = None
depends_on: str | None = None

ONLY_ADDS = True


def upgrade() -> None:
    op.create_table(
        "recent_questions",
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("asked", sa.JSON(), nullable=False),
        sa.Column("last_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_recent_questions"),
    )


def downgrade() -> None:
    op.drop_table("recent_questions")
