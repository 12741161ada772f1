"""Create the tables of bots, their locks and signals, for several bots on one database.

The tables stay empty on a database with one bot.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision: str = "0022"
down_revision: str | None = "0021"
branch_labels: str | None = None
depends_on: str | None = None


def upgrade() -> None:
    op.create_table(
        "bots",
        sa.Column("bot", sa.String(), nullable=False),
        sa.Column("home", sa.String(), nullable=False),
        sa.Column("beat_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("bot", name="pk_bots"),
    )
    op.create_table(
        "bot_locks",
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("bot", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["bot"], ["bots.bot"], name="fk_bot_locks_bot_bots", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("name", name="pk_bot_locks"),
    )
    op.create_table(
        "bot_signals",
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_bot_signals"),
    )


def downgrade() -> None:
    for name in ("bot_signals", "bot_locks", "bots"):
        op.drop_table(name)
