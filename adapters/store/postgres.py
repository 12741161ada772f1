"""The store in PostgreSQL. Deleted rows are left to the server's own VACUUM."""

from __future__ import annotations

from sqlalchemy import URL, Connection, text
from sqlalchemy.exc import DatabaseError

from adapters.postgres import Guard, format_place, make_unavailable_error, open_engine, open_sessions_as
from adapters.store.dialect import Dialect, refuse_second_statements
from core.errors import DatabaseUnavailable

_MIGRATION_LOCK = 0x57696B69576879
"""Advisory lock that keeps two processes from migrating one database at the same time."""

_OWNER_LOCK = 0x57696B694F776E65
"""Advisory lock of the processes that use a database."""

_MOST_LOCK_SECONDS = 20

_OWNER_SETTINGS = ("tcp_keepalives_idle = 30", "tcp_keepalives_interval = 10", "tcp_keepalives_count = 3")
"""With these the server notices within a minute, instead of hours, that the owner's machine is gone."""


class PostgresDatabase(Dialect):
    """A database on a PostgreSQL server. Transactions are REPEATABLE READ, so concurrent writers can conflict."""

    def __init__(self, url: URL) -> None:
        super().__init__(format_place(url), open_engine(url, "REPEATABLE READ"))
        self.single_reads = refuse_second_statements(self.engine.execution_options(isolation_level="AUTOCOMMIT"))
        self._owning: Connection | None = None
        self._shares = False
        self._guard: Guard | None = None

    @classmethod
    def open_reader(cls, url: URL, bot: str) -> PostgresDatabase:
        """Open the database with sessions in the name of a bot that can only read."""
        database = cls(url)
        open_sessions_as(bot, database.engine, reads_only=True)
        return database

    def make_error(self, cause: str) -> DatabaseUnavailable:
        return make_unavailable_error(self.engine.url, cause)

    def own(self) -> bool:
        if not self._lock("pg_try_advisory_lock", shares=False):
            return False
        self._remove_absent_bots()
        return True

    def share(self) -> bool:
        return self._lock("pg_try_advisory_lock_shared", shares=True)

    def admit_bots(self) -> None:
        if self._owning:
            self._owning.scalar(text("SELECT pg_advisory_lock_shared(:lock)"), {"lock": _OWNER_LOCK})
            self._owning.scalar(text("SELECT pg_advisory_unlock(:lock)"), {"lock": _OWNER_LOCK})
            self._shares = True

    def _lock(self, function: str, *, shares: bool) -> bool:
        connection = self.engine.connect().execution_options(isolation_level="AUTOCOMMIT")
        for setting in _OWNER_SETTINGS:
            connection.execute(text(f"SET {setting}"))
        if connection.scalar(text(f"SELECT {function}(:lock)"), {"lock": _OWNER_LOCK}):
            self._owning, self._shares = connection, shares
            return True
        connection.invalidate()
        connection.close()
        return False

    def _remove_absent_bots(self) -> None:
        """Delete all bots: one whose connection broke is still listed, and could write when it is back."""
        if self._owning and self._owning.scalar(text("SELECT to_regclass('bots') IS NOT NULL")):
            self._owning.execute(text("DELETE FROM bots"))

    def keep_owning(self) -> bool:
        try:
            if self._owning and self._owning.scalar(text("SELECT true")):
                return True
        except DatabaseError:
            self._disown()
        return self.share() if self._shares else self.own()

    def guard_writes(self, guard: Guard) -> None:
        open_sessions_as(guard.bot, self.engine)
        self._guard = guard

    def check_guard(self, connection: Connection) -> None:
        if self._guard:
            self._guard.check(connection)

    def close(self) -> None:
        self._disown()
        super().close()

    def _disown(self) -> None:
        if self._owning:
            self._owning.invalidate()  # not back into the pool, because the lock belongs to the connection
            self._owning.close()
            self._owning = None

    def lock_migrations(self, connection: Connection) -> None:
        connection.execute(text("SET TRANSACTION ISOLATION LEVEL READ COMMITTED"))
        connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _MIGRATION_LOCK})
        # All others queue behind a transaction that waits for a table lock, for example for a table that a sync writes.
        connection.execute(text(f"SET LOCAL lock_timeout = '{_MOST_LOCK_SECONDS}s'"))
