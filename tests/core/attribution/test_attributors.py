from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.embedding.e5 import E5Embedder
from core.attribution.attributors import CounterfactualAttributor, FrugalAttributor, SimilarityAttributor
from core.attribution.steps import AnswerToExplain, compute_shares
from core.errors import ModelUnavailable
from core.model import NOT_FOUND, AblationResult
from tests.core.answering.examples import evidence, ranked
from tests.core.attribution.examples import (
    HashEmbedder,
    Says,
    ScriptedAnswerer,
    contributions,
    counterfactual,
    needing,
    singles,
    subject,
)


def unheard(result: AblationResult) -> None:
    """Nobody listens."""


async def test_only_what_the_answer_needs_contributes() -> None:
    answerer = ScriptedAnswerer(needing(1))
    results = await counterfactual(answerer).attribute(subject(needing(1), 4), singles(4), {}, unheard)
    assert [result.cluster for result in results] == singles(4)
    assert [result.contribution == 0.0 for result in results] == [True, False, True, True]
    assert results[1].answers == (NOT_FOUND,)
    assert results[0].similarity == 1.0
    assert compute_shares(contributions(results)) == [0.0, 1.0, 0.0, 0.0]


async def test_every_answer_is_given_as_on_the_day_of_the_question() -> None:
    answerer, day = ScriptedAnswerer(needing(1)), date(2026, 11, 29)
    asked = replace(subject(needing(1), 3), day=day)
    await counterfactual(answerer).attribute(asked, singles(3), {}, unheard)
    assert answerer.days == {day}


async def test_a_cluster_leaves_as_a_whole() -> None:
    answerer = ScriptedAnswerer(needing(0, 2))
    results = await counterfactual(answerer).attribute(subject(needing(0, 2), 4), [(0, 2), (1,), (3,)], {}, unheard)
    assert answerer.asked == [frozenset({1, 3}), frozenset({0, 2, 3}), frozenset({0, 1, 2})]
    assert results[0].answers == (NOT_FOUND,)


async def test_three_failures_of_ten_are_unknown_and_the_others_share() -> None:
    def says(given: frozenset[int]) -> str | ModelUnavailable:
        missing = set(range(10)) - given
        return ModelUnavailable("It did not answer.") if missing & {2, 5, 7} else needing(0, 1)(given)

    results = await counterfactual(ScriptedAnswerer(says)).attribute(subject(says, 10), singles(10), {}, unheard)
    found = compute_shares(contributions(results))
    assert [at for at, share in enumerate(found) if share is None] == [2, 5, 7]
    assert sum(share or 0.0 for share in found) == pytest.approx(1.0)
    assert found[0]
    assert found[1]
    assert results[2].error == "It did not answer."
    assert results[2].similarity is None


async def test_a_defect_is_not_taken_for_a_failure_of_the_model() -> None:
    def says(given: frozenset[int]) -> str:
        if len(given) == 2:
            raise ZeroDivisionError
        return "Yes."

    with pytest.raises(ZeroDivisionError):
        await counterfactual(ScriptedAnswerer(says)).attribute(subject(says, 3), singles(3), {}, unheard)


@pytest.mark.parametrize(("limit", "at_once"), [(1, 1), (3, 3), (50, 8)])
async def test_the_limit_on_concurrency_is_kept_and_used(limit: int, at_once: int) -> None:
    answerer = ScriptedAnswerer(needing(1))
    await counterfactual(answerer, concurrency=limit).attribute(subject(needing(1), 8), singles(8), {}, unheard)
    assert answerer.at_once == at_once


async def test_repetitions_are_averaged_and_asked_of_their_own_answerers() -> None:
    said = iter(["The answer, from [0, 1].", "Another.", "A third.", "A fourth."])
    answerers = [ScriptedAnswerer(lambda given: next(said)) for _ in range(4)]
    attributor = CounterfactualAttributor(
        lambda repetition: answerers[repetition], HashEmbedder(), repetitions=4, concurrency=10
    )
    (result,) = await attributor.attribute(subject(needing(0, 1), 2), [(0,)], {}, unheard)
    assert result.answers == ("The answer, from [0, 1].", "Another.", "A third.", "A fourth.")
    assert [len(answerer.asked) for answerer in answerers] == [1, 1, 1, 1]
    assert result.calls == 4
    assert result.similarity is not None
    assert result.contribution == pytest.approx(1 - result.similarity)


async def test_an_answer_that_does_not_vary_is_not_asked_for_a_third_time() -> None:
    answerer = ScriptedAnswerer(needing(1))
    (result,) = await counterfactual(answerer, repetitions=5).attribute(subject(needing(1), 2), [(0,)], {}, unheard)
    assert len(answerer.asked) == result.calls == len(result.answers) == 2


async def test_a_repetition_that_fails_makes_the_cluster_unknown_and_keeps_what_was_said() -> None:
    said = iter(["One.", ModelUnavailable("Down."), "Three."])
    answerer = ScriptedAnswerer(lambda given: next(said))
    (result,) = await counterfactual(answerer, repetitions=3).attribute(subject(needing(1), 2), [(0,)], {}, unheard)
    assert (result.contribution, result.answers, result.calls, result.error) == (None, ("One.",), 2, "Down.")


async def attributed(
    says: Says, count: int, cited: list[int], known: dict[tuple[int, ...], AblationResult] | None = None
) -> tuple[list[AblationResult], ScriptedAnswerer, list[AblationResult]]:
    answerer, heard = ScriptedAnswerer(says), list[AblationResult]()
    frugal = FrugalAttributor(counterfactual(answerer))
    results = await frugal.attribute(subject(says, count, cited), singles(count), known or {}, heard.append)
    return results, answerer, heard


async def test_uncited_clusters_that_move_nothing_take_one_call_together() -> None:
    results, answerer, _ = await attributed(needing(0, 3), 10, [0, 3])
    everything = await counterfactual(ScriptedAnswerer(needing(0, 3))).attribute(
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


async def test_an_answer_rests_on_what_it_is_most_like(embedder: E5Embedder) -> None:
    found = ranked(
        evidence("The kitchen is cleaned on Fridays.", ordinal=0, title="Kitchen"),
        evidence("Two people climb the tower together.", ordinal=1, title="Tower safety"),
        evidence("Nobody climbs the tower alone.", ordinal=2, title="Tower safety"),
    )
    subject = AnswerToExplain("Who climbs?", "Two people climb the tower together. [1]", found)
    heard: list[AblationResult] = []
    results = await SimilarityAttributor(embedder).attribute(subject, [(0,), (1, 2)], {}, heard.append)
    assert [result.cluster for result in results] == [(0,), (1, 2)]
    kitchen, tower = (result.contribution for result in results)
    assert kitchen is not None
    assert tower is not None
    assert 0.5 < kitchen < tower <= 1.0
    assert heard == results
    assert results[0].calls == 0
