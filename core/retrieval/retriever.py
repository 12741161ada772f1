"""Hybrid retrieval: search by words, character 4-grams and vectors, fusion, optional reranking, a cap per page.

Reranking follows RAGonite (section 3): a cross-encoder scores the evidences with their context, and both rankings are
joined by reciprocal rank fusion, so that neither decides alone.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Literal

from core.evidence.contextualise import ContextMode, contextualise
from core.languages import detect_language
from core.model import Evidence, RankedEvidence, Ranking, Scope
from core.ports.indexes import AccessFilter, DenseIndex, Hit, LexicalHits, LexicalIndex
from core.ports.models import Embedder, Reranker, Vectors, WordMatcher
from core.ports.store import EvidenceStore, EvidenceSummary
from core.retrieval.fusion import (
    add_matches,
    compare_within_languages,
    compute_title_similarity,
    fuse_by_reciprocal_rank,
    fuse_by_weighted_sum,
    scale_best_to_one,
    scale_min_max,
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
    return scale_best_to_one(fuse_by_reciprocal_rank([ranking, [*(hit for hit, _ in candidates), *others]])), ranking


RetrievalMode = Literal["lexical", "dense", "hybrid"]
FusionMethod = Literal["min-max", "rrf"]

_LAST_WIDENED = 3200  # candidates for each ranking; a search for more is not widened again


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


@dataclass(frozen=True, slots=True)
class _Search:
    """The hits of all searches, and the summaries by key of those that are current and within the scope.

    ``lacks_current``: stale entries, left by a crash, took the places of current ones that a search for more may find.
    """

    lexical: LexicalHits
    dense: list[Hit]
    summaries: Mapping[str, EvidenceSummary]
    lacks_current: bool


VectorFilter = Callable[[Vectors], Vectors]
"""Removes from the vector of a question what must not count, such as its language."""


def keep_unchanged(vectors: Vectors) -> Vectors:
    """Return the vectors unchanged."""
    return vectors


class _EvidenceLoader:
    """Loads the evidences of hits for one search, each once."""

    def __init__(self, store: EvidenceStore, scope: Scope) -> None:
        self._store = store
        self._scope = scope
        self._loaded: dict[str, Evidence | None] = {}

    async def load(self, hits: Iterable[Hit]) -> list[tuple[Hit, Evidence]]:
        """Return the hits with their evidences, without those that a sync has removed in the meantime."""
        hits = list(hits)
        new = {hit.key for hit in hits} - self._loaded.keys()
        if new:
            evidences = await self._store.load_evidences(new, self._scope)
            self._loaded.update({key: evidences.get(key) for key in new})
        return [(hit, evidence) for hit in hits if (evidence := self._loaded[hit.key])]


class _PageCap:
    """Counts evidences: ``per_page`` of a page are admitted, and one more of the page that is counted first."""

    def __init__(self, per_page: int) -> None:
        self._per_page = per_page
        self._counts: Counter[str] = Counter()

    def admits(self, page_id: str) -> bool:
        is_first = next(iter(self._counts), page_id) == page_id
        return self._counts.get(page_id, 0) < self._per_page + is_first

    def count(self, page_id: str) -> None:
        self._counts[page_id] += 1


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
    question_vector_filter: VectorFilter = keep_unchanged

    async def retrieve(self, question: str, scope: Scope, stopwatch: Stopwatch) -> list[RankedEvidence]:
        """Return the best evidences that the scope admits, best first; at most ``limit``, capped per page.

        More evidences of the first one's page follow. Raises EmbedderUnavailable and RerankerUnavailable.
        """
        rankings, hits, summaries = await self._find_candidates(question, scope, stopwatch)
        loader = _EvidenceLoader(self.evidences, scope)
        hits = await self._add_titles_by_meaning(question, hits, summaries, stopwatch)
        hits = await self._add_token_matches(question, hits, summaries, stopwatch)
        ranking: list[Hit] = []
        if self.reranker:
            with stopwatch.measure_stage("rerank"):
                first, context = self.settings.rerank_candidates, self.settings.context
                read = await loader.load(hits[:first])
                hits, ranking = await rerank(self.reranker, question, read, hits[first:], context)
        with stopwatch.measure_stage("fuse"):
            kept = await self._cap_pages(hits, summaries, loader)
            kept += await self._find_more_of_first_page(kept, hits, summaries, loader)
        return _rank_evidences(kept, rankings, ranking)

    async def rank_pages(self, question: str, scope: Scope, stopwatch: Stopwatch) -> list[RankedPage]:
        """Return the pages of all candidates with the score of their best evidence, best first. Never reranked.

        Unlike in :meth:`retrieve` languages are not compensated: completion was fitted to these scores.
        """
        _, hits, summaries = await self._find_candidates(question, scope, stopwatch, across_languages=False)
        best: dict[str, RankedPage] = {}
        for hit in hits:
            page = summaries[hit.key]
            best.setdefault(page.page_id, RankedPage(page.page_id, page.title, page.url, hit.score))
        return list(best.values())

    async def has_page(self, title: str, scope: Scope) -> bool:
        """Whether the scope has a page of exactly this title."""
        return await self.evidences.has_page(title, scope)

    async def _find_candidates(
        self, question: str, scope: Scope, stopwatch: Stopwatch, *, across_languages: bool = True
    ) -> tuple[_Rankings, list[Hit], Mapping[str, EvidenceSummary]]:
        """Return all candidates that are current and within the scope, best first, and their summaries by key."""
        access_filter = await self.evidences.find_access_filter(scope)
        vector_filter = self.question_vector_filter if across_languages else keep_unchanged
        search = partial(self._search, question, scope, access_filter, vector_filter, stopwatch)
        wanted = self.settings.candidates
        while (found := await search(wanted)).lacks_current and wanted <= _LAST_WIDENED:
            wanted *= 4
        with stopwatch.measure_stage("fuse"):
            languages = {key: page.language for key, page in found.summaries.items() if across_languages}
            rankings = self._fuse(found.lexical, found.dense, languages)
        return rankings, self._add_titles_by_letters(question, rankings.fused, found.summaries), found.summaries

    async def _search(
        self,
        question: str,
        scope: Scope,
        access_filter: AccessFilter,
        vector_filter: VectorFilter,
        stopwatch: Stopwatch,
        wanted: int,
    ) -> _Search:
        """Search for ``wanted`` entries by words, by 4-grams and by vectors."""
        dense, lexical = await asyncio.gather(
            self._find_dense_hits(question, vector_filter, access_filter, wanted, stopwatch),
            self._find_lexical_hits(question, access_filter, wanted, stopwatch),
        )
        rankings = (lexical.words, lexical.grams, dense)
        with stopwatch.measure_stage("fuse"):
            keys = list({hit.key: None for hits in rankings for hit in hits})
            summaries = await self.evidences.load_summaries(keys, scope)
        may_have_more = max(map(len, rankings)) >= wanted
        lacks_current = may_have_more and len(summaries) < min(len(keys), self.settings.candidates)
        return _Search(lexical, dense, summaries, lacks_current)

    def _add_titles_by_letters(
        self, question: str, fused: Sequence[Hit], summaries: Mapping[str, EvidenceSummary]
    ) -> list[Hit]:
        titles = {page.title for page in summaries.values()}
        added = {title: self.settings.title_weight * compute_title_similarity(question, title) for title in titles}
        return sort_best_first(
            {hit.key: hit.score + added[summaries[hit.key].title] for hit in fused if hit.key in summaries}
        )

    def _get_matcher(self) -> WordMatcher | None:
        """Return the matcher, or None if this retrieval compares nothing word by word."""
        return self.matcher if self.settings.matched_candidates and self.settings.mode == "hybrid" else None

    async def _add_titles_by_meaning(
        self, question: str, hits: list[Hit], summaries: Mapping[str, EvidenceSummary], stopwatch: Stopwatch
    ) -> list[Hit]:
        """Add the titles' similarity by meaning if a page is in another language than the question.

        It is late interaction, scaled to 0 to 1 over the titles of all candidates. If all pages are in the
        question's language nothing changes.
        """
        matcher = self._get_matcher()
        if matcher is None or {page.language for page in summaries.values()} <= {"", detect_language(question)}:
            return hits
        with stopwatch.measure_stage("match"):
            titles = sorted({summaries[hit.key].title for hit in hits})
            totals = (await matcher.match_words(question, titles)).totals
            by_meaning = scale_min_max([Hit(title, float(total)) for title, total in zip(titles, totals, strict=True)])
            weight = self.settings.title_by_meaning
            return sort_best_first({hit.key: hit.score + weight * by_meaning[summaries[hit.key].title] for hit in hits})

    async def _add_token_matches(
        self, question: str, hits: list[Hit], summaries: Mapping[str, EvidenceSummary], stopwatch: Stopwatch
    ) -> list[Hit]:
        """Add the matches of stored token vectors (late interaction) to the scores of the first hits."""
        compared, matcher = self.settings.matched_candidates, self._get_matcher()
        if matcher is None:
            return hits
        with stopwatch.measure_stage("match"):
            hashes = {hit.key: summaries[hit.key].text_hash for hit in hits[:compared]}
            totals = await matcher.match_stored(question, set(hashes.values()))
            of_hits = {key: totals[hashed] for key, hashed in hashes.items() if hashed in totals}
        return add_matches(hits, of_hits, compared)

    async def _cap_pages(
        self, hits: Sequence[Hit], summaries: Mapping[str, EvidenceSummary], loader: _EvidenceLoader
    ) -> list[tuple[Hit, Evidence]]:
        """Return the first ``limit``, at most ``per_page`` of a page and one more of the best page.

        A list that follows a text ending with a colon is kept with it, beyond the cap.
        """
        await self._load_likely(hits, summaries, loader)
        cap = _PageCap(self.settings.per_page)
        kept: list[tuple[Hit, Evidence]] = []
        announced: dict[str, set[int]] = {}  # page id to the positions after texts that end with a colon
        for hit in hits:
            page_id = summaries[hit.key].page_id
            if not cap.admits(page_id) and page_id not in announced:
                continue
            for _, evidence in await loader.load([hit]):
                is_announced = evidence.kind == "list" and evidence.ordinal in announced.get(page_id, ())
                if is_announced or cap.admits(page_id):
                    cap.count(page_id)
                    kept.append((hit, evidence))
                    if evidence.text.endswith(":"):
                        announced.setdefault(page_id, set()).add(evidence.ordinal + 1)
            if len(kept) >= self.settings.limit:
                break
        return kept

    async def _load_likely(
        self, hits: Sequence[Hit], summaries: Mapping[str, EvidenceSummary], loader: _EvidenceLoader
    ) -> None:
        """Load what is kept if nothing was removed meanwhile, all at once: what is missing is loaded one by one.

        Of pages with a text that announces a list, all hits are loaded.
        """
        likely = await loader.load(self._find_likely_hits(hits, summaries))
        announcing = {evidence.page_id for _, evidence in likely if evidence.text.endswith(":")}
        await loader.load(each for each in hits if summaries[each.key].page_id in announcing)

    def _find_likely_hits(self, hits: Sequence[Hit], summaries: Mapping[str, EvidenceSummary]) -> list[Hit]:
        """Return the hits that are kept if nothing was removed meanwhile and no text announces a list."""
        cap = _PageCap(self.settings.per_page)
        likely: list[Hit] = []
        of_first: list[Hit] = []
        for hit in hits:
            page_id = summaries[hit.key].page_id
            if cap.admits(page_id) and len(likely) < self.settings.limit:
                cap.count(page_id)
                likely.append(hit)
            elif page_id == summaries[hits[0].key].page_id:
                of_first.append(hit)
        return [*likely, *of_first[: self.settings.more_of_first_page]]

    async def _find_more_of_first_page(
        self,
        kept: Sequence[tuple[Hit, Evidence]],
        hits: Sequence[Hit],
        summaries: Mapping[str, EvidenceSummary],
        loader: _EvidenceLoader,
    ) -> list[tuple[Hit, Evidence]]:
        """Return the other hits on the first page.

        It is usually the right one, and the answer may be elsewhere on it.
        """
        if not kept:
            return []
        first, known = kept[0][1].page_id, {hit.key for hit, _ in kept}
        more = [hit for hit in hits if hit.key not in known and summaries[hit.key].page_id == first]
        return await loader.load(more[: self.settings.more_of_first_page])

    async def _find_lexical_hits(
        self, question: str, access_filter: AccessFilter, limit: int, stopwatch: Stopwatch
    ) -> LexicalHits:
        if self.settings.mode == "dense":
            return LexicalHits([], [])
        await asyncio.sleep(0)  # where blocking calls run in this thread, the question is embedded meanwhile
        with stopwatch.measure_stage("lexical"):
            return await self.lexical.search(question, access_filter, limit)

    async def _find_dense_hits(
        self,
        question: str,
        vector_filter: VectorFilter,
        access_filter: AccessFilter,
        limit: int,
        stopwatch: Stopwatch,
    ) -> list[Hit]:
        if self.settings.mode == "lexical":
            return []
        with stopwatch.measure_stage("embed"):
            vectors = vector_filter(await self.embedder.embed_queries([question]))
        with stopwatch.measure_stage("dense"):
            return await self.dense.search(vectors[0], access_filter, limit)

    def _fuse(self, found: LexicalHits, dense: list[Hit], languages: Mapping[str, str]) -> _Rankings:
        """Join the rankings. ``languages``: of the evidences' pages, by key."""
        settings = self.settings
        by_words, by_grams = settings.words_weight, settings.grams_weight
        both = {"words": found.words, "grams": found.grams}
        lexical = fuse_by_weighted_sum(both, {"words": by_words, "grams": by_grams})
        if settings.fusion == "rrf":
            fused = scale_best_to_one(fuse_by_reciprocal_rank([ranking for ranking in (lexical, dense) if ranking]))
            return _Rankings(lexical, dense, fused)
        scores = {hit.key: hit.score for hit in compare_within_languages(lexical, dense, languages)}
        for key, score in scale_min_max(dense).items():
            scores[key] = scores.get(key, 0.0) + settings.dense_weight * score
        return _Rankings(lexical, dense, sort_best_first(scores))


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
