"""Fusion of rankings whose scores do not compare."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.ports import Hit
from core.retrieval.ranking import best_first, fuse_by_weighted_sum, min_max, reciprocal_rank

scores = st.floats(-1000, 1000, allow_nan=False).map(lambda score: round(score, 6))
rankings = st.dictionaries(st.sampled_from("abcdefgh"), scores, max_size=8).map(best_first)


@given(rankings)
def test_min_max_stretches_to_0_and_1_and_keeps_the_order(hits: list[Hit]) -> None:
    stretched = min_max(hits)
    assert set(stretched) == {hit.key for hit in hits}
    assert all(0 <= score <= 1 for score in stretched.values())
    assert not hits or max(stretched.values()) == 1
    assert len({hit.score for hit in hits}) < 2 or min(stretched.values()) == 0
    assert list(stretched.values()) == sorted(stretched.values(), reverse=True)


def test_min_max_of_equal_scores_is_1() -> None:
    assert min_max([Hit("a", 3.0), Hit("b", 3.0)]) == {"a": 1.0, "b": 1.0}
    assert min_max([]) == {}


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
    assert [hit.key for hit in reciprocal_rank([hits])] == [hit.key for hit in hits]


def test_reciprocal_rank_is_the_sum_of_one_over_k_plus_rank() -> None:
    fused = reciprocal_rank([[Hit("a", 9), Hit("b", 8)], [Hit("b", 0.5), Hit("c", 0.4)]], k=60)
    assert fused == [Hit("b", 1 / 62 + 1 / 61), Hit("a", 1 / 61), Hit("c", 1 / 62)]


@given(st.lists(rankings, max_size=4))
def test_reciprocal_rank_does_not_depend_on_the_order_of_rankings(lists: list[list[Hit]]) -> None:
    shuffled = lists[::-1]
    one, two = reciprocal_rank(lists), reciprocal_rank(shuffled)
    assert {hit.key for hit in one} == {hit.key for hit in two}
    assert {hit.key: pytest.approx(hit.score) for hit in one} == {hit.key: hit.score for hit in two}


@given(st.dictionaries(st.text(max_size=3), st.sampled_from([0.0, 0.5, 1.0])))
def test_ties_come_in_the_order_of_their_keys_however_they_were_given(given_scores: dict[str, float]) -> None:
    items = list(given_scores.items())
    assert best_first(dict(items)) == best_first(dict(reversed(items)))
    hits = best_first(given_scores)
    assert hits == sorted(hits, key=lambda hit: (-hit.score, hit.key))
