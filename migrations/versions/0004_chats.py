"""Create the tables of posts, threads, feedback, token counts and counterfactuals."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision: str = "0004"
down_revision: str | None = "0003"
branch_labels: str | None = None
depends_on: str | None = None


def upgrade() -> None:
    _create_counterfactuals()
    _create_posts()
    _create_threads()
    _create_feedback()
    op.create_table(
        "tokens_used",
        sa.Column("day", sa.String(), nullable=False),
        sa.Column("tokens", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("day", name="pk_tokens_used"),
    )


def _create_counterfactuals() -> None:
    op.create_table(
        "counterfactuals",
        sa.Column("turn_id", sa.String(), nullable=False),
        sa.Column("cluster", sa.String(), nullable=False),
        sa.Column("contribution", sa.Float(), nullable=True),
        sa.Column("similarity", sa.Float(), nullable=True),
        sa.Column("answers", sa.JSON(), nullable=False),
        sa.Column("calls", sa.Integer(), nullable=False),
        sa.Column("error", sa.Text(), nullable=False),
        sa.Column("kept_at", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("turn_id", "cluster", name="pk_counterfactuals"),
        sa.ForeignKeyConstraint(
            ["turn_id"], ["turns.turn_id"], name="fk_counterfactuals_turn_id_turns", ondelete="CASCADE"
        ),
    )


def _create_posts() -> None:
    op.create_table(
        "posts",
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("platform", sa.String(), nullable=False),
        sa.Column("team", sa.String(), nullable=False),
        sa.Column("channel", sa.String(), nullable=False),
        sa.Column("thread", sa.String(), nullable=False),
        sa.Column("direct", sa.Boolean(), nullable=False),
        sa.Column("shared", sa.Boolean(), nullable=False),
        sa.Column("conversation_id", sa.String(), nullable=False),
        sa.Column("message_id", sa.String(), nullable=False),
        sa.Column("turn_id", sa.String(), nullable=False),
        sa.Column("finished", sa.Boolean(), nullable=False),
        sa.Column("kept_at", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_posts"),
        sa.UniqueConstraint("key", name="uq_posts_key"),
    )
    op.create_index("ix_posts_platform_team_channel_message_id", "posts", ["platform", "team", "channel", "message_id"])
    op.create_index("ix_posts_conversation_id", "posts", ["conversation_id"])


def _create_threads() -> None:
    op.create_table(
        "thread_messages",
        sa.Column("conversation_id", sa.String(), nullable=False),
        sa.Column("message_id", sa.String(), nullable=False),
        sa.Column("user", sa.String(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("kept_at", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("conversation_id", "message_id", name="pk_thread_messages"),
    )
    op.create_table(
        "threads_read",
        sa.Column("conversation_id", sa.String(), nullable=False),
        sa.Column("read_at", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("conversation_id", name="pk_threads_read"),
    )


def _create_feedback() -> None:
    op.create_table(
        "feedback",
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("turn_id", sa.String(), nullable=False),
        sa.Column("person", sa.String(), nullable=False),
        sa.Column("reaction", sa.String(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("at", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_feedback"),
        sa.UniqueConstraint("turn_id", "person", name="uq_feedback_turn_id_person"),
    )


def downgrade() -> None:
    for table in ("tokens_used", "feedback", "threads_read", "thread_messages", "posts", "counterfactuals"):
        op.drop_table(table)
