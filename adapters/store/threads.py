"""What people said in threads (see :class:`core.ports.ThreadStore`)."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, delete, insert, select

from adapters.store import schema
from adapters.store.database import Database
from adapters.store.rows import chunks, now
from core.ports import ThreadMessage
from core.text import encodable

MESSAGES = schema.thread_messages
READ = schema.threads_read


class SqlThreadStore:
    """Messages of threads in the SQL database. Characters that no database keeps are left out of names and texts."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, conversation_id: str, messages: Sequence[ThreadMessage]) -> None:
        """Adds messages; one that is there is replaced (it was edited). Of the same id the last one counts."""
        at = now()
        rows = {
            message.message_id: {
                "conversation_id": conversation_id,
                "message_id": message.message_id,
                "user": message.user,
                "name": encodable(message.name),
                "text": encodable(message.text),
                "kept_at": at,
            }
            for message in messages
        }

        def work(connection: Connection) -> None:
            for some in chunks(rows):
                before = (MESSAGES.c.conversation_id == conversation_id) & MESSAGES.c.message_id.in_(some)
                connection.execute(delete(MESSAGES).where(before))
                connection.execute(insert(MESSAGES), [rows[message_id] for message_id in some])

        if rows:
            await self._database.run_write(work)

    async def remove(self, conversation_id: str, message_id: str) -> None:
        """Removes a message; nothing happens where it is not there."""
        gone = delete(MESSAGES).where(
            MESSAGES.c.conversation_id == conversation_id, MESSAGES.c.message_id == message_id
        )
        await self._database.run_write(lambda connection: connection.execute(gone))

    async def messages(self, conversation_id: str) -> list[ThreadMessage]:
        """By rising id."""
        columns = [MESSAGES.c[name] for name in ThreadMessage.__dataclass_fields__]
        query = select(*columns).where(MESSAGES.c.conversation_id == conversation_id)
        found = await self._database.run_read(
            lambda connection: [ThreadMessage(**row) for row in connection.execute(query).mappings()]
        )
        # Sorted here: a database sorts by its collation, which may pass over the dots in ids.
        return sorted(found, key=lambda message: message.message_id)

    async def mark_read(self, conversation_id: str) -> None:
        """Notes that the thread was read from the platform, which is done once."""

        def work(connection: Connection) -> None:
            if not _was_read(connection, conversation_id):
                connection.execute(insert(READ).values(conversation_id=conversation_id, read_at=now()))

        await self._database.run_write(work)

    async def was_read(self, conversation_id: str) -> bool:
        """Whether :meth:`mark_read` was called for this thread."""
        return await self._database.run_read(lambda connection: _was_read(connection, conversation_id))


def _was_read(connection: Connection, conversation_id: str) -> bool:
    there = select(READ.c.read_at).where(READ.c.conversation_id == conversation_id)
    return connection.scalar(there) is not None
