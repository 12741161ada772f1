"""Hybrid retrieval: search by words, character 4-grams and vectors, fusion, optional reranking, a cap per page.

Reranking follows RAGonite (section 3): a cross-encoder scores the evidences with their context, and both rankings are
joined by reciprocal rank fusion, so that neither decides alone.
"""

from __future__ import annotations

import asyncio
import statistics
from collections import Counter
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

from core.evidence.contextualise import ContextMode, contextualise
from core.model import Evidence, RankedEvidence, Ranking, Scope
from core.ports.indexes import AccessFilter, DenseIndex, Hit, LexicalHits, LexicalIndex
from core.ports.models import Embedder, Reranker, WordMatcher
from core.ports.store import EvidenceStore, NamedPage
from core.retrieval.entries import text_hash
from core.stopwords import find_stopwords
from core.text import content_words, grams
from core.timing import Stopwatch


@lru_cache(maxsize=20_000)
def _grams(text: str, stopwords: frozenset[str]) -> frozenset[str]:
    return frozenset(grams(" ".join(content_words(text, stopwords))))


def title_similarity(question: str, title: str) -> float:
    """Dice coefficient of the character 4-grams of their content words, 0 to 1.

    The lexical ranking does not show this: the words of a title are also in the page's text and in that of others.
    """
    stopwords = find_stopwords(question)
    asked, named = _grams(question, stopwords), _grams(title, stopwords)
    return 2 * len(asked & named) / (len(asked) + len(named)) if asked and named else 0.0


def min_max(hits: Sequence[Hit]) -> dict[str, float]:
    """Scores scaled to [0, 1] over this list; 1 for all if they are equal."""
    if not hits:
        return {}
    scores = [hit.score for hit in hits]
    low, span = min(scores), max(scores) - min(scores)
    return {hit.key: (hit.score - low) / span if span > 0 else 1.0 for hit in hits}


def fuse_by_weighted_sum(rankings: Mapping[str, Sequence[Hit]], weights: Mapping[str, float]) -> list[Hit]:
    """Sum of min-max normalised scores by weight; a key that a ranking lacks gets 0 there. Best first."""
    total: dict[str, float] = {}
    for name, hits in rankings.items():
        for key, score in min_max(hits).items():
            total[key] = total.get(key, 0.0) + weights[name] * score
    return best_first(total)


def reciprocal_rank(rankings: Sequence[Sequence[Hit]], k: int = 60) -> list[Hit]:
    """Reciprocal rank fusion (Cormack et al., SIGIR 2009): sum of 1 / (k + rank), ranks from 1. Best first."""
    total: dict[str, float] = {}
    for hits in rankings:
        for rank, hit in enumerate(hits, start=1):
            total[hit.key] = total.get(hit.key, 0.0) + 1.0 / (k + rank)
    return best_first(total)


def scale_scores(hits: list[Hit]) -> list[Hit]:
    """Scales the best score to 1: reciprocal ranks are so small that anything added to them would dominate."""
    return [Hit(hit.key, hit.score / hits[0].score) for hit in hits]


def best_first(scores: Mapping[str, float]) -> list[Hit]:
    """Hits by falling score; equal scores in the order of their keys, so that results repeat."""
    keys = sorted(scores)
    keys.sort(key=scores.__getitem__, reverse=True)  # keeps the order of equal ones
    return [Hit(key, scores[key]) for key in keys]


def add_matches(hits: Sequence[Hit], totals: Mapping[str, float], compared: int) -> list[Hit]:
    """Adds to the fused scores how well evidences match the question word by word; both count the same. Best first.

    Of the first ``compared`` hits, those in ``totals``: their matches are brought to mean 0 and to the standard
    deviation of their fused scores. What was compared and has no total gets the mean, later hits get the least.
    """
    known = [hit for hit in hits[:compared] if hit.key in totals]
    if len(known) < 2:
        return list(hits)
    fused = [hit.score for hit in known]
    matched = [totals[hit.key] for hit in known]
    mean, spread = statistics.fmean(matched), statistics.pstdev(matched)
    scale = statistics.pstdev(fused) / spread if spread > 0 else 0.0
    added = {hit.key: scale * (totals[hit.key] - mean) for hit in known}
    least = min(added.values())
    scores = {hit.key: hit.score + added.get(hit.key, 0.0) for hit in hits[:compared]}
    return best_first({**scores, **{hit.key: hit.score + least for hit in hits[compared:]}})


