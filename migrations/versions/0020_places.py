"""Create the table of the page tree, and add trees to queries. The next sync of a space fills them in."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision: str = "0020"
down_revision: str | None = "0019"
branch_labels: str | None = None
depends_on: str | None = None


def upgrade() -> None:
    op.create_table(
        "page_places",
        sa.Column("node_id", sa.String(), nullable=False),
        sa.Column("space", sa.String(), nullable=False),
        sa.Column("parent", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("node_id", name="pk_page_places"),
    )
    for column in ("space", "parent"):
        op.create_index(f"ix_page_places_{column}", "page_places", [column])
    for name, kind in (("root", sa.String()), ("root_space", sa.String()), ("root_title_hash", sa.String(64))):
        op.add_column("page_queries", sa.Column(name, kind, nullable=False, server_default=sa.text("''")))
    op.add_column("page_queries", sa.Column("levels", sa.Integer(), nullable=False, server_default=sa.text("0")))


def downgrade() -> None:
    for name in ("levels", "root_title_hash", "root_space", "root"):
        op.drop_column("page_queries", name)
    op.drop_table("page_places")
