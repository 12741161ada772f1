"""Late interaction: comparing a question with texts token by token, after ColBERT (Khattab and Zaharia, SIGIR 2020).

The token vectors of multilingual-e5-small were not trained for this, but tell more than its single vector per text:
each word of the question is compared with the most similar token. All token vectors share a large common part, which
carries no information and is subtracted. Nothing is fitted to a particular wiki.

The token vectors of evidences and of their units (sentences, items, rows, each with its place) are computed by a sync
and stored (:mod:`adapters.embedding.token_vectors`). Token vectors of other texts are computed on demand.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from adapters.embedding.e5 import E5Embedder
from adapters.embedding.shared_cache import SharedCache
from adapters.embedding.token_vectors import (
    FOUR_BITS,
    TWO_BITS,
    Compression,
    Tokens,
    compare,
    compress,
    count_tokens,
    use_one_thread,
)
from core.evidence.contextualise import hash_text
from core.languages import LanguageCode, find_clear_language
from core.ports.models import TokenVectors, Vectors, WordMatches
from core.ports.store import TokenVectorStore
from core.text import remove_unencodable

TYPICAL = (
    "How do I install it? The server has to be restarted after each change of the settings. Who is responsible for "
    "releases? Ask the team lead before 5 pm. Wie lange dauert die Lieferung? Die Bestellung wird innerhalb von zehn "
    "Tagen geliefert, wenn alle Teile im Lager sind. | Name | Version | Status | 8.0.1 | passed |"
)
"""A varied text. The mean of its token vectors is the common part that is subtracted from all."""

TYPICAL_OF: Mapping[LanguageCode, tuple[str, str]] = {
    "de": (
        "Wie installiere ich das? Der Server muss nach jeder Änderung der Einstellungen neu gestartet werden. Wer ist "
        "für die Releases verantwortlich? Fragen Sie den Teamleiter vor 17 Uhr. Wie lange dauert die Lieferung? Die "
        "Bestellung wird innerhalb von zehn Tagen geliefert, wenn alle Teile im Lager sind. Welche Werte haben die "
        "Maschinen in der Tabelle, und wann wurden sie zuletzt getestet?",
        "How do I install it? The server has to be restarted after each change of the settings. Who is responsible for "
        "releases? Ask the team lead before 5 pm. How long does the delivery take? The order is delivered within ten "
        "days if all parts are in stock. Which values do the machines in the table have, and when were they last "
        "tested?",
    )
}
"""Sentences in a language, and in English.

