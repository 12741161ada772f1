from __future__ import annotations

import asyncio

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.embedding.cached import CachedEmbedder
from adapters.embedding.e5 import E5Embedder
from tests.contracts.embedder import EmbedderContract
from tests.core.attribution.examples import HashEmbedder


class TestCachedEmbedder(EmbedderContract):
    """The contract for a cache around the default embedder."""

    @pytest.fixture
    def embedder(self, embedder: E5Embedder) -> CachedEmbedder:
        return CachedEmbedder(embedder)


async def test_each_text_is_embedded_once_also_by_concurrent_calls() -> None:
    inner = HashEmbedder()
    embedder = CachedEmbedder(inner)
    texts = ["one", "two", "one", "three"]
    found = await asyncio.gather(*(embedder.embed_passages(texts[:at]) for at in (2, 3, 4, 4)))
    assert sorted(inner.embedded) == ["passage: one", "passage: three", "passage: two"]
    assert np.array_equal(found[-1], await HashEmbedder().embed_passages(texts))


async def test_cancelling_a_waiter_does_not_cancel_the_work_for_the_others() -> None:
    inner = HashEmbedder()
    embedder = CachedEmbedder(inner)
    first, second = (asyncio.create_task(embedder.embed_passages(["one"])) for _ in range(2))
    await asyncio.sleep(0)
    first.cancel()
    assert np.array_equal(await second, await HashEmbedder().embed_passages(["one"]))
    assert inner.embedded == ["passage: one"]


async def test_a_failure_is_not_cached() -> None:
    class Failing(HashEmbedder):
        fails = True

        async def embed_passages(self, texts: object) -> object:  # type: ignore[override]
            if self.fails:
                raise OSError("it failed")
            return await super().embed_passages(texts)  # type: ignore[arg-type]

    inner = Failing()
    embedder = CachedEmbedder(inner)  # type: ignore[arg-type]
    for _ in range(2):
        with pytest.raises(OSError, match="it failed"):
            await embedder.embed_passages(["one"])
    inner.fails = False
    assert (await embedder.embed_passages(["one"])).shape == (1, 64)


async def test_queries_and_passages_are_not_mixed_up() -> None:
    inner = HashEmbedder()
    embedder = CachedEmbedder(inner)
    await embedder.embed_queries(["one"])
    await embedder.embed_passages(["one"])
    assert inner.embedded == ["query: one", "passage: one"]


async def test_known_vectors_are_taken_and_none_is_none() -> None:
    inner = HashEmbedder()
    vector = np.ones(64, dtype=np.float32)
    embedder = CachedEmbedder(inner, {"one": vector})
    assert np.array_equal((await embedder.embed_passages(["one"]))[0], vector)
    assert (await embedder.embed_queries([])).shape == (0, 64)
    assert inner.embedded == []
    assert (embedder.name, embedder.dimension) == ("hash", 64)


def test_what_was_embedded_in_one_event_loop_is_known_in_the_next() -> None:
    inner = HashEmbedder()
    embedder = CachedEmbedder(inner)

    async def at_once(*texts: str) -> None:
        await asyncio.gather(*(embedder.embed_passages([text]) for text in texts))

    asyncio.run(at_once("a", "a", "b"))
    asyncio.run(at_once("b", "c", "c"))
    assert inner.embedded == ["passage: a", "passage: b", "passage: c"]


@given(st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=6), max_size=12))
async def test_it_gives_what_was_asked_for_and_keeps_no_more_than_it_may(batches: list[list[str]]) -> None:
    plain, embedder = HashEmbedder(), CachedEmbedder(HashEmbedder(), most=3)
    for batch in batches:
        assert np.array_equal(await embedder.embed_passages(batch), await plain.embed_passages(batch))
        assert len(embedder._cache) <= 3


async def test_event_loops_of_several_threads_get_the_same_vectors() -> None:
    inner = HashEmbedder()
    embedder = CachedEmbedder(inner, most=3)
    texts = ["one", "two", "three", "four", "five"]

    async def embed_all() -> list[np.ndarray]:
        calls = (embedder.embed_passages([text, *texts]) for text in texts)
        return list(await asyncio.gather(*calls))

    expected = [await HashEmbedder().embed_passages([text, *texts]) for text in texts]
    for found in await asyncio.gather(*(asyncio.to_thread(asyncio.run, embed_all()) for _ in range(8))):
        assert np.array_equal(found, expected)
