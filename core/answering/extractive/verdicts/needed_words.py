"""The words of a yes-or-no question and of a unit that may answer it, and which words the unit lacks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from core.answering.extractive.units import ScoredUnit
from core.answering.extractive.verdicts.states import STATES, unify_states
from core.answering.extractive.verdicts.yes_no_question import (
    CONTRACTED,
    DUTIES,
    NEGATIONS,
    SIMPLE_NEGATIONS,
    YesNoQuestion,
    is_stated,
)
from core.languages import detect_language
from core.reading.words import EMPTY_WORDS, VERBS_OF_PRESENCE, Word, is_related, is_same_noun, split_words
from core.wording.word_matches import match_text

_MOST_UNKNOWN = 0.5  # share of the question's words that are compared by meaning
_CANNOT = re.compile(r"(?i)\bcan['’]t\b")
_BY_LETTERS = 0.6  # match of a compound, see match_text
_UNSAID = (EMPTY_WORDS - VERBS_OF_PRESENCE) | frozenset(
    """against cause causes count counts going happen happens kind one page part parts section thing things type one's
    gehört gehören teil seite abschnitt ding dinge eines einer führt auslösen""".split()
)
"""Words of a question that a list or table need not say."""
_TAKES_PLACE = (frozenset(["take", "takes", "took", "findet", "finden"]), frozenset(["place", "statt"]))


@dataclass(frozen=True, slots=True)
class UnitVerdict:
    """What a unit answers to a yes-or-no question. It holds if ``unknown`` and ``extra`` are confirmed by meaning.

    ``unknown``: words of the question that ``text`` has to have in another form.
    ``also``: other units that the reason quotes. ``extra``: words of ``text`` that the question has to have so.
    """

    says: bool
    reason: str
    unit: ScoredUnit
    unknown: tuple[Word, ...]
    text: str
    also: tuple[ScoredUnit, ...] = ()
    extra: tuple[Word, ...] = ()


@dataclass(frozen=True, slots=True)
class TextWords:
    """The words of a text, and of two adjacent ones as one ("pass through": "passthrough")."""

    words: tuple[Word, ...]
    joined: frozenset[str]

    @classmethod
    def of(cls, text: str) -> TextWords:
        words = split_words(CONTRACTED.sub(" not", _CANNOT.sub("cannot", unify_states(text))))
        return cls(words, frozenset(one.folded + two.folded for one, two in pairwise(words)))

    def has(self, word: Word) -> bool:
        """Whether it has a word, in some form."""
        if any(is_same_word(word, each) for each in self.words) or word.folded in self.joined:
            return True
        return not word.is_name and match_text((word.folded,), " ".join(w.text for w in self.words))[0] >= _BY_LETTERS

    @property
    def folded(self) -> set[str]:
        return {word.folded for word in self.words}


def is_same_word(one: Word, two: Word) -> bool:
    compare = is_same_noun if one.is_name or two.is_name else is_related
    return compare(one.folded, two.folded)


def list_stated(yes_no_question: YesNoQuestion) -> list[Word]:
    """Return the words of the question that a unit has to have, without those for duties and for taking place."""
    words = (*yes_no_question.qualifier, *yes_no_question.words)
    folded = {word.folded for word in words}
    unsaid = _UNSAID | DUTIES
    if all(folded & verbs for verbs in _TAKES_PLACE):
        unsaid = unsaid.union(*_TAKES_PLACE)
    return [word for word in words if is_stated(word) and word.folded not in unsaid]


def find_missing_words(
    yes_no_question: YesNoQuestion, stated: Sequence[Word], *texts: TextWords
) -> tuple[Word, ...] | None:
    """Return the words that no text has by letters; None if they are too many, or one is a name or a state."""
    unknown = tuple(word for word in stated if not any(text.has(word) for text in texts))
    if len(unknown) > _MOST_UNKNOWN * len(stated):
        return None
    has_nouns_in_capitals = detect_language(yes_no_question.text) == "de"
    for word in unknown:
        capitals = word.text[1 if has_nouns_in_capitals else 0 :]
        if word.is_name or word.folded in STATES or capitals != capitals.lower():
            return None
    return unknown


def read_polarity(text: TextWords) -> bool | None:
    """Return whether a text affirms; None if it denies in another way than by one simple word."""
    denied = [word.folded for word in text.words if word.folded in NEGATIONS]
    if not denied:
        return True
    return False if len(denied) == 1 and denied[0] in SIMPLE_NEGATIONS else None
