from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.attribution.attributors import LIKELIHOOD_NOISE, LikelihoodAttributor, compute_likelihood_contribution
from core.attribution.steps import compute_shares
from core.errors import ContextTooLong, ModelUnavailable, WikiWhyError
from core.model import AblationResult, Prompt, PromptMessage, RankedEvidence
from core.ports.models import Score
from tests.core.attribution.examples import contributions, needing, singles, subject

Likely = Callable[[frozenset[int]], float | WikiWhyError]
"""The log-likelihood with the evidences of these ordinals."""

ALL = frozenset(range(4))


class ScriptedScorer:
    """Scores as it is told to; counts how many texts it scores at once."""

    def __init__(self, likely: Likely, tokens: int = 10) -> None:
        self._likely = likely
        self._tokens = tokens
        self.asked: list[frozenset[int]] = []
        self.texts: set[str] = set()
        self.at_once = 0
        self._open = 0

    async def score(self, prompt: Prompt, answer: str) -> Score:
        given = frozenset(int(word) for word in prompt.messages[0].text.split())
        self.asked.append(given)
        self.texts.add(answer)
        self._open += 1
        self.at_once = max(self.at_once, self._open)
        await asyncio.sleep(0)
        self._open -= 1
        found = self._likely(given)
        if isinstance(found, WikiWhyError):
            raise found
        return Score(found, self._tokens)


async def render_prompt(question: str, given: Sequence[RankedEvidence], day: date | None = None) -> Prompt | None:
    ordinals = " ".join(str(item.evidence.ordinal) for item in given)
    return Prompt("answer", (PromptMessage("user", ordinals),)) if given else None


def by_likelihood(scorer: ScriptedScorer, concurrency: int = 10) -> LikelihoodAttributor:
    return LikelihoodAttributor(render_prompt, scorer, concurrency)


def needs(*ordinals: int) -> Likely:
    """Each of these makes the answer 5 nats likelier."""
    return lambda given: -20.0 + 5.0 * len(given.intersection(ordinals))


async def results(
    likely: Likely, count: int = 4, known: dict[tuple[int, ...], AblationResult] | None = None
) -> tuple[list[AblationResult], ScriptedScorer, list[AblationResult]]:
    scorer, heard = ScriptedScorer(likely), list[AblationResult]()
    found = await by_likelihood(scorer).attribute(subject(needing(1), count), singles(count), known or {}, heard.append)
    return found, scorer, heard


async def test_only_what_makes_the_answer_likelier_contributes() -> None:
    found, scorer, heard = await results(needs(1))
    assert contributions(found) == [0.0, pytest.approx(0.393, abs=0.001), 0.0, 0.0]
    assert compute_shares(contributions(found)) == [0.0, 1.0, 0.0, 0.0]
    assert [result.cluster for result in found] == singles(4)
    assert scorer.asked == [ALL, *(ALL - {at} for at in range(4))]
    assert sum(result.calls for result in found) == len(scorer.asked)
    assert sorted(heard, key=lambda result: result.cluster) == found
    assert {result.answers for result in found} == {()}


async def test_a_source_that_makes_the_answer_less_likely_contributes_nothing() -> None:
    assert contributions((await results(lambda given: -5.0 - len(given)))[0]) == [0.0] * 4


async def test_the_words_are_scored_without_numbers_and_with_their_lines() -> None:
    scorer = ScriptedScorer(needs(1))
    asked = subject(lambda given: "Two:\n- a [1]\n- b [2][3] [?]", 4)
    await by_likelihood(scorer).attribute(asked, singles(4), {}, lambda _: None)
    assert scorer.texts == {"Two:\n- a\n- b"}


async def test_three_failures_of_ten_are_unknown_and_never_nothing() -> None:
    def failing(given: frozenset[int]) -> float | WikiWhyError:
        return ModelUnavailable("Down.") if (set(range(10)) - given) & {2, 5, 7} else needs(1)(given)

    found, _, _ = await results(failing, 10)
    assert [at for at, result in enumerate(found) if result.contribution is None] == [2, 5, 7]
    assert {found[at].error for at in (2, 5, 7)} == {"Down."}
    assert compute_shares(contributions(found))[1] == 1.0


@pytest.mark.parametrize("error", [ModelUnavailable("Down."), ContextTooLong("Too long.")])
async def test_without_the_score_with_all_sources_everything_is_unknown_and_nothing_more_is_asked(
    error: WikiWhyError,
) -> None:
    found, scorer, heard = await results(lambda given: error if given == ALL else -5.0)
    assert contributions(found) == [None] * 4
    assert {result.error for result in found} == {str(error)}
    assert scorer.asked == [ALL]
    assert heard == found


