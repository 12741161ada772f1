"""Create the tables of people and of the pages that name them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision: str = "0012"
down_revision: str | None = "0011"
branch_labels: str | None = None
depends_on: str | None = None


def upgrade() -> None:
    op.add_column("evidences", sa.Column("people", sa.JSON(), nullable=False, server_default=sa.text("'[]'")))
    op.create_table(
        "page_people",
        sa.Column("page_id", sa.String(), nullable=False),
        sa.Column("account", sa.String(), nullable=False),
        sa.Column("name", sa.Text()),
        sa.ForeignKeyConstraint(
            ["page_id"], ["pages.page_id"], name="fk_page_people_page_id_pages", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("page_id", "account", name="pk_page_people"),
    )
    op.create_index("ix_page_people_account", "page_people", ["account"])
    op.create_table(
        "people",
        sa.Column("source", sa.String(), nullable=False),
        sa.Column("account", sa.String(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("active", sa.Boolean(), nullable=False),
        sa.Column("asked_at", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("source", "account", name="pk_people"),
    )
    op.create_index("ix_people_account", "people", ["account"])


def downgrade() -> None:
    op.drop_table("people")
    op.drop_table("page_people")
    op.drop_column("evidences", "people")
