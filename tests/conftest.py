"""What every test may share."""

from __future__ import annotations

import pytest

from adapters.embedding.e5 import E5Embedder


@pytest.fixture(scope="session")
def embedder() -> E5Embedder:
    """The real default embedder; loads at first use, once a session."""
    return E5Embedder()
