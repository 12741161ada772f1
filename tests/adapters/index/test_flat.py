from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.index.flat import FlatVectors, VectorCache, find_nearest
from tests.contracts.examples import unit_vectors


def make(prefix: str, access: list[str], seed: int = 0) -> FlatVectors:
    keys = tuple(f"{prefix}{at}" for at in range(len(access)))
    return FlatVectors(keys, unit_vectors(max(1, len(access)), 8, seed)[: len(access)], tuple(access))


@given(
    accesses=st.lists(st.lists(st.sampled_from(["", "", "A", "B"]), max_size=30), max_size=4),
    access=st.frozensets(st.sampled_from(["A", "B", "C"])),
    limit=st.integers(1, 20),
)
def test_the_nearest_admitted_entries_of_all_collections_are_found(
    accesses: list[list[str]], access: frozenset[str], limit: int
) -> None:
    collections = [make(f"{number}-", some, number) for number, some in enumerate(accesses)]
    vector = unit_vectors(1, 8, 99)[0]
    admitted = {
        key: float(own @ vector)
        for each in collections
        for key, own, needed in zip(each.keys, each.vectors, each.access, strict=True)
        if not needed or needed in access
    }
    found = find_nearest(collections, vector, access, limit)
    wanted = sorted(admitted, key=lambda key: -admitted[key])[:limit]
    assert [key for key, _ in found] == wanted
    assert [cosine for _, cosine in found] == pytest.approx([admitted[key] for key in wanted], abs=1e-5)


def test_equal_vectors_are_ordered_by_key_also_at_the_limit() -> None:
    vector = unit_vectors(1, 8)
    same = FlatVectors(("c", "a", "b"), np.repeat(vector, 3, axis=0), ("", "", ""))
    assert [key for key, _ in find_nearest([same], vector[0], (), 2)] == ["a", "b"]


def test_vectors_that_change_while_they_are_read_are_not_cached() -> None:
    cache, old, new = VectorCache(), make("old", [""]), make("new", [""])

    def load_during_a_change() -> FlatVectors:
        cache.drop("one")
        return old

    assert cache.get("one", load_during_a_change) is old
    assert cache.get("one", lambda: new) is new
    assert cache.get("one", load_during_a_change) is new
    cache.drop("one")
    assert cache.get("one", lambda: old) is old
