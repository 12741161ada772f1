"""The workflow database, in which DBOS stores workflows, and access to it while no server runs."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from enum import Enum
from pathlib import Path
from typing import Any

from dbos import DBOSClient, WorkflowStatus
from sqlalchemy import Engine, ExceptionContext, create_engine, event, inspect, make_url
from sqlalchemy.exc import DBAPIError

from adapters.postgres import open_sessions_as, parse_postgres_url
from adapters.private_files import make_private_file
from adapters.write_ahead_log import empty_log, set_pragmas
from bot.settings import Settings
from bot.storage.data_directory import DataDirectory
from core.chat.requests import Json
from core.errors import DataDirectoryUnusable

_BUSY_MS = 10_000
_MOST_AT_ONCE = 1000  # keys in one statement
_DISK_ERRORS = frozenset({sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN})


class OnFullDisk(Enum):
    """What follows if the disk does not take what DBOS writes into its file.

    ``RAISE``: DataDirectoryUnusable. ``INTERRUPT``: NotStored. ``WAIT``: DBOS writes again until it succeeds. It keeps
    one of the few threads of the server meanwhile.
    """

    RAISE = "raise"
    INTERRUPT = "interrupt"
    WAIT = "wait"


ON_FULL_DISK: ContextVar[OnFullDisk] = ContextVar("on_full_disk", default=OnFullDisk.RAISE)


class NotStored(BaseException):
    """DBOS could not store or read the outcome of a step, since the disk is full or fails.

    Not an Exception: DBOS would store that as the outcome of the step if the disk has space again a moment later.
    """


def make_workflow_database_url(settings: Settings, directory: DataDirectory) -> str:
    """Return the URL of the PostgreSQL database, or else of a file in the data directory."""
    if url := parse_postgres_url(settings.database_url):
        return url.render_as_string(hide_password=False)
    return f"sqlite:///{directory.workflows}"


class OfflineWorkflows:
    """The workflows that a stopped server left (see :class:`bot.wiring.Workflows`). The database may not exist yet."""

    def __init__(self, url: str) -> None:
        self._url = url

    async def load_requests(self) -> dict[str, Json]:
        return await asyncio.to_thread(self._load_requests)

    async def remove(self, keys: Collection[str]) -> None:
        await asyncio.to_thread(self._delete, list(keys))

    async def scrub(self) -> None:
        def work() -> None:
            for engine in self._open():
                scrub(engine)

        await asyncio.to_thread(work)

    def count_unfinished(self) -> int:
        """Return the number of workflows that run or wait to run."""
        for engine in self._open():
            with _open_client(engine) as client:
                return len(client.list_workflows(status=["PENDING", "ENQUEUED"], load_input=False, load_output=False))
        return 0

    def _load_requests(self) -> dict[str, Json]:
        for engine in self._open():
            with _open_client(engine) as client:
                return parse_requests(client.list_workflows(load_output=False))
        return {}

    def _delete(self, keys: list[str]) -> None:
        for engine in self._open():
            with _open_client(engine) as client:
                for key in keys:
                    client.delete_workflow(key)

    def _open(self) -> Iterator[Engine]:
        """Yield an engine if the database has workflows. It is not created if it does not exist."""
        url = make_url(self._url)
        if url.get_backend_name() == "sqlite" and not Path(url.database or "").is_file():
            return
        engine = open_workflow_database(self._url)
        try:
            schema = None if engine.dialect.name == "sqlite" else "dbos"
            if inspect(engine).has_table("workflow_status", schema=schema):
                yield engine
        finally:
            engine.dispose()


@contextmanager
def _open_client(engine: Engine) -> Iterator[DBOSClient]:
    client = DBOSClient(system_database_engine=engine)
    try:
        yield client
    finally:
        client.destroy()


def parse_requests(workflows: Iterable[WorkflowStatus]) -> dict[str, Json]:
    """Return the stored requests of workflows by key, {} for a request that cannot be read any more."""
    found: dict[str, Json] = {}
    for workflow in workflows:
        given = workflow.input["args"] if workflow.input else ()
        found[workflow.workflow_id] = given[0] if given and isinstance(given[0], dict) else {}
    return found


def split_into_batches(keys: Collection[str]) -> Iterator[list[str]]:
    """Yield the keys in lists that fit into one SQL statement."""
    listed = list(keys)
    for at in range(0, len(listed), _MOST_AT_ONCE):
        yield listed[at : at + _MOST_AT_ONCE]


def scrub(engine: Engine) -> None:
    """Remove deleted data from the file of a SQLite database. PostgreSQL does this by itself."""
    if engine.dialect.name != "sqlite":
        return
    connection = engine.raw_connection()  # VACUUM runs in no transaction, and SQLAlchemy always begins one
    try:
        cursor = connection.cursor()
        cursor.execute("VACUUM")
        empty_log(cursor)
    finally:
        connection.close()


def open_workflow_database(url: str, bot: str = "command") -> Engine:
    """Open the workflow database for the bot with this id, or for a command."""
    parsed = make_url(url)
    # hide_parameters: errors would otherwise put the values of statements into the log, including what people wrote.
    if parsed.get_backend_name() != "sqlite":
        engine = create_engine(parsed, hide_parameters=True)
        open_sessions_as(bot, engine)
        event.listen(engine, "handle_error", _note_outage)
        return engine
    if parsed.database and parsed.database != ":memory:":
        make_private_file(Path(parsed.database))
    # One connection, so that callers queue for it. Waiting for SQLite's own lock is polling, and may starve a caller.
    engine = create_engine(parsed, hide_parameters=True, pool_size=1, max_overflow=0)
    event.listen(engine, "connect", _configure)
    return engine


def _note_outage(context: ExceptionContext) -> None:
    """Mark a failed attempt to connect as an outage: DBOS waits for its end, and otherwise gives up the workflow.

    DBOS itself recognises only some of the driver's messages.
    """
    if context.connection is None:
        context.is_disconnect = True


def handle_full_disk(engine: Engine) -> None:
    """Do what :data:`ON_FULL_DISK` says if the disk of a SQLite file is full or fails."""
    if engine.dialect.name == "sqlite":
        event.listen(engine, "handle_error", _note_full_disk)


def ignore_full_disk(engine: Engine) -> None:
    """End the effect of :func:`handle_full_disk`: nothing waits for space any more."""
    if event.contains(engine, "handle_error", _note_full_disk):
        event.remove(engine, "handle_error", _note_full_disk)


def _note_full_disk(context: ExceptionContext) -> None:
    error, wrapped = context.original_exception, context.sqlalchemy_exception
    if not isinstance(error, sqlite3.Error) or getattr(error, "sqlite_errorcode", 0) & 0xFF not in _DISK_ERRORS:
        return
    text = f"The workflow database cannot be used: {error}. Check that the disk is writable and not full."
    reaction = ON_FULL_DISK.get()
    if reaction is OnFullDisk.INTERRUPT:
        raise NotStored(text) from error
    if reaction is OnFullDisk.RAISE or not isinstance(wrapped, DBAPIError):
        raise DataDirectoryUnusable(text) from error
    # DBOS waits for the end of what it takes for a lost connection. The connection itself is kept: on a full disk
    # SQLite might not be able to open the file again.
    wrapped.connection_invalidated = True


def _configure(connection: Any, record: object) -> None:
    # secure_delete: deleted data has to leave the file, since people may have written it.
    set_pragmas(
        connection,
        f"busy_timeout={_BUSY_MS}",
        "journal_mode=WAL",
        "synchronous=FULL",
        "secure_delete=ON",
        "foreign_keys=ON",
        wait_ms=_BUSY_MS,
    )
