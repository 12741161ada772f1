"""Hybrid retrieval: words and character 4-grams, vectors, fusion, and a cap of evidences per page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from core.model import Evidence, RankedEvidence, Ranking, Scope
from core.ports import DenseIndex, Embedder, EvidenceStore, Hit, LexicalIndex, Reach
from core.retrieval.fusion import reciprocal_rank, weighted_sum
from core.timing import Stopwatch

RetrievalMode = Literal["lexical", "dense", "hybrid"]
FusionMethod = Literal["min-max", "rrf"]

_WAVE = 50  # evidences read from the store at a time
_MAX_CANDIDATES = 3200


@dataclass(frozen=True, slots=True)
class RetrievalSettings:
    """How evidences are found. The weights were chosen by measurement: see docs/retrieval.md."""

    mode: RetrievalMode = "hybrid"
    fusion: FusionMethod = "min-max"
    words_weight: float = 0.35
    grams_weight: float = 0.25
    dense_weight: float = 0.40
    candidates: int = 100  # of each ranking
    limit: int = 10
    per_page: int = 3


@dataclass(frozen=True, slots=True)
class _Rankings:
    lexical: list[Hit]
    dense: list[Hit]
    fused: list[Hit]
    full: bool  # whether any search filled its limit, so that there may be more


class Retriever:
    """Finds the evidences for an intent-explicit question, within a scope."""

    def __init__(
        self,
        embedder: Embedder,
        dense: DenseIndex,
        lexical: LexicalIndex,
        evidences: EvidenceStore,
        settings: RetrievalSettings | None = None,
    ) -> None:
        self._embedder = embedder
        self._dense = dense
        self._lexical = lexical
        self._evidences = evidences
        self.settings = settings or RetrievalSettings()

    async def retrieve(self, question: str, scope: Scope, stopwatch: Stopwatch) -> list[RankedEvidence]:
        """The best evidences that the scope admits, best first; at most ``limit``, ``per_page`` of one page."""
        reach = await self._evidences.reach(scope)
        candidates = self.settings.candidates
        while True:
            rankings = await self._rank(question, reach, candidates, stopwatch)
            found, stale = await self._admitted(rankings.fused, scope)
            # Entries that a crash left behind must not push current ones over the cut.
            if len(found) >= self.settings.limit or not (stale and rankings.full) or candidates > _MAX_CANDIDATES:
                return _ranked(found, rankings)
            candidates *= 4

    async def _rank(self, question: str, reach: Reach, candidates: int, stopwatch: Stopwatch) -> _Rankings:
        words: list[Hit] = []
        grams: list[Hit] = []
        dense: list[Hit] = []
        if self.settings.mode != "dense":
            with stopwatch.stage("lexical"):
                hits = await self._lexical.search(question, reach, candidates)
                words, grams = hits.words, hits.grams
        if self.settings.mode != "lexical":
            with stopwatch.stage("embed"):
                vectors = await self._embedder.embed_queries([question])
            with stopwatch.stage("dense"):
                dense = await self._dense.search(vectors[0], reach, candidates)
        with stopwatch.stage("fuse"):
            lexical = weighted_sum({"words": words, "grams": grams}, self._weights())
            fused = self._fuse(words, grams, lexical, dense)
        return _Rankings(lexical, dense, fused, max(len(words), len(grams), len(dense)) >= candidates)

    def _weights(self) -> dict[str, float]:
        settings = self.settings
        return {"words": settings.words_weight, "grams": settings.grams_weight, "dense": settings.dense_weight}

    def _fuse(self, words: list[Hit], grams: list[Hit], lexical: list[Hit], dense: list[Hit]) -> list[Hit]:
        if self.settings.fusion == "rrf":
            return reciprocal_rank([ranking for ranking in (lexical, dense) if ranking])
        return weighted_sum({"words": words, "grams": grams, "dense": dense}, self._weights())

    async def _admitted(self, fused: Sequence[Hit], scope: Scope) -> tuple[list[tuple[Hit, Evidence]], bool]:
        """The first of these that are current and admitted, under the cap; and whether any was not."""
        found: list[tuple[Hit, Evidence]] = []
        of_page: Counter[str] = Counter()
        stale = False
        for start in range(0, len(fused), _WAVE):
            wave = fused[start : start + _WAVE]
            current = await self._evidences.current([hit.key for hit in wave], scope)
            stale = stale or len(current) < len(wave)
            for hit in wave:
                evidence = current.get(hit.key)
                if evidence is not None and of_page[evidence.page_id] < self.settings.per_page:
                    of_page[evidence.page_id] += 1
                    found.append((hit, evidence))
                if len(found) == self.settings.limit:
                    return found, stale
        return found, stale


def _ranked(found: list[tuple[Hit, Evidence]], rankings: _Rankings) -> list[RankedEvidence]:
    lexical, dense, fused = (_places(hits) for hits in (rankings.lexical, rankings.dense, rankings.fused))
    return [
        RankedEvidence(
            evidence, rank, hit.score, lexical.get(hit.key), dense.get(hit.key), fused.get(hit.key)
        )
        for rank, (hit, evidence) in enumerate(found, start=1)
    ]


def _places(hits: list[Hit]) -> dict[str, Ranking]:
    return {hit.key: Ranking(rank, hit.score) for rank, hit in enumerate(hits, start=1)}
