"""What tests do at the first new database only, which a thousand tests would pay again and again.

Migrating a new SQLite database takes 50 ms of processor time, and making the files of chromadb or DBOS 10 ms: new ones
are copies of the first. What migrations do is tested in ``tests/migrations`` and
``tests/adapters/store/test_database.py``. All engines share the SQL that SQLAlchemy has compiled.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

from dbos._sys_db_sqlite import SQLiteSystemDatabase
from sqlalchemy import Engine
from sqlalchemy.util import LRUCache

from adapters.index import dense
from adapters.private_files import make_private_file, make_private_folder
from adapters.store import sqlite
from adapters.store.database import Database
from bot.storage import workflow_database

_CATALOGUE = "chroma.sqlite3"


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
        mock.patch.object(sqlite, "make_private_file", partial(_copy, _make_database)),
        mock.patch.object(workflow_database, "make_private_file", partial(_copy, _make_workflow_database)),
        mock.patch.object(dense, "_check_folder", _copy_index),
        mock.patch.object(dense, "_make_settings", _copy_settings),
        mock.patch.object(Engine, "_compiled_cache", property(lambda _: compiled, lambda *_: None), create=True),
    ):
        yield


@contextmanager
def really_migrated() -> Iterator[None]:
    with mock.patch.object(sqlite, "make_private_file", make_private_file):
        yield


@contextmanager
def really_made_index() -> Iterator[None]:
    with mock.patch.object(dense, "_check_folder", _check_folder):
        yield


def _copy(make: Callable[[], bytes], path: Path) -> None:
    is_new = not path.exists()
    make_private_file(path)
    if is_new:
        path.write_bytes(make())


@cache
def _make_database() -> bytes:
    def make(folder: Path) -> Path:
        path = folder / "wikiwhy.db"
        Database.open(sqlite.make_sqlite_url(path)).close()
        return path

    with really_migrated():
        return _read_new_file(make)


@cache
def _make_workflow_database() -> bytes:
    def make(folder: Path) -> Path:
        path = folder / "workflows.db"
        engine = workflow_database.open_workflow_database(sqlite.make_sqlite_url(path))
        SQLiteSystemDatabase.run_migrations(SimpleNamespace(engine=engine))  # type: ignore[arg-type]
        engine.dispose()
        return path

    with mock.patch.object(workflow_database, "make_private_file", make_private_file):
        return _read_new_file(make)


_check_folder, _make_settings = dense._check_folder, cache(dense._make_settings)


def _copy_index(folder: Path) -> None:
    if folder.exists() and any(folder.iterdir()):
        _check_folder(folder)
    else:
        make_private_folder(folder)
        (folder / _CATALOGUE).write_bytes(_make_index())


@cache
def _make_index() -> bytes:
    def make(folder: Path) -> Path:
        dense.ChromaDenseIndex.open(folder, "none")
        return folder / _CATALOGUE

    with really_made_index():
        return _read_new_file(make)


def _copy_settings() -> Any:
    return _make_settings().model_copy()  # chromadb writes the folder into it


def _read_new_file(make: Callable[[Path], Path]) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        return make(Path(folder)).read_bytes()
