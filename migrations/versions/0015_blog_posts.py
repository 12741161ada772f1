"""Add the time of publication to blog posts."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision: str = "0015"
down_revision: str | None = "0014"
branch_labels: str | None = None
depends_on: str | None = None


def upgrade() -> None:
    op.add_column("pages", sa.Column("posted", sa.String(), nullable=False, server_default=sa.text("''")))


def downgrade() -> None:
    op.drop_column("pages", "posted")
