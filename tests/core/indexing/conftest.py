"""What the tests of indexing share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.core.indexing.parts import Stores, open_stores


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Stores]:
    """Stores of their own for a wiki."""
    with open_stores(tmp_path / "house") as opened:
        yield opened
