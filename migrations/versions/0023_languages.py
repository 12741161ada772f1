"""Add the language of a page's text.

Existing pages have none until they are read again. Ranking ignores languages until a page has one.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision: str = "0023"
down_revision: str | None = "0022"
branch_labels: str | None = None
depends_on: str | None = None


def upgrade() -> None:
    op.add_column("pages", sa.Column("language", sa.String(8), nullable=False, server_default=sa.text("''")))


def downgrade() -> None:
    op.drop_column("pages", "language")