async def test_a_prompt_that_cannot_be_made_is_unknown() -> None:
    async def too_long(question: str, given: Sequence[RankedEvidence], day: date | None) -> Prompt | None:
        if len(given) == 3:
            raise ContextTooLong("Too long.")
        return await render_prompt(question, given, day)

    attributor = LikelihoodAttributor(too_long, ScriptedScorer(needs(1)))
    found = await attributor.attribute(subject(needing(1), 4), singles(4), {}, lambda _: None)
    assert [(result.contribution, result.error) for result in found] == [(None, "Too long.")] * 4


async def test_a_defect_is_not_taken_for_a_failure_of_the_model() -> None:
    def likely(given: frozenset[int]) -> float:
        return 1 / 0 if len(given) == 3 else -1.0

    with pytest.raises(ZeroDivisionError):
        await results(likely)


async def test_with_no_source_left_the_answer_cannot_be_and_nobody_is_asked() -> None:
    found, scorer, _ = await results(needs(0), 1)
    assert (contributions(found), scorer.asked, found[0].calls) == ([1.0], [frozenset({0})], 1)


async def test_a_source_that_the_prompt_never_had_is_not_asked_for() -> None:
    async def first_two(question: str, given: Sequence[RankedEvidence], day: date | None) -> Prompt | None:
        return await render_prompt(question, [item for item in given if item.evidence.ordinal < 2])

    scorer = ScriptedScorer(needs(1))
    attributor = LikelihoodAttributor(first_two, scorer)
    found = await attributor.attribute(subject(needing(1), 4), singles(4), {}, lambda _: None)
    assert [value == 0.0 for value in contributions(found)] == [True, False, True, True]
    assert len(scorer.asked) == sum(result.calls for result in found) == 3


@pytest.mark.parametrize(("limit", "at_once"), [(1, 1), (3, 3), (50, 8)])
async def test_the_limit_on_concurrency_is_kept_and_used(limit: int, at_once: int) -> None:
    scorer = ScriptedScorer(needs(1))
    await by_likelihood(scorer, limit).attribute(subject(needing(1), 8), singles(8), {}, lambda _: None)
    assert scorer.at_once == at_once


LOG_LIKELIHOODS = st.floats(-1e5, 0.0)
TOKENS = st.integers(0, 500)


@given(LOG_LIKELIHOODS, LOG_LIKELIHOODS, TOKENS)
def test_a_contribution_is_between_nothing_and_all(whole: float, left: float, tokens: int) -> None:
    found = compute_likelihood_contribution(Score(whole, tokens), Score(left, tokens))
    assert 0.0 <= found <= 1.0
    assert found == 0.0 or left < whole


@given(LOG_LIKELIHOODS, TOKENS)
def test_as_likely_is_exactly_nothing(value: float, tokens: int) -> None:
    assert compute_likelihood_contribution(Score(value, tokens), Score(value, tokens)) == 0.0


@given(LOG_LIKELIHOODS, LOG_LIKELIHOODS, LOG_LIKELIHOODS, st.integers(1, 500))
def test_a_larger_drop_never_contributes_less(whole: float, one: float, other: float, tokens: int) -> None:
    larger, smaller = (
        compute_likelihood_contribution(Score(whole, tokens), Score(left, tokens))
        for left in (min(one, other), max(one, other))
    )
    assert larger >= smaller


@given(st.floats(-3.0, 0.0), st.floats(LIKELIHOOD_NOISE * 2, 3.0), st.integers(1, 500))
def test_the_length_of_the_answer_does_not_count(by_token: float, drop: float, tokens: int) -> None:
    long = compute_likelihood_contribution(Score(by_token * tokens, tokens), Score((by_token - drop) * tokens, tokens))
    assert long == pytest.approx(compute_likelihood_contribution(Score(by_token, 1), Score(by_token - drop, 1)))


def test_noise_is_nothing() -> None:
    whole = Score(-5.0, 10)
    assert compute_likelihood_contribution(whole, Score(-5.0 - LIKELIHOOD_NOISE * 9.9, 10)) == 0.0
    assert compute_likelihood_contribution(whole, Score(-5.0 - LIKELIHOOD_NOISE * 10.1, 10)) > 0.0
