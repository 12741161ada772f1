"""What every store of counterfactual results does (see :mod:`tests.contracts.stores`)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.attribution.attributor import Counterfactual
from tests.contracts.examples import indexed_page, trace, turn
from tests.contracts.stores import ONLY_ANN, Stores

RESULT = Counterfactual((0, 2, 11), 0.1 + 0.2, 1 / 3, ("Without it: xylophone.", "Änderung \U0001f600"), 2)
USED, OTHER = indexed_page("1"), indexed_page("2")


async def explained(stores: Stores) -> None:
    """One page, and results of t1 that used it, of t2 in the same conversation, and of t3 elsewhere."""
    await stores.pages.replace([USED, OTHER])
    await stores.turns.add(turn(used=(USED,)))
    await stores.turns.add(replace(turn("t2", used=(OTHER,)), trace=trace()))
    await stores.turns.add(turn("t3", "c2", used=(OTHER,)))
    for turn_id in ("t1", "t2", "t3"):
        await stores.counterfactuals.keep(turn_id, RESULT)
        assert await stores.counterfactuals.load_known(turn_id) == {RESULT.cluster: RESULT}


class CounterfactualStoreContract:
    async def test_results_come_back_exactly_by_turn_and_cluster(self, stores: Stores) -> None:
        for turn_id in ("t1", "t2"):
            await stores.turns.add(turn(turn_id))
        results = [RESULT, Counterfactual((1,), 0.0), Counterfactual((), 1.0, 0.5, ("",), 1)]
        for result in results:
            await stores.counterfactuals.keep("t1", result)
        assert await stores.counterfactuals.load_known("t1") == {result.cluster: result for result in results}
        assert await stores.counterfactuals.load_known("t2") == {}

    async def test_a_later_result_of_a_cluster_takes_the_place_of_the_earlier(self, stores: Stores) -> None:
        await stores.turns.add(turn())
        await stores.counterfactuals.keep("t1", replace(RESULT, answers=(), similarity=None, calls=0))
        for _ in range(2):
            await stores.counterfactuals.keep("t1", RESULT)
        assert await stores.counterfactuals.load_known("t1") == {RESULT.cluster: RESULT}

    async def test_what_failed_is_not_known(self, stores: Stores) -> None:
        await stores.turns.add(turn())
        failed = replace(RESULT, contribution=None, similarity=None, error="The model does not answer.")
        half_failed = replace(RESULT, cluster=(1,), answers=(), error="The model does not answer.")
        for result in (failed, half_failed, Counterfactual((2,), None)):
            await stores.counterfactuals.keep("t1", result)
        assert await stores.counterfactuals.load_known("t1") == {}
        await stores.counterfactuals.keep("t1", RESULT)
        assert await stores.counterfactuals.load_known("t1") == {RESULT.cluster: RESULT}
        await stores.counterfactuals.keep("t1", failed)
        assert await stores.counterfactuals.load_known("t1") == {}

    async def test_results_of_an_unknown_turn_are_not_kept(self, stores: Stores) -> None:
        await stores.counterfactuals.keep("t1", RESULT)
        await stores.turns.add(turn())
        assert await stores.counterfactuals.load_known("t1") == {}

    @pytest.mark.parametrize("how", ["remove", "forget", "restrict"])
    async def test_an_erased_page_takes_the_results_of_its_conversations_along(self, stores: Stores, how: str) -> None:
        await explained(stores)
        if how == "remove":
            await stores.pages.remove(["1"])
        elif how == "restrict":
            await stores.pages.replace([indexed_page("1", read_restrictions=ONLY_ANN)])
        else:
            await stores.pages.replace([indexed_page("2", space="OTHER")])
            await stores.spaces.forget("DOC")
        assert await stores.counterfactuals.load_known("t1") == {}
        assert await stores.counterfactuals.load_known("t2") == {}
        assert await stores.counterfactuals.load_known("t3") == {RESULT.cluster: RESULT}

    async def test_results_that_come_after_an_erasure_are_not_kept(self, stores: Stores) -> None:
        await explained(stores)
        await stores.pages.remove(["1"])
        for turn_id in ("t1", "t2", "t3"):
            await stores.counterfactuals.keep(turn_id, replace(RESULT, cluster=(1,)))
        assert await stores.counterfactuals.load_known("t1") == await stores.counterfactuals.load_known("t2") == {}
        assert set(await stores.counterfactuals.load_known("t3")) == {RESULT.cluster, (1,)}
