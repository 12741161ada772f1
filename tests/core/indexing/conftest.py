"""Fixtures of the tests of indexing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.core.indexing.parts import Stores, open_stores


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Stores]:
    """Stores for one wiki."""
    with open_stores(tmp_path / "data") as opened:
        yield opened
