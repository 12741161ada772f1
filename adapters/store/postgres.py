"""The store in PostgreSQL. Of deleted rows its own VACUUM takes care."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

from sqlalchemy import URL, Connection, text
from sqlalchemy.exc import DatabaseError

from adapters.postgres import Guard, end_idle_transactions, make_unavailable_error, open_engine, place_of
from core.errors import DatabaseUnavailable

_MIGRATION_LOCK = 0x57696B69576879
"""Names the lock that keeps two processes from migrating one database at once."""


_OWNER_LOCK = 0x57696B694F776E65
"""Names the lock of the process that uses a database."""

_MOST_LOCK_SECONDS = 20

_OWNER_SETTINGS = ("tcp_keepalives_idle = 30", "tcp_keepalives_interval = 10", "tcp_keepalives_count = 3")
"""The server notices within a minute that the owner's machine is gone, and not after hours."""


class PostgresDatabase:
    """The database of a store on a server. Every transaction sees one state; writers overtake each other."""

    def __init__(self, url: URL) -> None:
        self.place = place_of(url)
        self.turn: AbstractContextManager[object] = nullcontext()
        self.engine = open_engine(url, "REPEATABLE READ")
        self._owning: Connection | None = None
        self._shares = False
        self._guard: Guard | None = None

    def make_error(self, cause: str) -> DatabaseUnavailable:
        """What to raise where the server cannot be used."""
        return make_unavailable_error(self.engine.url, cause)

    def own(self) -> bool:
        """Makes this process the only one that uses the database until :meth:`close`; whether no other one is."""
        if not self._use("pg_try_advisory_lock", shares=False):
            return False
        self._remove_absent_bots()
        return True

    def share(self) -> bool:
        """Makes this process one of the bots that use the database; whether no process excludes them."""
        return self._use("pg_try_advisory_lock_shared", shares=True)

    def stop_excluding(self) -> None:
        """Lets other bots use the database that this process owns, and nothing else."""
        if self._owning:
            self._owning.scalar(text("SELECT pg_advisory_lock_shared(:lock)"), {"lock": _OWNER_LOCK})
            self._owning.scalar(text("SELECT pg_advisory_unlock(:lock)"), {"lock": _OWNER_LOCK})
            self._shares = True

    def _use(self, function: str, *, shares: bool) -> bool:
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
        """A bot whose connection broke is still listed, and could write beside this process when it is back."""
        if self._owning and self._owning.scalar(text("SELECT to_regclass('bots') IS NOT NULL")):
            self._owning.execute(text("DELETE FROM bots"))

    def keep_owning(self) -> bool:
        """Whether this process may still use it. After a break of the connection, as by a restart, it is owned again,
        or shared.
        """
        try:
            if self._owning and self._owning.scalar(text("SELECT true")):
                return True
        except DatabaseError:
            self._disown()
        return self.share() if self._shares else self.own()

    def guard_writes(self, guard: Guard) -> None:
        """See :meth:`adapters.store.database.Database.guard_writes`."""
        end_idle_transactions(self.engine)
        self._guard = guard

    def check_guard(self, connection: Connection) -> None:
        """Raises what the guard raises."""
        if self._guard:
            self._guard(connection)

    def close(self) -> None:
        """Ends all connections."""
        self._disown()
        self.engine.dispose()

    def _disown(self) -> None:
        if self._owning:
            self._owning.invalidate()  # not back into the pool: the lock is the connection's
            self._owning.close()
            self._owning = None

    def lock_migrations(self, connection: Connection) -> None:
        """Waits until no other process migrates, before the connection's transaction sees any state."""
        connection.execute(text("SET TRANSACTION ISOLATION LEVEL READ COMMITTED"))
        connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _MIGRATION_LOCK})
        # Whoever waits for a table that a sync is writing keeps all others waiting too.
        connection.execute(text(f"SET LOCAL lock_timeout = '{_MOST_LOCK_SECONDS}s'"))

    def find_defect(self) -> str:
        """Nothing: the server looks after its files."""
        return ""

    def scrub(self) -> None:
        """Nothing."""

    def empty_log(self) -> bool:
        """Nothing is to be done."""
        return True

    def compact(self) -> bool:
        """Nothing is to be done."""
        return False

    def needs_compaction(self) -> bool:
        """Never."""
        return False
