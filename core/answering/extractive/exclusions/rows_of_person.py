"""The rows of the person whom the question names: the tasks of others are not shown as if they were hers."""

from __future__ import annotations

from collections.abc import Sequence

from core.answering.extractive.units import ScoredUnit
from core.reading.results.assigned_tasks import is_in_charge
from core.reading.words import fold_words
from core.wording.focus import Focus

_LETTERS = 3  # of a first or last name
_MOST_WORDS = 4  # of a cell with one name


def keep_rows_of_person(focus: Focus, rows: Sequence[ScoredUnit]) -> list[ScoredUnit]:
    """Return the rows that name a person of the question, if the first row names one in charge; else all.

    Only columns of those in charge count: a word of another cell may be no name.
    """
    asked = _list_names(focus.question)
    for column, value in rows[0].cells if rows else ():
        words = set(fold_words(value))
        if words & asked and len(words) <= _MOST_WORDS and value[0].isupper() and is_in_charge(column):
            return [row for row in rows if any(asked & set(fold_words(cell)) for at, cell in row.cells if at == column)]
    return list(rows)


def _list_names(question: str) -> set[str]:
    """Return the words that may be names: capitalised, and not the first."""
    capital = (word for word in question.split()[1:] if word[:1].isupper())
    return {word for word in fold_words(" ".join(capital)) if len(word) >= _LETTERS}
