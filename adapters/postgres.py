"""Connecting to PostgreSQL, for whatever keeps something there, and what to say where that fails."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError

from core.errors import DatabaseUnavailable

_CONNECT_SECONDS = 10
_UNANSWERED_SECONDS = 15  # that what was sent may stay unacknowledged by the network: then the connection is broken
_NAMES = ("postgresql", "postgres", "postgresql+psycopg")
"""How URLs of PostgreSQL begin; SQLAlchemy itself takes the first for another driver, and the second for nothing."""

_IDLE_SECONDS = 10
"""In a transaction, after which the server ends it: a process that is paused must not keep what it has locked."""

Guard = Callable[[Connection], None]
"""Called in each writing transaction before it writes. Raises where this process may not write any more."""

NO_SUCH_RIGHT = "42501"
"""PostgreSQL's code where a user may not do something: insufficient_privilege."""


def parse_postgres_url(url: str) -> URL | None:
    """The URL with the driver that is installed, None if it names no PostgreSQL."""
    try:
        parsed = make_url(url)
    except ArgumentError:
        return None
    if parsed.drivername not in _NAMES:
        return None
    patience = {"connect_timeout": str(_CONNECT_SECONDS), "tcp_user_timeout": str(_UNANSWERED_SECONDS * 1000)}
    return parsed.set(drivername="postgresql+psycopg").update_query_dict(patience)


def open_engine(url: URL, isolation_level: str) -> Engine:
    """Connections to the server; none is made yet. Errors show no values, which may be what people wrote."""
    return create_engine(
        url, pool_pre_ping=True, hide_parameters=True, isolation_level=isolation_level, pool_size=16, max_overflow=16
    )


def end_idle_transactions(engine: Engine) -> None:
    """Lets the server end transactions in which nothing happens any more, on connections that are made from now on."""

    def configure(connection: Any, record: object) -> None:
        with connection.cursor() as cursor:
            cursor.execute(f"SET idle_in_transaction_session_timeout = '{_IDLE_SECONDS}s'")
        connection.commit()

    event.listen(engine, "connect", configure)
    engine.dispose()


def format_place(url: URL) -> str:
    """The URL without password and options, for people."""
    return url.set(query={key: value for key, value in url.query.items() if key == "host"}).render_as_string()


def make_unavailable_error(url: URL, cause: str) -> DatabaseUnavailable:
    """An error that names the server, what it or the driver said, and what to do."""
    said = " ".join(cause.split())
    return DatabaseUnavailable(
        f"The database {format_place(url)} cannot be used: {said.rstrip('.')}. Check that the server runs and has "
        "room, and that WIKIWHY_DATABASE_URL has the right host, port, user, password and database."
    )
