"""Token vectors of multilingual-e5-small as questions and texts are compared by them.

All token vectors share a large common part, which carries no information and is subtracted. The tokens of one language
share a further part. Nothing is fitted to a particular wiki.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import NamedTuple

import numpy as np

from adapters.embedding.e5 import E5Embedder
from adapters.embedding.token_vectors import Tokens
from core.languages import LanguageCode, detect_language, find_clear_language
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


_READ_CHARS = 2_000  # of the texts, to find their language


class _Common(NamedTuple):
    """The mean token vectors of a question and of a text, shape (dimension,).

    ``of_language``: what is added to the mean of questions in a language, see :data:`TYPICAL_OF`.
    """

    query: Tokens
    passage: Tokens
    of_language: Mapping[LanguageCode, Tokens]


class TokenNormaliser:
    """Subtracts the common part of token states and normalises them. Its methods block."""

    def __init__(self, embedder: E5Embedder) -> None:
        self._embedder = embedder

    def normalise_text(self, states: Tokens) -> Tokens:
        """Return the token vectors of a text."""
        return _normalise(states - self._common.passage)

    def normalise_question(self, question: str, states: Tokens, text: str = "") -> Tokens:
        """Return the token vectors of a question. ``text``: what it is compared with, if known."""
        common = self._common.query
        language = detect_language(question)
        is_clear = language in self._common.of_language and find_clear_language(question)  # not a word or a few names
        if is_clear and find_clear_language(text[:_READ_CHARS]) != language:
            common = common + self._common.of_language[language]
        return _normalise(states - common)

    def weigh_question(self, question: str, count: int) -> Tokens:
        """Return the weights of the first tokens of a question, shape (count,), sum 1; higher for rare tokens."""
        of_words = self._embedder.weigh_tokens(split_words(question))
        weights = np.array([weight for own in of_words for weight in own][:count], np.float32)
        weights = np.pad(weights, (0, count - len(weights)))
        return np.asarray(weights / max(weights.sum(), 1e-6), np.float32)

    def count_tokens(self, text: str) -> int:
        """Return the number of tokens of a text; also of the beginning of a text, up to a line break."""
        return sum(map(len, self._embedder.weigh_tokens(split_words(text))))

    @cached_property
    def _common(self) -> _Common:
        query, passage = (self._embedder.embed_with_tokens([TYPICAL], kind)[1][0] for kind in ("query", "passage"))
        of_language = {}
        for code, texts in TYPICAL_OF.items():
            own, english = (each.mean(axis=0) for each in self._embedder.embed_with_tokens(texts, "passage")[1])
            of_language[code] = (own - english) / 2
        return _Common(query.mean(axis=0), passage.mean(axis=0), of_language)


def split_words(text: str) -> tuple[str, ...]:
    """Return the words of a text, whose tokens are counted and weighed."""
    return tuple(remove_unencodable(text).split())


def _normalise(tokens: Tokens) -> Tokens:
    return np.asarray(tokens / np.maximum(np.linalg.norm(tokens, axis=1, keepdims=True), 1e-6), np.float32)
