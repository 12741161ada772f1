"""Sentences that send the reader to another page: "For German contracts the page Vacation policy Germany applies"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.answering.extractive.units import ScoredUnit
from core.answering.extractive.whole_sections import PROSE
from core.model import RankedEvidence

_NEAR = 0.8  # of the best unit's score
_SENDS = re.compile(r"\b(?:page|pages|see|applies|seite|seiten|siehe|gilt)\b")


def put_reference_first(units: Sequence[ScoredUnit], evidences: Sequence[RankedEvidence]) -> list[ScoredUnit]:
    """The units; first the one that sends to another page, if it has what the best one lacks of the question.

    "How many days in Germany?" is best matched by the Dutch numbers, and answered by where the German ones are.
    """
    best = units[0] if units else None
    sending = next((unit for unit in units if find_referred_page(unit, evidences)), None)
    if best is None or sending is None or sending.score < _NEAR * best.score or sending.missing >= best.missing:
        return list(units)
    return [sending, *(unit for unit in units if unit is not sending)]


def find_referred_page(scored: ScoredUnit, evidences: Sequence[RankedEvidence]) -> list[RankedEvidence]:
    """The evidences of another page that a sentence names by its title."""
    text, own = scored.unit.text.casefold(), scored.unit.ranked.evidence
    if own.kind not in PROSE or not _SENDS.search(text):
        return []
    others = (each.evidence for each in evidences if each.evidence.page_id != own.page_id)
    named = next((other.page_id for other in others if other.context.title.casefold() in text), None)
    return [each for each in evidences if each.evidence.page_id == named]
