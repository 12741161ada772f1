"""Create the table of token vectors of units (sentences, list items, rows). The next sync computes them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision: str = "0028"
down_revision: str | None = "0027"
branch_labels: str | None = None
depends_on: str | None = None

ONLY_ADDS = True


def upgrade() -> None:
    op.create_table(
        "unit_vectors",
        sa.Column("text_hash", sa.String(), nullable=False),
        sa.Column("unit_hash", sa.String(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("tokens", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("text_hash", "unit_hash", name="pk_unit_vectors"),
    )
    op.create_index("ix_unit_vectors_unit_hash", "unit_vectors", ["unit_hash"])


def downgrade() -> None:
    op.drop_table("unit_vectors")
