"""What a question asks for: its telling words, the kind of answer it expects, and whether it wants a whole list."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from core.answering.vocabulary import ANSWER_SHAPES, LIGHT_WORDS, LIST_QUESTION, QUESTION_TYPES, AnswerType
from core.text import STOPWORDS, grams, language


@dataclass(frozen=True, slots=True)
class Focus:
    """A question, taken apart. ``words``: its distinct content words, lower-cased."""

    question: str
    words: tuple[str, ...]
    answer_type: AnswerType
    wants_list: bool
    language: Literal["en", "de"]


def focus_of(question: str) -> Focus:
    """Takes an intent-explicit question apart."""
    words = content_words(question)
    kind: AnswerType = next((name for name, pattern in QUESTION_TYPES if pattern.search(question)), "other")
    return Focus(question, words, kind, bool(LIST_QUESTION.search(question)), language(question))


@lru_cache(maxsize=256)
def content_words(text: str) -> tuple[str, ...]:
    """The distinct words of a text that say what it is about, lower-cased, in order."""
    return tuple(dict.fromkeys(term for term in terms(text) if term not in STOPWORDS | LIGHT_WORDS))


_TERM = re.compile(r"\d+(?:[.:]\d+)+|[^\W_]+")


def terms(text: str) -> list[str]:
    """Words, lower-cased; versions, dates and times stay in one piece ("8.0.1")."""
    return _TERM.findall(text.lower())


def word_matches(words: tuple[str, ...], text: str) -> list[float]:
    """For each word how far the text has it, 0 to 1: the best share of its 4-grams in one word of the text.

    Word forms and compounds then match in part ("Hardwaretests", "hardware testing"), unrelated words do not.
    """
    there = _vocabulary(text)
    return [1.0 if word in there.words else _best(_grams(word), there.having) for word in words]


@dataclass(frozen=True, slots=True)
class _Vocabulary:
    """The words of a text. ``having``: to each gram the numbers of the words that have it."""

    words: frozenset[str]
    having: Mapping[str, Sequence[int]]


@lru_cache(maxsize=256)  # of an answer every statement is held against the same sources
def _vocabulary(text: str) -> _Vocabulary:
    words = frozenset(terms(text))
    having: dict[str, list[int]] = {}
    for number, word in enumerate(words):
        for gram in _grams(word):
            having.setdefault(gram, []).append(number)
    return _Vocabulary(words, having)


def _best(word: frozenset[str], having: Mapping[str, Sequence[int]]) -> float:
    shared = Counter(number for gram in word for number in having.get(gram, ()))
    best = max(shared.values()) / len(word) if shared else 0.0
    return best if best >= _PARTIAL else 0.0


@lru_cache(maxsize=50_000)
def _grams(word: str) -> frozenset[str]:
    return frozenset([word] if word[0].isdigit() else grams(word))


_PARTIAL = 0.5


def has_type(answer_type: AnswerType, text: str) -> bool:
    """Whether a text has something of the kind that is asked for (a date for "when", a name for "who")."""
    shape = ANSWER_SHAPES.get(answer_type)
    return shape is None or bool(shape.search(text))
