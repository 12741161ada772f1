from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.embedding.e5 import E5Embedder
from bot.settings import Settings
from bot.wiring import Application, open_application
from core.errors import RerankerUnavailable
from core.evidence.contextualise import contextualise
from core.model import Context, Evidence, RankedEvidence, Scope
from core.ports.indexes import Hit
from core.retrieval.fusion import (
    add_matches,
    compare_within_languages,
    compute_title_similarity,
    fuse_by_reciprocal_rank,
    fuse_by_weighted_sum,
    scale_min_max,
    sort_best_first,
)
from core.retrieval.retriever import RetrievalSettings, Retriever, rerank
from core.trace import Stopwatch
from tests.core.retrieval.fake_reranker import FakeReranker
from tests.core.retrieval.test_retriever import QUESTION, page, put

scores = st.floats(-1000, 1000, allow_nan=False).map(lambda score: round(score, 6))
rankings = st.dictionaries(st.sampled_from("abcdefgh"), scores, max_size=8).map(sort_best_first)


@given(rankings)
def test_min_max_stretches_to_0_and_1_and_keeps_the_order(hits: list[Hit]) -> None:
    stretched = scale_min_max(hits)
    assert set(stretched) == {hit.key for hit in hits}
    assert all(0 <= score <= 1 for score in stretched.values())
    assert not hits or max(stretched.values()) == 1
    assert len({hit.score for hit in hits}) < 2 or min(stretched.values()) == 0
    assert list(stretched.values()) == sorted(stretched.values(), reverse=True)


def test_min_max_of_equal_scores_is_1() -> None:
    assert scale_min_max([Hit("a", 3.0), Hit("b", 3.0)]) == {"a": 1.0, "b": 1.0}
    assert scale_min_max([]) == {}


def test_weighted_sum_adds_what_each_ranking_gives() -> None:
    words = [Hit("a", 9.0), Hit("b", 5.0), Hit("c", 1.0)]
    dense = [Hit("b", 0.9), Hit("d", 0.7)]
    fused = fuse_by_weighted_sum({"words": words, "dense": dense}, {"words": 0.6, "dense": 0.4})
    assert [hit.key for hit in fused] == ["b", "a", "c", "d"]
    assert [hit.score for hit in fused] == pytest.approx([0.6 * 0.5 + 0.4, 0.6, 0.0, 0.0])


@given(rankings, rankings, st.floats(0, 1), st.floats(0, 1))
def test_weighted_sum_does_not_depend_on_the_order_of_rankings(
    one: list[Hit], two: list[Hit], first: float, second: float
) -> None:
    weights = {"one": first, "two": second}
    assert fuse_by_weighted_sum({"one": one, "two": two}, weights) == fuse_by_weighted_sum(
        {"two": two, "one": one}, weights
    )


@given(rankings)
def test_fusing_one_ranking_keeps_its_order(hits: list[Hit]) -> None:
    assert [hit.key for hit in fuse_by_reciprocal_rank([hits])] == [hit.key for hit in hits]


def test_reciprocal_rank_is_the_sum_of_one_over_k_plus_rank() -> None:
    fused = fuse_by_reciprocal_rank([[Hit("a", 9), Hit("b", 8)], [Hit("b", 0.5), Hit("c", 0.4)]])
    assert fused == [Hit("b", 1 / 62 + 1 / 61), Hit("a", 1 / 61), Hit("c", 1 / 62)]


@given(st.lists(rankings, max_size=4))
def test_reciprocal_rank_does_not_depend_on_the_order_of_rankings(lists: list[list[Hit]]) -> None:
    shuffled = lists[::-1]
    one, two = fuse_by_reciprocal_rank(lists), fuse_by_reciprocal_rank(shuffled)
    assert {hit.key for hit in one} == {hit.key for hit in two}
    assert {hit.key: pytest.approx(hit.score) for hit in one} == {hit.key: hit.score for hit in two}


