"""Create the table of token vectors, and note spaces whose texts all have them. The next sync computes them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision: str = "0013"
down_revision: str | None = "0012"
branch_labels: str | None = None
depends_on: str | None = None


def upgrade() -> None:
    op.create_table(
        "token_vectors",
        sa.Column("text_hash", sa.String(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("tokens", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("text_hash", name="pk_token_vectors"),
    )
    op.add_column("spaces", sa.Column("token_model", sa.Text(), nullable=False, server_default=sa.text("''")))


def downgrade() -> None:
    op.drop_column("spaces", "token_model")
    op.drop_table("token_vectors")
