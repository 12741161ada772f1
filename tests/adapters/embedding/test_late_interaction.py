"""Matching the words of a question with texts by late interaction."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adapters.embedding.e5 import E5Embedder
from adapters.embedding.late_interaction import E5WordMatcher
from adapters.embedding.token_vectors import TWO_BITS, count_tokens
from core.evidence.contextualise import hash_text
from core.text_caches import clear_text_caches
from tests.token_vectors import MemoryTokenVectors

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


async def test_a_translation_matches_better_than_an_unrelated_text_in_the_language_of_the_question(
    matcher: E5WordMatcher,
) -> None:
    """What all words of a language have in common says nothing."""
    texts = ["Servicing takes about three hours.", "Die Heizung läuft von Oktober bis April."]
    servicing, heating = (await matcher.match_words("Wie lange dauert die Wartung der Anlage?", texts)).totals
    assert servicing > heating + 0.03


async def test_the_word_that_a_text_lacks_matches_least(matcher: E5WordMatcher) -> None:
    matches = await matcher.match_words("When does the reception close in Utrecht?", [OFFICE])
    by_word = dict(zip(matches.words, matches.scores[0], strict=True))
    assert by_word["Utrecht?"] < by_word["reception"]


async def test_rare_words_weigh_more(matcher: E5WordMatcher) -> None:
    matches = await matcher.match_words("What is a carillon?", [OFFICE])
    assert matches.words[int(matches.weights.argmax())] == "carillon?"


async def test_a_text_matches_the_same_whatever_is_compared_with_it(embedder: E5Embedder) -> None:
    alone = await E5WordMatcher(embedder, MemoryTokenVectors()).match_words("When does it close?", [OFFICE])
    together = await E5WordMatcher(embedder, MemoryTokenVectors()).match_words("When does it close?", [*OTHERS, OFFICE])
    np.testing.assert_allclose(together.scores[2], alone.scores[0], atol=1e-3)


async def test_cached_tokens_give_the_same(embedder: E5Embedder) -> None:
    matcher = E5WordMatcher(embedder, MemoryTokenVectors())
    first = await matcher.match_words("When does it close?", [OFFICE, *OTHERS])
    again = await matcher.match_words("When does it close?", [OTHERS[0], OFFICE, "A new text."])
    np.testing.assert_array_equal(again.scores[1], first.scores[0])
    np.testing.assert_array_equal(again.scores[0], first.scores[1])


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(question=st.text(max_size=80), texts=st.lists(st.text(max_size=60), max_size=3))
async def test_any_text_has_scores_and_weights_from_0_to_1(
    matcher: E5WordMatcher, question: str, texts: list[str]
) -> None:
    matches = await matcher.match_words(question, [*texts])
    assert matches.scores.shape == (len(texts), len(matches.words))
    assert ((matches.scores >= 0) & (matches.scores <= 1)).all()
    assert matches.weights.sum() == pytest.approx(1.0) or not matches.weights.any()


async def test_a_question_longer_than_the_model_reads_is_matched_by_its_begin(matcher: E5WordMatcher) -> None:
    matches = await matcher.match_words("reception " * 1_000, [OFFICE])
    assert matches.weights[0] > 0
    assert matches.weights[-1] == 0


TEXT = "Office handbook\nHours > Reception\nThe kitchen is cleaned on Fridays. The reception closes at 18:30."


@pytest.fixture
async def storing(embedder: E5Embedder) -> E5WordMatcher:
    """A matcher with stored tokens of :data:`TEXT`, and with :data:`OFFICE` and an empty text as its units."""
    store = MemoryTokenVectors()
    matcher = E5WordMatcher(embedder, store)
    _, tokens = await matcher.embed([TEXT])
    await store.save(matcher.name, {hash_text(TEXT): tokens[0]})
    units = await matcher.embed_units([OFFICE, ""])
    await store.save_units(
        matcher.unit_name, {hash_text(TEXT): dict(zip(map(hash_text, [OFFICE, ""]), units, strict=True))}
    )
    return matcher


async def test_token_vectors_come_with_the_vectors_of_the_embedder(
    storing: E5WordMatcher, embedder: E5Embedder
) -> None:
    vectors, tokens = await storing.embed([TEXT, "short"])
    np.testing.assert_allclose(vectors, await embedder.embed_passages([TEXT, "short"]), atol=1e-6)
    counts = [count_tokens(each, TWO_BITS) for each in tokens]
    assert counts == [sum(map(len, embedder.weigh_tokens(text.split()))) for text in (TEXT, "short")]


async def test_stored_tokens_match_as_computed_ones(storing: E5WordMatcher, matcher: E5WordMatcher) -> None:
    asked = "When does the reception close?"
    computed = await matcher.match_words(asked, [TEXT])
    assert (await storing.match_stored(asked, [hash_text(TEXT), "unknown"])) == {
        hash_text(TEXT): pytest.approx(computed.totals[0], abs=0.1)
    }


async def test_a_question_is_compared_with_a_stored_text_once(
    storing: E5WordMatcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, known = "When does the reception close?", hash_text(TEXT)
    first = await storing.match_stored(asked, [known])
    read: list[set[str]] = []

    async def load_tokens(model: str, hashes: set[str]) -> dict[str, bytes]:
        read.append(hashes)
        return {}

    monkeypatch.setattr(storing._store, "load_tokens", load_tokens)
    assert await storing.match_stored(asked, [known]) == first
    assert await storing.match_stored(asked, [known, "another"]) == first
    assert read == [{"another"}]
    clear_text_caches()
    assert await storing.match_stored(asked, [known]) == {}


async def test_units_with_stored_tokens_match_as_computed_ones_and_need_no_model(
    storing: E5WordMatcher, matcher: E5WordMatcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = "When does the reception close?"
    texts = [OFFICE, *OTHERS, "", OFFICE]
    computed = await matcher.match_words(asked, texts)
    stored = await storing.match_words(asked, texts)
    np.testing.assert_allclose(stored.scores, computed.scores, atol=0.02)
    np.testing.assert_array_equal(stored.scores[0], stored.scores[-1])
    np.testing.assert_allclose(stored.scores[1:3], computed.scores[1:3], atol=1e-5)
    monkeypatch.setattr(storing, "_embed_new", lambda new: {} if not new else pytest.fail("a model call"))
    assert (await storing.match_words(asked, [OFFICE, ""])).totals[0] == pytest.approx(stored.totals[0])


async def test_a_question_is_embedded_once_for_vectors_and_tokens(
    embedder: E5Embedder, storing: E5WordMatcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    await embedder.embed_queries(["Is this asked only once?"])
    monkeypatch.setattr(embedder, "embed_queries", None)
    assert await storing.match_stored("Is this asked only once?", [hash_text(TEXT)])
    monkeypatch.undo()
    clear_text_caches()
    assert embedder._asked.get("Is this asked only once?") is None  # the person who asked may be forgotten
