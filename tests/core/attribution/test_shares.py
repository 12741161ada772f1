from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.attribution.shares import NOTHING, contribution, shares

VALUES = st.one_of(st.none(), st.just(0.0), st.floats(0.0, 2.0, allow_nan=False))
CONTRIBUTIONS = st.lists(VALUES, max_size=12)


@given(CONTRIBUTIONS)
def test_known_shares_add_up_to_one_or_are_all_nothing(values: list[float | None]) -> None:
    known = [share for share in shares(values) if share is not None]
    moved = any(value is not None and value > NOTHING for value in values)
    assert sum(known) == pytest.approx(1.0 if moved else 0.0)
    assert all(0.0 <= share <= 1.0 for share in known)


@given(CONTRIBUTIONS)
def test_what_is_unknown_stays_unknown_and_is_never_nothing(values: list[float | None]) -> None:
    assert [share is None for share in shares(values)] == [value is None for value in values]


@given(CONTRIBUTIONS)
def test_what_moved_nothing_has_no_share(values: list[float | None]) -> None:
    for value, share in zip(values, shares(values), strict=True):
        if value is not None and value <= NOTHING:
            assert share == 0.0


@given(CONTRIBUTIONS)
def test_a_larger_contribution_never_has_the_smaller_share(values: list[float | None]) -> None:
    pairs = [(value, share) for value, share in zip(values, shares(values), strict=True) if value is not None]
    ordered = [share for _, share in sorted(pairs, key=lambda pair: pair[0])]
    assert ordered == sorted(ordered)


@given(CONTRIBUTIONS, st.randoms(use_true_random=False))
def test_shares_stay_with_their_contributions_in_any_order(values: list[float | None], random) -> None:  # type: ignore[no-untyped-def]
    order = list(range(len(values)))
    random.shuffle(order)
    expected = shares(values)
    for place, share in zip(order, shares([values[at] for at in order]), strict=True):
        assert share == (None if expected[place] is None else pytest.approx(expected[place]))


@given(st.lists(st.floats(0.001, 1.0), min_size=1, max_size=8), st.data())
def test_a_contribution_that_grows_never_loses_share(values: list[float], data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(values) - 1))
    grown = [*values[:at], values[at] + data.draw(st.floats(0.0, 1.0)), *values[at + 1 :]]
    assert (shares(grown)[at] or 0.0) >= (shares(values)[at] or 0.0) - 1e-12


def test_the_temperature_is_the_paper_s() -> None:
    first, second = shares([0.15, 0.10])
    assert first is not None
    assert second is not None
    assert first / second == pytest.approx(2.718, abs=0.001)  # exp(0.05 / 0.05)


def test_a_contribution_is_what_similarity_lacks_and_never_negative() -> None:
    assert contribution([0.9, 0.7]) == pytest.approx(0.2)
    assert contribution([1.0, 1.0]) == 0.0
    assert contribution([1.0000001]) == 0.0
