"""The text that says who took part in something, below "Attendees" or after "Present:"."""

from __future__ import annotations

from collections.abc import Sequence

from core.answering.extractive.units import ScoredUnit, put_first
from core.reading.questions.phrases import asks_who_took_part
from core.reading.words import ATTENDEES, fold_words
from core.wording.focus import Focus
from core.wording.list_markers import strip_marker

_BESIDE = frozenset("all also and the alle auch und die der list liste of meeting".split())


def put_attendees_first(focus: Focus, units: Sequence[ScoredUnit]) -> list[ScoredUnit]:
    """Move to the front the attendees on the best unit's page, if a question asks who took part.

    The best unit stays if it is from the same text: it has a name or company of the question.
    """
    if not units or not asks_who_took_part(focus.question):
        return list(units)
    page = (unit for unit in units if unit.evidence.page_id == units[0].evidence.page_id)
    first = next((unit for unit in page if _has_attendees(unit)), None)
    return put_first(first if first and first.evidence != units[0].evidence else None, units)


def _has_attendees(unit: ScoredUnit) -> bool:
    label, colon, _ = strip_marker(unit.text).partition(":")
    return any(map(_names_attendees, (*unit.evidence.context.heading_path[-1:], *([label] if colon else []))))


def _names_attendees(name: str) -> bool:
    """Whether a heading or label says no more than that those below took part: not "Present state"."""
    words = set(fold_words(name)) - _BESIDE
    return bool(words) and words <= ATTENDEES
