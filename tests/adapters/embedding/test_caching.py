"""The embedder that remembers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.embedding.caching import CachingEmbedder
from adapters.embedding.e5 import E5Embedder
from core.ports import Vectors
from tests.contracts.embedder import EmbedderContract


class Counting:
    """Gives each text a vector of its own, and notes what it was asked for."""

    name, dimension = "counting", 2

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        self.asked += texts
        return np.array([[len(text), 1] for text in texts], dtype=np.float32)

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        self.asked += texts
        return np.array([[len(text), 2] for text in texts], dtype=np.float32)


class TestCachingEmbedder(EmbedderContract):
    """It keeps the contract of the one that it asks."""

    @pytest.fixture
    def embedder(self, embedder: E5Embedder) -> CachingEmbedder:
        return CachingEmbedder(embedder)


async def test_a_text_is_embedded_once_as_a_passage_and_once_as_a_query() -> None:
    counting = Counting()
    caching = CachingEmbedder(counting)
    assert (await caching.embed_passages(["one", "three", "one"])).tolist() == [[3, 2], [5, 2], [3, 2]]
    assert (await caching.embed_passages(["three"])).tolist() == [[5, 2]]
    assert (await caching.embed_queries(["three"])).tolist() == [[5, 1]]
    assert counting.asked == ["one", "three", "three"]


@given(st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=6), max_size=12))
async def test_it_gives_what_was_asked_for_and_keeps_no_more_than_it_may(batches: list[list[str]]) -> None:
    counting = Counting()
    caching = CachingEmbedder(counting, most=3)
    for batch in batches:
        vectors = await caching.embed_passages([letter * (ord(letter) - 96) for letter in batch])
        assert vectors[:, 0].tolist() == [ord(letter) - 96 for letter in batch]
        assert len(caching._kept) <= 3
