"""Compares a question with texts token by token: late interaction, after ColBERT (Khattab and Zaharia, SIGIR 2020).

The tokens of multilingual-e5-small were not trained for it, but they tell more than its one vector a text: each word
of the question is compared with the token that is most like it. All tokens have a large part in common, which says
nothing; it is taken off. Nothing here is fitted to any wiki.

The tokens of evidences are computed at sync and stored (:mod:`adapters.embedding.token_vectors`); a sentence has those
of its place in the evidence. Tokens of other texts are computed when they are asked for.
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
from adapters.embedding.token_vectors import COMPRESSION, Tokens, compare, compress, count, use_one_thread
from core.ports.models import Excerpt, TokenVectors, Vectors, WordMatches
from core.ports.store import TokenVectorStore
from core.retrieval.entries import text_hash
from core.text import encodable

TYPICAL = (
    "How do I install it? The server has to be restarted after each change of the settings. Who is responsible for "
    "releases? Ask the team lead before 5 pm. Wie lange dauert die Lieferung? Die Bestellung wird innerhalb von zehn "
    "Tagen geliefert, wenn alle Teile im Lager sind. | Name | Version | Status | 8.0.1 | passed |"
)
"""A text of all kinds. The mean of its tokens is what tokens have in common."""

_CACHED_TOKENS = 60_000  # 46 MB as float16: the units of some hundred evidences
_WORD = re.compile(r"\S+")

Best = npt.NDArray[np.float32]
"""Shape (texts, tokens of the question): the cosine with the token of the text that is most like it, 0 to 1."""

Ranges = list[tuple[int, int]]
"""Of the tokens of a text."""


class _Common(NamedTuple):
    """The mean tokens of a question, and of a text."""

    query: Tokens
    passage: Tokens


class E5WordMatcher:
    """See :class:`core.ports.models.WordMatcher` and :class:`core.ports.models.TokenEmbedder`.

    The tokens of the texts without stored ones that were asked for last are cached.
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
        """Loads the model now, beside the event loop. Raises :class:`~core.errors.EmbedderUnavailable`."""
        await self._embedder.load()

    async def embed(self, texts: Sequence[str]) -> tuple[Vectors, list[TokenVectors]]:
        def work() -> tuple[Vectors, list[TokenVectors]]:
            vectors, tokens = self._embedder.embed_with_tokens(texts, "passage")
            return vectors, [compress(_normalise(each - self._common.passage)) for each in tokens]

        return await self._embedder.run_in_thread(work)

    async def match_words(self, question: str, texts: Sequence[Excerpt]) -> WordMatches:
        asked = await self._embed_question(question)
        stored = await self._stored({text.text for text in texts})
        best, missing = await self._embedder.run_in_thread(lambda: self._match_stored(asked, texts, stored))
        if missing:
            best[missing] = await self._match_new(asked, [texts[index].words for index in missing])
        words = tuple(_words(question).split())
        weights = await self._embedder.run_in_thread(lambda: self._embedder.weigh_tokens(words))
        return _average_by_word(words, weights, best)

    async def match_stored(self, question: str, hashes: Collection[str]) -> dict[str, float]:
        stored = await self._store.tokens(self.name, hashes)
        stored = {text_hash: tokens for text_hash, tokens in stored.items() if count(tokens)}
        asked = await self._embed_question(question)
        words = tuple(_words(question).split())
        if not stored or not len(asked):
            return {}

        def work() -> WordMatches:
            starts = [0, *accumulate(map(count, stored.values()))][:-1]
            cosines = compare(asked, list(stored.values()))
            best = np.maximum.reduceat(cosines, starts, axis=0).clip(0.0, 1.0)
            return _average_by_word(words, self._embedder.weigh_tokens(words), best)

        matches = await self._embedder.run_in_thread(work)
        return dict(zip(stored, map(float, matches.totals), strict=True))

    def clear(self) -> None:
        """Removes all tokens, also of questions."""
        self._cache.clear()
        self._embedder.clear()

    @cached_property
    def _common(self) -> _Common:
        query, passage = (self._embedder.embed_with_tokens([TYPICAL], kind)[1][0] for kind in ("query", "passage"))
        return _Common(query.mean(axis=0), passage.mean(axis=0))

    async def _embed_question(self, question: str) -> Tokens:
        tokens = await self._embedder.embed_query_tokens(question)
        return await self._embedder.run_in_thread(lambda: _normalise(tokens - self._common.query))

    async def _stored(self, texts: Collection[str]) -> dict[str, TokenVectors]:
        """By text."""
        by_hash = {text_hash(text): text for text in texts}
        found = await self._store.tokens(self.name, by_hash.keys())
        return {by_hash[key]: tokens for key, tokens in found.items()}

    def _match_stored(
        self, asked: Tokens, texts: Sequence[Excerpt], stored: Mapping[str, TokenVectors]
    ) -> tuple[Best, list[int]]:
        """What the stored tokens give, and the indexes of the excerpts that have none."""
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
    """Where the words of a text are: ``starts`` and ``ends`` of characters, and ``tokens``: the first of each word."""

    starts: list[int]
    ends: list[int]
    tokens: list[int]
    stored: int

    @classmethod
    def of(cls, embedder: E5Embedder, text: str, stored: int) -> _Spans | None:
        """None where the stored tokens are not those of the text's words, one after the other."""
        counts = embedder.count_tokens(text)
        tokens = [0, *accumulate(counts)]
        places = [match.span() for match in _WORD.finditer(text)]
        is_cut = stored < tokens[-1] and stored >= MOST_TOKENS - _AROUND
        if encodable(text) != text or len(places) != len(counts) or not (is_cut or stored == tokens[-1]):
            return None
        return cls([start for start, _ in places], [end for _, end in places], tokens, stored)

    def find(self, ranges: Sequence[tuple[int, int]]) -> Ranges:
        """The tokens of all words that have a character in one of the ranges.

        None where some of the last range, which is the excerpt's own, was beyond the model's limit.
        """
        found = []
        for start, end in ranges:
            first, last = bisect_right(self.ends, start), bisect_left(self.starts, end)
            found.append((self.tokens[first], self.tokens[last]))
        if not found or found[-1][1] > self.stored:
            return []
        return [(start, min(end, self.stored)) for start, end in found if start < min(end, self.stored)]


_AROUND = 8  # tokens besides the text's own, at most: begin, end and prefix


def _words(question: str) -> str:
    return " ".join(encodable(question).split())


def _normalise(tokens: Tokens) -> Tokens:
    return np.asarray(tokens / np.maximum(np.linalg.norm(tokens, axis=1, keepdims=True), 1e-6), np.float32)


def _find_best(asked: Tokens, texts: Sequence[npt.NDArray[np.float16]]) -> Best:
    """The best of each text, from one product of all tokens; 0 for texts without tokens."""
    best = np.zeros((len(texts), len(asked)), np.float32)
    filled = [index for index, tokens in enumerate(texts) if len(tokens)]
    if filled:
        with use_one_thread():
            cosines = np.concatenate([texts[index] for index in filled]).astype(np.float32) @ asked.T
        starts = [0, *accumulate(len(texts[index]) for index in filled)][:-1]
        best[filled] = np.maximum.reduceat(cosines, starts, axis=0).clip(0.0, 1.0)
    return best


def _average_by_word(words: tuple[str, ...], weights: Sequence[Sequence[float]], best: Best) -> WordMatches:
    """``weights``: for each word those of its tokens. Words whose tokens are beyond the model's limit count nothing."""
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
