"""Add the pages between an evidence and its origin, for nested inclusions."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision: str = "0021"
down_revision: str | None = "0020"
branch_labels: str | None = None
depends_on: str | None = None


def upgrade() -> None:
    op.add_column("evidences", sa.Column("via", sa.String(), nullable=False, server_default=sa.text("''")))
    # SQLite cannot change a primary key.
    op.execute("CREATE TABLE kept_origins AS SELECT page_id, origin, digest, access FROM page_origins")
    op.drop_table("page_origins")
    _create_origins(("page_id", "origin", "via"))
    op.execute("INSERT INTO page_origins SELECT page_id, origin, '', digest, access FROM kept_origins")
    op.drop_table("kept_origins")


def downgrade() -> None:
    op.execute("CREATE TABLE kept_origins AS SELECT page_id, origin, digest, access FROM page_origins WHERE via = ''")
    op.drop_table("page_origins")
    _create_origins(("page_id", "origin"))
    op.execute("INSERT INTO page_origins SELECT page_id, origin, digest, access FROM kept_origins")
    op.drop_table("kept_origins")
    # The older version checks the readers of two pages only.
    op.execute("DELETE FROM evidences WHERE via != ''")
    op.drop_column("evidences", "via")


def _create_origins(key: tuple[str, ...]) -> None:
    op.create_table(
        "page_origins",
        *(sa.Column(name, sa.String(), nullable=False) for name in (*key, "digest")),
        sa.Column("access", sa.String(16), nullable=False),
        sa.ForeignKeyConstraint(
            ["page_id"], ["pages.page_id"], name="fk_page_origins_page_id_pages", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint(*key, name="pk_page_origins"),
    )
    for column in ("origin", "access"):
        op.create_index(f"ix_page_origins_{column}", "page_origins", [column])
