"""Connecting to PostgreSQL, for whatever keeps something there, and what to say where that fails."""

from __future__ import annotations

from sqlalchemy import URL, Engine, create_engine, make_url
from sqlalchemy.exc import ArgumentError

from core.errors import DatabaseUnavailable

_CONNECT_SECONDS = 10
_NAMES = ("postgresql", "postgres", "postgresql+psycopg")
"""How URLs of PostgreSQL begin; SQLAlchemy itself takes the first for another driver, and the second for nothing."""

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
    return parsed.set(drivername="postgresql+psycopg").update_query_dict({"connect_timeout": str(_CONNECT_SECONDS)})


def open_engine(url: URL, isolation_level: str) -> Engine:
    """Connections to the server; none is made yet. Errors show no values, which may be what people wrote."""
    return create_engine(
        url, pool_pre_ping=True, hide_parameters=True, isolation_level=isolation_level, pool_size=16, max_overflow=16
    )


def place_of(url: URL) -> str:
    """The URL without password and options, for people."""
    return url.set(query={key: value for key, value in url.query.items() if key == "host"}).render_as_string()


def make_unavailable_error(url: URL, cause: str) -> DatabaseUnavailable:
    """An error that names the server, what it or the driver said, and what to do."""
    said = " ".join(cause.split())
    return DatabaseUnavailable(
        f"The database {place_of(url)} cannot be used: {said.rstrip('.')}. Check that the server runs and has room, "
        "and that WIKIWHY_DATABASE_URL has the right host, port, user, password and database."
    )
