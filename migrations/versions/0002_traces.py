"""Add model calls, traces and suggestions to turns."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision: str = "0002"
down_revision: str | None = "0001"
branch_labels: str | None = None
depends_on: str | None = None


def upgrade() -> None:
    op.add_column("turns", sa.Column("calls", sa.JSON(), nullable=False, server_default=sa.text("'[]'")))
    op.add_column("turns", sa.Column("trace_texts", sa.JSON(), nullable=True))
    op.add_column("turns", sa.Column("suggestions", sa.JSON(), nullable=False, server_default=sa.text("'[]'")))


def downgrade() -> None:
    for column in ("suggestions", "trace_texts", "calls"):
        op.drop_column("turns", column)
