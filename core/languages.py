"""Language detection with py3langid (naive Bayes over byte n-grams), which needs no network.

Questions are too short for reliable statistics: five words and a product name. So English and German, the languages of
the bot, have a prior, and each word that only one of the two has adds to its score. docs/languages.md compares
detectors on short questions and shows the effect of the prior.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Literal

from babel import Locale
from py3langid.langid import MODEL_FILE, LanguageIdentifier

from core.text import ENGLISH_STOPWORDS, GERMAN_STOPWORDS, split_subject, words

Language = Literal["en", "de"]
"""A language of the bot's own texts."""

LanguageCode = str
"""The ISO 639-1 code of a language that people and pages use, such as "fr"."""

CATALOGUES: tuple[Language, ...] = ("en", "de")

DETECTED: tuple[LanguageCode, ...] = tuple(
    """ar bg cs da de el en es et fa fi fr he hi hr hu id it ja ko lt lv nl no pl pt ro ru sk sl sv th tr uk vi
    zh""".split()  # noqa: SIM905
)
"""The languages that can be detected. Each additional one makes the others less certain."""

NOT_LATIN = frozenset("ar bg el fa he hi ja ko ru th uk zh".split())  # noqa: SIM905
"""Those that do not use the Latin script."""

_EXPECTED: Mapping[Language, float] = {"en": 5.3, "de": 4.0}  # prior, added to the log-likelihood
_SIGNAL, _MOST_SIGNALS = 3.0, 3  # added per word that only this language has, up to three words
_PAGE_SIGNALS = 3  # words that only English or only German has, for the language of a page to be clear
_CLEAR = 10.0  # difference of log-likelihoods that names and quoted words do not cause
_CLEAR_CHARS = 20  # minimum length of a text whose language can be clear
_READ_CHARS = 600  # only the beginning of a text is examined
_LOADING = threading.Lock()
_KANA = re.compile(r"[\u3041-\u30ff]")
_HANGUL = re.compile(r"[\uac00-\ud7af]")


def detect_language(text: str) -> LanguageCode:
    """Return the language of a text. A page title in brackets, which completion has added to a question, is ignored."""
    return _detect(split_subject(text[:_READ_CHARS])[0])


def detect_catalogue(text: str) -> Language:
    """Return the language of the bot's own texts for the author of this text."""
    return choose_catalogue(detect_language(text))


def choose_catalogue(language: LanguageCode) -> Language:
    """Return the language if the bot's own texts exist in it, else English."""
    return "de" if language == "de" else "en"


def name_language(language: LanguageCode, reader: LanguageCode = "en") -> str:
    """Return a language's name in the reader's language ("French", "Französisch"), or its code if it has no name."""
    return str(Locale.parse(reader).languages.get(language, language))


def is_clearly_not_in(text: str, wanted: LanguageCode, signals: int) -> bool:
    """Whether a text is certainly in another language than ``wanted``; ``signals`` as in :func:`is_language_clear`."""
    found = detect_language(text)
    if found == wanted:
        return False
    return is_language_clear(text, signals) or (wanted not in CATALOGUES and is_clear_by_letters(text))


def is_language_clear(text: str, signals: int) -> bool:
    """Whether the language of a text is certain.

    English and German need ``signals`` words that only one of them has; other languages need a clear difference in
    likelihood.
    """
    if detect_language(text) in CATALOGUES:
        return max(language_signals(text).values()) >= signals
    return is_clear_by_letters(text)


def is_clear_by_letters(text: str) -> bool:
    """Whether a text is long enough, and much more probable in one language than in any other."""
    best, second = sorted(_score(split_subject(text[:_READ_CHARS])[0]).values())[-1:-3:-1]
    return len(text) > _CLEAR_CHARS and best - second >= _CLEAR


def find_clear_language(text: str) -> LanguageCode:
    """Return the language of a page's text, or "" if it is unclear, such as for names and numbers only."""
    return detect_language(text) if is_language_clear(text, _PAGE_SIGNALS) else ""


def language_signals(text: str) -> dict[Language, int]:
    """Count the words that only English has, and those that only German has."""
    german = english = 0
    for word in words(text):
        german += (word in GERMAN_STOPWORDS and word not in ENGLISH_STOPWORDS) or any(c in "äöüß" for c in word)
        english += word in ENGLISH_STOPWORDS and word not in GERMAN_STOPWORDS
    return {"en": english, "de": german}


@lru_cache(maxsize=256)  # checking an answer detects the language of each source once per statement
def _detect(text: str) -> LanguageCode:
    if not any(character.isalpha() for character in text):
        return "en"
    if _KANA.search(text):
        return "ja"
    if _HANGUL.search(text):
        return "ko"
    scores = _score(text)
    return max(scores, key=lambda code: scores[code])


def _score(text: str) -> Mapping[LanguageCode, float]:
    """Return the log-likelihood of each language, with the priors added."""
    scores: dict[LanguageCode, float] = dict(_identifier().rank(text))
    for code, signals in language_signals(text).items():
        scores[code] += _EXPECTED[code] + _SIGNAL * min(signals, _MOST_SIGNALS)
    return scores


def load_detector() -> None:
    """Load the model, so that the first call of :func:`detect_language` does not take half a second longer."""
    _identifier()


def _identifier() -> LanguageIdentifier:
    with _LOADING:  # several threads may need it first
        return _load_identifier()


@cache
def _load_identifier() -> LanguageIdentifier:
    """Load the model (80 MB)."""
    identifier = LanguageIdentifier.from_model_file(MODEL_FILE)
    identifier.set_languages(DETECTED)
    return identifier
