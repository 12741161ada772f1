"""The contract of :class:`core.ports.models.Reranker`.

A test class that inherits it provides the fixture ``reranker``.
"""

from __future__ import annotations

import asyncio
import math

import pytest

from core.ports.models import Reranker
from tests.contracts.embedder import ODD_TEXTS, TEXTS

QUESTION = "How do I request holidays?"


class RerankerContract:
    async def test_names_itself(self, reranker: Reranker) -> None:
        assert reranker.name.strip() == reranker.name != ""

    async def test_gives_one_number_a_text(self, reranker: Reranker) -> None:
        scores = await reranker.rerank(QUESTION, TEXTS)
        assert len(scores) == len(TEXTS)
        assert all(math.isfinite(score) for score in scores)

    async def test_no_texts_have_no_scores(self, reranker: Reranker) -> None:
        assert list(await reranker.rerank(QUESTION, [])) == []

    async def test_a_text_has_its_score_wherever_it_stands(self, reranker: Reranker) -> None:
        many = [f"{text} {number}" for number in range(8) for text in TEXTS]
        scores = await reranker.rerank(QUESTION, many)
        assert list(await reranker.rerank(QUESTION, many[::-1]))[::-1] == pytest.approx(list(scores), abs=1e-4)
        for place in (0, 17, 39):
            assert list(await reranker.rerank(QUESTION, [many[place]])) == pytest.approx([scores[place]], abs=1e-4)

    async def test_reads_the_question_with_the_text(self, reranker: Reranker) -> None:
        first = await reranker.rerank(QUESTION, TEXTS)
        other = await reranker.rerank("On which port does the build server listen?", TEXTS)
        assert any(abs(one - another) > 1e-4 for one, another in zip(first, other, strict=True))

    async def test_takes_any_text_and_any_question(self, reranker: Reranker) -> None:
        assert all(map(math.isfinite, await reranker.rerank(QUESTION, ODD_TEXTS)))
        for question in ODD_TEXTS:
            assert all(map(math.isfinite, await reranker.rerank(question, TEXTS[:1])))

    async def test_takes_a_text_and_a_question_of_any_length(self, reranker: Reranker) -> None:
        long = "Die Reisekosten werden binnen 14 Tagen erstattet. " * 500
        scores = await reranker.rerank(long[:4_000], [long, "x" * 20_000, "kurz", ""])
        assert all(map(math.isfinite, scores))

    async def test_reads_on_after_a_nul(self, reranker: Reranker) -> None:
        cut, whole, split = await reranker.rerank("Port?", ["Port", "Port 8443 is closed", "Port\x00 8443 is closed"])
        assert split == pytest.approx(whole, abs=1e-5)
        assert abs(cut - split) > 1e-5

    async def test_serves_concurrent_calls(self, reranker: Reranker) -> None:
        alone = [list(await reranker.rerank(QUESTION, [text])) for text in TEXTS]
        at_once = await asyncio.gather(*(reranker.rerank(QUESTION, [text]) for text in TEXTS * 4))
        for number, scores in enumerate(at_once):
            assert list(scores) == pytest.approx(alone[number % len(TEXTS)], abs=1e-4)

    async def test_leaves_the_event_loop_free(self, reranker: Reranker) -> None:
        work = asyncio.create_task(reranker.rerank(QUESTION, TEXTS * 20))
        turns = 0
        while not work.done():
            await asyncio.sleep(0.001)
            turns += 1
        assert turns > 2
