"""Verdicts of a clause in other words than the question's: synonyms, or another language.

The clause has to have each word of the question, and the question each word of the clause, by letters or by meaning, so
that neither says more than the other. What only the page's title or heading has are names, or what "it" refers to.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from core.answering.extractive.units import ScoredUnit, begins_with_reference, find_needed_parts
from core.answering.extractive.verdicts.needed_words import (
    TextWords,
    UnitVerdict,
    find_missing_words,
    is_same_word,
    list_stated,
    read_polarity,
)
from core.answering.extractive.verdicts.states import unify_states
from core.answering.extractive.verdicts.yes_no_question import (
    CLAUSES,
    CONDITIONS,
    YesNoQuestion,
    has_doubt,
    is_name,
    is_stated,
)
from core.languages import detect_language
from core.model import TEXT_KINDS
from core.reading.words import Word, split_words
from core.wording.list_markers import strip_marker

_LEAST_WORDS = 2  # words of the question in the clause


def read_clauses_by_meaning(yes_no_question: YesNoQuestion, unit: ScoredUnit) -> UnitVerdict | None:
    """Return what the only clause of a sentence or item answers that has all words of the question."""
    said = strip_marker(unit.text).strip()
    if unit.evidence.kind not in TEXT_KINDS or "?" in said or "```" in said:
        return None
    if {word.folded for word in split_words(said)} & CONDITIONS - yes_no_question.folded:
        return None
    clauses = CLAUSES.split(unify_states(said))
    found = [verdict for clause in clauses if (verdict := _read_clause(yes_no_question, clause, unit, said))]
    return found[0] if len(found) == 1 else None


def _read_clause(yes_no_question: YesNoQuestion, clause: str, unit: ScoredUnit, said: str) -> UnitVerdict | None:
    context, parts = unit.evidence.context, unit.evidence.parts
    needed = [parts[at] for at in find_needed_parts(parts, unit.index)]
    own, around = TextWords.of(clause), TextWords.of("\n".join((context.title, *context.heading_path, *needed)))
    stated = list_stated(yes_no_question)
    unknown = find_missing_words(yes_no_question, stated, own, around)
    says = read_polarity(own)
    if unknown is None or any(word.folded[0].isdigit() for word in unknown):
        return None
    if says is None or has_doubt(clause, yes_no_question.folded):
        return None
    of_clause = [word for word in stated if own.has(word)]
    only_around = [word for word in stated if word not in of_clause and word not in unknown]
    refers = bool(needed) or begins_with_reference(clause)
    if len(of_clause) + len(unknown) < _LEAST_WORDS or stated[-1] in only_around:
        return None
    if not refers and not all(is_name(word) for word in only_around):
        return None
    if detect_language(said) == yes_no_question.language and not _is_in_order(of_clause, own.words):
        return None
    extra = tuple(
        word
        for word in own.words
        if is_stated(word)
        and not any(is_same_word(word, one) for one in (*yes_no_question.qualifier, *yes_no_question.words))
        and not any(is_same_word(word, one) for one in around.words)
    )
    return UnitVerdict(says, said, unit, unknown, clause, extra=extra)


def _is_in_order(stated: Sequence[Word], words: Sequence[Word]) -> bool:
    positions = [next((at for at, word in enumerate(words) if is_same_word(word, one)), -1) for one in stated]
    return all(one <= two for one, two in pairwise(at for at in positions if at >= 0))
