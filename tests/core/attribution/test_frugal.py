from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.attribution.attributor import Counterfactual
from core.attribution.frugal import FrugalAttributor
from core.errors import ModelUnavailable
from core.model import NOT_FOUND
from tests.core.attribution.examples import Says, ScriptedAnswerer, contributions, full, needing, singles, subject


async def attributed(
    says: Says, count: int, cited: list[int], known: dict[tuple[int, ...], Counterfactual] | None = None
) -> tuple[list[Counterfactual], ScriptedAnswerer, list[Counterfactual]]:
    answerer, heard = ScriptedAnswerer(says), list[Counterfactual]()
    frugal = FrugalAttributor(full(answerer))
    results = await frugal.attribute(subject(says, count, cited), singles(count), known or {}, heard.append)
    return results, answerer, heard


async def test_uncited_clusters_that_move_nothing_take_one_call_together() -> None:
    results, answerer, _ = await attributed(needing(0, 3), 10, [0, 3])
    everything = await full(ScriptedAnswerer(needing(0, 3))).attribute(
        subject(needing(0, 3), 10), singles(10), {}, lambda result: None
    )
    assert contributions(results) == contributions(everything)
    assert [result.cluster for result in results] == singles(10)
    assert len(answerer.asked) == 3
    assert sum(result.calls for result in results) == 3


@given(st.integers(1, 9), st.data())
async def test_it_finds_whichever_uncited_cluster_matters(count: int, data: st.DataObject) -> None:
    hidden = data.draw(st.integers(0, count - 1))
    results, answerer, _ = await attributed(needing(hidden), count, [])
    assert [bool(result.contribution) for result in results] == [at == hidden for at in range(count)]
    assert results[hidden].answers == (NOT_FOUND,)
    assert sum(result.calls for result in results) == len(answerer.asked) <= 2 * count


async def test_a_group_that_cannot_be_asked_is_unknown_not_nothing() -> None:
    def says(given: frozenset[int]) -> str | ModelUnavailable:
        return needing(0)(given) if 5 in given else ModelUnavailable("Down.")

    results, _, _ = await attributed(says, 6, [0])
    assert [result.contribution is None for result in results] == [False, True, True, True, True, True]
    assert results[3].error == "Down."


@pytest.mark.parametrize("says", [needing(0), needing(0, 6), needing(0, 2, 3, 7)])
async def test_an_interrupted_run_asks_nothing_twice(says: Says) -> None:
    whole, answerer, heard = await attributed(says, 8, [0])
    assert len(set(answerer.asked)) == len(answerer.asked)
    for kept in range(len(heard) + 1):
        known = {result.cluster: result for result in heard[:kept]}
        before = {frozenset(range(8)) - set(cluster) for cluster in known}
        results, again, _ = await attributed(says, 8, [0], known)
        assert contributions(results) == contributions(whole)
        assert not before.intersection(again.asked)


async def test_nothing_uncited_or_nothing_cited() -> None:
    assert len((await attributed(needing(0, 1), 2, [0, 1]))[1].asked) == 2
    assert len((await attributed(lambda given: "Yes.", 6, []))[1].asked) == 1
