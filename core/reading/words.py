"""The words of questions, headers and cells, as they are compared with each other."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from core.answering.focus import LIGHT_WORDS
from core.dates import MONTHS
from core.text import STOPWORDS

_WITHOUT_CONTENT = STOPWORDS | LIGHT_WORDS
_SHORTEST_STEM = 4
_ENDINGS = frozenset(["s", "es", "e", "n", "en"])
_TERM = re.compile(r"\d+(?:[.:/-]\d+)+|[^\W_]+")
_MONTH_NAMES = {number: name for name, number in reversed(MONTHS.items())}


@dataclass(frozen=True, slots=True)
class Word:
    """A word as it is written, and in small letters; a month by its English name."""

    text: str
    folded: str

    @property
    def is_name(self) -> bool:
        """Whether it names something exactly: it has a digit, or is in capitals."""
        return any(character.isdigit() for character in self.text) or (self.text.isupper() and self.text not in "AI")

    @property
    def is_content(self) -> bool:
        return self.is_name or not (self.folded in _WITHOUT_CONTENT or len(self.folded) == 1)


@lru_cache(maxsize=5_000)
def words_of(text: str) -> tuple[Word, ...]:
    """The words of a text; numbers with dots, colons or dashes in them are one word."""
    return tuple(Word(found, _fold(found.lower())) for found in _TERM.findall(text))


def is_same_noun(name: str, other: str) -> bool:
    """Whether two words are the same or differ in the ending of a plural or case only: "test" and "tests"."""
    longer, shorter = (name, other) if len(name) > len(other) else (other, name)
    return name == other or (
        len(shorter) >= _SHORTEST_STEM and longer.startswith(shorter) and longer[len(shorter) :] in _ENDINGS
    )


def _fold(word: str) -> str:
    return _MONTH_NAMES[MONTHS[word]] if word in MONTHS else word
