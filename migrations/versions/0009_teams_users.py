"""Rename the table of Teams users."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision: str = "0009"
down_revision: str | None = "0008"
branch_labels: str | None = None
depends_on: str | None = None

_COLUMNS = ("team", "user", "account", "direct", "kept_at")


def upgrade() -> None:
    _move("acquaintances", "teams_users")


def downgrade() -> None:
    _move("teams_users", "acquaintances")


def _move(old: str, new: str) -> None:
    """Copy the rows into a new table, because SQLite cannot rename a table's primary key."""
    columns = [sa.Column(name, sa.String(), nullable=False) for name in _COLUMNS]
    table = op.create_table(new, *columns, sa.PrimaryKeyConstraint("team", "user", name=f"pk_{new}"))
    before = sa.table(old, *map(sa.column, _COLUMNS))
    op.execute(table.insert().from_select(list(_COLUMNS), sa.select(before)))
    op.drop_table(old)
