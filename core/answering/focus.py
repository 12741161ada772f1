"""What a question asks for: its telling words, the kind of answer it expects, and whether it wants a whole list."""

from __future__ import annotations

import re
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
    words = telling_words(question)
    kind: AnswerType = next((name for name, pattern in QUESTION_TYPES if pattern.search(question)), "other")
    return Focus(question, words, kind, bool(LIST_QUESTION.search(question)), language(question))


def telling_words(text: str) -> tuple[str, ...]:
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
    there = set(terms(text))
    candidates = [_grams(word) for word in there]
    return [1.0 if word in there else _best(_grams(word), candidates) for word in words]


def _best(word: frozenset[str], candidates: list[frozenset[str]]) -> float:
    best = max((len(word & other) / len(word) for other in candidates if word & other), default=0.0) if word else 0.0
    return best if best >= _PARTIAL else 0.0


@lru_cache(maxsize=50_000)
def _grams(word: str) -> frozenset[str]:
    return frozenset([word] if word[0].isdigit() else grams(word))


_PARTIAL = 0.5


def has_type(answer_type: AnswerType, text: str) -> bool:
    """Whether a text has something of the kind that is asked for (a date for "when", a name for "who")."""
    shape = ANSWER_SHAPES.get(answer_type)
    return shape is None or bool(shape.search(text))