@given(st.dictionaries(st.text(max_size=3), st.sampled_from([0.0, 0.5, 1.0])))
def test_ties_come_in_the_order_of_their_keys_however_they_were_given(given_scores: dict[str, float]) -> None:
    items = list(given_scores.items())
    assert sort_best_first(dict(items)) == sort_best_first(dict(reversed(items)))
    hits = sort_best_first(given_scores)
    assert hits == sorted(hits, key=lambda hit: (-hit.score, hit.key))


def test_a_question_that_is_the_title_names_it_wholly() -> None:
    assert compute_title_similarity("What is the Release Checklist?", "Release Checklist") == 1.0


def test_word_forms_and_compounds_count() -> None:
    assert compute_title_similarity("Wie ist die Urlaubsregelung?", "Urlaubsregelungen Deutschland") > 0.4
    assert compute_title_similarity("Größe der Türme", "Groesse des Turms") > compute_title_similarity(
        "Größe der Türme", "Vacation policy"
    )


@pytest.mark.parametrize(("question", "title"), [("", "Title"), ("What?", ""), ("!!!", "???")])
def test_nothing_names_nothing(question: str, title: str) -> None:
    assert compute_title_similarity(question, title) == 0.0


@given(st.text(max_size=40), st.text(max_size=40))
def test_it_is_between_0_and_1_and_nothing_is_more_alike_than_the_question_itself(one: str, two: str) -> None:
    assert 0.0 <= compute_title_similarity(one, two) <= compute_title_similarity(one, one) <= 1.0


def candidates(count: int) -> list[tuple[Hit, Evidence]]:
    return [
        (
            Hit(f"key{place:03}", 1 - place / 100),
            Evidence(f"e{place}", str(place), "DOC", "passage", 0, f"text {place}", Context("Title", before="b"), ""),
        )
        for place in range(count)
    ]


def keys(found: Sequence[Hit]) -> list[str]:
    return [hit.key for hit in found]


async def test_ranks_of_both_are_joined_by_reciprocal_rank_fusion() -> None:
    scores = {"text 0": 0.1, "text 1": 0.2, "text 2": 0.9}
    reranker = FakeReranker(lambda text: scores[text.splitlines()[-1]])
    found, ranking = await rerank(reranker, "q", candidates(3), [], "ALL")
    assert [hit.key for hit in ranking] == ["key002", "key001", "key000"]
    sums = {"key000": 1 / 61 + 1 / 63, "key001": 1 / 62 + 1 / 62, "key002": 1 / 63 + 1 / 61}
    assert keys(found) == ["key000", "key002", "key001"]  # equal sums: in the order of the keys
    best = max(sums.values())
    assert [hit.score for hit in found] == pytest.approx([sums[key] / best for key in keys(found)])


@given(first=st.integers(1, 12), count=st.integers(0, 12), scores=st.lists(st.floats(-9, 9), min_size=12, max_size=12))
async def test_every_candidate_stays_and_those_not_scored_come_last_in_their_order(
    first: int, count: int, scores: list[float]
) -> None:
    reranker = FakeReranker(lambda text: scores[int(text.split()[-1])])
    given_ones = candidates(count)
    hits = [hit for hit, _ in given_ones]
    found, ranking = await rerank(reranker, "q", given_ones[:first], hits[first:], "NONE")
    assert sorted(keys(found)) == sorted(keys(hits))
    assert keys(found)[first:] == keys(hits)[first:]
    assert len(ranking) == min(first, count)
    assert [hit.score for hit in found] == sorted((hit.score for hit in found), reverse=True)


async def test_the_texts_are_read_as_they_were_embedded() -> None:
    for mode in ("ALL", "NONE", "TTL"):
        reranker = FakeReranker(len)
        await rerank(reranker, "q", candidates(2), [], mode)  # type: ignore[arg-type]
        assert reranker.calls == [("q", [contextualise(evidence, mode) for _, evidence in candidates(2)])]  # type: ignore[arg-type]


