"""How many tokens language models used, a day (see :class:`core.ports.TokenStore`)."""

from __future__ import annotations

from sqlalchemy import Connection, insert, select, update

from adapters.store import schema
from adapters.store.database import Database

TABLE = schema.tokens_used


class SqlTokenStore:
    """Tokens in the SQL database, one row a day."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, day: str, tokens: int) -> None:
        """Adds to a day's tokens."""
        more = update(TABLE).where(TABLE.c.day == day).values(tokens=TABLE.c.tokens + tokens)

        def work(connection: Connection) -> None:
            if not connection.execute(more).rowcount:
                connection.execute(insert(TABLE).values(day=day, tokens=tokens))

        await self._database.run_write(work)

    async def of(self, day: str) -> int:
        """A day's tokens, 0 where none were used."""
        query = select(TABLE.c.tokens).where(TABLE.c.day == day)
        return await self._database.run_read(lambda connection: connection.scalar(query)) or 0
