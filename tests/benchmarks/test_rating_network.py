"""The network that is fitted and the one that answers compute the same."""

import numpy as np
import pytest

from adapters.embedding.answer_ratings import RatingNetwork, TokenizedText
from adapters.embedding.token_vectors import Tokens

torch = pytest.importorskip("torch")


def make_tokens(random: np.random.Generator, count: int) -> Tokens:
    tokens = random.normal(size=(count, 384))
    return np.asarray(tokens / np.linalg.norm(tokens, axis=1, keepdims=True), np.float32)


def test_both_networks_rate_texts_the_same() -> None:
    from benchmarks.ratings.network import TorchRatingNetwork, pad

    random = np.random.default_rng(0)
    torch.manual_seed(0)
    network = TorchRatingNetwork(features=16, dropout=0.2).eval()
    for weight in network.parameters():  # also of the layers that change nothing at first
        weight.data += 0.1 * torch.randn(weight.shape)
    weights = {name: value.numpy() for name, value in network.state_dict().items()}
    questions = [(make_tokens(random, count), np.full(count, 1 / count, np.float32)) for count in (5, 9)]
    sizes = ((7, 3), (4, 9), (2, 0), (200, 150), (300, 20))  # tokens, and those of the context
    texts = [TokenizedText(make_tokens(random, count), own) for count, own in sizes]
    with torch.no_grad():
        fitted = network(pad(questions, texts)).numpy()
    answering = [RatingNetwork(weights).rate(tokens, own, texts) for tokens, own in questions]
    np.testing.assert_allclose(answering, fitted, atol=1e-4)
