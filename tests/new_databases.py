"""What tests do at the first new database only, which a thousand tests would pay again and again.

New SQLite databases get the tables of the first one, because migrating takes 50 ms of processor time; what migrations
do is tested in ``tests/migrations`` and ``tests/adapters/store/test_database.py``. All engines share the SQL that
SQLAlchemy has compiled.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any
from unittest import mock

from sqlalchemy import Connection, Engine, create_engine
from sqlalchemy.util import LRUCache

from adapters.store import migrate

_upgrade = migrate.upgrade


class _Compiled(LRUCache[Any, Any]):
    """Compiled statements by the name of the dialect, since each engine has a dialect object of its own."""

    def get(self, key: Any, default: Any = None) -> Any:
        return super().get((key[0].name, key[0].driver, *key[1:]), default)

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__((key[0].name, key[0].driver, *key[1:]), value)


@contextmanager
def made_from_a_template() -> Iterator[None]:
    compiled = _Compiled(5000)
    with (
        mock.patch.object(migrate, "upgrade", _made),
        mock.patch.object(Engine, "_compiled_cache", property(lambda _: compiled, lambda *_: None), create=True),
    ):
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
