"""How well texts match each word of a question."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adapters.embedding.e5 import E5Embedder
from adapters.embedding.late_interaction import E5WordMatcher

OFFICE = "The reception closes at 18:30."
OTHERS = ["Bicycles stand in the cellar.", "The kitchen is cleaned on Fridays."]


@pytest.mark.parametrize(
    "question",
    ["When does the reception close?", "until what time is the front desk open", "Wann schließt der Empfang?"],
)
async def test_the_text_that_tells_matches_best_also_in_other_words_and_another_language(
    matcher: E5WordMatcher, question: str
) -> None:
    totals = (await matcher.match_words(question, [*OTHERS, OFFICE])).totals
    assert totals.argmax() == len(OTHERS)


async def test_the_word_that_a_text_lacks_matches_least(matcher: E5WordMatcher) -> None:
    matches = await matcher.match_words("When does the reception close in Utrecht?", [OFFICE])
    by_word = dict(zip(matches.words, matches.scores[0], strict=True))
    assert by_word["Utrecht?"] < by_word["reception"]


async def test_rare_words_weigh_more(matcher: E5WordMatcher) -> None:
    matches = await matcher.match_words("What is a carillon?", [OFFICE])
    assert matches.words[int(matches.weights.argmax())] == "carillon?"


async def test_a_text_matches_the_same_whatever_is_compared_with_it(embedder: E5Embedder) -> None:
    alone = await E5WordMatcher(embedder).match_words("When does it close?", [OFFICE])
    together = await E5WordMatcher(embedder).match_words("When does it close?", [*OTHERS, OFFICE])
    np.testing.assert_allclose(together.scores[2], alone.scores[0], atol=1e-3)


async def test_cached_tokens_give_the_same(embedder: E5Embedder) -> None:
    matcher = E5WordMatcher(embedder)
    first = await matcher.match_words("When does it close?", [OFFICE, *OTHERS])
    again = await matcher.match_words("When does it close?", [OTHERS[0], OFFICE, "A new text."])
    np.testing.assert_array_equal(again.scores[1], first.scores[0])
    np.testing.assert_array_equal(again.scores[0], first.scores[1])


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(question=st.text(max_size=80), texts=st.lists(st.text(max_size=60), max_size=3))
async def test_any_text_has_scores_and_weights_from_0_to_1(
    matcher: E5WordMatcher, question: str, texts: list[str]
) -> None:
    matches = await matcher.match_words(question, texts)
    assert matches.scores.shape == (len(texts), len(matches.words))
    assert ((matches.scores >= 0) & (matches.scores <= 1)).all()
    assert matches.weights.sum() == pytest.approx(1.0) or not matches.weights.any()


async def test_a_question_longer_than_the_model_reads_is_matched_by_its_begin(matcher: E5WordMatcher) -> None:
    matches = await matcher.match_words("reception " * 1_000, [OFFICE])
    assert matches.weights[0] > 0
    assert matches.weights[-1] == 0
