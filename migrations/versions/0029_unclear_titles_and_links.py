"""Create the tables of titles by which pages may mean other pages than it seems, and of what pages link to.

The first one gets the titles that pages have and others had. The second one is filled as pages are read.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision: str = "0029"
down_revision: str | None = "0028"
branch_labels: str | None = None
depends_on: str | None = None

ONLY_ADDS = True


def upgrade() -> None:
    op.create_table(
        "unclear_titles",
        sa.Column("space", sa.String(), nullable=False),
        sa.Column("title_hash", sa.String(64), nullable=False),
        sa.PrimaryKeyConstraint("space", "title_hash", name="pk_unclear_titles"),
    )
    op.create_table(
        "page_links",
        sa.Column("page_id", sa.String(), nullable=False),
        sa.Column("target", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("space", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["page_id"], ["pages.page_id"], name="fk_page_links_page_id_pages", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("page_id", "target", name="pk_page_links"),
    )
    op.create_index("ix_page_links_space", "page_links", ["space"])
    op.execute(
        """
        INSERT INTO unclear_titles (space, title_hash)
        SELECT DISTINCT former_titles.space, former_titles.title_hash
        FROM former_titles
        JOIN page_titles ON page_titles.title_hash = former_titles.title_hash
        JOIN pages ON pages.page_id = page_titles.page_id AND pages.space = former_titles.space
        WHERE page_titles.page_id <> former_titles.page_id
        """
    )


def downgrade() -> None:
    op.drop_table("page_links")
    op.drop_table("unclear_titles")
