"""Create the tables of counts, page titles, and texts whose vectors may have to be pruned."""

from __future__ import annotations

import hashlib

import sqlalchemy as sa
from alembic import op

revision: str = "0006"
down_revision: str | None = "0005"
branch_labels: str | None = None
depends_on: str | None = None

_ROWS_AT_ONCE = 10_000

_pages = sa.table("pages", sa.column("page_id"), sa.column("title"))
_evidences = sa.table("evidences", sa.column("page_id"), sa.column("context", sa.JSON()))


def upgrade() -> None:
    _create_tables()
    op.create_index("ix_pages_space_page_id_digest", "pages", ["space", "page_id", "digest"])
    op.drop_index("ix_pages_space", "pages")
    op.execute(
        "INSERT INTO page_counts (space, access, pages) "
        "SELECT space, access, count(*) FROM pages GROUP BY space, access"
    )
    op.execute(
        "INSERT INTO evidence_counts (space, kind, evidences) SELECT pages.space, evidences.kind, count(*) "
        "FROM evidences JOIN pages ON pages.page_id = evidences.page_id GROUP BY pages.space, evidences.kind"
    )
    op.execute(
        "INSERT INTO unchecked_texts (text_hash) SELECT DISTINCT text_hash FROM vectors "
        "WHERE text_hash NOT IN (SELECT text_hash FROM evidences)"
    )
    op.execute("DELETE FROM accesses WHERE access NOT IN (SELECT access FROM page_counts)")
    _fill_titles()


def _create_tables() -> None:
    op.create_table(
        "page_titles",
        sa.Column("page_id", sa.String(), nullable=False),
        sa.Column("title_hash", sa.String(64), nullable=False),
        sa.PrimaryKeyConstraint("page_id", "title_hash", name="pk_page_titles"),
        sa.ForeignKeyConstraint(
            ["page_id"], ["pages.page_id"], name="fk_page_titles_page_id_pages", ondelete="CASCADE"
        ),
    )
    op.create_index("ix_page_titles_title_hash", "page_titles", ["title_hash"])
    op.create_table(
        "page_counts",
        sa.Column("space", sa.String(), nullable=False),
        sa.Column("access", sa.String(16), nullable=False),
        sa.Column("pages", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("space", "access", name="pk_page_counts"),
        sa.ForeignKeyConstraint(["space"], ["spaces.key"], name="fk_page_counts_space_spaces", ondelete="CASCADE"),
    )
    op.create_index("ix_page_counts_access", "page_counts", ["access"])
    op.create_table(
        "evidence_counts",
        sa.Column("space", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("evidences", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("space", "kind", name="pk_evidence_counts"),
        sa.ForeignKeyConstraint(["space"], ["spaces.key"], name="fk_evidence_counts_space_spaces", ondelete="CASCADE"),
    )
    op.create_table(
        "unchecked_texts",
        sa.Column("text_hash", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("text_hash", name="pk_unchecked_texts"),
    )


def _fill_titles() -> None:
    connection = op.get_bind()
    of_pages = sa.select(_pages.c.page_id, _pages.c.title)
    of_evidences = sa.select(_evidences.c.page_id, _evidences.c.context["title"].as_string().label("title")).distinct()
    titles = sa.table("page_titles", sa.column("page_id"), sa.column("title_hash"))
    query = of_pages.union(of_evidences).order_by("page_id")
    for some in connection.execute(query).partitions(_ROWS_AT_ONCE):
        rows = {(row.page_id, hashlib.sha256(row.title.encode()).hexdigest()) for row in some}
        connection.execute(sa.insert(titles), [{"page_id": page_id, "title_hash": each} for page_id, each in rows])


def downgrade() -> None:
    op.create_index("ix_pages_space", "pages", ["space"])
    op.drop_index("ix_pages_space_page_id_digest", "pages")
    for table in ("unchecked_texts", "evidence_counts", "page_counts", "page_titles"):
        op.drop_table(table)
