"""Removing what is older than the retention, a bounded step at a time."""

from __future__ import annotations

from sqlalchemy import Connection, Table, delete, select

from adapters.store import schema
from adapters.store.database import Database
from adapters.store.turn_removal import erase_histories, remove_empty_conversations, remove_turns

MOST = 200
"""Rows of a kind that one step removes: what a step holds the database for stays short."""


class SqlRetention:
    """Old turns in the SQL database, and what people said around them (see :class:`core.ports.RetentionStore`)."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def has_some(self, before: str, posts_before: str) -> bool:
        """Whether anything is older than two moments, as :meth:`remove_some` takes them."""
        return await self._database.run_read(lambda connection: _has_some(connection, before, posts_before))

    async def remove_some(self, before: str, posts_before: str) -> int:
        """Removes some of what is older than two moments (ISO 8601, UTC); returns how many rows, 0 once all are gone.

        ``posts_before``: of our messages, whose keys keep work from being done twice while a platform repeats events.
        """
        removed = await self._database.run_write(lambda connection: _remove_some(connection, before, posts_before))
        if not removed:
            await self._database.scrub()
        return removed


def _has_some(connection: Connection, before: str, posts_before: str) -> bool:
    turns, said, judged, posts = schema.turns, schema.thread_messages, schema.feedback, schema.posts
    old = (
        turns.c.asked_at < before,
        said.c.kept_at < before,
        judged.c.at < before,
        posts.c.kept_at < posts_before,
    )
    return any(connection.execute(select(condition).where(condition).limit(1)).first() for condition in old)


def _remove_some(connection: Connection, before: str, posts_before: str) -> int:
    turns, said, judged, posts = schema.turns, schema.thread_messages, schema.feedback, schema.posts
    old = connection.execute(
        select(turns.c.turn_id, turns.c.conversation_id)
        .where(turns.c.asked_at < before)
        .order_by(turns.c.asked_at)
        .limit(MOST)
    ).all()
    turn_ids = [row.turn_id for row in old]
    conversations = {row.conversation_id for row in old}
    connection.execute(delete(judged).where(judged.c.turn_id.in_(turn_ids)))
    removed = remove_turns(connection, turn_ids)
    messages = connection.execute(
        select(said.c.conversation_id, said.c.message_id).where(said.c.kept_at < before).limit(MOST)
    ).all()
    for row in messages:
        this = (said.c.conversation_id == row.conversation_id) & (said.c.message_id == row.message_id)
        connection.execute(delete(said).where(this))
        conversations.add(row.conversation_id)
    # Later answers of these conversations hold in their traces what was said before them.
    erase_histories(connection, conversations)
    remove_empty_conversations(connection, conversations)
    removed += len(messages)
    for table, moment, at in ((judged, before, "at"), (posts, posts_before, "kept_at")):
        removed += _remove_rows(connection, table, at, moment)
    return removed + _remove_conversations(connection, before)


def _remove_rows(connection: Connection, table: Table, column: str, before: str) -> int:
    numbers = list(connection.scalars(select(table.c.number).where(table.c[column] < before).limit(MOST)))
    return int(connection.execute(delete(table).where(table.c.number.in_(numbers))).rowcount)


def _remove_conversations(connection: Connection, before: str) -> int:
    """Removes conversations that began before and have nothing left, and the notes that their threads were read."""
    conversations, turns, read, said = (
        schema.conversations,
        schema.turns,
        schema.threads_read,
        schema.thread_messages,
    )
    full = select(turns.c.conversation_id)
    empty = select(conversations.c.conversation_id).where(
        conversations.c.started_at < before, conversations.c.conversation_id.not_in(full)
    )
    ids = list(connection.scalars(empty.limit(MOST)))
    removed = int(connection.execute(delete(conversations).where(conversations.c.conversation_id.in_(ids))).rowcount)
    over = select(read.c.conversation_id).where(
        read.c.read_at < before,
        read.c.conversation_id.not_in(full),
        read.c.conversation_id.not_in(select(said.c.conversation_id)),
    )
    ids = list(connection.scalars(over.limit(MOST)))
    return removed + int(connection.execute(delete(read).where(read.c.conversation_id.in_(ids))).rowcount)
