"""The loss of accuracy of token vectors with two and four bits per dimension."""

import hashlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.embedding.token_vectors import FOUR_BITS, TWO_BITS, Compression, Tokens, compare, compress, count_tokens

EACH = pytest.mark.parametrize("compression", [TWO_BITS, FOUR_BITS], ids=lambda each: each.name)


def unit_tokens(seed: int, number: int, spread: float) -> Tokens:
    """Return tokens whose dimensions differ in size, like those of a model. ``spread``: of the exponents."""
    random = np.random.default_rng(seed)
    drawn = random.standard_normal((number, 384)) * np.exp(spread * random.standard_normal(384))
    return np.asarray(drawn / np.linalg.norm(drawn, axis=1, keepdims=True), np.float32)


@pytest.mark.parametrize(("compression", "most_bytes", "error"), [(TWO_BITS, 96, 0.15), (FOUR_BITS, 192, 0.03)])
@settings(max_examples=50)
@given(seed=st.integers(0, 2**32), asked=st.integers(1, 30), number=st.integers(0, 40), spread=st.floats(0, 1))
def test_cosines_are_nearly_those_of_the_tokens(
    compression: Compression, most_bytes: int, error: float, seed: int, asked: int, number: int, spread: float
) -> None:
    question, tokens = unit_tokens(seed, asked, spread), unit_tokens(seed + 1, number, spread)
    kept = compress(tokens, compression)
    assert len(kept) == number * most_bytes
    assert count_tokens(kept, compression) == number
    cosines = compare(question, [kept], compression)
    assert cosines.shape == (number, asked)
    assert np.abs(cosines - tokens @ question.T).max(initial=0.0) < error
    assert np.abs(cosines).max(initial=0.0) <= 1.0 + 1e-5


@EACH
@given(seed=st.integers(0, 2**32), spread=st.floats(0, 1))
def test_a_token_stays_most_like_itself(compression: Compression, seed: int, spread: float) -> None:
    tokens = unit_tokens(seed, 20, spread)
    assert (compare(tokens, [compress(tokens, compression)], compression).argmax(axis=0) == np.arange(20)).all()


@EACH
@given(seed=st.integers(0, 2**32))
def test_several_texts_are_compared_as_each_alone(compression: Compression, seed: int) -> None:
    question, one, two = (unit_tokens(seed + at, 5, 0.5) for at in range(3))
    kept = [compress(one, compression), compress(two, compression), compress(one[:0], compression)]
    alone = [compare(question, [each], compression) for each in kept]
    np.testing.assert_allclose(compare(question, kept, compression), np.concatenate(alone), atol=1e-6)


@pytest.mark.parametrize(("compression", "digest"), [(TWO_BITS, "bd5d601481f50b14"), (FOUR_BITS, "7618598558fc1079")])
def test_the_bytes_of_a_token_stay_as_they_are_stored(compression: Compression, digest: str) -> None:
    """If this fails, change the name of the compression, or stored vectors would be decoded to other values."""
    tokens = np.sin(np.arange(384 * 4, dtype=np.float64)).reshape(4, 384)
    tokens /= np.linalg.norm(tokens, axis=1, keepdims=True)
    assert hashlib.sha256(compress(tokens.astype(np.float32), compression)).hexdigest()[:16] == digest
