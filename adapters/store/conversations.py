"""Conversations (see :class:`core.ports.ConversationStore`)."""

from __future__ import annotations

from sqlalchemy import Connection, insert, select, update

from adapters.store import schema
from adapters.store.database import Database
from core.model import Conversation


class SqlConversationStore:
    """Conversations in the SQL database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def start(self, conversation: Conversation) -> None:
        """Starts a conversation; one that has been started stays as it is."""
        table = schema.conversations
        there = select(table.c.hidden).where(table.c.conversation_id == conversation.conversation_id)

        def work(connection: Connection) -> None:
            if connection.scalar(there) is None:
                connection.execute(
                    insert(table).values(
                        conversation_id=conversation.conversation_id,
                        started_at=conversation.started_at,
                        hidden=conversation.hidden,
                    )
                )

        await self._database.run_write(work)

    async def conversations(self, include_hidden: bool = False) -> list[Conversation]:
        """All conversations, oldest first."""
        table = schema.conversations
        query = select(table).order_by(table.c.started_at, table.c.conversation_id)
        if not include_hidden:
            query = query.where(table.c.hidden.is_(False))
        return await self._database.run_read(
            lambda connection: [Conversation(**row) for row in connection.execute(query).mappings()]
        )

    async def hide(self, conversation_id: str) -> bool:
        """Whether there was such a conversation to hide."""
        return await self._mark(conversation_id, hidden=True)

    async def restore(self, conversation_id: str) -> bool:
        """Whether there was such a hidden conversation to restore."""
        return await self._mark(conversation_id, hidden=False)

    async def _mark(self, conversation_id: str, hidden: bool) -> bool:
        table = schema.conversations
        change = (
            update(table)
            .where(table.c.conversation_id == conversation_id, table.c.hidden.is_(not hidden))
            .values(hidden=hidden)
        )
        return await self._database.run_write(lambda connection: connection.execute(change).rowcount > 0)
