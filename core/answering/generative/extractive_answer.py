"""The extractive answer, computed or quoted, as one more section that a language model reads.

Small models miscount, compare badly, and overlook sentences in a long prompt. Without a model, people get this answer.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Protocol

from core.answering.extractive.answerer import ExtractiveAnswerer
from core.model import Answer, Evidence, RankedEvidence, TracedPlan
from core.reading.compute import compute_clear_result
from core.reading.lists import join_announced_lists
from core.reading.pages.direct_answers import answer_directly
from core.reading.ways import ComputedResult
from core.trace import Tracer
from core.wording.quotations import CITATION_MARK

_CITATIONS = re.compile(rf"[ \n](?:{CITATION_MARK})+$", re.MULTILINE)
_QUOTED_CHARS = 1_200  # a long answer contains more than what was asked for


@dataclass(frozen=True, slots=True)
class ExtractiveAnswer:
    """An answer without a model, with the evidences that it comes from.

    ``name``: that of the table or list, or the title of the page. ``rows``: its evidences, each with the words it
    rests on. ``plan``: of a computed answer, None for a page's facts, sections or numbered paragraphs. ``verdict``:
    whether a computed answer says yes or no, None for neither. ``is_quoted``: whether it consists of sentences that may
    answer, and states nothing about the whole of a table, list or page.
    """

    name: str
    text: str
    rows: tuple[tuple[Evidence, str], ...]
    plan: TracedPlan | None = None
    verdict: bool | None = None
    is_quoted: bool = False

    @property
    def text_with_name(self) -> str:
        """Return its text below its name, as the prompt has it."""
        return f"{self.name}\n{self.text}"

    def select_sections(self, evidences: Sequence[RankedEvidence]) -> list[RankedEvidence]:
        """Return the evidences of the sections that it comes from."""
        sections = {evidence.section_key for evidence, _ in self.rows}
        return [ranked for ranked in evidences if ranked.evidence.section_key in sections]


class ExtractiveFinder(Protocol):
    """Finds extractive answers, perhaps in another process."""

    async def find_extractive_answer(
        self, question: str, evidences: Sequence[RankedEvidence], day: date | None
    ) -> ExtractiveAnswer | None:
        """Return what :func:`find_extractive_answer` does."""
        ...


async def find_extractive_answer(
    question: str, evidences: Sequence[RankedEvidence], extractive: ExtractiveAnswerer, day: date | None = None
) -> ExtractiveAnswer | None:
    """Return what is computed from tables, lists and facts, else what may be quoted; None without either."""
    if direct := await asyncio.to_thread(answer_directly, question, evidences):
        return make_extractive_answer(direct, direct.citations[0].title, evidences)
    if computed := await compute_clear_result(question, evidences, extractive.matcher, day):
        return make_computed_answer(computed, evidences)
    quoted = await extractive.quote(question, join_announced_lists(evidences), Tracer(lambda: 0.0))
    if not quoted.citations:
        return None
    made = make_extractive_answer(quoted, quoted.citations[0].title, evidences)
    return replace(made, text=_shorten(made.text), is_quoted=True)


def make_computed_answer(computed: ComputedResult, evidences: Sequence[RankedEvidence]) -> ExtractiveAnswer:
    """Return a computed answer with the evidences that it cites."""
    made = make_extractive_answer(computed.answer, computed.traced.relation, evidences)
    return replace(made, plan=computed.traced, verdict=computed.result.verdict)


def make_extractive_answer(answer: Answer, name: str, evidences: Sequence[RankedEvidence]) -> ExtractiveAnswer:
    """Return an answer with the evidences that it cites."""
    known = {ranked.evidence.evidence_id: ranked.evidence for ranked in evidences}
    rows = tuple((known[citation.evidence_id], citation.quote) for citation in answer.citations)
    return ExtractiveAnswer(name, _CITATIONS.sub("", answer.text), rows)


def _shorten(text: str) -> str:
    """Return at most the first _QUOTED_CHARS of a text, up to the end of a line or word."""
    if len(text) <= _QUOTED_CHARS:
        return text
    lines, _, _ = text[:_QUOTED_CHARS].rpartition("\n")
    return f"{lines or text[:_QUOTED_CHARS].rpartition(' ')[0]} …"
