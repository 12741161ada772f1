"""The audit log, and what the settings were at the last start (see :mod:`core.ports.audit`)."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import Connection, delete, insert, select, update

from adapters.store import schema
from adapters.store.database import Database
from core.ports import Action, AuditEntry, Outcome
from core.text import encodable

TABLE = schema.audit
SEEN = schema.settings_seen


class SqlAuditStore:
    """Audit entries in the SQL database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def begin(self, at: str, actor: str, action: Action, what: str) -> int:
        """Adds an entry before its action begins; returns its number."""
        row = {
            "at": at,
            "actor": encodable(actor),
            "action": action,
            "object": encodable(what),
            "outcome": "begun",
            "ended_at": "",
        }

        new = insert(TABLE).values(row).returning(TABLE.c.number)
        return int(await self._database.run_write(lambda connection: connection.execute(new).scalar_one()))

    async def end(self, number: int, outcome: Outcome, at: str) -> None:
        """Notes how the action ended."""
        change = update(TABLE).where(TABLE.c.number == number).values(outcome=outcome, ended_at=at)
        await self._database.run_write(lambda connection: connection.execute(change))

    async def entries(self, since: str = "") -> list[AuditEntry]:
        """Those from a moment on, oldest first; all if it is ""."""
        query = select(TABLE).where(TABLE.c.at >= since).order_by(TABLE.c.number)
        return await self._database.run_read(
            lambda connection: [AuditEntry(**row) for row in connection.execute(query).mappings()]
        )

    async def remove_before(self, moment: str) -> int:
        """Removes those before a moment; returns how many."""
        old = delete(TABLE).where(TABLE.c.at < moment)
        return int(await self._database.run_write(lambda connection: connection.execute(old).rowcount))


class SqlSettingsSeen:
    """Fingerprints of settings in the SQL database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def fingerprints(self) -> dict[str, str]:
        """By the setting's name."""
        query = select(SEEN)
        return await self._database.run_read(
            lambda connection: {row.name: row.fingerprint for row in connection.execute(query)}
        )

    async def keep(self, fingerprints: Mapping[str, str]) -> None:
        """Takes the place of all that were kept before."""
        rows = [{"name": name, "fingerprint": fingerprint} for name, fingerprint in fingerprints.items()]

        def work(connection: Connection) -> None:
            connection.execute(delete(SEEN))
            if rows:
                connection.execute(insert(SEEN), rows)

        await self._database.run_write(work)
