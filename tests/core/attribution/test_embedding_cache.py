from __future__ import annotations

import asyncio

import numpy as np

from core.attribution.embedding_cache import MemoryCachedEmbedder
from tests.core.attribution.examples import HashEmbedder


async def test_each_text_is_embedded_once_also_by_those_who_ask_at_once() -> None:
    inner = HashEmbedder()
    embedder = MemoryCachedEmbedder(inner)
    texts = ["one", "two", "one", "three"]
    found = await asyncio.gather(*(embedder.embed_passages(texts[:at]) for at in (2, 3, 4, 4)))
    assert sorted(inner.embedded) == ["passage: one", "passage: three", "passage: two"]
    assert np.array_equal(found[-1], await HashEmbedder().embed_passages(texts))


async def test_queries_and_passages_are_not_mixed_up() -> None:
    inner = HashEmbedder()
    embedder = MemoryCachedEmbedder(inner)
    await embedder.embed_queries(["one"])
    await embedder.embed_passages(["one"])
    assert inner.embedded == ["query: one", "passage: one"]


async def test_known_vectors_are_taken_and_none_is_none() -> None:
    inner = HashEmbedder()
    vector = np.ones(64, dtype=np.float32)
    embedder = MemoryCachedEmbedder(inner, {"one": vector})
    assert np.array_equal((await embedder.embed_passages(["one"]))[0], vector)
    assert (await embedder.embed_queries([])).shape == (0, 64)
    assert inner.embedded == []
    assert (embedder.name, embedder.dimension) == ("hash", 64)


def test_what_was_embedded_in_one_event_loop_is_known_in_the_next_also_where_tasks_wait_for_each_other() -> None:
    inner = HashEmbedder()
    embedder = MemoryCachedEmbedder(inner)

    async def at_once(*texts: str) -> None:
        await asyncio.gather(*(embedder.embed_passages([text]) for text in texts))

    asyncio.run(at_once("a", "a", "b"))
    asyncio.run(at_once("b", "c", "c"))
    assert inner.embedded == ["passage: a", "passage: b", "passage: c"]
