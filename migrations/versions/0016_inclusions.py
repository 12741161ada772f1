"""Create the tables of inclusions, and add origins to evidences. The next sync fills them in."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision: str = "0016"
down_revision: str | None = "0015"
branch_labels: str | None = None
depends_on: str | None = None


def upgrade() -> None:
    op.create_table(
        "page_references",
        sa.Column("page_id", sa.String(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("space", sa.String(), nullable=False),
        sa.Column("title_hash", sa.String(64), nullable=False),
        sa.ForeignKeyConstraint(
            ["page_id"], ["pages.page_id"], name="fk_page_references_page_id_pages", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("page_id", "position", name="pk_page_references"),
    )
    op.create_index("ix_page_references_title_hash", "page_references", ["title_hash"])
    op.create_table(
        "page_origins",
        sa.Column("page_id", sa.String(), nullable=False),
        sa.Column("origin", sa.String(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("access", sa.String(16), nullable=False),
        sa.ForeignKeyConstraint(
            ["page_id"], ["pages.page_id"], name="fk_page_origins_page_id_pages", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("page_id", "origin", name="pk_page_origins"),
    )
    for column in ("origin", "access"):
        op.create_index(f"ix_page_origins_{column}", "page_origins", [column])
    for table in ("evidences", "turn_evidences"):
        op.add_column(table, sa.Column("origin", sa.String(), nullable=False, server_default=sa.text("''")))
    op.create_index("ix_turn_evidences_origin", "turn_evidences", ["origin"])


def downgrade() -> None:
    op.drop_index("ix_turn_evidences_origin", "turn_evidences")
    for table in ("turn_evidences", "evidences"):
        op.drop_column(table, "origin")
    op.drop_table("page_origins")
    op.drop_table("page_references")
