"""The audit log, the settings of the last start, and the retention (see :mod:`core.ports.administration`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Column, ColumnElement, Connection, and_, delete, insert, select, update

from adapters.store.chats.turn_erasure import erase_histories, remove_empty_conversations, remove_turns
from adapters.store.database import Database
from adapters.store.schema import (
    audit,
    conversations,
    feedback,
    posts,
    settings_seen,
    thread_messages,
    threads_read,
    turns,
)
from core.ports.administration import Action, AuditEntry, Outcome
from core.text import remove_unencodable


class SqlAuditStore:
    """See :class:`core.ports.administration.AuditStore`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def begin(self, at: str, actor: str, action: Action, what: str) -> int:
        new = insert(audit).values(
            at=at,
            actor=remove_unencodable(actor),
            action=action,
            object=remove_unencodable(what),
            outcome="begun",
            ended_at="",
        )
        numbered = new.returning(audit.c.number)
        return int(await self._database.run_write(lambda connection: connection.execute(numbered).scalar_one()))

    async def end(self, number: int, outcome: Outcome, at: str) -> None:
        await self._database.execute(update(audit).where(audit.c.number == number).values(outcome=outcome, ended_at=at))

    async def load_entries(self, since: str = "") -> list[AuditEntry]:
        return await self._database.load(AuditEntry, select(audit).where(audit.c.at >= since).order_by(audit.c.number))

    async def remove_before(self, moment: str) -> int:
        return await self._database.execute(delete(audit).where(audit.c.at < moment))


class SqlSettingsSeen:
    """The settings of the last start, each as a fingerprint that does not reveal its value."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def load_fingerprints(self) -> dict[str, str]:
        """Return setting name to fingerprint."""
        query = select(settings_seen)
        return await self._database.run_read(
            lambda connection: {row.name: row.fingerprint for row in connection.execute(query)}
        )

    async def save(self, fingerprints: Mapping[str, str]) -> None:
        """Replace all stored fingerprints."""
        rows = [{"name": name, "fingerprint": fingerprint} for name, fingerprint in fingerprints.items()]

        def work(connection: Connection) -> None:
            connection.execute(delete(settings_seen))
            if rows:
                connection.execute(insert(settings_seen), rows)

        await self._database.run_write(work)


MOST = 200
"""Most rows of one kind that one step removes, so that its transaction stays short."""


class SqlRetention:
    """Removal of data that is older than the retention.

    All moments are ISO 8601, UTC. ``posts_before`` applies to ``posts``, and ``before`` to everything else.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    async def has_some(self, before: str, posts_before: str) -> bool:
        return await self._database.run_read(lambda connection: _has_expired(connection, before, posts_before))

    async def has_recorded(self, after: str, before: str) -> bool:
        """Whether a question was asked, or an audited action began, between these times."""
        times = (turns.c.asked_at, audit.c.at)
        queries = [select(time).where(time >= after, time < before).limit(1) for time in times]
        return await self._database.run_read(
            lambda connection: any(connection.execute(query).first() for query in queries)
        )

    async def remove_some(self, before: str, posts_before: str) -> int:
        """Remove some of the older rows in one short transaction. Returns their number, 0 when none are left."""
        removed = await self._database.run_write(lambda connection: _remove_some(connection, before, posts_before))
        if not removed:
            await self._database.scrub()
        return removed


def _has_expired(connection: Connection, before: str, posts_before: str) -> bool:
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
    # The traces of later turns of these conversations contain the removed turns and messages.
    erase_histories(connection, changed)
    remove_empty_conversations(connection, changed)
    removed += len(messages)
    removed += _delete_some(connection, feedback.c.number, feedback.c.at < before)
    removed += _delete_some(connection, posts.c.number, posts.c.kept_at < posts_before)
    return removed + _remove_conversations(connection, before)


def _remove_conversations(connection: Connection, before: str) -> int:
    """Remove older conversations without turns, and older notes that a thread was read where it has no messages."""
    with_turns, with_messages = select(turns.c.conversation_id), select(thread_messages.c.conversation_id)
    started, read = conversations.c.conversation_id, threads_read.c.conversation_id
    empty = (conversations.c.started_at < before) & started.not_in(with_turns)
    over = and_(threads_read.c.read_at < before, read.not_in(with_turns), read.not_in(with_messages))
    return _delete_some(connection, started, empty) + _delete_some(connection, read, over)


def _delete_some(connection: Connection, key: Column[Any], condition: ColumnElement[bool]) -> int:
    """Delete at most MOST of the rows that match a condition, by their unique column ``key``. Returns the number."""
    chunk = list(connection.scalars(select(key).where(condition).limit(MOST)))
    return int(connection.execute(delete(key.table).where(key.in_(chunk))).rowcount)
