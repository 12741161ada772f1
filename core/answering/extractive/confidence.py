"""Whether the best unit answers the question at all: a logistic model, and the thresholds of its decisions.

Its features are how well the unit matches the question by meaning, the heaviest word of the question that it lacks by
letters (a question about a price is not answered by a page that names no price), and its rating. If question and text
are in different languages, missing letters say nothing, so the model then adds to the probability of an answer.
docs/answering.md has the data to which the weights were fitted, the command, and the results on a wiki that was left
out.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from core.answering.extractive.units import ScoredUnit, has_clear_language
from core.languages import detect_language
from core.wording.focus import Focus

FEATURES = ("score", "missing", "other_language", "rating")
"""The values of :func:`compute_confidence_features`, in their order."""

WEIGHTS, BIAS = (9.24, -9.27, 0.64, 0.30), -5.57
GERMAN_BIAS = 0.4
"""Added to the bias for a German question about a German text.

German words have more forms, compounds and separable verbs, so a right text has fewer of them by letters. The weights
were fitted to pages in English, whose answers in German count as being in another language.
"""
ANSWER_THRESHOLD = 0.25
"""Confidence below which the answer is "not found"."""
VERDICT_THRESHOLD = 0.2
"""The same for a yes-or-no question that a text settles: a verdict accounts for all words of the question."""
NUMBERED_ROW_THRESHOLD = 0.04
"""The same if the best unit is the row of the thing that the question names by its number ("Sev 2", "E31").

And if it is not rated as no answer. Its columns may have other words than the question. Of 519 questions
about new wikis, such a row was the best unit of seven, all of them answerable.
"""
SUGGESTION_THRESHOLD = 0.45
"""Minimum confidence of an answer whose question is suggested."""
DOUBT_THRESHOLD, AMBIGUITY_THRESHOLD = 0.4, 0.5
"""Confidence below which an answer carries the notice that it may not be one; the second if another page fits too."""
AMBIGUITY_MARGIN = 0.05
"""Another page fits too if the score of a unit of it is lower than the best by less than this."""

_LOWEST, _HIGHEST = -2.0, 10.0  # ratings that are told apart
_USUAL_RATING = 2.4  # of a unit that was not rated: as many are then refused as without ratings


def compute_confidence_features(focus: Focus, units: Sequence[ScoredUnit]) -> tuple[float, ...]:
    """Return the features of the best unit, see :class:`core.answering.extractive.units.ScoredUnit`."""
    best = units[0]
    evidence = best.evidence
    around = (evidence.context.title, *evidence.context.heading_path, evidence.context.before, evidence.context.after)
    is_other = detect_language(" ".join((evidence.text, *around))) != focus.language
    other_language = is_other and has_clear_language(focus)  # not "gitk dark mode?"
    rating = min(max(best.rating, _LOWEST), _HIGHEST) if best.rating else _USUAL_RATING
    return best.score, best.missing_weight, float(other_language), rating


def compute_confidence(features: Sequence[float], weights: Sequence[float] = WEIGHTS, bias: float = BIAS) -> float:
    """Return the probability, 0 to 1, that the evidences answer the question."""
    log_odds = sum(weight * value for weight, value in zip(weights, features, strict=True)) + bias
    return 1 / (1 + math.exp(-log_odds))


def is_doubtful(units: Sequence[ScoredUnit], confidence: float) -> bool:
    """Whether the confidence in the best unit is low, or not high while another page fits as well."""
    best = units[0]
    other = max((each.score for each in units if each.evidence.page_id != best.evidence.page_id), default=0.0)
    return confidence < (AMBIGUITY_THRESHOLD if best.score - other < AMBIGUITY_MARGIN else DOUBT_THRESHOLD)


def estimate_confidence(focus: Focus, units: Sequence[ScoredUnit]) -> float:
    """Return the probability, 0 to 1, that the best unit answers the question; 0 for one without content words."""
    if not units or not focus.words:
        return 0.0
    features = compute_confidence_features(focus, units)
    is_german = focus.language == "de" and not features[FEATURES.index("other_language")]
    return compute_confidence(features, bias=BIAS + GERMAN_BIAS * is_german)
