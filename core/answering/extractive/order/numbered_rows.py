"""The row of the thing that a question names by its number: "E31", "Sev 2", "KW 50"."""

from __future__ import annotations

from collections.abc import Sequence

from core.answering.extractive.confidence import ANSWER_THRESHOLD, NUMBERED_ROW_THRESHOLD, VERDICT_THRESHOLD
from core.answering.extractive.units import ScoredUnit, Unit, put_first
from core.dates import MONTHS
from core.text import split_subject
from core.wording.content_words import select_content_words
from core.wording.focus import Focus
from core.wording.numbered_names import list_numbers_of_names


def put_numbered_row_first(focus: Focus, units: Sequence[ScoredUnit]) -> list[ScoredUnit]:
    """Move to the front the only row whose key has a name with a number of the question, though its columns lack words.

    "E12 - can the lab clear that?" is about the row E12, also if the page never says "lab" or "clear". A text about the
    same number stays first.
    """
    if not units or _has_number_of(focus, units[0].text):
        return list(units)
    rows = {unit.text: unit for unit in units if is_row_of_number(focus, unit)}
    return put_first(next(iter(rows.values())) if len(rows) == 1 else None, units)


def _has_number_of(focus: Focus, text: str) -> bool:
    """Whether a text has a name with a number of the question."""
    asked, said = list_numbers_of_names(split_subject(focus.question)[0]), list_numbers_of_names(text)
    return any(numbers & said.get(name, set()) for name, numbers in asked.items())


def find_answer_threshold(focus: Focus, units: Sequence[ScoredUnit], settles: bool = False) -> float:
    """Return the confidence below which the units are no answer. ``settles``: whether a text may give a verdict."""
    if units and units[0].rating >= 0 and is_row_of_number(focus, units[0]):
        return NUMBERED_ROW_THRESHOLD
    return VERDICT_THRESHOLD if settles else ANSWER_THRESHOLD


def is_row_of_number(focus: Focus, unit: Unit) -> bool:
    """Whether the key of a row is a name with a number that the question has, or the number and its header the name.

    The question has all words of the key: "Rook 4" is not "Battery of Rook 4".
    """
    key = f"{unit.cells[0][0]} {unit.key}" if unit.key.isdigit() else unit.key
    numbers = list_numbers_of_names(key) if key else {}
    if not numbers:
        return False
    asked, _ = split_subject(focus.question)
    asked_numbers = list_numbers_of_names(asked)
    names = asked_numbers.keys() - MONTHS.keys()  # "May 2026" is a time
    is_asked = any(asked_numbers[name] & numbers.get(name, set()) for name in names)
    return is_asked and set(select_content_words(key)) <= set(select_content_words(asked))
