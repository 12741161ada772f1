"""Whether the evidences answer a question at all: the decision to say "not found".

A logistic model of what the best unit has: its similarity to the question, the share of the question's words
that it covers, and the heaviest word that it lacks (a question about something's price is not answered by a page on the
thing that names no price). Words of another language cannot match, which counts in favour where the languages
differ. The weights were fitted on answerable questions, the same with their pages taken away, and questions about
other things: see docs/answering.md for the data, the command and the figures.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from core.answering.extractive.units import ScoredUnit
from core.answering.focus import Focus
from core.text import language


@dataclass(frozen=True, slots=True)
class Support:
    """What speaks for and against an answer being there, each a feature of the model."""

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

    def probability(self, support: Support) -> float:
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


def support_of(focus: Focus, units: Sequence[ScoredUnit]) -> Support:
    """The features of the best unit."""
    best = units[0]
    evidence = best.unit.ranked.evidence
    around = (evidence.context.title, *evidence.context.heading_path, evidence.context.before, evidence.context.after)
    return Support(
        similarity=best.similarity,
        coverage=best.coverage,
        missing=best.missing,
        other_language=language(" ".join((evidence.text, *around))) != focus.language,
    )


def is_supported(focus: Focus, units: Sequence[ScoredUnit]) -> bool:
    """Whether the best unit answers well enough to be shown."""
    return bool(focus.words) and MODEL.probability(support_of(focus, units)) >= THRESHOLD
