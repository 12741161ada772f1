"""Create the tables of spaces, pages, evidences, vectors, stale entries, conversations and turns."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision: str = "0001"
down_revision: str | None = None
branch_labels: str | None = None
depends_on: str | None = None


def upgrade() -> None:
    _create_wiki()
    _create_index_support()
    _create_conversations()


def _create_wiki() -> None:
    op.create_table(
        "spaces",
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("synced_at", sa.String(), nullable=False),
        sa.Column("last_error", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_spaces"),
    )
    op.create_table(
        "accesses",
        sa.Column("access", sa.String(16), nullable=False),
        sa.Column("read_restrictions", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("access", name="pk_accesses"),
    )
    op.create_table(
        "pages",
        sa.Column("page_id", sa.String(), nullable=False),
        sa.Column("space", sa.String(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("date", sa.String(), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("access", sa.String(16), nullable=False),
        sa.PrimaryKeyConstraint("page_id", name="pk_pages"),
        sa.ForeignKeyConstraint(["space"], ["spaces.key"], name="fk_pages_space_spaces"),
    )
    op.create_index("ix_pages_space", "pages", ["space"])
    op.create_index("ix_pages_access", "pages", ["access"])
    op.create_table(
        "evidences",
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("evidence_id", sa.String(), nullable=False),
        sa.Column("page_id", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("context", sa.JSON(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("parts", sa.JSON(), nullable=False),
        sa.Column("rows", sa.JSON(), nullable=False),
        sa.Column("text_hash", sa.String(), nullable=False),
        sa.Column("entry_title", sa.Text(), nullable=False),
        sa.Column("entry_heading", sa.Text(), nullable=False),
        sa.Column("entry_text", sa.Text(), nullable=False),
        sa.Column("entry_surroundings", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_evidences"),
        sa.ForeignKeyConstraint(["page_id"], ["pages.page_id"], name="fk_evidences_page_id_pages", ondelete="CASCADE"),
        sa.UniqueConstraint("page_id", "evidence_id", name="uq_evidences_page_id_evidence_id"),
    )
    op.create_index("ix_evidences_text_hash", "evidences", ["text_hash"])


def _create_index_support() -> None:
    op.create_table(
        "vectors",
        sa.Column("embedder", sa.String(), nullable=False),
        sa.Column("text_hash", sa.String(), nullable=False),
        sa.Column("vector", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("embedder", "text_hash", name="pk_vectors"),
    )
    op.create_index("ix_vectors_text_hash", "vectors", ["text_hash"])
    op.create_table(
        "stale_entries",
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("space", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_stale_entries"),
    )


def _create_conversations() -> None:
    op.create_table(
        "conversations",
        sa.Column("conversation_id", sa.String(), nullable=False),
        sa.Column("started_at", sa.String(), nullable=False),
        sa.Column("hidden", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("conversation_id", name="pk_conversations"),
    )
    op.create_table(
        "turns",
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("turn_id", sa.String(), nullable=False),
        sa.Column("conversation_id", sa.String(), nullable=False),
        sa.Column("asked_at", sa.String(), nullable=False),
        sa.Column("question_as_asked", sa.Text(), nullable=False),
        sa.Column("question_intent_explicit", sa.Text(), nullable=False),
        sa.Column("answer", sa.Text(), nullable=False),
        sa.Column("answered", sa.Boolean(), nullable=False),
        sa.Column("usage", sa.JSON(), nullable=False),
        sa.Column("scope", sa.JSON(), nullable=False),
        sa.Column("configuration", sa.JSON(), nullable=False),
        sa.Column("timings_ms", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_turns"),
        sa.UniqueConstraint("turn_id", name="uq_turns_turn_id"),
        sa.ForeignKeyConstraint(
            ["conversation_id"], ["conversations.conversation_id"], name="fk_turns_conversation_id_conversations"
        ),
    )
    op.create_index("ix_turns_conversation_id", "turns", ["conversation_id"])
    op.create_table(
        "turn_evidences",
        sa.Column("turn_id", sa.String(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("rank", sa.Integer(), nullable=False),
        sa.Column("score", sa.Float(), nullable=False),
        sa.Column("rankings", sa.JSON(), nullable=False),
        sa.Column("evidence_id", sa.String(), nullable=False),
        sa.Column("page_id", sa.String(), nullable=False),
        sa.Column("space", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("snapshot", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("turn_id", "position", name="pk_turn_evidences"),
        sa.ForeignKeyConstraint(
            ["turn_id"], ["turns.turn_id"], name="fk_turn_evidences_turn_id_turns", ondelete="CASCADE"
        ),
    )
    op.create_index("ix_turn_evidences_page_id", "turn_evidences", ["page_id"])
    op.create_index("ix_turn_evidences_space", "turn_evidences", ["space"])
    op.create_table(
        "turn_citations",
        sa.Column("turn_id", sa.String(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("evidence_id", sa.String(), nullable=False),
        sa.Column("page_id", sa.String(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("heading", sa.Text(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("quote", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("turn_id", "position", name="pk_turn_citations"),
        sa.ForeignKeyConstraint(
            ["turn_id"], ["turns.turn_id"], name="fk_turn_citations_turn_id_turns", ondelete="CASCADE"
        ),
    )
    op.create_index("ix_turn_citations_page_id", "turn_citations", ["page_id"])


def downgrade() -> None:
    for table in (
        "turn_citations",
        "turn_evidences",
        "turns",
        "conversations",
        "stale_entries",
        "vectors",
        "evidences",
        "pages",
        "accesses",
        "spaces",
    ):
        op.drop_table(table)
