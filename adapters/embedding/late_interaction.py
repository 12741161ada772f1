"""Late interaction: comparing a question with texts token by token, after ColBERT (Khattab and Zaharia, SIGIR 2020).

The token vectors of multilingual-e5-small were not trained for this, but tell more than its single vector per text:
each word of the question is compared with the most similar token, after the part that all tokens share was subtracted
(:mod:`adapters.embedding.normalised_tokens`).

The token vectors of evidences and of their units (sentences, items, rows, each with its place) are computed by a sync
and stored (:mod:`adapters.embedding.token_vectors`). Token vectors of other texts are computed on demand.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from adapters.embedding.answer_ratings import TokenizedText, load_rating_network
from adapters.embedding.e5 import E5Embedder
from adapters.embedding.normalised_tokens import TokenNormaliser, split_words
from adapters.embedding.shared_cache import SharedCache
from adapters.embedding.token_vectors import (
    FOUR_BITS,
    TWO_BITS,
    Compression,
    Tokens,
    compare,
    compress,
    count_tokens,
    decompress,
    rotate,
    use_one_thread,
)
from core.evidence.contextualise import hash_text
from core.ports.models import Matrix, TextInContext, TokenVectors, Vectors, WordMatches
from core.ports.store import TokenVectorStore

_CACHED_TOKENS = 60_000  # 46 MB as float16, for the texts of some hundred evidences

_CACHED_BYTES = 8_000_000  # of stored token vectors, for the units of some forty questions: most are read several times

_CACHED_MATCHES, _MATCH_CHARS = 512, 4_000
"""Matches of short texts, such as headers. They are needed again when the question is answered."""

_CACHED_QUESTIONS = 200  # with the totals of stored texts: a question is compared with some of them twice

T = TypeVar("T")

Best = npt.NDArray[np.float32]
"""Shape (texts, tokens of the question): the cosine with the most similar token of the text, 0 to 1."""


class _LoadedTokens(NamedTuple):
    """The token vectors of texts that are computed already, the stored ones, and the texts without any."""

    known: Mapping[str, npt.NDArray[np.float16]]
    stored: Mapping[str, TokenVectors]
    missing: Sequence[str]


class E5WordMatcher:
    """See :class:`core.ports.models.WordMatcher` and :class:`core.ports.models.TokenEmbedder`.

    Caches the token vectors of the last texts, the last matches of short texts, and the totals of stored texts for the
    last questions.
    """

    def __init__(self, embedder: E5Embedder, store: TokenVectorStore) -> None:
        self._embedder = embedder
        self._store = store
        self._tokens = TokenNormaliser(embedder)
        self._cache: SharedCache[str, npt.NDArray[np.float16]] = SharedCache(_CACHED_TOKENS, len)
        self._stored: SharedCache[str, TokenVectors] = SharedCache(_CACHED_BYTES, len)
        self._matches: SharedCache[tuple[str, ...], WordMatches] = SharedCache(_CACHED_MATCHES)
        self._totals: SharedCache[str, Mapping[str, float]] = SharedCache(_CACHED_QUESTIONS)  # by hash

    @property
    def name(self) -> str:
        return f"{self._embedder.name}/tokens-{TWO_BITS.name}"

    @property
    def unit_name(self) -> str:
        return f"{self._embedder.name}/tokens-{FOUR_BITS.name}"

    @property
    def embedder(self) -> str:
        return self._embedder.name

    async def load(self) -> None:
        """Load the model now, in a thread. Raises :class:`~core.errors.EmbedderUnavailable`."""
        await self._embedder.load()
        load_rating_network()

    async def embed(self, texts: Sequence[str]) -> tuple[Vectors, list[TokenVectors]]:
        def work() -> tuple[Vectors, list[TokenVectors]]:
            vectors, tokens = self._embedder.embed_with_tokens(texts, "passage")
            return vectors, [compress(self._tokens.normalise_text(each), TWO_BITS) for each in tokens]

        return await self._embedder.run_in_thread(work)

    async def embed_units(self, texts: Sequence[str]) -> list[TokenVectors]:
        def work() -> list[TokenVectors]:
            _, tokens = self._embedder.embed_with_tokens(texts, "passage")
            return [compress(self._tokens.normalise_text(each), FOUR_BITS) for each in tokens]

        return await self._embedder.run_in_thread(work)

    async def match_words(self, question: str, texts: Sequence[str]) -> WordMatches:
        key = (question, *texts)
        if sum(map(len, key)) > _MATCH_CHARS:
            return await self._compute_matches(question, texts)
        known = self._matches.get(key)
        if known is None:
            known = await self._compute_matches(question, texts)
            self._matches.add([(key, known)])
        return known

    async def _compute_matches(self, question: str, texts: Sequence[str]) -> WordMatches:
        states = await self._embedder.embed_query_tokens(question)
        loaded = await self._load_tokens(texts)

        def work() -> WordMatches:
            asked = self._tokens.normalise_question(question, states, "\n".join(texts))
            whole = {**loaded.known, **self._embed_new(loaded.missing)}
            best = dict(zip(whole, _find_best(asked, [*whole.values()]), strict=True))
            best.update(zip(loaded.stored, _find_best_stored(asked, [*loaded.stored.values()], FOUR_BITS), strict=True))
            rows = np.array([best[text] for text in texts], np.float32).reshape(len(texts), len(asked))
            return self._average_by_word(question, rows)

        return await self._run(work, loaded.missing)

    async def rate_answers(self, question: str, texts: Sequence[TextInContext]) -> Matrix:
        await self._embedder.load()
        if not self._embedder.has_token_states or not texts:
            return np.zeros(len(texts))
        wholes = [text.whole for text in texts]
        states = await self._embedder.embed_query_tokens(question)
        loaded = await self._load_tokens(wholes)

        def work() -> Matrix:
            asked = rotate(self._tokens.normalise_question(question, states, "\n".join(wholes)))
            whole = {**loaded.known, **self._embed_new(loaded.missing)}
            tokens = {text: rotate(each.astype(np.float32)) for text, each in whole.items()}
            tokens.update((text, decompress(each, FOUR_BITS)) for text, each in loaded.stored.items())
            own = {context: self._tokens.count_tokens(context) for context in {text.context for text in texts}}
            read = [TokenizedText(tokens[text.whole], own[text.context]) for text in texts]
            return load_rating_network().rate(asked, self._tokens.weigh_question(question, len(asked)), read)

        return await self._run(work, loaded.missing)

    async def _load_tokens(self, texts: Sequence[str]) -> _LoadedTokens:
        known = self._cache.find(texts)
        stored = self._stored.find(texts)
        by_hash = {hash_text(text): text for text in texts if text not in known and text not in stored}
        units = await self._store.load_units(self.unit_name, by_hash.keys()) if by_hash else {}
        read = {by_hash[hashed]: tokens for hashed, tokens in units.items()}
        self._stored.add(read.items())
        stored |= read
        return _LoadedTokens(known, stored, [text for text in by_hash.values() if text not in stored])

    async def match_stored(self, question: str, hashes: Collection[str]) -> dict[str, float]:
        known = self._totals.get(question) or {}
        totals = {**known, **await self._match_stored(question, set(hashes) - known.keys())}
        self._totals.add([(question, totals)])
        return {hashed: totals[hashed] for hashed in hashes if hashed in totals}

    async def _match_stored(self, question: str, hashes: Collection[str]) -> dict[str, float]:
        stored = await self._store.load_tokens(self.name, hashes) if hashes else {}
        stored = {hashed: tokens for hashed, tokens in stored.items() if count_tokens(tokens, TWO_BITS)}
        states = await self._embedder.embed_query_tokens(question)
        if not stored or not len(states):
            return {}

        def work() -> WordMatches:
            asked = self._tokens.normalise_question(question, states)
            return self._average_by_word(question, _find_best_stored(asked, [*stored.values()], TWO_BITS))

        matches = await self._run(work, ())
        return dict(zip(stored, map(float, matches.totals), strict=True))

    async def _run(self, work: Callable[[], T], missing: Sequence[str]) -> T:
        """Run work in a thread: in one of the embedder if it embeds ``missing`` texts, since other work is short."""
        return await (self._embedder.run_in_thread(work) if missing else asyncio.to_thread(work))

    def _embed_new(self, texts: Sequence[str]) -> dict[str, npt.NDArray[np.float16]]:
        """Return text to its token vectors, and keep them for the next comparison."""
        _, embedded = self._embedder.embed_with_tokens(texts, "passage")
        computed = {
            text: self._tokens.normalise_text(tokens).astype(np.float16)
            for text, tokens in zip(texts, embedded, strict=True)
        }
        self._cache.add(computed.items())
        return computed

    def _average_by_word(self, question: str, best: Best) -> WordMatches:
        words = split_words(question)
        return _average_by_word(words, self._embedder.weigh_tokens(words), best)


def _find_best(asked: Tokens, texts: Sequence[npt.NDArray[np.float16]]) -> Best:
    """Return the best cosines of each text, from one product of all tokens."""
    use_one_thread()
    whole = np.concatenate([np.zeros((0, asked.shape[1]), np.float16), *texts])
    cosines = whole.astype(np.float32) @ asked.T
    return _find_highest(cosines, [len(tokens) for tokens in texts])


def _find_best_stored(asked: Tokens, texts: Sequence[TokenVectors], compression: Compression) -> Best:
    """Return the best cosines of each text with compressed tokens."""
    return _find_highest(compare(asked, texts, compression), [count_tokens(each, compression) for each in texts])


def _find_highest(cosines: Tokens, counts: Sequence[int]) -> Best:
    """Return the highest cosines of each text. They are 0 for texts without tokens.

    ``cosines``: of the tokens of all texts, of which each has ``counts``, with those of the question.
    """
    best = np.zeros((len(counts), cosines.shape[1]), np.float32)
    filled = [index for index, count in enumerate(counts) if count]
    if filled:
        starts = [0, *accumulate(counts[index] for index in filled)][:-1]
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
