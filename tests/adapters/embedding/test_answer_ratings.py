"""Rating how likely a text answers a question."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.embedding.answer_ratings import TokenizedText, load_rating_network
from adapters.embedding.e5 import E5Embedder, WheelEngine
from adapters.embedding.late_interaction import E5WordMatcher
from adapters.embedding.normalised_tokens import TokenNormaliser
from adapters.embedding.token_vectors import Tokens
from core.evidence.contextualise import hash_text
from core.ports.models import TextInContext
from tests.token_vectors import MemoryTokenVectors

TITLE = "Parking at the office\n"


async def rate(matcher: E5WordMatcher, question: str, *texts: str, context: str = TITLE) -> list[float]:
    return [*await matcher.rate_answers(question, [TextInContext(context, text) for text in texts])]


@pytest.mark.parametrize(
    ("question", "telling", "other"),
    [
        (
            "What does a parking space cost per month?",
            "A space in the garage is €40 monthly.",
            "A parking space per team is reserved for visitors.",
        ),
        (
            "who do I ask for a parking permit",
            "Permits are handed out by Joanna at the front desk.",
            "A parking permit is valid for twelve months.",
        ),
        (
            "Wie lange gilt ein Parkausweis?",
            "A parking permit is valid for twelve months.",
            "Permits are handed out by Joanna at the front desk.",
        ),
    ],
)
async def test_a_text_that_tells_what_is_asked_is_rated_higher_than_one_about_the_same_thing(
    matcher: E5WordMatcher, question: str, telling: str, other: str
) -> None:
    told, untold = await rate(matcher, question, telling, other)
    assert told > untold


async def test_a_question_that_the_page_does_not_answer_has_lower_ratings(matcher: E5WordMatcher) -> None:
    texts = ("A space in the garage is €40 monthly.", "Permits are handed out by Joanna at the front desk.")
    answered = max(await rate(matcher, "How much is a space in the garage?", *texts))
    unanswered = max(await rate(matcher, "How many bicycles fit into the garage?", *texts))
    assert answered > unanswered


async def test_stored_tokens_are_rated_without_embedding_the_text_again(embedder: E5Embedder) -> None:
    texts = ["A space in the garage is €40 monthly.", "Permits are handed out by Joanna at the front desk."]
    whole = [TITLE + text for text in texts]
    store = MemoryTokenVectors()
    matcher = E5WordMatcher(embedder, store)
    computed = await rate(matcher, "What does a space cost?", *texts)
    for text, tokens in zip(whole, await matcher.embed_units(list(reversed(whole))), strict=True):
        store.of_units[matcher.unit_name, hash_text(text)] = tokens  # those of the other text
    stored = await rate(E5WordMatcher(embedder, store), "What does a space cost?", *texts)
    assert stored == pytest.approx(computed[::-1], abs=0.5)


@pytest.mark.parametrize("context", ["", "Parking\n", "Parking at the office\nIn the garage, since 2019\n"])
@pytest.mark.parametrize("text", ["Yes", "A space is €40 monthly.", "- Item one: 2.5 m"])
def test_the_tokens_of_a_context_and_its_text_are_those_of_both_together(
    embedder: E5Embedder, context: str, text: str
) -> None:
    normaliser = TokenNormaliser(embedder)
    _, (states,) = embedder.embed_with_tokens([context + text], "passage")
    assert normaliser.count_tokens(context) + normaliser.count_tokens(text) == len(states)


async def test_texts_below_a_long_context_have_ratings_of_their_own(matcher: E5WordMatcher) -> None:
    context = TITLE + "The garage has two levels and a ramp that is steep. " * 20 + "\n"
    telling, other = await rate(
        matcher, "What does a space cost?", "A space is €40 monthly.", "The ramp is heated.", context=context
    )
    assert telling > other


async def test_an_engine_without_token_states_leaves_every_text_undecided() -> None:
    whole = E5Embedder()
    whole._engine = WheelEngine()
    assert await rate(E5WordMatcher(whole, MemoryTokenVectors()), "What does it cost?", "It costs €40.") == [0.0]


COUNTS = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 8)), max_size=5)


@given(asked=st.integers(0, 5), counts=COUNTS, seed=st.integers(0, 1_000))
def test_a_text_is_rated_the_same_whatever_is_rated_with_it(
    asked: int, counts: list[tuple[int, int]], seed: int
) -> None:
    random = np.random.default_rng(seed)

    def make_tokens(count: int) -> Tokens:
        tokens = random.normal(size=(count, 384))
        return np.asarray(tokens / np.linalg.norm(tokens, axis=1, keepdims=True), np.float32)

    network, question = load_rating_network(), make_tokens(asked)
    rarity = np.full(asked, 1 / max(asked, 1), np.float32)
    texts = [TokenizedText(make_tokens(count), own) for count, own in counts]
    together = network.rate(question, rarity, texts)
    alone = [network.rate(question, rarity, [text])[0] for text in texts]
    np.testing.assert_allclose(together, alone, atol=1e-3)
    assert all(rating == 0 for rating, text in zip(together, texts, strict=True) if not len(text.tokens))


def test_the_network_computes_with_32_bits_which_takes_half_the_time_of_64() -> None:
    mixed = load_rating_network()._mix("comparisons", np.ones((3, 64), np.float32))
    assert mixed.dtype == np.float32
