"""The computed result for a question, as one more source of a language model."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass

from core.model import Answer, Evidence, RankedEvidence, TracedPlan
from core.ports.models import WordMatcher
from core.reading.compute import Computed, compute, compute_by_meaning
from core.reading.stated import answer_as_stated

_CITATION = re.compile(r" \[\d{1,3}\]")


@dataclass(frozen=True, slots=True)
class ComputedSource:
    """A result with the evidences that it comes from.

    ``place``: the name of the table or list, or the title of the page. ``rows``: its evidences, each with the words it
    rests on. ``plan``: None for a page's facts, sections or numbered paragraphs.
    """

    place: str
    text: str
    rows: tuple[tuple[Evidence, str], ...]
    plan: TracedPlan | None = None

    @property
    def whole(self) -> str:
        """Return all of its text in the prompt."""
        return f"{self.place}\n{self.text}"


async def find_computed(
    question: str, evidences: Sequence[RankedEvidence], matcher: WordMatcher
) -> ComputedSource | None:
    """Return what is computed from the tables, lists and facts among the evidences; None where no plan is safe."""
    if stated := await asyncio.to_thread(answer_as_stated, question, evidences):
        return _make_source_as_stated(stated, evidences)
    computed = await compute_by_meaning(question, evidences, matcher)
    return _make_source_of_plan(computed, evidences) if computed else None


def find_computed_by_letters(question: str, evidences: Sequence[RankedEvidence]) -> ComputedSource | None:
    """Return :func:`find_computed` without matching by meaning: words in another form or language are not found."""
    if stated := answer_as_stated(question, evidences):
        return _make_source_as_stated(stated, evidences)
    computed = compute(question, evidences)
    return _make_source_of_plan(computed, evidences) if computed else None


def _make_source_as_stated(stated: Answer, evidences: Sequence[RankedEvidence]) -> ComputedSource:
    return _make_source(stated, stated.citations[0].title, evidences)


def _make_source_of_plan(computed: Computed, evidences: Sequence[RankedEvidence]) -> ComputedSource:
    plan = computed.traced
    return _make_source(computed.answer, plan.relation, evidences, plan)


def _make_source(
    answer: Answer, place: str, evidences: Sequence[RankedEvidence], plan: TracedPlan | None = None
) -> ComputedSource:
    known = {ranked.evidence.evidence_id: ranked.evidence for ranked in evidences}
    rows = tuple((known[citation.evidence_id], citation.quote) for citation in answer.citations)
    return ComputedSource(place, _CITATION.sub("", answer.text), rows, plan)
