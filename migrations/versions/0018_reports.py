"""Create the tables of labels and of queries of reports. The next sync of a space fills them in."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision: str = "0018"
down_revision: str | None = "0017"
branch_labels: str | None = None
depends_on: str | None = None


def upgrade() -> None:
    op.create_table(
        "page_queries",
        sa.Column("page_id", sa.String(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("labels", sa.JSON(), nullable=False),
        sa.Column("spaces", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(
            ["page_id"], ["pages.page_id"], name="fk_page_queries_page_id_pages", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("page_id", "position", name="pk_page_queries"),
    )
    op.create_table(
        "page_labels",
        sa.Column("page_id", sa.String(), nullable=False),
        sa.Column("label", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["page_id"], ["pages.page_id"], name="fk_page_labels_page_id_pages", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("page_id", "label", name="pk_page_labels"),
    )
    op.create_index("ix_page_labels_label", "page_labels", ["label"])


def downgrade() -> None:
    op.drop_table("page_labels")
    op.drop_table("page_queries")