Candidates = Sequence[tuple[Hit, Evidence]]
"""Retrieved evidences, best first, by the score of the hit."""


async def rerank(
    reranker: Reranker, question: str, candidates: Candidates, others: Sequence[Hit], context: ContextMode
) -> tuple[list[Hit], list[Hit]]:
    """All hits in the fused order, and the reranker's own ranking of the ``candidates``, best first.

    The reranker reads the candidates with the ``context`` that they were embedded with. ``others`` are not scored and
    follow them. Fused scores are scaled to 1 for the best. Raises RerankerUnavailable.
    """
    if not candidates:
        return list(others), []
    scores = await reranker.rerank(question, [contextualise(evidence, context) for _, evidence in candidates])
    ranking = best_first({hit.key: score for (hit, _), score in zip(candidates, scores, strict=True)})
    return scale_scores(reciprocal_rank([ranking, [*(hit for hit, _ in candidates), *others]])), ranking


RetrievalMode = Literal["lexical", "dense", "hybrid"]
FusionMethod = Literal["min-max", "rrf"]

_MAX_CANDIDATES = 3200
_LOAD_AT_ONCE = 20  # evidences: mostly enough for a result, although each page is capped


@dataclass(frozen=True, slots=True)
class RetrievalSettings:
    """The parameters of retrieval. The weights were chosen by measurement: see docs/retrieval.md."""

    mode: RetrievalMode = "hybrid"
    fusion: FusionMethod = "min-max"
    words_weight: float = 0.40
    grams_weight: float = 0.25
    dense_weight: float = 0.35
    title_weight: float = 0.90  # of the title's similarity to the question, added to the fused score
    candidates: int = 100  # per ranking
    limit: int = 10
    per_page: int = 2  # evidences of the result, and one more of the best page
    more_of_first_page: int = 6  # evidences after these, so that an answer is looked for on more of that page
    matched_candidates: int = 20  # of the fused list, compared with the question word by word, if there are vectors
    rerank_candidates: int = 30  # of the fused list, scored by the reranker if there is one
    context: ContextMode = "ALL"  # of evidences in the indexes and for the reranker


@dataclass(frozen=True, slots=True)
class RankedPage:
    """A page with the score of its best evidence."""

    page_id: str
    title: str
    url: str
    score: float


@dataclass(frozen=True, slots=True)
class _Rankings:
    lexical: list[Hit]
    dense: list[Hit]
    fused: list[Hit]
    may_have_more: bool  # whether any search reached its limit


class _EvidenceLoader:
    """Loads the evidences of hits for one search, in batches, each evidence once."""

    def __init__(self, store: EvidenceStore, scope: Scope) -> None:
        self._store = store
        self._scope = scope
        self._loaded: dict[str, Evidence | None] = {}

    async def load(self, hits: Sequence[Hit]) -> AsyncIterator[tuple[Hit, Evidence]]:
        """In the order of the hits; without those that a sync has removed meanwhile."""
        for start in range(0, len(hits), _LOAD_AT_ONCE):
            some = hits[start : start + _LOAD_AT_ONCE]
            new = [hit.key for hit in some if hit.key not in self._loaded]
            if new:
                evidences = await self._store.current(new, self._scope)
                self._loaded.update({key: evidences.get(key) for key in new})
            for hit in some:
                if evidence := self._loaded[hit.key]:
                    yield hit, evidence


