"""Create the table of comments, and add threads to evidences."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision: str = "0014"
down_revision: str | None = "0013"
branch_labels: str | None = None
depends_on: str | None = None


def upgrade() -> None:
    op.create_table(
        "comments",
        sa.Column("page_id", sa.String(), nullable=False),
        sa.Column("comment_id", sa.String(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("parent_id", sa.String(), nullable=False),
        sa.Column("version", sa.String(), nullable=False),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("author_account", sa.String(), nullable=False),
        sa.Column("date", sa.String(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("marked", sa.Text(), nullable=False),
        sa.Column("resolved", sa.Boolean(), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["page_id"], ["pages.page_id"], name="fk_comments_page_id_pages", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("page_id", "comment_id", name="pk_comments"),
    )
    for table, column in (("spaces", "comments_at"), ("evidences", "thread"), ("turn_evidences", "thread")):
        op.add_column(table, sa.Column(column, sa.String(), nullable=False, server_default=sa.text("''")))


def downgrade() -> None:
    op.drop_column("turn_evidences", "thread")
    op.drop_column("evidences", "thread")
    op.drop_column("spaces", "comments_at")
    op.drop_table("comments")
