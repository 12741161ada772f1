from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from adapters.store.database import Database
from adapters.store.sqlite import make_sqlite_url
from tests.adapters.store.opened import stores_of
from tests.contracts.stores import Stores


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = Database.open(make_sqlite_url(tmp_path / "wikiwhy.db"))
    yield opened
    opened.close()


@pytest.fixture
def stores(database: Database) -> Stores:
    return stores_of(database)
