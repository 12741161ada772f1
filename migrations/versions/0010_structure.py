"""Add to evidences which rows or items of which table or list they are."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision: str = "0010"
down_revision: str | None = "0009"
branch_labels: str | None = None
depends_on: str | None = None


def upgrade() -> None:
    op.add_column("evidences", sa.Column("structure", sa.JSON(none_as_null=True)))


def downgrade() -> None:
    op.drop_column("evidences", "structure")
