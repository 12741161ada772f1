"""The interface of the databases that a store can be in: a SQLite file, or PostgreSQL."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

from sqlalchemy import Connection, Engine, event

from adapters.postgres import Guard
from core.errors import WikiWhyError


class SecondStatement(Exception):
    """A second statement was to be executed where a connection is for one. It was not."""


def refuse_second_statements(engine: Engine) -> Engine:
    """Return the engine, whose connections raise :class:`SecondStatement` from now on."""

    def begin(connection: Connection) -> None:
        connection.info["has_read"] = False

    def refuse_second(connection: Connection, *statement: object) -> None:
        if connection.info["has_read"]:
            raise SecondStatement
        connection.info["has_read"] = True

    event.listen(engine, "engine_connect", begin)
    event.listen(engine, "before_cursor_execute", refuse_second)
    return engine


class Dialect:
    """An open database of one kind. The defaults are those of a kind that needs no such operation.

    ``place``: where the database is, for messages, without a password. ``write_lock``: held by each writer of this
    process. ``single_reads``: connections for one statement each, without a transaction: one round trip, not three.
    They raise :class:`SecondStatement`. ``reads_at_once``: whether one of few rows takes less than a thread needs.

    The public operations are documented at :class:`adapters.store.database.Database`.
    """

    def __init__(self, place: str, engine: Engine, write_lock: AbstractContextManager[object] | None = None) -> None:
        self.place = place
        self.engine = engine
        self.write_lock = write_lock or nullcontext()
        self.single_reads = engine
        self.reads_at_once = False

    def make_error(self, cause: str) -> WikiWhyError:
        """Return the error to raise where the database cannot be used."""
        raise NotImplementedError

    def own(self) -> bool:
        """Make this process the only user of the database until :meth:`close`. Returns whether it is the only one."""
        raise NotImplementedError

    def share(self) -> bool:
        """Make this process one of several bots that use the database. Returns whether no other process prevents it."""
        raise NotImplementedError

    def keep_owning(self) -> bool:
        """Renew :meth:`own` or :meth:`share` if the connection broke. Returns whether this process may go on."""
        raise NotImplementedError

    def admit_bots(self) -> None:
        """Let other bots, and no other process, use the database that this process owns."""

    def guard_writes(self, guard: Guard) -> None:
        """Call ``guard`` at the beginning of each writing transaction from now on."""

    def check_guard(self, connection: Connection) -> None:
        """Call the guard, which raises if this process may not write."""

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()

    def lock_migrations(self, connection: Connection) -> None:
        """Wait until no other process migrates, before the transaction reads anything."""

    def find_defect(self) -> str:
        """Return what is wrong with the files, "" if nothing is known."""
        return ""

    def scrub(self) -> None:
        """Remove deleted text from the files, unless that takes long."""

    def empty_log(self) -> bool:
        """Remove deleted text from the write-ahead log. Returns False if a reader still needs the log."""
        return True

    def compact(self) -> bool:
        """Rewrite the file if text was deleted from it. Returns whether it was rewritten."""
        return False

    def needs_compaction(self) -> bool:
        """Whether text was deleted since the file was last rewritten."""
        return False
