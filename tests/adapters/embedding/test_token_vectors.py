"""The loss of accuracy of token vectors with two bits per dimension."""

import hashlib

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.embedding.token_vectors import Tokens, compare, compress, count_tokens

BYTES = 96


def unit_tokens(seed: int, number: int, spread: float) -> Tokens:
    """Return tokens whose dimensions differ in size, like those of a model. ``spread``: of the exponents."""
    random = np.random.default_rng(seed)
    drawn = random.standard_normal((number, 384)) * np.exp(spread * random.standard_normal(384))
    return np.asarray(drawn / np.linalg.norm(drawn, axis=1, keepdims=True), np.float32)


@settings(max_examples=50)
@given(seed=st.integers(0, 2**32), asked=st.integers(1, 30), number=st.integers(0, 40), spread=st.floats(0, 1))
def test_cosines_are_nearly_those_of_the_tokens(seed: int, asked: int, number: int, spread: float) -> None:
    question, tokens = unit_tokens(seed, asked, spread), unit_tokens(seed + 1, number, spread)
    kept = compress(tokens)
    assert len(kept) == number * BYTES
    assert count_tokens(kept) == number
    cosines = compare(question, [kept])
    assert cosines.shape == (number, asked)
    assert np.abs(cosines - tokens @ question.T).max(initial=0.0) < 0.15
    assert np.abs(cosines).max(initial=0.0) <= 1.0 + 1e-5


@given(seed=st.integers(0, 2**32), spread=st.floats(0, 1))
def test_a_token_stays_most_like_itself(seed: int, spread: float) -> None:
    tokens = unit_tokens(seed, 20, spread)
    assert (compare(tokens, [compress(tokens)]).argmax(axis=0) == np.arange(20)).all()


@given(seed=st.integers(0, 2**32))
def test_several_texts_are_compared_as_each_alone(seed: int) -> None:
    question, one, two = (unit_tokens(seed + at, 5, 0.5) for at in range(3))
    kept = [compress(one), compress(two), compress(one[:0])]
    alone = [compare(question, [each]) for each in kept]
    np.testing.assert_allclose(compare(question, kept), np.concatenate(alone), atol=1e-6)


def test_the_bytes_of_a_token_stay_as_they_are_stored() -> None:
    """If this fails, change COMPRESSION, or stored vectors would be decoded to other values."""
    tokens = np.sin(np.arange(384 * 4, dtype=np.float64)).reshape(4, 384)
    tokens /= np.linalg.norm(tokens, axis=1, keepdims=True)
    assert hashlib.sha256(compress(tokens.astype(np.float32))).hexdigest()[:16] == "bd5d601481f50b14"
