"""The audit log, and what the settings were at the last start (see :mod:`core.ports.administration`)."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import Connection, delete, insert, select, update

from adapters.store.database import Database
from adapters.store.schema import audit, settings_seen
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

    async def entries(self, since: str = "") -> list[AuditEntry]:
        return await self._database.load(AuditEntry, select(audit).where(audit.c.at >= since).order_by(audit.c.number))

    async def remove_before(self, moment: str) -> int:
        return await self._database.execute(delete(audit).where(audit.c.at < moment))


class SqlSettingsSeen:
    """What the settings were at the last start, each as a fingerprint that does not tell its value."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def fingerprints(self) -> dict[str, str]:
        """By the setting's name."""
        query = select(settings_seen)
        return await self._database.run_read(
            lambda connection: {row.name: row.fingerprint for row in connection.execute(query)}
        )

    async def keep(self, fingerprints: Mapping[str, str]) -> None:
        """Takes the place of all that were kept before."""
        rows = [{"name": name, "fingerprint": fingerprint} for name, fingerprint in fingerprints.items()]

        def work(connection: Connection) -> None:
            connection.execute(delete(settings_seen))
            if rows:
                connection.execute(insert(settings_seen), rows)

        await self._database.run_write(work)
