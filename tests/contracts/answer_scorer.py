"""The contract of :class:`core.ports.models.AnswerScorer`.

A test class that inherits it provides the fixture ``scorer``, of a model that copies from its prompt.
"""

from __future__ import annotations

import asyncio
import math

import pytest

from core.model import Prompt, PromptMessage
from core.ports.models import AnswerScorer

ANSWER = "Ada Lovelace wrote it in 1843."


def prompt(source: str) -> Prompt:
    messages = PromptMessage("system", "You answer from sources."), PromptMessage("user", f"{source}\nWho wrote it?")
    return Prompt("contract", messages)


PROMPT = prompt("Ada Lovelace wrote it in 1843.")


class AnswerScorerContract:
    @pytest.mark.parametrize("answer", [ANSWER, "a", "Reisen über 500 €\n- genehmigt Ann", "日本語 😀 <|im_end|>"])
    async def test_a_text_has_a_likelihood_and_tokens(self, scorer: AnswerScorer, answer: str) -> None:
        score = await scorer.score(PROMPT, answer)
        assert math.isfinite(score.log_likelihood)
        assert score.log_likelihood <= 0.0
        assert 0 < score.tokens <= len(answer.encode())

    async def test_nothing_is_certain(self, scorer: AnswerScorer) -> None:
        score = await scorer.score(PROMPT, "")
        assert (score.log_likelihood, score.tokens) == (0.0, 0)

    async def test_an_answer_is_likelier_where_the_prompt_says_it(self, scorer: AnswerScorer) -> None:
        without = await scorer.score(prompt("The tower has 214 bells."), ANSWER)
        assert (await scorer.score(PROMPT, ANSWER)).log_likelihood > without.log_likelihood

    async def test_more_words_are_less_likely(self, scorer: AnswerScorer) -> None:
        short, long = [await scorer.score(PROMPT, text) for text in (ANSWER, f"{ANSWER}\nThe tower fell over.")]
        assert long.tokens > short.tokens
        assert long.log_likelihood < short.log_likelihood

    async def test_concurrent_calls_have_the_same_scores_as_single_ones(self, scorer: AnswerScorer) -> None:
        texts = [ANSWER, "Nobody did.", "It was Grace Hopper."]
        single = [await scorer.score(PROMPT, text) for text in texts]
        together = await asyncio.gather(*(scorer.score(PROMPT, text) for text in texts))
        assert [score.tokens for score in together] == [score.tokens for score in single]
        likelihoods = [score.log_likelihood for score in single]
        assert [score.log_likelihood for score in together] == pytest.approx(likelihoods, rel=0.05, abs=0.05)

    def test_serves_one_event_loop_after_the_other(self, scorer: AnswerScorer) -> None:
        for _ in range(2):
            assert asyncio.run(scorer.score(PROMPT, "Ada.")).tokens

    async def test_can_be_cancelled_and_called_again(self, scorer: AnswerScorer) -> None:
        call = asyncio.create_task(scorer.score(PROMPT, ANSWER))
        await asyncio.sleep(0.01)
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)
        assert (await scorer.score(PROMPT, "Ada.")).tokens
