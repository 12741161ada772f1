"""Late interaction: comparing a question with texts token by token, after ColBERT (Khattab and Zaharia, SIGIR 2020).

The token vectors of multilingual-e5-small were not trained for this, but tell more than its single vector per text:
each word of the question is compared with the most similar token. All token vectors share a large common part, which
carries no information and is subtracted. Nothing is fitted to a particular wiki.

The token vectors of evidences are computed by a sync and stored (:mod:`adapters.embedding.token_vectors`). A sentence
uses those at its place in the evidence. Token vectors of other texts are computed on demand.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from cachetools import LRUCache

from adapters.embedding.e5 import MOST_TOKENS, E5Embedder
from adapters.embedding.token_vectors import COMPRESSION, Tokens, compare, compress, count_tokens, use_one_thread
from core.ports.models import Excerpt, TokenVectors, Vectors, WordMatches
from core.ports.store import TokenVectorStore
from core.retrieval.entries import text_hash
from core.text import remove_unencodable

TYPICAL = (
    "How do I install it? The server has to be restarted after each change of the settings. Who is responsible for "
    "releases? Ask the team lead before 5 pm. Wie lange dauert die Lieferung? Die Bestellung wird innerhalb von zehn "
    "Tagen geliefert, wenn alle Teile im Lager sind. | Name | Version | Status | 8.0.1 | passed |"
)
"""A varied text. The mean of its token vectors is the common part that is subtracted from all."""

_CACHED_TOKENS = 60_000  # 46 MB as float16, for the texts of some hundred evidences
_WORD = re.compile(r"\S+")

Best = npt.NDArray[np.float32]
"""Shape (texts, tokens of the question): the cosine with the most similar token of the text, 0 to 1."""

Ranges = list[tuple[int, int]]
"""(start, end) of tokens of a text."""


class _Common(NamedTuple):
    """The mean token vectors of a question and of a text, shape (dimension,)."""

    query: Tokens
    passage: Tokens


class E5WordMatcher:
    """See :class:`core.ports.models.WordMatcher` and :class:`core.ports.models.TokenEmbedder`.

    Caches the token vectors of the last texts without stored ones.
    """

    def __init__(self, embedder: E5Embedder, store: TokenVectorStore) -> None:
        self._embedder = embedder
        self._store = store
        self._cache: LRUCache[str, npt.NDArray[np.float16]] = LRUCache(_CACHED_TOKENS, getsizeof=len)

    @property
    def name(self) -> str:
        return f"{self._embedder.name}/tokens-{COMPRESSION}"

    @property
    def embedder(self) -> str:
        return self._embedder.name

    async def load(self) -> None:
        """Load the model now, in a thread. Raises :class:`~core.errors.EmbedderUnavailable`."""
        await self._embedder.load()

    async def embed(self, texts: Sequence[str]) -> tuple[Vectors, list[TokenVectors]]:
        def work() -> tuple[Vectors, list[TokenVectors]]:
            vectors, tokens = self._embedder.embed_with_tokens(texts, "passage")
            return vectors, [compress(_normalise(each - self._common.passage)) for each in tokens]

        return await self._embedder.run_in_thread(work)

    async def match_words(self, question: str, texts: Sequence[Excerpt]) -> WordMatches:
        asked = await self._embed_question(question)
        stored = await self._load_stored({text.text for text in texts})
        best, missing = await self._embedder.run_in_thread(lambda: self._match_stored(asked, texts, stored))
        if missing:
            best[missing] = await self._match_new(asked, [texts[index].words for index in missing])
        words = tuple(_words(question).split())
        weights = await self._embedder.run_in_thread(lambda: self._embedder.weigh_tokens(words))
        return _average_by_word(words, weights, best)

    async def match_stored(self, question: str, hashes: Collection[str]) -> dict[str, float]:
        stored = await self._store.tokens(self.name, hashes)
        stored = {text_hash: tokens for text_hash, tokens in stored.items() if count_tokens(tokens)}
        asked = await self._embed_question(question)
        words = tuple(_words(question).split())
        if not stored or not len(asked):
            return {}

        def work() -> WordMatches:
            starts = [0, *accumulate(map(count_tokens, stored.values()))][:-1]
            cosines = compare(asked, list(stored.values()))
            best = np.maximum.reduceat(cosines, starts, axis=0).clip(0.0, 1.0)
            return _average_by_word(words, self._embedder.weigh_tokens(words), best)

        matches = await self._embedder.run_in_thread(work)
        return dict(zip(stored, map(float, matches.totals), strict=True))

    def clear(self) -> None:
        """Clear the caches, including the embedder's cache of questions."""
        self._cache.clear()
        self._embedder.clear()

    @cached_property
    def _common(self) -> _Common:
        query, passage = (self._embedder.embed_with_tokens([TYPICAL], kind)[1][0] for kind in ("query", "passage"))
        return _Common(query.mean(axis=0), passage.mean(axis=0))

    async def _embed_question(self, question: str) -> Tokens:
        tokens = await self._embedder.embed_query_tokens(question)
        return await self._embedder.run_in_thread(lambda: _normalise(tokens - self._common.query))

    async def _load_stored(self, texts: Collection[str]) -> dict[str, TokenVectors]:
        """Return text to its stored token vectors."""
        by_hash = {text_hash(text): text for text in texts}
        found = await self._store.tokens(self.name, by_hash.keys())
        return {by_hash[key]: tokens for key, tokens in found.items()}

    def _match_stored(
        self, asked: Tokens, texts: Sequence[Excerpt], stored: Mapping[str, TokenVectors]
    ) -> tuple[Best, list[int]]:
        """Match the excerpts with stored tokens. Returns the cosines and the indexes of the excerpts without any."""
        best = np.zeros((len(texts), len(asked)), np.float32)
        cosines = {text: compare(asked, [tokens]) for text, tokens in stored.items()}
        spans = {text: _Spans.of(self._embedder, text, len(rows)) for text, rows in cosines.items()}
        missing = []
        for index, excerpt in enumerate(texts):
            found = spans.get(excerpt.text)
            ranges = found.find(excerpt.ranges) if found else []
            if ranges:
                rows = np.concatenate([cosines[excerpt.text][start:end] for start, end in ranges])
                best[index] = rows.max(axis=0).clip(0.0, 1.0)
            else:
                missing.append(index)
        return best, missing

    async def _match_new(self, asked: Tokens, texts: Sequence[str]) -> Best:
        known = {text: self._cache[text] for text in texts if text in self._cache}
        new = [text for text in dict.fromkeys(texts) if text not in known]

        def work() -> tuple[Best, dict[str, npt.NDArray[np.float16]]]:
            _, embedded = self._embedder.embed_with_tokens(new, "passage")
            computed = {
                text: _normalise(tokens - self._common.passage).astype(np.float16)
                for text, tokens in zip(new, embedded, strict=True)
            }
            tokens = {**known, **computed}
            return _find_best(asked, [tokens[text] for text in texts]), computed

        best, computed = await self._embedder.run_in_thread(work)
        for text, tokens in computed.items():
            if len(tokens) <= _CACHED_TOKENS:
                self._cache[text] = tokens
        return best


