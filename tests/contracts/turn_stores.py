"""The contracts of the stores of turns and counterfactual results (see :mod:`tests.contracts.stores`)."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from core.evidence.facts import make_facts_evidence
from core.model import (
    AblationResult,
    Conversation,
    PageFacts,
    PagePart,
    Provenance,
    RankedEvidence,
    Scope,
    Suggestion,
    Trace,
)
from tests.contracts.examples import add_provenance, indexed_page, trace, turn
from tests.contracts.stores import ONLY_ANN, Stores


class TurnStoreContract:
    async def test_a_turn_comes_back_whole(self, stores: Stores) -> None:
        pages = (indexed_page("1", kind="table_row"), indexed_page("2"))
        scope = Scope(frozenset({"B", "A"}), frozenset({"user:ann", "group:x"}))
        given = replace(
            turn(used=pages, cited=pages, scope=scope), trace=trace(), suggestions=(Suggestion("And Ä?", "2-0"),)
        )
        provenance = Provenance(
            frozenset({PagePart("1"), PagePart("1", "a comment"), PagePart("3")}),
            frozenset({PagePart("1"), PagePart("2", "a file")}),
        )
        given = replace(given, question=replace(given.question, provenance=provenance))
        await stores.turns.add(given)
        assert await stores.turns.load_turn("t1") == given
        assert await stores.turns.load_turn("t2") is None

    async def test_the_facts_of_a_page_come_back_with_the_turn_that_used_them(self, stores: Stores) -> None:
        facts = PageFacts("Ann", updated=date(2020, 2, 29), labels=("a",), comments=0)
        evidence = make_facts_evidence("1", "DOC", "Bells", "https://wiki/1", facts)
        assert evidence
        given = replace(turn(used=(indexed_page("1"),)), evidences=(RankedEvidence(evidence, 1, 0.0),))
        await stores.turns.add(given)
        assert await stores.turns.load_turn("t1") == given

    async def test_a_scope_of_all_spaces_differs_from_one_of_none(self, stores: Stores) -> None:
        for turn_id, scope in (("all", Scope()), ("none", Scope(frozenset()))):
            await stores.turns.add(turn(turn_id, scope=scope))
            kept = await stores.turns.load_turn(turn_id)
            assert kept is not None
            assert kept.scope == scope

    async def test_adding_a_turn_again_changes_nothing(self, stores: Stores) -> None:
        given = turn(answer="first")
        await stores.turns.add(given)
        await stores.turns.add(turn(answer="second"))
        assert await stores.turns.load_newest("c1", 1_000) == [given]

    async def test_suggestions_are_set_once_the_turn_is_stored(self, stores: Stores) -> None:
        given = replace(turn(used=(indexed_page("1"), indexed_page("2"))), trace=trace())
        await stores.turns.add(given)
        suggestions = (Suggestion("And ü?", "2-0"), Suggestion("Why?", "1-1"))
        await stores.turns.save_suggestions("t1", suggestions)
        assert await stores.turns.load_turn("t1") == replace(given, suggestions=suggestions)
        await stores.turns.save_suggestions("t1", suggestions[:1])
        await stores.turns.save_suggestions("never there", suggestions)
        assert await stores.turns.load_newest("c1", 1_000) == [replace(given, suggestions=suggestions[:1])]

    async def test_a_suggestion_needs_an_evidence_of_its_turn(self, stores: Stores) -> None:
        given = replace(turn(used=(indexed_page("1"),)), trace=Trace())
        fits, foreign = Suggestion("Why?", "1-1"), Suggestion("Whence?", "2-0")
        await stores.turns.add(replace(given, suggestions=(fits, foreign)))
        assert await stores.turns.load_turn("t1") == replace(given, suggestions=(fits,))
        await stores.turns.save_suggestions("t1", [foreign, fits])
        assert await stores.turns.load_turn("t1") == replace(given, suggestions=(fits,))

    async def test_a_removed_turn_is_gone_from_its_conversation(self, stores: Stores) -> None:
        for turn_id in ("t1", "t2"):
            await stores.turns.add(turn(turn_id, conversation_id="c"))
        await stores.turns.remove("t1")
        await stores.turns.remove("t1")
        assert await stores.turns.load_turn("t1") is None
        assert [each.turn_id for each in await stores.turns.load_newest("c", 1_000)] == ["t2"]

    async def test_the_turns_of_a_conversation_are_oldest_first(self, stores: Stores) -> None:
        times = {"late": "2024-05-01T10:00:01Z", "early": "2024-05-01T10:00:00Z", "also late": "2024-05-01T10:00:01Z"}
        for turn_id, asked_at in times.items():
            await stores.turns.add(turn(turn_id, asked_at=asked_at))
        await stores.turns.add(turn("other", "c2"))
        assert [kept.turn_id for kept in await stores.turns.load_newest("c1", 1_000)] == ["early", "late", "also late"]

    async def test_a_part_of_a_conversation_is_loaded(self, stores: Stores) -> None:
        for number in range(5):
            await stores.turns.add(turn(f"t{number}", asked_at=f"2024-05-01T10:00:0{number // 2}Z"))
        await stores.turns.add(turn("other", "c2"))
        whole = await stores.turns.load_newest("c1", 1_000)
        assert await stores.turns.load_newest("c1", 3) == whole[-3:]
        assert await stores.turns.load_newest("c1", 9) == whole
        assert await stores.turns.load_some("c1", ["t3", "other", "t1", "unknown"]) == [whole[1], whole[3]]
        assert await stores.turns.load_some("c1", []) == []

    async def test_no_part_of_a_hidden_conversation_is_loaded(self, stores: Stores) -> None:
        await stores.conversations.start(Conversation("c1", "2024-05-01T10:00:00Z", hidden=True))
        await stores.turns.add(turn("t1"))
        assert await stores.turns.load_newest("c1", 9) == await stores.turns.load_some("c1", ["t1"]) == []


RESULT = AblationResult((0, 2, 11), 0.1 + 0.2, 1 / 3, ("Without it: xylophone.", "Änderung \U0001f600"), 2)
USED, OTHER = indexed_page("1"), indexed_page("2")


async def explained(stores: Stores) -> None:
    """Store results of t1, which used a page, of t2, which follows it, and of t3 in another conversation."""
    await stores.pages.replace([USED, OTHER])
    await stores.turns.add(turn(used=(USED,)))
    await stores.turns.add(add_provenance(replace(turn("t2", used=(OTHER,)), trace=trace()), ("1",)))
    await stores.turns.add(turn("t3", "c2", used=(OTHER,)))
    for turn_id in ("t1", "t2", "t3"):
        await stores.counterfactuals.save(turn_id, RESULT)
        assert await stores.counterfactuals.load_known(turn_id) == {RESULT.cluster: RESULT}


class CounterfactualStoreContract:
    async def test_results_come_back_exactly_by_turn_and_cluster(self, stores: Stores) -> None:
        for turn_id in ("t1", "t2"):
            await stores.turns.add(turn(turn_id))
        results = [RESULT, AblationResult((1,), 0.0), AblationResult((), 1.0, 0.5, ("",), 1)]
        for result in results:
            await stores.counterfactuals.save("t1", result)
        assert await stores.counterfactuals.load_known("t1") == {result.cluster: result for result in results}
        assert await stores.counterfactuals.load_known("t2") == {}

    async def test_a_later_result_of_a_cluster_takes_the_place_of_the_earlier(self, stores: Stores) -> None:
        await stores.turns.add(turn())
        await stores.counterfactuals.save("t1", replace(RESULT, answers=(), similarity=None, calls=0))
        for _ in range(2):
            await stores.counterfactuals.save("t1", RESULT)
        assert await stores.counterfactuals.load_known("t1") == {RESULT.cluster: RESULT}

    async def test_what_failed_is_not_known(self, stores: Stores) -> None:
        await stores.turns.add(turn())
        failed = replace(RESULT, contribution=None, similarity=None, error="The model does not answer.")
        half_failed = replace(RESULT, cluster=(1,), answers=(), error="The model does not answer.")
        for result in (failed, half_failed, AblationResult((2,), None)):
            await stores.counterfactuals.save("t1", result)
        assert await stores.counterfactuals.load_known("t1") == {}
        await stores.counterfactuals.save("t1", RESULT)
        assert await stores.counterfactuals.load_known("t1") == {RESULT.cluster: RESULT}
        await stores.counterfactuals.save("t1", failed)
        assert await stores.counterfactuals.load_known("t1") == {}

    async def test_results_of_an_unknown_turn_are_not_kept(self, stores: Stores) -> None:
        await stores.counterfactuals.save("t1", RESULT)
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
            await stores.counterfactuals.save(turn_id, replace(RESULT, cluster=(1,)))
        assert await stores.counterfactuals.load_known("t1") == await stores.counterfactuals.load_known("t2") == {}
        assert set(await stores.counterfactuals.load_known("t3")) == {RESULT.cluster, (1,)}
