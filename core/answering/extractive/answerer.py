"""The extractive answerer, and its decision whether the evidences answer a question at all.

An answer consists of whole sentences, list items and table rows, verbatim. They are chosen by their words, their
vector, their rank and the kind of answer that is asked for.

The decision is a logistic model of the features of the best unit: its similarity to the question, the share of the
question's words that it covers, and the heaviest word that it lacks (a question about a price is not answered by a page
that names no price). Words of another language cannot match, so a difference of languages counts in favour. The weights
were fitted on answerable questions, the same with their pages removed, and questions about other things: see
docs/answering.md for the data, the command and the figures.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from dataclasses import dataclass

from core.answering.answerer import not_found
from core.answering.extractive.compose import compose
from core.answering.extractive.selection import select_statements
from core.answering.extractive.units import ScoredUnit, score_units, units_of
from core.answering.focus import Focus, focus_of
from core.answering.instructions import strip_evidences
from core.model import Answer, RankedEvidence
from core.ports.models import Embedder, TextListener
from core.text import language
from core.trace import Tracer


@dataclass(frozen=True, slots=True, eq=False)
class ExtractiveAnswerer:
    """Answers with the evidences' own words."""

    name = "extractive"

    embedder: Embedder

    async def answer(
        self,
        question: str,
        evidences: Sequence[RankedEvidence],
        tracer: Tracer,
        on_text: TextListener | None = None,
    ) -> Answer:
        """The answer, or "not found" if the evidences do not have it."""
        focus = focus_of(question)
        usable, _ = await asyncio.to_thread(strip_evidences, evidences)
        units = await score_units(focus, units_of(usable), self.embedder)
        statements = select_statements(focus, units) if is_supported(focus, units) else []
        return compose(statements) if statements else not_found()


@dataclass(frozen=True, slots=True)
class SupportFeatures:
    """The features of the model, see :class:`core.answering.extractive.units.ScoredUnit`."""

    similarity: float
    coverage: float
    missing: float
    other_language: bool


@dataclass(frozen=True, slots=True)
class SupportModel:
    """Logistic weights of the features."""

    similarity: float
    coverage: float
    missing: float
    other_language: float
    bias: float

    def probability(self, support: SupportFeatures) -> float:
        """Probability, 0 to 1, that the evidences answer."""
        evidence = (
            self.similarity * support.similarity
            + self.coverage * support.coverage
            + self.missing * support.missing
            + self.other_language * support.other_language
            + self.bias
        )
        return 1 / (1 + math.exp(-evidence))


MODEL = SupportModel(similarity=47.24, coverage=4.50, missing=-6.50, other_language=1.72, bias=-42.08)
THRESHOLD = 0.45


def features_of(focus: Focus, units: Sequence[ScoredUnit]) -> SupportFeatures:
    """The features of the best unit."""
    best = units[0]
    evidence = best.unit.ranked.evidence
    around = (evidence.context.title, *evidence.context.heading_path, evidence.context.before, evidence.context.after)
    return SupportFeatures(
        similarity=best.similarity,
        coverage=best.coverage,
        missing=best.missing,
        other_language=language(" ".join((evidence.text, *around))) != focus.language,
    )


def is_supported(focus: Focus, units: Sequence[ScoredUnit]) -> bool:
    """Whether the best unit answers the question well enough to be shown."""
    return bool(units and focus.words) and MODEL.probability(features_of(focus, units)) >= THRESHOLD
