"""The books of durable work: the database in which DBOS keeps them, also while no server runs."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dbos import DBOSClient, WorkflowStatus
from sqlalchemy import Engine, create_engine, event, inspect, make_url

from adapters.private_files import make_private_file
from adapters.write_ahead_log import empty_log, set_pragmas

if TYPE_CHECKING:
    from bot.wiring import Application

Json = dict[str, Any]

_BUSY_MS = 10_000
_MOST_AT_ONCE = 1000  # keys in one statement


def books_url(application: Application) -> str:
    """Where durable work keeps its books: beside the SQLite file, or in the same PostgreSQL."""
    url = application.settings.database_url
    return url if url.startswith("postgresql") else f"sqlite:///{application.directory.workflows}"


class ClosedBooks:
    """The books of a server that does not run (see :class:`bot.wiring.Workflows`). There may be none yet."""

    def __init__(self, url: str) -> None:
        self._url = url

    async def payloads(self) -> dict[str, Json]:
        """See :meth:`bot.durable.Durable.payloads`."""
        return await asyncio.to_thread(self._payloads)

    async def end(self, keys: Collection[str]) -> None:
        """See :meth:`bot.durable.Durable.end`."""
        await asyncio.to_thread(self._delete, list(keys))

    async def scrub(self) -> None:
        """See :meth:`bot.durable.Durable.scrub`."""

        def work() -> None:
            for engine in self._opened():
                scrub(engine)

        await asyncio.to_thread(work)

    def _payloads(self) -> dict[str, Json]:
        for engine in self._opened():
            with _client(engine) as client:
                return payloads_of(client.list_workflows(load_output=False))
        return {}

    def _delete(self, keys: list[str]) -> None:
        for engine in self._opened():
            with _client(engine) as client:
                for key in keys:
                    client.delete_workflow(key)

    def _opened(self) -> Iterator[Engine]:
        """The database if it has books; nothing is made where there are none."""
        url = make_url(self._url)
        if url.get_backend_name() == "sqlite" and not Path(url.database or "").is_file():
            return
        engine = books_engine(self._url)
        try:
            schema = None if engine.dialect.name == "sqlite" else "dbos"
            if inspect(engine).has_table("workflow_status", schema=schema):
                yield engine
        finally:
            engine.dispose()


@contextmanager
def _client(engine: Engine) -> Iterator[DBOSClient]:
    client = DBOSClient(system_database_engine=engine)
    try:
        yield client
    finally:
        client.destroy()


def payloads_of(workflows: Iterable[WorkflowStatus]) -> dict[str, Json]:
    """What workflows were started with, by key. One whose start cannot be read any more has nothing."""
    found: dict[str, Json] = {}
    for workflow in workflows:
        given = workflow.input["args"] if workflow.input else ()
        found[workflow.workflow_id] = given[0] if given and isinstance(given[0], dict) else {}
    return found


def batches(keys: Collection[str]) -> Iterator[list[str]]:
    """Keys in lists that fit into one statement."""
    listed = list(keys)
    for at in range(0, len(listed), _MOST_AT_ONCE):
        yield listed[at : at + _MOST_AT_ONCE]


def scrub(engine: Engine) -> None:
    """Takes what was deleted out of the files of the books. PostgreSQL does so by itself."""
    if engine.dialect.name != "sqlite":
        return
    connection = engine.raw_connection()  # VACUUM runs in no transaction, and SQLAlchemy always begins one
    try:
        cursor = connection.cursor()
        cursor.execute("VACUUM")
        empty_log(cursor)
    finally:
        connection.close()


def books_engine(url: str) -> Engine:
    """The database of the books."""
    parsed = make_url(url)
    # What SQLAlchemy says of a statement that failed would else hold its values: somebody's words, in a log.
    if parsed.get_backend_name() != "sqlite":
        return create_engine(parsed, hide_parameters=True)
    if parsed.database and parsed.database != ":memory:":
        make_private_file(Path(parsed.database))
    # Who waits for SQLite's lock sleeps and looks again, and may be overtaken for seconds; for a connection one queues.
    engine = create_engine(parsed, hide_parameters=True, pool_size=1, max_overflow=0)
    event.listen(engine, "connect", _configure)
    return engine


def _configure(connection: Any, record: object) -> None:
    # What was deleted has to leave the file: it may be somebody's words.
    set_pragmas(
        connection,
        f"busy_timeout={_BUSY_MS}",
        "journal_mode=WAL",
        "synchronous=FULL",
        "secure_delete=ON",
        "foreign_keys=ON",
        wait_ms=_BUSY_MS,
    )
