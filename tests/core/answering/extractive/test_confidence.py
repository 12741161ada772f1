"""Whether the best unit answers the question at all."""

from __future__ import annotations

import pytest

from core.answering.extractive.confidence import (
    FEATURES,
    compute_confidence,
    compute_confidence_features,
    estimate_confidence,
    is_doubtful,
)
from core.answering.extractive.units import ScoredUnit, list_units, score_units
from core.model import Evidence
from core.ports.models import WordMatcher
from core.wording.focus import find_focus
from tests.core.answering.examples import OFFICE, evidence, ranked


@pytest.mark.parametrize(
    ("question", "counts"), [("gitk dark mode?", 0.0), ("gitk wie dunkel?", 1.0), ("gitkは暗い?", 1.0)]
)
async def test_only_a_question_of_a_clear_language_is_in_another_one_than_the_page(
    question: str, counts: float, matcher: WordMatcher
) -> None:
    focus = find_focus(question)
    assert focus.language != "en"
    units = await score_units(focus, list_units(ranked(OFFICE)), matcher)
    assert dict(zip(FEATURES, compute_confidence_features(focus, units), strict=True))["other_language"] == counts


KITCHEN = evidence("Die Küche wird freitags von den Auszubildenden geputzt.", title="Küche", heading="Ordnung")


@pytest.mark.parametrize(
    ("question", "page", "is_raised"),
    [
        ("Wann wird die Küche sauber gemacht?", KITCHEN, True),
        ("When is the kitchen cleaned?", KITCHEN, False),
        ("Wann wird das Büro sauber gemacht?", OFFICE, False),
        ("When is the office cleaned?", OFFICE, False),
    ],
)
async def test_a_german_text_needs_fewer_words_of_a_german_question(
    question: str, page: Evidence, is_raised: bool, matcher: WordMatcher
) -> None:
    focus = find_focus(question)
    units = await score_units(focus, list_units(ranked(page)), matcher)
    fitted = compute_confidence(compute_confidence_features(focus, units))
    assert (estimate_confidence(focus, units) > fitted) == is_raised


@pytest.mark.parametrize(
    ("other_score", "confidence", "unsure"),
    [(0.5, 0.45, False), (0.79, 0.45, True), (0.79, 0.6, False), (0.5, 0.35, True)],
)
def test_an_answer_with_low_confidence_is_unsure_if_another_page_fits_as_well(
    other_score: float, confidence: float, unsure: bool
) -> None:
    own, other = ranked(OFFICE, evidence("The office in Berlin opens at 09:00.", page_id="8"))
    units = [
        ScoredUnit(own, 0, OFFICE.parts[0], 0.8, 1.0, 0.0),
        ScoredUnit(other, 0, other.evidence.parts[0], other_score, 1.0, 0.0),
    ]
    assert is_doubtful(units, confidence) is unsure


@pytest.mark.parametrize(("rating", "counts"), [(3.0, 3.0), (30.0, 10.0), (-30.0, -2.0), (0.0, 2.4)])
def test_a_rating_counts_within_bounds_and_a_unit_that_was_not_rated_as_usual(rating: float, counts: float) -> None:
    unit = ScoredUnit(ranked(OFFICE)[0], 0, OFFICE.parts[0], 0.8, 1.0, 0.0, rating)
    features = compute_confidence_features(find_focus("who opens the reception"), [unit])
    assert dict(zip(FEATURES, features, strict=True))["rating"] == counts


@pytest.mark.parametrize(
    ("question", "is_rated"),
    [("who opens the office", True), ("Qui est-ce qui ouvre le bureau quand tout le monde est en vacances ?", False)],
)
async def test_units_are_rated_for_questions_in_english_and_german(
    question: str, is_rated: bool, matcher: WordMatcher
) -> None:
    units = await score_units(find_focus(question), list_units(ranked(OFFICE)), matcher)
    assert bool(units[0].rating) == is_rated
