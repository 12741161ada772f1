"""Create the table of titles that pages had before, so that what names a renamed page still finds it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision: str = "0027"
down_revision: str | None = "0026"
branch_labels: str | None = None
depends_on: str | None = None

ONLY_ADDS = True


def upgrade() -> None:
    op.create_table(
        "former_titles",
        sa.Column("space", sa.String(), nullable=False),
        sa.Column("title_hash", sa.String(64), nullable=False),
        sa.Column("page_id", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["page_id"], ["pages.page_id"], name="fk_former_titles_page_id_pages", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("space", "title_hash", name="pk_former_titles"),
    )
    op.create_index("ix_former_titles_page_id", "former_titles", ["page_id"])


def downgrade() -> None:
    op.drop_table("former_titles")
