"""Which completions by a model are accepted (EXPLAIGNN, SIGIR 2023, section 3.1, and faults of small models)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from core.model import Rejection
from core.text import STOPWORDS, fold, language, language_signals, words

_MAX_CHARS = 500
_MAX_ADDED_WORDS = 40
_STEM, _ENDING = 4, 3  # words have one stem if at least 4 letters agree and at most 3 at the end differ
_CLEAR_SIGNALS = 3  # words of a language that show that a question is in it

# Words that connect a follow-up with the conversation: the completed question need not have them.
_SPOKEN = frozenset(
    """also and then next okay ok thanks thank so now about regarding else more another same other others one ones
    instead it its they them their he she him her his this that these those there here what which how why
    who when where exactly please tell me give know want und auch dann danke nun jetzt bezüglich es sie er
    ihn ihm ihr ihre sein dies das diese dieser dieses dort da davon dafür damit darin daran dabei darüber
    deren dessen sonst noch weiter weitere anderen andere was wie wer wann wo warum welche welcher welches
    genau bitte""".split()  # noqa: SIM905
)
# Words that a completion may add.
_BUILDING = frozenset(
    """question page regarding concerning according context case conversation mentioned frage seite bezüglich laut
    zusammenhang fall gibt heißt bedeutet lautet there many much""".split()  # noqa: SIM905
)


def rejection(
    candidate: str, question: str, conversation: Iterable[str], earlier: Sequence[str]
) -> tuple[Rejection | None, tuple[str, ...]]:
    """Why a completion is rejected, None if it is accepted; and the words that it invents or drops.

    ``conversation``: the texts that it may take words from, besides the question; ``earlier``: the earlier questions.
    """
    own = _content_words(question) - _SPOKEN
    said = _content_words(candidate)
    known = _Forms({word for text in conversation for word in words(text)} | set(words(question)))
    invented = sorted(word for word in said - _BUILDING if not known.has(word))
    kept = _Forms(said)
    dropped = sorted(word for word in own if not kept.has(word))
    if not said or "\n" in candidate or len(candidate) > _MAX_CHARS or len(said) > len(own) + _MAX_ADDED_WORDS:
        return Rejection.NOT_ONE_QUESTION, ()
    if invented:
        return Rejection.INVENTS_WORDS, tuple(invented)
    if dropped:
        return Rejection.DROPS_WORDS, tuple(dropped)
    if any(words(candidate) == words(text) or (own and said == _content_words(text)) for text in earlier):
        return Rejection.REPEATS, ()
    if _changes_language(candidate, question):
        return Rejection.OTHER_LANGUAGE, ()
    return None, ()


def _content_words(text: str) -> set[str]:
    return {word for word in words(text) if word not in STOPWORDS}


class _Forms:
    """A set of words that is searched by stem. The beginnings are indexed, so no two words are compared."""

    def __init__(self, known: Collection[str]) -> None:
        self._known = known
        folded = {fold(word) for word in known}
        self._beginnings = {
            (len(word), word[:alike])
            for word in folded
            for alike in range(max(_STEM, len(word) - _ENDING), max(_STEM, len(word)) + 1)
        }

    def has(self, word: str) -> bool:
        """Whether the set has a word or another form of it. Numbers have no other forms."""
        if word in self._known or any(character.isdigit() for character in word):
            return word in self._known
        word = fold(word)
        lengths = range(max(len(word) - _ENDING, 1), max(len(word), _STEM) + _ENDING + 1)
        return any((length, word[: _common_letters(length, len(word))]) in self._beginnings for length in lengths)


def _common_letters(one: int, other: int) -> int:
    """The number of first letters that two words of these lengths share if they have one stem."""
    return max(_STEM, max(one, other) - _ENDING)


def _changes_language(candidate: str, question: str) -> bool:
    clear = max(language_signals(question).values()) >= _CLEAR_SIGNALS
    return clear and language(candidate) != language(question)


_LABEL = re.compile(
    r"\A[^\w:]*+(?:(?:rewritten|completed|standalone|last|new)?+\s*+(?:question|frage|query)?+|umformuliert)\s*+:\s*+",
    re.IGNORECASE,
)


def tidy_question(text: str) -> str:
    """The first line of a model's text as a question: without label and quotation marks."""
    lines = [line.strip() for line in text.strip().splitlines() if line.strip()]
    line = _LABEL.sub("", lines[0]) if lines else ""
    if not line and len(lines) > 1:
        line = lines[1]
    return line.strip().strip("\"'“”„«»*`").strip()
