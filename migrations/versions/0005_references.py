"""Create the tables of Teams conversations, Teams users and moved messages."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision: str = "0005"
down_revision: str | None = "0004"
branch_labels: str | None = None
depends_on: str | None = None


def upgrade() -> None:
    op.create_table(
        "chat_references",
        sa.Column("team", sa.String(), nullable=False),
        sa.Column("conversation", sa.String(), nullable=False),
        sa.Column("service_url", sa.String(), nullable=False),
        sa.Column("bot", sa.String(), nullable=False),
        sa.Column("kept_at", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("team", "conversation", name="pk_chat_references"),
    )
    op.create_table(
        "acquaintances",
        sa.Column("team", sa.String(), nullable=False),
        sa.Column("user", sa.String(), nullable=False),
        sa.Column("account", sa.String(), nullable=False),
        sa.Column("direct", sa.String(), nullable=False),
        sa.Column("kept_at", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("team", "user", name="pk_acquaintances"),
    )
    op.create_table(
        "moved_messages",
        sa.Column("team", sa.String(), nullable=False),
        sa.Column("conversation", sa.String(), nullable=False),
        sa.Column("message_id", sa.String(), nullable=False),
        sa.Column("moved_to", sa.String(), nullable=False),
        sa.Column("kept_at", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("team", "conversation", "message_id", name="pk_moved_messages"),
    )


def downgrade() -> None:
    for table in ("moved_messages", "acquaintances", "chat_references"):
        op.drop_table(table)
