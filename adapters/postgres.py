"""Connecting to PostgreSQL, for the store, the indexes and the workflows, and the error when that fails."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError

from core.errors import DatabaseUnavailable

_CONNECT_SECONDS = 10
_UNANSWERED_SECONDS = 15  # a connection is broken if sent data stays unacknowledged for so long
_NAMES = ("postgresql", "postgres", "postgresql+psycopg")
"""Schemes of PostgreSQL URLs. SQLAlchemy itself chooses another driver for the first, and rejects the second."""

_IDLE_SECONDS = 10
"""The server ends a transaction that is idle for so long, because a paused process must not keep its locks."""

Guard = Callable[[Connection], None]
"""Called at the beginning of each writing transaction. Raises an error if this process may no longer write."""

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
    return create_engine(
        url, pool_pre_ping=True, hide_parameters=True, isolation_level=isolation_level, pool_size=16, max_overflow=16
    )


def end_idle_transactions(engine: Engine) -> None:
    """Let the server end idle transactions on all connections that are opened from now on."""

    def configure(connection: Any, record: object) -> None:
        with connection.cursor() as cursor:
            cursor.execute(f"SET idle_in_transaction_session_timeout = '{_IDLE_SECONDS}s'")
        connection.commit()

    event.listen(engine, "connect", configure)
    engine.dispose()


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
