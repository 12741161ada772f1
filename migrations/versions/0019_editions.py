"""A post says when its question was edited or deleted last. Posts that are there count as never."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision: str = "0019"
down_revision: str | None = "0018"
branch_labels: str | None = None
depends_on: str | None = None


def upgrade() -> None:
    op.add_column("posts", sa.Column("edition", sa.String(), nullable=False, server_default=sa.text("''")))


def downgrade() -> None:
    op.drop_column("posts", "edition")
