"""Create the table of the pages that a turn's question may have words from, and fill it for stored turns.

Later versions store these sources with each turn. For stored turns they are taken from the turns before: those of the
history from the first and the latest turns of the conversation and of the thread that a direct message followed, and
those of a suggestion from the turn that suggested it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import sqlalchemy as sa
from alembic import op

revision: str = "0030"
down_revision: str | None = "0029"
branch_labels: str | None = None
depends_on: str | None = None

ONLY_ADDS = True

_MOST = 50  # latest turns in a history, so that a conversation of thousands of turns takes no time
_TURNS = sa.table(
    "turns", *map(sa.column, ("number", "turn_id", "conversation_id", "asked_at", "question_suggested_in"))
)
_EVIDENCES = sa.table(
    "turn_evidences", *map(sa.column, ("turn_id", "page_id", "thread", "origin")), sa.column("snapshot", sa.JSON())
)
_POSTS = sa.table("posts", *map(sa.column, ("key", "turn_id", "conversation_id", "thread", "follows")))
_SOURCES = sa.table(
    "turn_question_sources", *map(sa.column, ("turn_id", "page_id", "thread")), sa.column("asked", sa.Boolean())
)
Sources = frozenset[tuple[str, str]]


def upgrade() -> None:
    op.create_table(
        "turn_question_sources",
        sa.Column("turn_id", sa.String(), nullable=False),
        sa.Column("page_id", sa.String(), nullable=False),
        sa.Column("thread", sa.String(), nullable=False),
        sa.Column("asked", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["turn_id"], ["turns.turn_id"], name="fk_turn_question_sources_turn_id_turns", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("turn_id", "page_id", "thread", "asked", name="pk_turn_question_sources"),
    )
    connection = op.get_bind()
    followed = _find_followed(connection)
    for conversation_id in _list_conversations(connection, followed):
        _fill_in(connection, conversation_id, followed.get(conversation_id, ""))
    op.create_index("ix_turn_question_sources_page_id", "turn_question_sources", ["page_id"])


def _list_conversations(connection: sa.Connection, followed: dict[str, str]) -> list[str]:
    """Return the conversations with turns that may have a history or a suggestion."""
    several = sa.select(_TURNS.c.conversation_id).group_by(_TURNS.c.conversation_id).having(sa.func.count() > 1)
    return list({*connection.scalars(several), *followed})


def _find_followed(connection: sa.Connection) -> dict[str, str]:
    """Return conversation id to the id of the conversation that its first question follows."""
    posts = _POSTS.c
    query = sa.select(posts.conversation_id, posts.thread, posts.follows)
    query = query.where(posts.follows != "", posts.key.like("ask:%"))
    return {
        row.conversation_id: row.conversation_id.removesuffix(row.thread) + row.follows
        for row in connection.execute(query)
    }


def _fill_in(connection: sa.Connection, conversation_id: str, followed: str) -> None:
    turns = _load_turns(connection, conversation_id)
    before = [turn for turn in _load_turns(connection, followed) if turns and turn.asked_at <= turns[0].asked_at]
    used = dict(_load_evidence_sources(connection, [turn.turn_id for turn in (*before, *turns)]))
    told = [used.get(turn.turn_id, frozenset()) for turn in before]  # of each turn, what its messages have words from
    known: dict[str, Sources] = {}  # of each turn, what its suggestions have words from
    for turn in turns:
        own, asked = used.get(turn.turn_id, frozenset()), known.get(turn.question_suggested_in, frozenset())
        history = frozenset().union(*told[:1], *told[-_MOST:])
        rows = [
            {"turn_id": turn.turn_id, "page_id": page_id, "thread": thread, "asked": is_asked}
            for is_asked, sources in ((True, asked), (False, history))
            for page_id, thread in sources
        ]
        if rows:
            connection.execute(sa.insert(_SOURCES), rows)
        told.append(own | asked)
        known[turn.turn_id] = own | asked | history


def _load_turns(connection: sa.Connection, conversation_id: str) -> Sequence[Any]:
    query = sa.select(_TURNS).where(_TURNS.c.conversation_id == conversation_id)
    return connection.execute(query.order_by(_TURNS.c.asked_at, _TURNS.c.number)).all() if conversation_id else []


def _load_evidence_sources(connection: sa.Connection, turn_ids: Sequence[str]) -> Iterator[tuple[str, Sources]]:
    """Yield each turn's id with the sources of its evidences. Those of erased text are left out."""
    evidences = _EVIDENCES.c
    via = evidences.snapshot["via"].as_string()
    query = sa.select(evidences.turn_id, evidences.page_id, evidences.thread, evidences.origin, via.label("via"))
    query = query.where(evidences.snapshot["text"].as_string() != "").distinct()
    for at in range(0, len(turn_ids), 500):
        found: dict[str, set[tuple[str, str]]] = {}
        for row in connection.execute(query.where(evidences.turn_id.in_(turn_ids[at : at + 500]))):
            others = {row.origin, *(row.via or "").split("\n")} - {"", row.page_id}
            found.setdefault(row.turn_id, set()).update({(row.page_id, row.thread), *((each, "") for each in others)})
        yield from ((turn_id, frozenset(sources)) for turn_id, sources in found.items())


def downgrade() -> None:
    op.drop_table("turn_question_sources")
