"""How conversations and people of Teams are reached (see :class:`core.ports.ReferenceStore`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict

from sqlalchemy import Connection, RowMapping, Table, and_, insert, select, update

from adapters.store import schema
from adapters.store.database import Database
from adapters.store.rows import now
from core.ports import Reference, TeamsUser

Values = Mapping[str, str]


class SqlReferenceStore:
    """References in the SQL database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def keep(self, reference: Reference) -> None:
        """Keeps it in place of the one before."""
        key = {"team": reference.team, "conversation": reference.conversation}
        await self._put(schema.chat_references, key, asdict(reference))

    async def of(self, team: str, conversation: str) -> Reference | None:
        row = await self._row(schema.chat_references, {"team": team, "conversation": conversation})
        return Reference(row["team"], row["conversation"], row["service_url"], row["bot"]) if row else None

    async def save_user(self, person: TeamsUser) -> None:
        """Keeps it in place of the one before, whose ``direct`` stays where the new one has none."""
        values = {name: value for name, value in asdict(person).items() if name != "direct" or value}
        await self._put(schema.acquaintances, {"team": person.team, "user": person.user}, values, {"direct": ""})

    async def person(self, team: str, user: str) -> TeamsUser | None:
        row = await self._row(schema.acquaintances, {"team": team, "user": user})
        return TeamsUser(row["team"], row["user"], row["account"], row["direct"]) if row else None

    async def move(self, team: str, conversation: str, message_id: str, to: str) -> None:
        """Notes that another message stands for one that cannot be updated any more; the first such note stays."""
        key = {"team": team, "conversation": conversation, "message_id": message_id}
        await self._put(schema.moved_messages, key, {}, {"moved_to": to})

    async def resolve_message(self, team: str, conversation: str, message_id: str) -> str:
        """The message that stands for this one, itself if none does."""
        key = {"team": team, "conversation": conversation, "message_id": message_id}
        row = await self._row(schema.moved_messages, key)
        return str(row["moved_to"]) if row else message_id

    async def _row(self, table: Table, key: Values) -> RowMapping | None:
        query = select(table).where(and_(*(table.c[name] == value for name, value in key.items())))
        return await self._database.run_read(lambda connection: connection.execute(query).mappings().first())

    async def _put(self, table: Table, key: Values, values: Values, at_first: Values | None = None) -> None:
        """Sets the values of the row with this key; ``at_first``: those that only a new one gets."""
        where = and_(*(table.c[name] == value for name, value in key.items()))

        def work(connection: Connection) -> None:
            if connection.execute(select(table.c.kept_at).where(where)).first() is None:
                row = {**(at_first or {}), **key, **values, "kept_at": now()}
                connection.execute(insert(table).values(row))
            elif values:
                connection.execute(update(table).where(where).values({**values, "kept_at": now()}))

        await self._database.run_write(work)