@dataclass(frozen=True, slots=True, eq=False)
class Retriever:
    """Finds the evidences for an intent-explicit question, within a scope."""

    embedder: Embedder
    dense: DenseIndex
    lexical: LexicalIndex
    evidences: EvidenceStore
    settings: RetrievalSettings = field(default_factory=RetrievalSettings)
    reranker: Reranker | None = None
    matcher: WordMatcher | None = None

    async def retrieve(self, question: str, scope: Scope, stopwatch: Stopwatch) -> list[RankedEvidence]:
        """The best evidences that the scope admits, best first; at most ``limit``, capped by page (see settings).

        After these come more of the first one's page. Raises EmbedderUnavailable and RerankerUnavailable.
        """
        rankings, hits, pages = await self._candidates(question, scope, stopwatch)
        loader = _EvidenceLoader(self.evidences, scope)
        hits = await self._match(question, hits, loader, stopwatch)
        ranking: list[Hit] = []
        if self.reranker:
            with stopwatch.stage("rerank"):
                first, context = self.settings.rerank_candidates, self.settings.context
                read = [found async for found in loader.load(hits[:first])]
                hits, ranking = await rerank(self.reranker, question, read, hits[first:], context)
        with stopwatch.stage("fuse"):
            kept = await _cap_pages(loader.load(hits), self.settings.limit, self.settings.per_page)
            kept += await self._more_of_first_page(kept, hits, pages, loader)
        return _rank_evidences(kept, rankings, ranking)

    async def pages(self, question: str, scope: Scope, stopwatch: Stopwatch) -> list[RankedPage]:
        """The pages of all candidates with the score of their best evidence, best first. Never reranked."""
        _, hits, pages = await self._candidates(question, scope, stopwatch)
        best: dict[str, RankedPage] = {}
        for hit in hits:
            page = pages[hit.key]
            best.setdefault(page.page_id, RankedPage(page.page_id, page.title, page.url, hit.score))
        return list(best.values())

    async def has_page(self, title: str, scope: Scope) -> bool:
        """Whether the scope has a page of exactly this title."""
        return await self.evidences.has_page(title, scope)

    async def _candidates(
        self, question: str, scope: Scope, stopwatch: Stopwatch
    ) -> tuple[_Rankings, list[Hit], Mapping[str, NamedPage]]:
        """All candidates that are current and within the scope, best first, and their pages by key."""
        reach = await self.evidences.reach(scope)
        wanted = self.settings.candidates
        while True:
            rankings = await self._rank(question, reach, wanted, stopwatch)
            with stopwatch.stage("fuse"):
                pages = await self.evidences.pages_of([hit.key for hit in rankings.fused], scope)
                stale = len(rankings.fused) - len(pages)
            # Stale entries, left by a crash, must not displace current ones.
            if (
                not (stale and rankings.may_have_more)
                or len(pages) >= self.settings.candidates
                or wanted > _MAX_CANDIDATES
            ):
                return rankings, self._add_titles(question, rankings.fused, pages), pages
            wanted *= 4

    def _add_titles(self, question: str, fused: Sequence[Hit], pages: Mapping[str, NamedPage]) -> list[Hit]:
        titles = {page.title for page in pages.values()}
        added = {title: self.settings.title_weight * title_similarity(question, title) for title in titles}
        return best_first({hit.key: hit.score + added[pages[hit.key].title] for hit in fused if hit.key in pages})

    async def _match(self, question: str, hits: list[Hit], loader: _EvidenceLoader, stopwatch: Stopwatch) -> list[Hit]:
        """The hits in the order that late interaction adds to, as far as there are token vectors."""
        compared = self.settings.matched_candidates
        if self.matcher is None or not compared or self.settings.mode != "hybrid":
            return hits
        with stopwatch.stage("match"):
            read = [found async for found in loader.load(hits[:compared])]
            context = self.settings.context
            hashes = {hit.key: text_hash(contextualise(evidence, context)) for hit, evidence in read}
            totals = await self.matcher.match_stored(question, set(hashes.values()))
            of_hits = {key: totals[hashed] for key, hashed in hashes.items() if hashed in totals}
        return add_matches(hits, of_hits, compared)

    async def _more_of_first_page(
        self,
        kept: Sequence[tuple[Hit, Evidence]],
        hits: Sequence[Hit],
        pages: Mapping[str, NamedPage],
        loader: _EvidenceLoader,
    ) -> list[tuple[Hit, Evidence]]:
        """What else was found on the first one's page: mostly the right one, and the fact may stand elsewhere on it."""
        if not kept:
            return []
        first, known = kept[0][1].page_id, {hit.key for hit, _ in kept}
        more = [hit for hit in hits if hit.key not in known and pages[hit.key].page_id == first]
        return [found async for found in loader.load(more[: self.settings.more_of_first_page])]

    async def _rank(self, question: str, reach: AccessFilter, candidates: int, stopwatch: Stopwatch) -> _Rankings:
        """The results of both searches, which run concurrently, and their fusion."""
        found, dense = await asyncio.gather(
            self._lexical_hits(question, reach, candidates, stopwatch),
            self._dense_hits(question, reach, candidates, stopwatch),
        )
        words, grams = found.words, found.grams
        with stopwatch.stage("fuse"):
            lexical = fuse_by_weighted_sum({"words": words, "grams": grams}, self._weights())
            fused = self._fuse(words, grams, lexical, dense)
        return _Rankings(lexical, dense, fused, max(len(words), len(grams), len(dense)) >= candidates)

    async def _lexical_hits(self, question: str, reach: AccessFilter, limit: int, stopwatch: Stopwatch) -> LexicalHits:
        if self.settings.mode == "dense":
            return LexicalHits([], [])
        with stopwatch.stage("lexical"):
            return await self.lexical.search(question, reach, limit)

    async def _dense_hits(self, question: str, reach: AccessFilter, limit: int, stopwatch: Stopwatch) -> list[Hit]:
        if self.settings.mode == "lexical":
            return []
        with stopwatch.stage("embed"):
            vectors = await self.embedder.embed_queries([question])
        with stopwatch.stage("dense"):
            return await self.dense.search(vectors[0], reach, limit)

    def _weights(self) -> dict[str, float]:
        settings = self.settings
        return {"words": settings.words_weight, "grams": settings.grams_weight, "dense": settings.dense_weight}

    def _fuse(self, words: list[Hit], grams: list[Hit], lexical: list[Hit], dense: list[Hit]) -> list[Hit]:
        if self.settings.fusion == "rrf":
            return scale_scores(reciprocal_rank([ranking for ranking in (lexical, dense) if ranking]))
        return fuse_by_weighted_sum({"words": words, "grams": grams, "dense": dense}, self._weights())


