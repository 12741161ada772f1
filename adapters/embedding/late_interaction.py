"""Compares a question with texts token by token: late interaction, after ColBERT (Khattab and Zaharia, SIGIR 2020).

The tokens of multilingual-e5-small were not trained for it, but they tell more than its one vector a text: each word
of the question is compared with the token that is most like it. All tokens have a large part in common, which says
nothing; it is taken off. Nothing here is fitted to any wiki.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from cachetools import LRUCache

from adapters.embedding.e5 import E5Embedder
from core.ports.models import WordMatches
from core.text import encodable

Tokens = npt.NDArray[np.float32]
"""Shape (tokens, dimension), rows L2-normalised after :data:`TYPICAL`'s mean is taken off."""

TYPICAL = (
    "How do I install it? The server has to be restarted after each change of the settings. Who is responsible for "
    "releases? Ask the team lead before 5 pm. Wie lange dauert die Lieferung? Die Bestellung wird innerhalb von zehn "
    "Tagen geliefert, wenn alle Teile im Lager sind. | Name | Version | Status | 8.0.1 | passed |"
)
"""A text of all kinds. The mean of its tokens is what tokens have in common."""

_CACHED_TOKENS = 60_000  # 46 MB as float16: the units of some hundred evidences


class _Common(NamedTuple):
    """The mean tokens of a question, and of a text."""

    query: Tokens
    passage: Tokens


class E5WordMatcher:
    """See :class:`core.ports.models.WordMatcher`. The tokens of the texts that were asked for last are cached."""

    def __init__(self, embedder: E5Embedder) -> None:
        self._embedder = embedder
        self._cache: LRUCache[str, npt.NDArray[np.float16]] = LRUCache(_CACHED_TOKENS, getsizeof=len)

    async def match_words(self, question: str, texts: Sequence[str]) -> WordMatches:
        words = tuple(encodable(question).split())
        known = {text: self._cache[text] for text in texts if text in self._cache}
        new = [text for text in dict.fromkeys(texts) if text not in known]
        matches, computed = await self._embedder.run_in_thread(lambda: self._match(words, texts, known, new))
        for text, tokens in computed.items():
            if len(tokens) <= _CACHED_TOKENS:
                self._cache[text] = tokens
        return matches

    def clear(self) -> None:
        """Removes all tokens."""
        self._cache.clear()

    @cached_property
    def _common(self) -> _Common:
        (query,), (passage,) = (self._embedder.embed_tokens([TYPICAL], prefix) for prefix in ("query", "passage"))
        return _Common(query.mean(axis=0), passage.mean(axis=0))

    def _match(
        self,
        words: tuple[str, ...],
        texts: Sequence[str],
        known: Mapping[str, npt.NDArray[np.float16]],
        new: Sequence[str],
    ) -> tuple[WordMatches, dict[str, npt.NDArray[np.float16]]]:
        asked = _normalise(self._embedder.embed_tokens([" ".join(words)], "query")[0] - self._common.query)
        embedded = self._embedder.embed_tokens(new, "passage")
        computed = {
            text: _normalise(tokens - self._common.passage).astype(np.float16)
            for text, tokens in zip(new, embedded, strict=True)
        }
        tokens = {**known, **computed}
        best = np.array([_best(asked, tokens[text]) for text in texts]).reshape(len(texts), len(asked))
        return _by_word(words, self._embedder.weigh_tokens(words), best), computed


def _normalise(tokens: Tokens) -> Tokens:
    return np.asarray(tokens / np.maximum(np.linalg.norm(tokens, axis=1, keepdims=True), 1e-6), np.float32)


def _best(asked: Tokens, tokens: npt.NDArray[np.float16]) -> npt.NDArray[np.float32]:
    """For each token of the question its cosine with the token that is most like it, at least 0."""
    if not len(tokens):
        return np.zeros(len(asked), np.float32)
    return np.asarray((asked @ tokens.astype(np.float32).T).max(axis=1).clip(0.0, 1.0))


def _by_word(words: tuple[str, ...], weights: Sequence[Sequence[float]], best: npt.NDArray[np.float32]) -> WordMatches:
    """``weights``: for each word those of its tokens; ``best``: shape (texts, tokens of the question).

    Tokens beyond the model's limit are not there; their words count nothing.
    """
    of_words = np.zeros(len(words))
    scores = np.zeros((len(best), len(words)))
    at = 0
    for number, own in enumerate(weights):
        there = np.array(own[: best.shape[1] - at])
        if there.sum() > 0:
            scores[:, number] = best[:, at : at + len(there)] @ there / there.sum()
            of_words[number] = there.sum()
        at += len(there)
    return WordMatches(words, of_words / max(of_words.sum(), 1e-9), scores)
