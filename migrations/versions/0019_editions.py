"""Add to posts when the question was last edited or deleted, and the thread that a post continues.

Existing posts count as never edited.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision: str = "0019"
down_revision: str | None = "0018"
branch_labels: str | None = None
depends_on: str | None = None


def upgrade() -> None:
    for name in ("edition", "follows"):
        op.add_column("posts", sa.Column(name, sa.String(), nullable=False, server_default=sa.text("''")))


def downgrade() -> None:
    for name in ("follows", "edition"):
        op.drop_column("posts", name)
