"""Add author, labels and names of attached files to pages."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision: str = "0003"
down_revision: str | None = "0002"
branch_labels: str | None = None
depends_on: str | None = None


def upgrade() -> None:
    op.add_column("pages", sa.Column("author", sa.Text(), nullable=False, server_default=sa.text("''")))
    op.add_column("pages", sa.Column("labels", sa.JSON(), nullable=False, server_default=sa.text("'[]'")))
    op.add_column("pages", sa.Column("attachments", sa.JSON(), nullable=False, server_default=sa.text("'[]'")))


def downgrade() -> None:
    for column in ("attachments", "labels", "author"):
        op.drop_column("pages", column)
