from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from core.attribution.clusters import cluster_vectors
from core.ports import Vectors


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
    assert cluster_vectors(at_angles(5)) == [(0,)]
    assert cluster_vectors(np.zeros((0, 2), dtype=np.float32)) == []
