from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.core.indexing.parts import Stores, open_stores
from tests.servers.confluence.fixtures import *  # noqa: F403


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Stores]:
    """An empty real store with empty real indexes."""
    with open_stores(tmp_path / "house") as opened:
        yield opened
