from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.attribution.steps import (
    NO_CONTRIBUTION,
    cluster_vectors,
    compare_answers,
    compute_contribution,
    compute_shares,
    normalise_answer,
    remove_evidences,
)
from core.ports.models import Vectors
from core.wording.quotations import strip_citations
from tests.core.attribution.examples import HashEmbedder
from tests.core.reading.tables import MACHINES, compute, of_kind
from tests.core.reading.tables import evidences as page_evidences


def at_angles(*degrees: float) -> Vectors:
    """Vectors in the plane: 10 degrees apart are 0.0152 apart, 20 degrees 0.0603."""
    radians = np.radians(degrees)
    return np.stack([np.cos(radians), np.sin(radians)], axis=1).astype(np.float32)


@given(st.lists(st.floats(0, 180), max_size=12), st.floats(0.0005, 0.5))
def test_every_evidence_is_in_exactly_one_cluster(degrees: list[float], epsilon: float) -> None:
    clusters = cluster_vectors(at_angles(*degrees), epsilon)
    assert sorted(index for cluster in clusters for index in cluster) == list(range(len(degrees)))
    assert clusters == sorted(clusters)
    assert all(list(cluster) == sorted(cluster) for cluster in clusters)


@given(st.lists(st.floats(0, 180), min_size=1, max_size=12))
def test_what_is_near_another_shares_its_cluster(degrees: list[float]) -> None:
    vectors = at_angles(*degrees)
    of = {index: cluster for cluster in cluster_vectors(vectors, 0.02) for index in cluster}
    near = 1 - vectors @ vectors.T < 0.019
    for one, other in zip(*np.nonzero(near), strict=True):
        assert of[int(one)] == of[int(other)]


def test_two_alike_leave_together_and_what_is_like_no_other_leaves_alone() -> None:
    assert cluster_vectors(at_angles(0, 40, 2, 80), 0.035) == [(0, 2), (1,), (3,)]


def test_several_outliers_are_clusters_of_their_own() -> None:
    assert cluster_vectors(at_angles(0, 40, 80), 0.035) == [(0,), (1,), (2,)]


def test_alikeness_chains() -> None:
    assert cluster_vectors(at_angles(0, 10, 20, 30), 0.035) == [(0, 1, 2, 3)]


def test_one_evidence_or_none() -> None:
    assert cluster_vectors(at_angles(5), 0.035) == [(0,)]
    assert cluster_vectors(np.zeros((0, 2), dtype=np.float32), 0.035) == []


def test_citations_are_not_part_of_what_an_answer_says() -> None:
    assert normalise_answer("Ann does. [1][12]\nBob  helps. [?]") == "Ann does. Bob helps."
    assert normalise_answer("See [note] and list[0x1].") == "See [note] and list[0x1]."


async def test_an_answer_that_differs_in_numbers_only_is_exactly_the_same() -> None:
    embedder = HashEmbedder()
    assert await compare_answers("Who?", "Ann. [1]", ["Ann. [2]", "Ann."], embedder) == [1.0, 1.0]
    assert embedder.embedded == []


async def test_other_answers_are_compared_each_in_its_place_together_with_the_question() -> None:
    embedder = HashEmbedder()
    same, bob, again, none = await compare_answers("Who?", "Ann. [1]", ["Ann.", "Bob.", "Bob. [3]", ""], embedder)
    assert same == 1.0
    assert bob == again != none
    assert all(-1.0 <= near < 0.9 for near in (bob, none))
    assert embedder.embedded[:2] == ["passage: Who?\nAnn.", "passage: Who?\nBob."]


async def test_a_longer_question_makes_two_answers_more_alike(embedder) -> None:  # type: ignore[no-untyped-def]
    (bare,) = await compare_answers("?", "Yes.", ["No."], embedder)
    question = "Does the person on call at night have to climb the tower alone?"
    (asked,) = await compare_answers(question, "Yes.", ["No."], embedder)
    assert bare < asked < 1.0


VALUES = st.one_of(st.none(), st.just(0.0), st.floats(0.0, 2.0, allow_nan=False))
CONTRIBUTIONS = st.lists(VALUES, max_size=12)


