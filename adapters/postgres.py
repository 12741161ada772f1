"""Connecting to PostgreSQL, for the store, the indexes and the workflows, and the error when that fails."""

from __future__ import annotations

import select
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

from sqlalchemy import URL, Connection, Engine, bindparam, create_engine, event, make_url, text
from sqlalchemy.exc import ArgumentError, InvalidatePoolError
from sqlalchemy.pool import ConnectionPoolEntry

from core.errors import DatabaseUnavailable

_CONNECT_SECONDS = 10
_UNANSWERED_SECONDS = 15  # a connection is broken if sent data stays unacknowledged for so long
_NAMES = ("postgresql", "postgres", "postgresql+psycopg")
"""Schemes of PostgreSQL URLs. SQLAlchemy itself chooses another driver for the first, and rejects the second."""

_TESTED_SECONDS = 1.0
"""A connection that was unused for longer is tested before it is used: the network may have lost it."""

_IDLE_SECONDS = 10
"""A transaction that waits for its process for so long is ended, because a paused process must not keep its locks."""

_END_WAITING = text(
    "SELECT pg_terminate_backend(pid, 1000) FROM pg_stat_activity "
    "WHERE application_name IN :names AND usename = current_user AND xact_start IS NOT NULL "
    "AND wait_event_type = 'Client' AND state_change < clock_timestamp() - make_interval(secs => :seconds)"
).bindparams(bindparam("names", expanding=True))


@dataclass(frozen=True, slots=True)
class Guard:
    """Lets a bot write only while it is listed as one.

    ``bot``: its id. ``check``: called at the beginning of each writing transaction; raises if the bot may not write.
    """

    bot: str
    check: Callable[[Connection], None]


NO_SUCH_RIGHT = "42501"
"""PostgreSQL's error code for insufficient_privilege."""


def parse_postgres_url(url: str) -> URL | None:
    """Return the URL with the installed driver, None if it is not a URL of PostgreSQL."""
    try:
        parsed = make_url(url)
    except ArgumentError:
        return None
    if parsed.drivername not in _NAMES:
        return None
    patience = {"connect_timeout": str(_CONNECT_SECONDS), "tcp_user_timeout": str(_UNANSWERED_SECONDS * 1000)}
    return parsed.set(drivername="postgresql+psycopg").update_query_dict(patience)


def open_engine(url: URL, isolation_level: str) -> Engine:
    """Return an engine. It connects on demand. Errors do not contain values, which may be people's messages."""
    engine = create_engine(url, hide_parameters=True, isolation_level=isolation_level, pool_size=16, max_overflow=16)
    _test_unused_connections(engine)
    return engine


def _test_unused_connections(engine: Engine) -> None:
    """Test a connection before its use if the server may have closed it, and then replace all connections.

    SQLAlchemy's own test (``pool_pre_ping``) takes a round trip at every use. Here that is taken only after a while
    without use, or if the server has sent something meanwhile, such as the reason why it closes the connection.
    https://docs.sqlalchemy.org/en/20/core/pooling.html#custom-legacy-pessimistic-ping
    """

    def note_use(connection: object, record: ConnectionPoolEntry) -> None:
        record.info["used_at"] = time.monotonic()

    def test_unused(connection: Any, record: ConnectionPoolEntry, proxy: object) -> None:
        used_at = record.info.get("used_at")
        if used_at is None or (time.monotonic() - used_at < _TESTED_SECONDS and not _has_received(connection.fileno())):
            return
        try:
            engine.dialect.do_ping(connection)
        except engine.dialect.loaded_dbapi.Error as error:
            raise InvalidatePoolError from error

    event.listen(engine, "checkin", note_use)
    event.listen(engine, "checkout", test_unused)


def _has_received(socket: int) -> bool:
    """Whether data of the server, or the end of the connection, waits to be read."""
    poll = select.poll()
    poll.register(socket, select.POLLIN)
    return bool(poll.poll(0))


def open_sessions_as(bot: str, engine: Engine, reads_only: bool = False) -> None:
    """Open all further sessions in the name of a bot, whose idle transactions the server ends.

    ``reads_only``: the server refuses their writes.
    """

    def configure(connection: Any, record: object) -> None:
        with connection.cursor() as cursor:
            if reads_only:
                cursor.execute("SET default_transaction_read_only = on")
            cursor.execute(f"SET idle_in_transaction_session_timeout = '{_IDLE_SECONDS}s'")
            cursor.execute("SELECT set_config('application_name', %s, false)", [_make_session_name(bot)])
        connection.commit()

    event.listen(engine, "connect", configure)
    engine.dispose()


def end_waiting_sessions(bots: Collection[str], connection: Connection) -> None:
    """End the sessions of bots that are in a transaction and wait for their bot.

    The server ends idle transactions itself, but a session is not idle between the statements of a pipeline
    (https://www.postgresql.org/docs/current/libpq-pipeline-mode.html), nor while its bot does not read the result.
    """
    names = list(map(_make_session_name, bots))
    connection.execute(_END_WAITING, {"names": names, "seconds": _IDLE_SECONDS})


def _make_session_name(bot: str) -> str:
    return f"wikiwhy {bot}"[:63]  # PostgreSQL cuts longer names


def format_place(url: URL) -> str:
    """Return the URL for messages, without password and options."""
    return url.set(query={key: value for key, value in url.query.items() if key == "host"}).render_as_string()


def make_unavailable_error(url: URL, cause: str) -> DatabaseUnavailable:
    """Return an error with the server's URL, the message of the server or driver, and advice."""
    said = " ".join(cause.split())
    return DatabaseUnavailable(
        f"The database {format_place(url)} cannot be used: {said.rstrip('.')}. Check that the server runs and has "
        "room, and that WIKIWHY_DATABASE_URL has the right host, port, user, password and database."
    )