async def _cap_pages(
    candidates: AsyncIterator[tuple[Hit, Evidence]], limit: int, per_page: int
) -> list[tuple[Hit, Evidence]]:
    """The first ``limit``, at most ``per_page`` of a page and one more of the best page.

    A list that follows a text ending with a colon is kept with it, above the cap.
    """
    of_page: Counter[str] = Counter()
    kept: list[tuple[Hit, Evidence]] = []
    announced: set[tuple[str, int]] = set()
    best_page = ""
    async for hit, evidence in candidates:
        best_page = best_page or evidence.page_id
        is_announced = evidence.kind == "list" and (evidence.page_id, evidence.ordinal) in announced
        allowed = per_page + (evidence.page_id == best_page)
        if is_announced or of_page[evidence.page_id] < allowed:
            of_page[evidence.page_id] += 1
            kept.append((hit, evidence))
            if evidence.text.endswith(":"):
                announced.add((evidence.page_id, evidence.ordinal + 1))
        if len(kept) >= limit:
            break
    return kept


def _rank_evidences(
    found: list[tuple[Hit, Evidence]], rankings: _Rankings, reranking: Sequence[Hit]
) -> list[RankedEvidence]:
    wanted = {hit.key for hit, _ in found}
    lists = (rankings.lexical, rankings.dense, rankings.fused, reranking)
    lexical, dense, fused, by_reranker = (_ranks(hits, wanted) for hits in lists)
    return [
        RankedEvidence(
            evidence,
            rank,
            hit.score,
            lexical.get(hit.key),
            dense.get(hit.key),
            fused.get(hit.key),
            by_reranker.get(hit.key),
        )
        for rank, (hit, evidence) in enumerate(found, start=1)
    ]


def _ranks(hits: Sequence[Hit], wanted: Collection[str]) -> dict[str, Ranking]:
    return {hit.key: Ranking(rank, hit.score) for rank, hit in enumerate(hits, start=1) if hit.key in wanted}
