"""Which language a text is in, by py3langid: naive Bayes over byte n-grams, which needs no network.

Questions are short: five words with a product's name say little. So English and German, in which the bot speaks, are
expected, and words that only one of the two has count more than their letters. How detectors compare on short
questions, and what expecting them changes: docs/languages.md.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Literal

from babel import Locale
from py3langid.langid import MODEL_FILE, LanguageIdentifier

from core.text import ENGLISH_STOPWORDS, GERMAN_STOPWORDS, split_subject, words

Language = Literal["en", "de"]
"""A language that the bot's own texts are in."""

LanguageCode = str
"""A language that people and pages write, as ISO 639-1: "fr"."""

CATALOGUES: tuple[Language, ...] = ("en", "de")

DETECTED: tuple[LanguageCode, ...] = tuple(
    """ar bg cs da de el en es et fa fi fr he hi hr hu id it ja ko lt lv nl no pl pt ro ru sk sl sv th tr uk vi
    zh""".split()  # noqa: SIM905
)
"""The languages that are told apart. Each more makes the others less certain."""

NOT_LATIN = frozenset("ar bg el fa he hi ja ko ru th uk zh".split())  # noqa: SIM905
"""The languages of these that are written in other letters."""

_EXPECTED: Mapping[Language, float] = {"en": 5.3, "de": 4.0}  # added to the log-likelihood
_SIGNAL, _MOST_SIGNALS = 3.0, 3  # added for a word that only one of them has
_PAGE_SIGNALS = 3  # words that only English or only German has
_CLEAR = 10.0  # a difference of log-likelihoods that names and quoted words do not make
_CLEAR_CHARS = 20  # of a text that shows its language
_READ_CHARS = 600  # of a text; more do not change the language
_KANA = re.compile(r"[\u3041-\u30ff]")
_HANGUL = re.compile(r"[\uac00-\ud7af]")


def detect_language(text: str) -> LanguageCode:
    """The language of a text. Of a question that was completed with a page's title in brackets its own words count."""
    return _detect(split_subject(text[:_READ_CHARS])[0])


def detect_catalogue(text: str) -> Language:
    """The language in which the bot's own texts are shown to who wrote this text."""
    return choose_catalogue(detect_language(text))


def choose_catalogue(language: LanguageCode) -> Language:
    """The language itself where the bot's texts are in it, else English."""
    return "de" if language == "de" else "en"


def name_language(language: LanguageCode, reader: LanguageCode = "en") -> str:
    """The name of a language as a reader calls it: "French", "Französisch"; the code itself where it has no name."""
    return str(Locale.parse(reader).languages.get(language, language))


def is_clearly_not_in(text: str, wanted: LanguageCode, signals: int) -> bool:
    """Whether a text is in another language than the wanted one, shown as :func:`is_language_clear` says."""
    found = detect_language(text)
    if found == wanted:
        return False
    return is_language_clear(text, signals) or (wanted not in CATALOGUES and _is_clear_by_letters(text))


def is_language_clear(text: str, signals: int) -> bool:
    """Whether a text shows its language: by so many words that only English or only German has, else by its letters."""
    if detect_language(text) in CATALOGUES:
        return max(language_signals(text).values()) >= signals
    return _is_clear_by_letters(text)


def _is_clear_by_letters(text: str) -> bool:
    best, second = sorted(_score(split_subject(text[:_READ_CHARS])[0]).values())[-1:-3:-1]
    return len(text) > _CLEAR_CHARS and best - second >= _CLEAR


def find_clear_language(text: str) -> LanguageCode:
    """The language of a page's text, "" where it is not clear: few words, or names and numbers only."""
    return detect_language(text) if is_language_clear(text, _PAGE_SIGNALS) else ""


def language_signals(text: str) -> dict[Language, int]:
    """The numbers of words of a text that only one of English and German has."""
    german = english = 0
    for word in words(text):
        german += (word in GERMAN_STOPWORDS and word not in ENGLISH_STOPWORDS) or any(c in "äöüß" for c in word)
        english += word in ENGLISH_STOPWORDS and word not in GERMAN_STOPWORDS
    return {"en": english, "de": german}


@lru_cache(maxsize=256)  # is asked for each source again for every statement
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
    """The log-likelihood of each language, with what is added for those that are expected."""
    scores: dict[LanguageCode, float] = dict(_identifier().rank(text))
    for code, signals in language_signals(text).items():
        scores[code] += _EXPECTED[code] + _SIGNAL * min(signals, _MOST_SIGNALS)
    return scores


def load_detector() -> None:
    """Loads what :func:`detect_language` needs, else its first call takes half a second."""
    _identifier()


@cache
def _identifier() -> LanguageIdentifier:
    """80 MB."""
    identifier = LanguageIdentifier.from_model_file(MODEL_FILE)
    identifier.set_languages(DETECTED)
    return identifier
