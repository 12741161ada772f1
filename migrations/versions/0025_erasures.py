"""Create the list of erasures. It starts empty, because earlier erasures were not recorded."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision: str = "0025"
down_revision: str | None = "0024"
branch_labels: str | None = None
depends_on: str | None = None

ONLY_ADDS = True


def upgrade() -> None:
    op.create_table(
        "erasures",
        sa.Column("erasure_id", sa.String(16), nullable=False),
        sa.Column("at", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("object", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("erasure_id", name="pk_erasures"),
    )
    op.create_index("ix_erasures_at", "erasures", ["at"])


def downgrade() -> None:
    op.drop_table("erasures")
