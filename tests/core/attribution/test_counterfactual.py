from __future__ import annotations

import pytest

from core.attribution.attributor import Counterfactual
from core.attribution.shares import shares
from core.errors import ModelUnavailable
from core.model import NOT_FOUND
from tests.core.attribution.examples import ScriptedAnswerer, contributions, full, needing, singles, subject


def unheard(result: Counterfactual) -> None:
    """Nobody listens."""


async def test_only_what_the_answer_needs_contributes() -> None:
    answerer = ScriptedAnswerer(needing(1))
    results = await full(answerer).attribute(subject(needing(1), 4), singles(4), {}, unheard)
    assert [result.cluster for result in results] == singles(4)
    assert [result.contribution == 0.0 for result in results] == [True, False, True, True]
    assert results[1].answers == (NOT_FOUND,)
    assert results[0].similarity == 1.0
    assert shares(contributions(results)) == [0.0, 1.0, 0.0, 0.0]


async def test_a_cluster_leaves_as_a_whole() -> None:
    answerer = ScriptedAnswerer(needing(0, 2))
    results = await full(answerer).attribute(subject(needing(0, 2), 4), [(0, 2), (1,), (3,)], {}, unheard)
    assert answerer.asked == [frozenset({1, 3}), frozenset({0, 2, 3}), frozenset({0, 1, 2})]
    assert results[0].answers == (NOT_FOUND,)


async def test_three_failures_of_ten_are_unknown_and_the_others_share() -> None:
    def says(given: frozenset[int]) -> str | ModelUnavailable:
        missing = set(range(10)) - given
        return ModelUnavailable("It did not answer.") if missing & {2, 5, 7} else needing(0, 1)(given)

    results = await full(ScriptedAnswerer(says)).attribute(subject(says, 10), singles(10), {}, unheard)
    found = shares(contributions(results))
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
        await full(ScriptedAnswerer(says)).attribute(subject(says, 3), singles(3), {}, unheard)


async def test_what_is_known_is_not_asked_again() -> None:
    heard: list[Counterfactual] = []
    whole = await full(ScriptedAnswerer(needing(1))).attribute(subject(needing(1), 4), singles(4), {}, heard.append)
    for kept in range(5):
        answerer, again = ScriptedAnswerer(needing(1)), list[Counterfactual]()
        known = {result.cluster: result for result in heard[:kept]}
        assert await full(answerer).attribute(subject(needing(1), 4), singles(4), known, again.append) == whole
        assert len(answerer.asked) == 4 - kept
        assert [result.cluster for result in again] == [result.cluster for result in heard[kept:]]


@pytest.mark.parametrize(("limit", "at_once"), [(1, 1), (3, 3), (50, 8)])
async def test_the_limit_on_concurrency_is_kept_and_used(limit: int, at_once: int) -> None:
    answerer = ScriptedAnswerer(needing(1))
    await full(answerer, concurrency=limit).attribute(subject(needing(1), 8), singles(8), {}, unheard)
    assert answerer.at_once == at_once


async def test_repetitions_are_averaged_and_asked_of_their_own_answerers() -> None:
    said = iter(["The answer, from [0, 1].", "Another.", "A third.", "A fourth."])
    answerers = [ScriptedAnswerer(lambda given: next(said)) for _ in range(4)]
    attributor = full(answerers[0], repetitions=4)
    attributor._answerer_of = lambda repetition: answerers[repetition]
    (result,) = await attributor.attribute(subject(needing(0, 1), 2), [(0,)], {}, unheard)
    assert result.answers == ("The answer, from [0, 1].", "Another.", "A third.", "A fourth.")
    assert [len(answerer.asked) for answerer in answerers] == [1, 1, 1, 1]
    assert result.calls == 4
    assert result.similarity is not None
    assert result.contribution == pytest.approx(1 - result.similarity)


async def test_an_answer_that_does_not_vary_is_not_asked_for_a_third_time() -> None:
    answerer = ScriptedAnswerer(needing(1))
    (result,) = await full(answerer, repetitions=5).attribute(subject(needing(1), 2), [(0,)], {}, unheard)
    assert len(answerer.asked) == result.calls == len(result.answers) == 2


async def test_a_repetition_that_fails_makes_the_cluster_unknown_and_keeps_what_was_said() -> None:
    said = iter(["One.", ModelUnavailable("Down."), "Three."])
    answerer = ScriptedAnswerer(lambda given: next(said))
    (result,) = await full(answerer, repetitions=3).attribute(subject(needing(1), 2), [(0,)], {}, unheard)
    assert (result.contribution, result.answers, result.calls, result.error) == (None, ("One.",), 2, "Down.")
