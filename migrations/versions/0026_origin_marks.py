"""Store versions of included pages as numbers that the database can sum.

The next sync reads all inclusions again, once.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision: str = "0026"
down_revision: str | None = "0025"
branch_labels: str | None = None
depends_on: str | None = None


def upgrade() -> None:
    mark = sa.Column("mark", sa.BigInteger(), nullable=False, server_default=sa.text("0"))
    op.add_column("page_origins", mark)
    op.drop_column("page_origins", "digest")


def downgrade() -> None:
    op.add_column("page_origins", sa.Column("digest", sa.String(), nullable=False, server_default=sa.text("''")))
    op.drop_column("page_origins", "mark")