The tokens of a language share a part of their own, which half the difference of the two means shows. It is subtracted
from a question in that language about other texts: its words are then nearer to their translations (Libovický et al.,
2020). Nothing is subtracted from English ones, to whose scores the refusals are fitted.
"""

_CACHED_TOKENS = 60_000  # 46 MB as float16, for the texts of some hundred evidences

_CACHED_MATCHES, _MATCH_CHARS = 512, 4_000
"""Matches of short texts, such as headers. They are needed again when the question is answered."""

_CACHED_QUESTIONS = 200  # with the totals of stored texts: a question is compared with some of them twice

_READ_CHARS = 2_000  # of the texts, to find their language

Best = npt.NDArray[np.float32]
"""Shape (texts, tokens of the question): the cosine with the most similar token of the text, 0 to 1."""


class _Common(NamedTuple):
    """The mean token vectors of a question and of a text, shape (dimension,).

    ``of_language``: what is added to the mean of questions in a language, see :data:`TYPICAL_OF`.
    """

    query: Tokens
    passage: Tokens
    of_language: Mapping[LanguageCode, Tokens]


class E5WordMatcher:
    """See :class:`core.ports.models.WordMatcher` and :class:`core.ports.models.TokenEmbedder`.

    Caches the token vectors of the last texts without stored ones, the last matches of short texts, and the totals of
    stored texts for the last questions.
    """

    def __init__(self, embedder: E5Embedder, store: TokenVectorStore) -> None:
        self._embedder = embedder
        self._store = store
        self._cache: SharedCache[str, npt.NDArray[np.float16]] = SharedCache(_CACHED_TOKENS, len)
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

    async def embed(self, texts: Sequence[str]) -> tuple[Vectors, list[TokenVectors]]:
        def work() -> tuple[Vectors, list[TokenVectors]]:
            vectors, tokens = self._embedder.embed_with_tokens(texts, "passage")
            return vectors, [compress(_normalise(each - self._common.passage), TWO_BITS) for each in tokens]

        return await self._embedder.run_in_thread(work)

    async def embed_units(self, texts: Sequence[str]) -> list[TokenVectors]:
        def work() -> list[TokenVectors]:
            _, tokens = self._embedder.embed_with_tokens(texts, "passage")
            return [compress(_normalise(each - self._common.passage), FOUR_BITS) for each in tokens]

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
        known = self._cache.find(texts)
        by_hash = {hash_text(text): text for text in texts if text not in known}  # known ones were not stored
        units = await self._store.load_units(self.unit_name, by_hash.keys()) if by_hash else {}
        stored = {by_hash[hashed]: tokens for hashed, tokens in units.items()}
        new = [text for text in by_hash.values() if text not in stored]

        def work() -> tuple[WordMatches, dict[str, npt.NDArray[np.float16]]]:
            asked = self._normalise_question(question, states, "\n".join(texts)[:_READ_CHARS])
            computed = self._embed_new(new)
            whole = {**known, **computed}
            best = dict(zip(whole, _find_best(asked, [*whole.values()]), strict=True))
            best.update(zip(stored, _find_best_stored(asked, [*stored.values()], FOUR_BITS), strict=True))
            rows = np.array([best[text] for text in texts], np.float32).reshape(len(texts), len(asked))
            return self._average_by_word(question, rows), computed

        matches, computed = await self._embedder.run_in_thread(work)
        self._cache.add(computed.items())
        return matches

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
            asked = self._normalise_question(question, states)
            return self._average_by_word(question, _find_best_stored(asked, [*stored.values()], TWO_BITS))

        matches = await self._embedder.run_in_thread(work)
        return dict(zip(stored, map(float, matches.totals), strict=True))

    @cached_property
    def _common(self) -> _Common:
        query, passage = (self._embedder.embed_with_tokens([TYPICAL], kind)[1][0] for kind in ("query", "passage"))
        of_language = {}
        for code, texts in TYPICAL_OF.items():
            own, english = (each.mean(axis=0) for each in self._embedder.embed_with_tokens(texts, "passage")[1])
            of_language[code] = (own - english) / 2
        return _Common(query.mean(axis=0), passage.mean(axis=0), of_language)

    def _normalise_question(self, question: str, states: Tokens, text: str = "") -> Tokens:
        """Return the token vectors of a question. ``text``: the beginning of what it is compared with, if known."""
        common = self._common.query
        language = find_clear_language(question)  # "" also for a word or a few names
        if language in self._common.of_language and find_clear_language(text) != language:
            common = common + self._common.of_language[language]
        return _normalise(states - common)

    def _embed_new(self, texts: Sequence[str]) -> dict[str, npt.NDArray[np.float16]]:
        """Return text to its token vectors."""
        _, embedded = self._embedder.embed_with_tokens(texts, "passage")
        return {
            text: _normalise(tokens - self._common.passage).astype(np.float16)
            for text, tokens in zip(texts, embedded, strict=True)
        }

    def _average_by_word(self, question: str, best: Best) -> WordMatches:
        words = tuple(_select_words(question).split())
        return _average_by_word(words, self._embedder.weigh_tokens(words), best)


def _select_words(question: str) -> str:
    return " ".join(remove_unencodable(question).split())


def _normalise(tokens: Tokens) -> Tokens:
    return np.asarray(tokens / np.maximum(np.linalg.norm(tokens, axis=1, keepdims=True), 1e-6), np.float32)


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
