"""Removing what is older than the retention, a bounded step at a time."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Column, ColumnElement, Connection, and_, delete, select

from adapters.store.database import Database
from adapters.store.erasure import erase_histories, remove_empty_conversations, remove_turns
from adapters.store.schema import conversations, feedback, posts, thread_messages, threads_read, turns

MOST = 200
"""Rows of a kind that one step removes: what a step holds the database for stays short."""


class SqlRetention:
    """What is older than the retention. Moments are ISO 8601, UTC; ``posts_before`` is that of our messages' keys."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def has_some(self, before: str, posts_before: str) -> bool:
        return await self._database.run_read(lambda connection: _has_some(connection, before, posts_before))

    async def remove_some(self, before: str, posts_before: str) -> int:
        """Removes some of what is older, in one short transaction; returns how many rows, 0 once all are gone."""
        removed = await self._database.run_write(lambda connection: _remove_some(connection, before, posts_before))
        if not removed:
            await self._database.scrub()
        return removed


def _has_some(connection: Connection, before: str, posts_before: str) -> bool:
    old = (
        turns.c.asked_at < before,
        thread_messages.c.kept_at < before,
        feedback.c.at < before,
        posts.c.kept_at < posts_before,
    )
    return any(connection.execute(select(condition).where(condition).limit(1)).first() for condition in old)


def _remove_some(connection: Connection, before: str, posts_before: str) -> int:
    old_turns = connection.execute(
        select(turns.c.turn_id, turns.c.conversation_id)
        .where(turns.c.asked_at < before)
        .order_by(turns.c.asked_at)
        .limit(MOST)
    ).all()
    turn_ids = [row.turn_id for row in old_turns]
    connection.execute(delete(feedback).where(feedback.c.turn_id.in_(turn_ids)))
    removed = remove_turns(connection, turn_ids)
    said = thread_messages.c
    messages = connection.execute(
        select(said.conversation_id, said.message_id).where(said.kept_at < before).limit(MOST)
    ).all()
    for row in messages:
        this = (said.conversation_id == row.conversation_id) & (said.message_id == row.message_id)
        connection.execute(delete(thread_messages).where(this))
    changed = {row.conversation_id for row in (*old_turns, *messages)}
    # Later answers of these conversations hold in their traces what was said before them.
    erase_histories(connection, changed)
    remove_empty_conversations(connection, changed)
    removed += len(messages)
    removed += _delete_some(connection, feedback.c.number, feedback.c.at < before)
    removed += _delete_some(connection, posts.c.number, posts.c.kept_at < posts_before)
    return removed + _remove_conversations(connection, before)


def _remove_conversations(connection: Connection, before: str) -> int:
    """Removes conversations that began before and have nothing left, and the notes that their threads were read."""
    with_turns, with_messages = select(turns.c.conversation_id), select(thread_messages.c.conversation_id)
    started, read = conversations.c.conversation_id, threads_read.c.conversation_id
    empty = (conversations.c.started_at < before) & started.not_in(with_turns)
    over = and_(threads_read.c.read_at < before, read.not_in(with_turns), read.not_in(with_messages))
    return _delete_some(connection, started, empty) + _delete_some(connection, read, over)


def _delete_some(connection: Connection, key: Column[Any], condition: ColumnElement[bool]) -> int:
    """Deletes some of the rows that a condition holds for, by a column that names each; returns how many."""
    some = list(connection.scalars(select(key).where(condition).limit(MOST)))
    return int(connection.execute(delete(key.table).where(key.in_(some))).rowcount)
