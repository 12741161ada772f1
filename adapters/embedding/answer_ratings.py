"""Rating how likely a text answers a question, from the token vectors of both.

A small network after the decomposable attention model of Parikh et al. (EMNLP 2016, https://arxiv.org/abs/1606.01933).
Each token gets its counterpart: the mean of the other text's tokens, weighted by similarity. Token and counterpart are
compared, and the comparisons of all tokens are summed up. As in ESIM (Chen et al., ACL 2017,
https://arxiv.org/abs/1609.06038), the tokens of a text are mixed before they are compared, and all comparisons before
they are summed up, here by a layer of a transformer. Late interaction (:mod:`adapters.embedding.late_interaction`)
only measures how similar a word's counterpart is; this network also learned which differences matter, so that a text
about the same thing that does not state what is asked is rated lower. It was fitted to questions about short pages that
were written for this (`benchmarks/ratings/`), and to no wiki.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np

from adapters.embedding.token_vectors import Tokens
from core.ports.models import Matrix

WEIGHTS = "answer_ratings.npz"
"""Written by `python -m benchmarks.ratings`."""

MOST_TOKENS = 160
"""Tokens of a text that are read. If there are more, those at the beginning of its context are left out."""

MOST_QUESTION_TOKENS = 64

WEIGHT_SCALE = 10.0
"""Brings the weights of a question's tokens to about 1."""

HEADS = 2  # of each mixing layer

_EPSILON = 1e-5  # of the layer normalisation, as in PyTorch


@dataclass(frozen=True, slots=True, eq=False)
class TokenizedText:
    """A text's token vectors, shape (tokens, 384), rows L2-normalised; those before ``own`` are its context's."""

    tokens: Tokens
    own: int

    def cut(self) -> TokenizedText:
        """Return at most ``MOST_TOKENS``: the text itself, and the end of its context."""
        left_out = min(self.own, max(0, len(self.tokens) - MOST_TOKENS))
        return TokenizedText(self.tokens[left_out : left_out + MOST_TOKENS], self.own - left_out)


class RatingNetwork:
    """The network with its weights: arrays by the names of its layers, see `benchmarks/ratings/network.py`."""

    def __init__(self, weights: Mapping[str, Tokens]) -> None:
        self._weights = {name: np.asarray(array, np.float32) for name, array in weights.items()}

    def rate(self, question: Tokens, token_weights: Tokens, texts: Sequence[TokenizedText]) -> Matrix:
        """Return for each text the log-odds that it answers the question; 0, undecided, for one without tokens.

        ``question``: token vectors like those of the texts. ``token_weights``: their weights, sum 1.
        """
        asked = np.asarray(question[:MOST_QUESTION_TOKENS], np.float32)
        projected = self._normalise("norm_question", self._apply("project", asked))
        projected = self._mix("context", projected) if len(asked) else projected
        cut = (text.cut() for text in texts)
        return np.array(
            [
                self._rate(asked, projected, token_weights[:MOST_QUESTION_TOKENS], text)
                if len(asked) and len(text.tokens)
                else 0.0
                for text in cut
            ]
        )

    def _rate(self, question: Tokens, asked: Tokens, token_weights: Tokens, text: TokenizedText) -> float:
        """Return the rating of a text. ``asked``: the projected tokens of the question."""
        weights, tokens = self._weights, np.asarray(text.tokens, np.float32)
        is_own = np.arange(len(tokens)) >= text.own
        read = self._normalise("norm_text", self._apply("project", tokens) + weights["own.weight"][is_own.astype(int)])
        read = self._mix("context", read)
        counted = is_own if is_own.any() else ~is_own
        cosines = question @ tokens.T  # shape (of question, of text), as the next
        learned = (asked @ weights["query.weight"].T) @ (read @ weights["key.weight"].T).T / math.sqrt(asked.shape[1])
        sharpness, direct = weights["sharpness"], weights["direct"]

        highest, highest_own = cosines.max(axis=1), cosines[:, counted].max(axis=1)
        similarities = np.stack([highest, highest_own, WEIGHT_SCALE * token_weights], axis=1)
        counterparts = _compute_softmax(sharpness[0] * cosines + learned) @ read
        of_question = self._compare("compare_question", asked, counterparts, similarities)

        counterparts = _compute_softmax((sharpness[1] * cosines + learned).T) @ asked
        similarities = np.stack([cosines.max(axis=0), is_own], axis=1)
        of_text = self._compare("compare_text", read, counterparts, similarities)

        both = self._mix("comparisons", np.concatenate([of_question, of_text]))
        of_question, of_text = both[: len(question)], both[len(question) :][counted]
        chosen = _compute_softmax(of_question @ weights["pool_question.weight"][0])
        shares = _compute_softmax(of_text @ weights["pool_text.weight"][0])

        matched = np.array([highest @ token_weights, highest_own @ token_weights])
        sums = (chosen @ of_question, token_weights @ of_question, shares @ of_text, of_text.max(axis=0))
        hidden = _apply_silu(self._apply("out.0", np.concatenate([*sums, matched])))
        return float(self._apply("out.1", hidden)[0] + matched @ direct)

    def _compare(self, name: str, tokens: Tokens, counterparts: Tokens, similarities: Tokens) -> Tokens:
        difference = np.abs(tokens - counterparts)
        pairs = np.concatenate([tokens, counterparts, tokens * counterparts, difference, similarities], axis=1)
        return _apply_silu(self._apply(f"{name}.1", _apply_silu(self._apply(f"{name}.0", pairs))))

    def _mix(self, name: str, tokens: Tokens) -> Tokens:
        """Return the tokens after one layer of a transformer, in which each attends to all (pre-norm)."""
        projected = self._normalise(f"{name}.norm", tokens) @ self._weights[f"{name}.projections.weight"].T
        queries, keys, values = projected.reshape(len(tokens), 3, HEADS, -1).transpose(1, 2, 0, 3)
        # The square root of Python, because with NumPy's all further arrays would have 64 bits.
        products = np.asarray(queries @ keys.transpose(0, 2, 1) / math.sqrt(queries.shape[-1]), np.float32)
        attended = (_compute_softmax(products) @ values).transpose(1, 0, 2).reshape(tokens.shape)
        mixed = tokens + self._apply(f"{name}.joined", attended)
        hidden = _apply_silu(self._apply(f"{name}.forward_layers.0", self._normalise(f"{name}.norm_forward", mixed)))
        return np.asarray(mixed + self._apply(f"{name}.forward_layers.1", hidden))

    def _apply(self, name: str, values: Tokens) -> Tokens:
        return np.asarray(values @ self._weights[f"{name}.weight"].T + self._weights[f"{name}.bias"])

    def _normalise(self, name: str, values: Tokens) -> Tokens:
        centred = values - values.mean(axis=-1, keepdims=True)
        scaled = centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + _EPSILON)
        return np.asarray(scaled * self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"])


def _apply_silu(values: Tokens) -> Tokens:
    return np.asarray(values * 0.5 * (1 + np.tanh(values / 2)))


def _compute_softmax(values: Tokens) -> Tokens:
    """Return the softmax over the last axis."""
    powers = np.exp(values - values.max(axis=-1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=-1, keepdims=True))


@cache
def load_rating_network() -> RatingNetwork:
    """Return the network with the weights of this version."""
    with files("adapters.embedding").joinpath(WEIGHTS).open("rb") as file, np.load(file, allow_pickle=False) as arrays:
        return RatingNetwork({name: arrays[name] for name in arrays.files})