async def test_nothing_is_asked_about_no_candidates() -> None:
    reranker = FakeReranker(len)
    assert await rerank(reranker, "q", [], [Hit("key", 0.5)], "ALL") == ([Hit("key", 0.5)], [])
    assert reranker.calls == []


languages = st.dictionaries(st.sampled_from("abcdefgh"), st.sampled_from(["", "en", "de"]))
positive = st.dictionaries(st.sampled_from("abcdefgh"), st.integers(1, 50).map(float), max_size=8).map(sort_best_first)


@given(positive, positive, languages)
def test_scores_of_words_keep_their_order_within_a_language(
    lexical: list[Hit], dense: list[Hit], of: dict[str, str]
) -> None:
    found = compare_within_languages(lexical, dense, of)
    assert {hit.key for hit in found} == {hit.key for hit in lexical}
    before, after = ({hit.key: hit.score for hit in hits} for hits in (lexical, found))
    for one in before:
        for other in before:
            if of.get(one, "") == of.get(other, "") and before[one] > before[other]:
                assert after[one] >= after[other]
    assert not found or found[0].score <= lexical[0].score + 1e-9


@given(positive, positive)
def test_in_a_wiki_of_one_language_scores_of_words_stay(lexical: list[Hit], dense: list[Hit]) -> None:
    of = {hit.key: "en" for hit in (*lexical, *dense)}
    assert compare_within_languages(lexical, dense, of) == lexical


@given(positive, positive, languages)
def test_scores_of_words_stay_where_no_language_is_known_or_no_vector_of_it(
    lexical: list[Hit], dense: list[Hit], of: dict[str, str]
) -> None:
    found = {hit.key: hit.score for hit in compare_within_languages(lexical, dense, of)}
    compared = {of.get(hit.key, "") for hit in dense} - {""}
    for hit in lexical:
        if of.get(hit.key, "") not in compared:
            assert found[hit.key] == hit.score


@given(positive, positive, languages)
def test_no_score_of_words_falls(lexical: list[Hit], dense: list[Hit], of: dict[str, str]) -> None:
    found = {hit.key: hit.score for hit in compare_within_languages(lexical, dense, of)}
    assert all(found[hit.key] >= hit.score for hit in lexical)


def test_a_page_in_another_language_wins_where_its_vector_is_the_most_similar() -> None:
    lexical = [Hit("german by chance", 0.65), Hit("english", 0.1)]  # of a German question
    dense = [Hit("english", 0.9), Hit("german by chance", 0.8), Hit("last", 0.5)]
    of = {"german by chance": "de", "english": "en", "last": "en"}
    found = {hit.key: hit.score for hit in compare_within_languages(lexical, dense, of)}
    assert found["english"] == pytest.approx(0.65)
    assert found["german by chance"] == pytest.approx(0.65)


def test_matches_count_as_much_as_fused_scores() -> None:
    fused = [Hit("a", 1.0), Hit("b", 0.8), Hit("c", 0.6), Hit("d", 0.1)]
    added = add_matches(fused, {"a": 0.4, "b": 0.5, "c": 0.6}, compared=3)
    assert [hit.score for hit in added[:3]] == pytest.approx([0.8] * 3), "one says the opposite of the other"
    assert added[3].key == "d"
    assert added[3].score == pytest.approx(0.1 - 0.2), "as badly as the worst that was compared"


@given(rankings, st.dictionaries(st.sampled_from("abcdefgh"), st.floats(0, 1), max_size=8), st.integers(0, 8))
def test_adding_matches_keeps_every_hit_and_what_was_not_compared_behind(
    hits: list[Hit], totals: dict[str, float], compared: int
) -> None:
    added = add_matches(hits, totals, compared)
    assert sorted(hit.key for hit in added) == sorted(hit.key for hit in hits)
    assert [hit.score for hit in added] == sorted((hit.score for hit in added), reverse=True)
    if len({hit.score for hit in hits}) == len(hits):
        later = [hit.key for hit in hits[compared:]]
        assert [hit.key for hit in added if hit.key in later] == later


