"""Sentences that refer to another page by its title: the answer is there, not in the sentence."""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.answering.extractive.units import ScoredUnit, put_first
from core.model import TEXT_KINDS, RankedEvidence

_NEAR_REFERENCE = 0.8  # of the best unit's score
_REFERS = re.compile(r"\b(?:page|pages|see|applies|seite|seiten|siehe|gilt)\b")


def put_reference_first(units: Sequence[ScoredUnit], evidences: Sequence[RankedEvidence]) -> list[ScoredUnit]:
    """Move to the front the unit that refers to another page, if it has words of the question that the best one lacks.

    "How many days in Germany?" is best matched by the Dutch numbers, and answered by the page with the German ones.
    """
    referring = next((unit for unit in units if find_referred_page(unit, evidences)), None)
    if referring and (
        referring.score < _NEAR_REFERENCE * units[0].score or referring.missing_weight >= units[0].missing_weight
    ):
        return list(units)
    return put_first(referring, units)


def find_referred_page(scored: ScoredUnit, evidences: Sequence[RankedEvidence]) -> list[RankedEvidence]:
    """Return the evidences of another page to which a sentence refers by its title; [] if it does not."""
    text, own = scored.text.casefold(), scored.evidence
    if own.kind not in TEXT_KINDS or not _REFERS.search(text):
        return []
    others = (each.evidence for each in evidences if each.evidence.page_id != own.page_id)
    named = next((other.page_id for other in others if other.context.title.casefold() in text), None)
    there = [each for each in evidences if each.evidence.page_id == named]
    # The sentence sends to what the search found there; what was added to it answers other questions too.
    return [each for each in there if each.is_retrieved] or there