@given(CONTRIBUTIONS)
def test_known_shares_add_up_to_one_or_are_all_nothing(values: list[float | None]) -> None:
    known = [share for share in compute_shares(values) if share is not None]
    moved = any(value is not None and value > NO_CONTRIBUTION for value in values)
    assert sum(known) == pytest.approx(1.0 if moved else 0.0)
    assert all(0.0 <= share <= 1.0 for share in known)


@given(CONTRIBUTIONS)
def test_what_is_unknown_stays_unknown_and_is_never_nothing(values: list[float | None]) -> None:
    assert [share is None for share in compute_shares(values)] == [value is None for value in values]


@given(CONTRIBUTIONS)
def test_what_moved_nothing_has_no_share(values: list[float | None]) -> None:
    for value, share in zip(values, compute_shares(values), strict=True):
        if value is not None and value <= NO_CONTRIBUTION:
            assert share == 0.0


@given(CONTRIBUTIONS)
def test_a_larger_contribution_never_has_the_smaller_share(values: list[float | None]) -> None:
    pairs = [(value, share) for value, share in zip(values, compute_shares(values), strict=True) if value is not None]
    ordered = [share for _, share in sorted(pairs, key=lambda pair: pair[0])]
    assert ordered == sorted(ordered)


@given(CONTRIBUTIONS, st.randoms(use_true_random=False))
def test_shares_stay_with_their_contributions_in_any_order(values: list[float | None], random) -> None:  # type: ignore[no-untyped-def]
    order = list(range(len(values)))
    random.shuffle(order)
    expected = compute_shares(values)
    for place, share in zip(order, compute_shares([values[at] for at in order]), strict=True):
        assert share == (None if expected[place] is None else pytest.approx(expected[place]))


@given(st.lists(st.floats(0.001, 1.0), min_size=1, max_size=8), st.data())
def test_a_contribution_that_grows_never_loses_share(values: list[float], data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(values) - 1))
    grown = [*values[:at], values[at] + data.draw(st.floats(0.0, 1.0)), *values[at + 1 :]]
    assert (compute_shares(grown)[at] or 0.0) >= (compute_shares(values)[at] or 0.0) - 1e-12


def test_the_temperature_is_the_paper_s() -> None:
    first, second = compute_shares([0.15, 0.10])
    assert first is not None
    assert second is not None
    assert first / second == pytest.approx(2.718, abs=0.001)  # exp(0.05 / 0.05)


def test_a_contribution_is_what_similarity_lacks_and_never_negative() -> None:
    assert compute_contribution([0.9, 0.7]) == pytest.approx(0.2)
    assert compute_contribution([1.0, 1.0]) == 0.0
    assert compute_contribution([1.0000001]) == 0.0


def test_a_row_that_is_taken_away_is_not_in_its_table_either_and_is_not_counted() -> None:
    question = "How many machines have an F for S3?"
    evidences = page_evidences(MACHINES)
    [table] = of_kind(evidences, "table")
    failed = next(ranked for ranked in of_kind(evidences, "table_row") if "Z820" in ranked.evidence.text)
    other = page_evidences(MACHINES, page_id="8")
    left = remove_evidences([failed, table, *other], (0,))
    assert left[0].evidence.evidence_id == table.evidence.evidence_id
    assert "Z820" not in left[0].evidence.text
    assert left[1:] == other
    computed = compute(question, left[:1])
    assert computed is not None
    assert computed.answer.text.startswith("1 of 4 entries in “Machines” matches S3 P/F: F:")


def test_a_table_of_which_every_row_is_taken_away_is_gone() -> None:
    evidences = page_evidences(MACHINES)
    rows = tuple(at for at, ranked in enumerate(evidences) if ranked.evidence.kind == "table_row")
    assert remove_evidences(evidences, rows) == []


def test_citations_are_no_words_of_an_answer() -> None:
    assert strip_citations("A [1][12]. B [?]\nx[0] ```a```\n[2]") == "A. B\nx ```a```"