@given(rankings)
def test_without_totals_the_order_stays(hits: list[Hit]) -> None:
    assert add_matches(hits, {}, 20) == hits


BELLS = [page(str(number), f"<p>The tenor bell weighs {number} tonnes.</p>") for number in range(1, 9)]


@pytest.fixture
def application(tmp_path: Path, embedder: E5Embedder) -> Any:
    with open_application(Settings(data_dir=tmp_path)) as application:
        application.__dict__["embedder"] = embedder
        yield application


def retriever_with(application: Application, reranker: FakeReranker | None, **changes: Any) -> Retriever:
    settings = replace(RetrievalSettings(), **changes)
    return Retriever(
        application.embedder, application.dense, application.lexical, application.evidences, settings, reranker
    )


async def found_with(
    application: Application, reranker: FakeReranker | None, stopwatch: Stopwatch | None = None, **changes: Any
) -> list[RankedEvidence]:
    retriever = retriever_with(application, reranker, **{"more_of_first_page": 0, **changes})
    return await retriever.retrieve(QUESTION, Scope(), stopwatch or Stopwatch(lambda: 0.0))


async def test_the_first_candidates_have_a_place_in_the_rerankers_list_and_the_others_none(
    application: Application,
) -> None:
    await put(application, *BELLS)
    before = await found_with(application, None)
    reranker = FakeReranker(lambda text: float("8 tonnes" in text))
    ranked = await found_with(application, reranker, rerank_candidates=4)
    places = {item.evidence.page_id: item.reranked for item in ranked}
    scored = [item.evidence.page_id for item in before[:4]]
    assert {page_id for page_id, place in places.items() if place} == set(scored)
    assert sorted(place.rank for place in places.values() if place) == [1, 2, 3, 4]
    assert [item.evidence.page_id for item in ranked[4:]] == [item.evidence.page_id for item in before[4:]]
    assert all(item.fused for item in ranked)


async def test_the_last_candidate_comes_first_if_the_reranker_says_so_and_fusion_does_not_outweigh_it(
    application: Application,
) -> None:
    await put(application, *BELLS)
    before = [item.evidence.page_id for item in await found_with(application, None)]
    ranked = await found_with(application, FakeReranker(lambda text: float(f" {before[1]} tonnes" in text)))
    assert ranked[0].evidence.page_id == before[1]
    assert ranked[0].reranked
    assert ranked[0].reranked.rank == 1
    assert [item.rank for item in ranked] == list(range(1, len(ranked) + 1))


async def test_the_cap_per_page_applies_after_reranking(application: Application) -> None:
    many = "".join(f"<h2>Part {number}</h2><p>The tenor bell weighs {number} tonnes.</p>" for number in range(6))
    await put(application, page("1", many), page("2", "<p>The tenor bell weighs nothing.</p>"))
    ranked = await found_with(application, FakeReranker(lambda text: float("nothing" not in text)), per_page=1)
    assert [item.evidence.page_id for item in ranked].count("1") == 2
    assert "2" in [item.evidence.page_id for item in ranked]


async def test_the_stage_is_there_and_timed_only_with_a_reranker(application: Application) -> None:
    await put(application, *BELLS)
    for reranker, there in ((None, False), (FakeReranker(len), True)):
        stopwatch = Stopwatch(lambda: 0.0)
        found = await found_with(application, reranker, stopwatch)
        assert any(item.reranked for item in found) == ("rerank" in stopwatch.timings_ms) == there


async def test_a_reranker_that_fails_is_not_hidden_and_pages_are_not_reranked(application: Application) -> None:
    def fail(text: str) -> float:
        raise RerankerUnavailable("The reranker cannot be loaded.")

    await put(application, *BELLS)
    failing = retriever_with(application, FakeReranker(fail))
    with pytest.raises(RerankerUnavailable):
        await failing.retrieve(QUESTION, Scope(), Stopwatch(lambda: 0.0))
    assert await failing.rank_pages(QUESTION, Scope(), Stopwatch(lambda: 0.0))
