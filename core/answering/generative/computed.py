"""What is computed for a question, as one more source of a language model."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass

from core.model import Answer, Evidence, RankedEvidence, TracedPlan
from core.ports.models import WordMatcher
from core.reading.compute import Computed, compute, compute_by_meaning
from core.reading.facts import answer_from_facts

_CITATION = re.compile(r" \[\d{1,3}\]")


@dataclass(frozen=True, slots=True)
class ComputedSource:
    """A result with the rows that it comes from.

    ``place``: the table or list, or the page. ``rows``: the evidences that it comes from, with the words in each.
    ``plan``: None for what a page's facts say.
    """

    place: str
    text: str
    rows: tuple[tuple[Evidence, str], ...]
    plan: TracedPlan | None = None

    @property
    def whole(self) -> str:
        """All of its text in the prompt."""
        return f"{self.place}\n{self.text}"


async def find_computed(
    question: str, evidences: Sequence[RankedEvidence], matcher: WordMatcher
) -> ComputedSource | None:
    """What the tables, lists and facts among the evidences say when they are asked; None where no plan is safe."""
    if stated := await asyncio.to_thread(answer_from_facts, question, evidences):
        return _source_of_facts(stated, evidences)
    computed = await compute_by_meaning(question, evidences, matcher)
    return _source_of(computed, evidences) if computed else None


def find_computed_by_letters(question: str, evidences: Sequence[RankedEvidence]) -> ComputedSource | None:
    """The same, but for words of the question that a table has in other words or in another language."""
    if stated := answer_from_facts(question, evidences):
        return _source_of_facts(stated, evidences)
    computed = compute(question, evidences)
    return _source_of(computed, evidences) if computed else None


def _source_of_facts(stated: Answer, evidences: Sequence[RankedEvidence]) -> ComputedSource:
    return _source(stated, stated.citations[0].title, evidences)


def _source_of(computed: Computed, evidences: Sequence[RankedEvidence]) -> ComputedSource:
    plan = computed.traced
    return _source(computed.answer, plan.relation, evidences, plan)


def _source(
    answer: Answer, place: str, evidences: Sequence[RankedEvidence], plan: TracedPlan | None = None
) -> ComputedSource:
    known = {ranked.evidence.evidence_id: ranked.evidence for ranked in evidences}
    rows = tuple((known[citation.evidence_id], citation.quote) for citation in answer.citations)
    return ComputedSource(place, _CITATION.sub("", answer.text), rows, plan)
