"""New SQLite databases are migrated once a session; from then on they get the tables that came of it at once.

Migrating an empty database takes 50 ms of processor time, which a thousand tests would pay. What migrations do is
tested in ``tests/migrations`` and ``tests/adapters/store/test_database.py``.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from unittest import mock

from sqlalchemy import Connection, create_engine

from adapters.store import migrate

_upgrade = migrate.upgrade


@contextmanager
def made_from_a_template() -> Iterator[None]:
    with mock.patch.object(migrate, "upgrade", _made):
        yield


@contextmanager
def really_migrated() -> Iterator[None]:
    with mock.patch.object(migrate, "upgrade", _upgrade):
        yield


def _made(connection: Connection) -> None:
    is_sqlite = connection.dialect.name == "sqlite"
    if is_sqlite and not connection.exec_driver_sql("SELECT count(*) FROM sqlite_master").scalar():
        for statement in _statements():
            connection.exec_driver_sql(statement)
    else:
        _upgrade(connection)


@lru_cache
def _statements() -> tuple[str, ...]:
    engine = create_engine("sqlite://")
    with engine.begin() as connection:
        _upgrade(connection)
        driver = connection.connection.driver_connection
        assert isinstance(driver, sqlite3.Connection)
        dumped = tuple(driver.iterdump())
    engine.dispose()
    return tuple(each for each in dumped if each not in {"BEGIN TRANSACTION;", "COMMIT;"})
