"""Hybrid retrieval: search by words, character 4-grams and vectors, fusion, optional reranking, a cap per page.

Reranking follows RAGonite (section 3): a cross-encoder scores the evidences with their context, and both rankings are
joined by reciprocal rank fusion, so that neither decides alone.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from core.evidence.contextualise import ContextMode, contextualise
from core.languages import detect_language
from core.model import Evidence, RankedEvidence, Ranking, Scope
from core.ports.indexes import AccessFilter, DenseIndex, Hit, LexicalHits, LexicalIndex
from core.ports.models import Embedder, Reranker, Vectors, WordMatcher
from core.ports.store import EvidenceStore, NamedPage
from core.retrieval.fusion import (
    add_matches,
    compare_within_languages,
    compute_title_similarity,
    fuse_by_reciprocal_rank,
    fuse_by_weighted_sum,
    scale_min_max,
    scale_scores,
    sort_best_first,
)
from core.trace import Stopwatch

Candidates = Sequence[tuple[Hit, Evidence]]
"""Retrieved evidences with their hits, best first."""


async def rerank(
    reranker: Reranker, question: str, candidates: Candidates, others: Sequence[Hit], context: ContextMode
) -> tuple[list[Hit], list[Hit]]:
    """Return all hits in the fused order, and the reranker's own ranking of the ``candidates``, best first.

    The reranker reads the candidates with the ``context`` that they were embedded with. ``others`` are not scored and
    follow them. Fused scores are scaled to 1 for the best. Raises RerankerUnavailable.
    """
    if not candidates:
        return list(others), []
    scores = await reranker.rerank(question, [contextualise(evidence, context) for _, evidence in candidates])
    ranking = sort_best_first({hit.key: score for (hit, _), score in zip(candidates, scores, strict=True)})
    return scale_scores(fuse_by_reciprocal_rank([ranking, [*(hit for hit, _ in candidates), *others]])), ranking


RetrievalMode = Literal["lexical", "dense", "hybrid"]
FusionMethod = Literal["min-max", "rrf"]

_MAX_CANDIDATES = 3200
_LOAD_AT_ONCE = 60  # evidences: usually enough for a result, although each page is capped


@dataclass(frozen=True, slots=True)
class RetrievalSettings:
    """The parameters of retrieval. The weights were chosen by measurement, see docs/retrieval.md."""

    mode: RetrievalMode = "hybrid"
    fusion: FusionMethod = "min-max"
    words_weight: float = 0.40
    grams_weight: float = 0.25
    dense_weight: float = 0.35
    title_weight: float = 0.90  # of the title's similarity to the question
    title_by_meaning: float = 0.30  # of its late interaction with the question, if pages are in another language
    candidates: int = 100  # of each ranking
    limit: int = 10
    per_page: int = 2  # evidences; the best page may have one more
    more_of_first_page: int = 6  # evidences added after these: the answer may be elsewhere on that page
    matched_candidates: int = 40  # first hits of the fused ranking, matched word by word if token vectors are available
    rerank_candidates: int = 30  # first hits of the fused ranking, scored by the reranker if there is one
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


def keep_unchanged(vectors: Vectors) -> Vectors:
    """Return the vectors unchanged."""
    return vectors


class _EvidenceLoader:
    """Loads the evidences of hits for one search, in batches and each evidence once."""

    def __init__(self, store: EvidenceStore, scope: Scope) -> None:
        self._store = store
        self._scope = scope
        self._loaded: dict[str, Evidence | None] = {}

    async def load(self, hits: Sequence[Hit]) -> AsyncIterator[tuple[Hit, Evidence]]:
        """Yield the hits with their evidences, without those that a sync has removed in the meantime."""
        for start in range(0, len(hits), _LOAD_AT_ONCE):
            some = hits[start : start + _LOAD_AT_ONCE]
            new = [hit.key for hit in some if hit.key not in self._loaded]
            if new:
                evidences = await self._store.load_evidences(new, self._scope)
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
    remove_language: Callable[[Vectors], Vectors] = keep_unchanged  # applied to the vector of a question

    async def retrieve(self, question: str, scope: Scope, stopwatch: Stopwatch) -> list[RankedEvidence]:
        """Return the best evidences that the scope admits, best first; at most ``limit``, capped per page.

        More evidences of the first one's page follow. Raises EmbedderUnavailable and RerankerUnavailable.
        """
        rankings, hits, pages = await self._find_candidates(question, scope, stopwatch)
        loader = _EvidenceLoader(self.evidences, scope)
        hits = await self._match_titles(question, hits, pages, stopwatch)
        hits = await self._match(question, hits, stopwatch)
        ranking: list[Hit] = []
        if self.reranker:
            with stopwatch.measure_stage("rerank"):
                first, context = self.settings.rerank_candidates, self.settings.context
                read = [found async for found in loader.load(hits[:first])]
                hits, ranking = await rerank(self.reranker, question, read, hits[first:], context)
        with stopwatch.measure_stage("fuse"):
            kept = await _cap_pages(loader.load(hits), self.settings.limit, self.settings.per_page)
            kept += await self._find_more_of_first_page(kept, hits, pages, loader)
        return _rank_evidences(kept, rankings, ranking)

    async def rank_pages(self, question: str, scope: Scope, stopwatch: Stopwatch) -> list[RankedPage]:
        """Return the pages of all candidates with the score of their best evidence, best first. Never reranked.

        Unlike in :meth:`retrieve` languages are not compensated: completion was fitted to these scores.
        """
        _, hits, pages = await self._find_candidates(question, scope, stopwatch, across_languages=False)
        best: dict[str, RankedPage] = {}
        for hit in hits:
            page = pages[hit.key]
            best.setdefault(page.page_id, RankedPage(page.page_id, page.title, page.url, hit.score))
        return list(best.values())

    async def has_page(self, title: str, scope: Scope) -> bool:
        """Whether the scope has a page of exactly this title."""
        return await self.evidences.has_page(title, scope)

    async def _find_candidates(
        self, question: str, scope: Scope, stopwatch: Stopwatch, *, across_languages: bool = True
    ) -> tuple[_Rankings, list[Hit], Mapping[str, NamedPage]]:
        """Return all candidates that are current and within the scope, best first, and their pages by key."""
        reach = await self.evidences.find_access_filter(scope)
        wanted = self.settings.candidates
        while True:
            removal = self.remove_language if across_languages else keep_unchanged
            found, dense = await asyncio.gather(
                self._find_lexical_hits(question, reach, wanted, stopwatch),
                self._find_dense_hits(question, removal, reach, wanted, stopwatch),
            )
            with stopwatch.measure_stage("fuse"):
                keys = list({hit.key: None for hits in (found.words, found.grams, dense) for hit in hits})
                pages = await self.evidences.load_pages(keys, scope)
                stale = len(keys) - len(pages)
            # Stale entries, left by a crash, must not displace current ones.
            may_have_more = max(len(found.words), len(found.grams), len(dense)) >= wanted
            if not (stale and may_have_more) or len(pages) >= self.settings.candidates or wanted > _MAX_CANDIDATES:
                with stopwatch.measure_stage("fuse"):
                    languages = {key: page.language for key, page in pages.items() if across_languages}
                    rankings = self._fuse(found, dense, languages)
                return rankings, self._add_titles(question, rankings.fused, pages), pages
            wanted *= 4

    def _add_titles(self, question: str, fused: Sequence[Hit], pages: Mapping[str, NamedPage]) -> list[Hit]:
        titles = {page.title for page in pages.values()}
        added = {title: self.settings.title_weight * compute_title_similarity(question, title) for title in titles}
        return sort_best_first({hit.key: hit.score + added[pages[hit.key].title] for hit in fused if hit.key in pages})

    def _get_matcher(self) -> WordMatcher | None:
        """Return the matcher, or None if this retrieval compares nothing word by word."""
        return self.matcher if self.settings.matched_candidates and self.settings.mode == "hybrid" else None

    async def _match_titles(
        self, question: str, hits: list[Hit], pages: Mapping[str, NamedPage], stopwatch: Stopwatch
    ) -> list[Hit]:
        """Add the titles' similarity by meaning if a page is in another language than the question.

        It is late interaction, scaled to 0 to 1 over the titles of all candidates. If all pages are in the
        question's language nothing changes.
        """
        matcher = self._get_matcher()
        if matcher is None or {page.language for page in pages.values()} <= {"", detect_language(question)}:
            return hits
        with stopwatch.measure_stage("match"):
            titles = sorted({pages[hit.key].title for hit in hits})
            totals = (await matcher.match_words(question, titles)).totals
            by_meaning = scale_min_max([Hit(title, float(total)) for title, total in zip(titles, totals, strict=True)])
            weight = self.settings.title_by_meaning
            return sort_best_first({hit.key: hit.score + weight * by_meaning[pages[hit.key].title] for hit in hits})

    async def _match(self, question: str, hits: list[Hit], stopwatch: Stopwatch) -> list[Hit]:
        """Add the matches of stored token vectors (late interaction) to the scores of the first hits."""
        compared, matcher = self.settings.matched_candidates, self._get_matcher()
        if matcher is None:
            return hits
        with stopwatch.measure_stage("match"):
            hashes = await self.evidences.load_text_hashes([hit.key for hit in hits[:compared]])
            totals = await matcher.match_stored(question, set(hashes.values()))
            of_hits = {key: totals[hashed] for key, hashed in hashes.items() if hashed in totals}
        return add_matches(hits, of_hits, compared)

    async def _find_more_of_first_page(
        self,
        kept: Sequence[tuple[Hit, Evidence]],
        hits: Sequence[Hit],
        pages: Mapping[str, NamedPage],
        loader: _EvidenceLoader,
    ) -> list[tuple[Hit, Evidence]]:
        """Return the other hits on the first page.

        It is mostly the right one, and the answer may be elsewhere on it.
        """
        if not kept:
            return []
        first, known = kept[0][1].page_id, {hit.key for hit, _ in kept}
        more = [hit for hit in hits if hit.key not in known and pages[hit.key].page_id == first]
        return [found async for found in loader.load(more[: self.settings.more_of_first_page])]

    async def _find_lexical_hits(
        self, question: str, reach: AccessFilter, limit: int, stopwatch: Stopwatch
    ) -> LexicalHits:
        if self.settings.mode == "dense":
            return LexicalHits([], [])
        with stopwatch.measure_stage("lexical"):
            return await self.lexical.search(question, reach, limit)

    async def _find_dense_hits(
        self,
        question: str,
        removal: Callable[[Vectors], Vectors],
        reach: AccessFilter,
        limit: int,
        stopwatch: Stopwatch,
    ) -> list[Hit]:
        if self.settings.mode == "lexical":
            return []
        with stopwatch.measure_stage("embed"):
            vectors = removal(await self.embedder.embed_queries([question]))
        with stopwatch.measure_stage("dense"):
            return await self.dense.search(vectors[0], reach, limit)

    def _fuse(self, found: LexicalHits, dense: list[Hit], languages: Mapping[str, str]) -> _Rankings:
        """Join the rankings. ``languages``: of the evidences' pages, by key."""
        settings = self.settings
        by_words, by_grams = settings.words_weight, settings.grams_weight
        both = {"words": found.words, "grams": found.grams}
        lexical = fuse_by_weighted_sum(both, {"words": by_words, "grams": by_grams})
        if settings.fusion == "rrf":
            fused = scale_scores(fuse_by_reciprocal_rank([ranking for ranking in (lexical, dense) if ranking]))
            return _Rankings(lexical, dense, fused)
        scores = {hit.key: hit.score for hit in compare_within_languages(lexical, dense, languages)}
        for key, score in scale_min_max(dense).items():
            scores[key] = scores.get(key, 0.0) + settings.dense_weight * score
        return _Rankings(lexical, dense, sort_best_first(scores))


async def _cap_pages(
    candidates: AsyncIterator[tuple[Hit, Evidence]], limit: int, per_page: int
) -> list[tuple[Hit, Evidence]]:
    """Return the first ``limit``, at most ``per_page`` of a page and one more of the best page.

    A list that follows a text ending with a colon is kept with it, beyond the cap.
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
    lexical, dense, fused, by_reranker = (_list_ranks(hits, wanted) for hits in lists)
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


def _list_ranks(hits: Sequence[Hit], wanted: Collection[str]) -> dict[str, Ranking]:
    return {hit.key: Ranking(rank, hit.score) for rank, hit in enumerate(hits, start=1) if hit.key in wanted}