class _Spans(NamedTuple):
    """The words of a text: ``starts`` and ``ends`` in characters, and the index of the first of the ``tokens`` of each.

    ``stored``: the number of stored tokens.
    """

    starts: list[int]
    ends: list[int]
    tokens: list[int]
    stored: int

    @classmethod
    def of(cls, embedder: E5Embedder, text: str, stored: int) -> _Spans | None:
        """Return the spans, None if the stored tokens do not match the words of the text."""
        counts = embedder.count_tokens(text)
        tokens = [0, *accumulate(counts)]
        places = [match.span() for match in _WORD.finditer(text)]
        is_cut = stored < tokens[-1] and stored >= MOST_TOKENS - _AROUND
        if remove_unencodable(text) != text or len(places) != len(counts) or not (is_cut or stored == tokens[-1]):
            return None
        return cls([start for start, _ in places], [end for _, end in places], tokens, stored)

    def find(self, ranges: Sequence[tuple[int, int]]) -> Ranges:
        """Return the token ranges of all words with a character in one of the character ranges.

        Returns none if a part of the last range, which is the excerpt itself, was beyond the model's limit.
        """
        found = []
        for start, end in ranges:
            first, last = bisect_right(self.ends, start), bisect_left(self.starts, end)
            found.append((self.tokens[first], self.tokens[last]))
        if not found or found[-1][1] > self.stored:
            return []
        return [(start, min(end, self.stored)) for start, end in found if start < min(end, self.stored)]


_AROUND = 8  # most tokens around the text: begin, end and prefix


def _words(question: str) -> str:
    return " ".join(remove_unencodable(question).split())


def _normalise(tokens: Tokens) -> Tokens:
    return np.asarray(tokens / np.maximum(np.linalg.norm(tokens, axis=1, keepdims=True), 1e-6), np.float32)


def _find_best(asked: Tokens, texts: Sequence[npt.NDArray[np.float16]]) -> Best:
    """Return the best cosines of each text, from one product of all tokens. They are 0 for texts without tokens."""
    best = np.zeros((len(texts), len(asked)), np.float32)
    filled = [index for index, tokens in enumerate(texts) if len(tokens)]
    if filled:
        with use_one_thread():
            cosines = np.concatenate([texts[index] for index in filled]).astype(np.float32) @ asked.T
        starts = [0, *accumulate(len(texts[index]) for index in filled)][:-1]
        best[filled] = np.maximum.reduceat(cosines, starts, axis=0).clip(0.0, 1.0)
    return best


def _average_by_word(words: tuple[str, ...], weights: Sequence[Sequence[float]], best: Best) -> WordMatches:
    """Return the weighted mean over the tokens of each word.

    ``weights``: the weights of the tokens of each word. Words whose tokens are beyond the model's limit get weight 0.
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
