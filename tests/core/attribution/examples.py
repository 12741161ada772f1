"""Answerers, embedders and subjects that do what a test tells them to."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Iterable, Sequence
from datetime import date

import numpy as np

from core.answering.answerer import PartListener
from core.attribution.attributors import CounterfactualAttributor
from core.attribution.steps import AnswerToExplain
from core.errors import WikiWhyError
from core.model import NOT_FOUND, AblationResult, Answer, Cluster, RankedEvidence
from core.ports.models import TextListener, Vectors
from core.trace import Tracer
from tests.core.answering.examples import evidence, ranked

Says = Callable[[frozenset[int]], str | WikiWhyError]
"""What is said with the evidences of these ordinals."""


class HashEmbedder:
    """A vector of its own for every text, nearly at right angles to all others; counts what it embeds."""

    name = "hash"
    dimension = 64

    def __init__(self) -> None:
        self.embedded: list[str] = []

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        self.embedded += [f"query: {text}" for text in texts]
        return self._vectors(texts)

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        self.embedded += [f"passage: {text}" for text in texts]
        await asyncio.sleep(0)
        return self._vectors(texts)

    def _vectors(self, texts: Sequence[str]) -> Vectors:
        rows = [
            np.random.default_rng(int.from_bytes(hashlib.sha256(text.encode()).digest()[:8])).normal(size=64)
            for text in texts
        ]
        vectors = np.array(rows, dtype=np.float32).reshape(len(texts), 64)
        return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)


class ScriptedAnswerer:
    """Says what it is told to for the evidences it is given; counts how many it answers at once."""

    name = "scripted"

    def __init__(self, says: Says) -> None:
        self._says = says
        self.asked: list[frozenset[int]] = []
        self.days: set[date | None] = set()
        self.at_once = 0
        self._open = 0

    async def answer(
        self,
        question: str,
        evidences: Sequence[RankedEvidence],
        tracer: Tracer,
        on_text: TextListener | None = None,
        on_part: PartListener | None = None,
        day: date | None = None,
    ) -> Answer:
        given = frozenset(item.evidence.ordinal for item in evidences)
        self.asked.append(given)
        self.days.add(day)
        self._open += 1
        self.at_once = max(self.at_once, self._open)
        await asyncio.sleep(0)
        self._open -= 1
        said = self._says(given)
        if isinstance(said, WikiWhyError):
            raise said
        return Answer(said, said != NOT_FOUND)


def needing(*ordinals: int) -> Says:
    """An answer that names which of these evidences it had, and is "not found" without any."""

    def says(given: frozenset[int]) -> str:
        had = sorted(given.intersection(ordinals))
        return f"The answer, from {had}." if had else NOT_FOUND

    return says


def evidences(count: int, pages: Sequence[str] | None = None) -> list[RankedEvidence]:
    """With ordinals from 0, on pages of their own unless told."""
    return ranked(
        *(
            evidence(f"Text {at}.", page_id=pages[at] if pages else f"p{at}", ordinal=at, title=f"Page {at}")
            for at in range(count)
        )
    )


def subject(says: Says, count: int, cited: Iterable[int] = ()) -> AnswerToExplain:
    found = evidences(count)
    answer = says(frozenset(range(count)))
    assert isinstance(answer, str)
    return AnswerToExplain("Why?", answer, found, tuple(found[at].evidence.evidence_id for at in cited))


def singles(count: int) -> list[Cluster]:
    return [(at,) for at in range(count)]


def counterfactual(answerer: ScriptedAnswerer, repetitions: int = 1, concurrency: int = 10) -> CounterfactualAttributor:
    return CounterfactualAttributor(lambda repetition: answerer, HashEmbedder(), repetitions, concurrency)


def contributions(results: Sequence[AblationResult]) -> list[float | None]:
    return [result.contribution for result in results]
