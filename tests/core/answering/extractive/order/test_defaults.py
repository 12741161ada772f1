"""Texts that state a default, for a question that asks for one."""

from __future__ import annotations

import pytest

from core.answering.extractive.order.defaults import lacks_default, put_defaults_first
from core.answering.extractive.units import ScoredUnit, Unit
from tests.core.answering.examples import evidence, ranked

LIMIT = "The timeout limits how long the bell may ring."
ASKED = "How long may the bell ring by default?"


def first(question: str, *texts: str, score: float = 0.7) -> ScoredUnit:
    """The first unit; all but the first text have this score, the first one .75."""
    evidences = ranked(*(evidence(text, ordinal=at) for at, text in enumerate(texts)))
    scores = [0.75, *(score for _ in texts[1:])]
    units = [
        ScoredUnit(item, 0, text, each, 0.5, 0.0) for item, text, each in zip(evidences, texts, scores, strict=True)
    ]
    return put_defaults_first(question, units, [])[0]


@pytest.mark.parametrize(
    "stated",
    ["The default is 30 seconds.", "It defaults to 30 seconds.", "If not set, the bell rings for 30 seconds.",
     "Der Standardwert ist 30.", "Bell: voreingestellt sind 30.", "Unless changed, the bell rings for 30 seconds."],
)  # fmt: skip
def test_the_text_that_states_it_comes_first_with_the_best_score(stated: str) -> None:
    best = first(ASKED, LIMIT, "It may be set to 10.", stated)
    assert (best.text, best.score) == (stated, 0.75)


def test_only_if_the_question_asks_for_one_and_the_text_matches_nearly_as_well() -> None:
    default = "The default is 30 seconds."
    assert first("How long may the bell ring at most?", LIMIT, default).text == LIMIT
    assert first(ASKED, LIMIT, default, score=0.6).text == LIMIT
    assert first(ASKED, default, "It defaults to 20 in older towers.").text == default
    assert put_defaults_first(ASKED, [], []) == []


@pytest.mark.parametrize(
    "other", ["Retries: by default 3.", "The default language is English.", "Default interest is 5%."]
)
def test_the_default_of_something_else_does_not(other: str) -> None:
    assert first(ASKED, LIMIT, other).text == LIMIT
    assert first("Who rings the bell? (Default settings)", LIMIT, "By default, the bell rings.").text == LIMIT


def test_else_the_default_of_the_section_that_matches_best() -> None:
    evidences = ranked(
        evidence(LIMIT, heading="RingTimeout"),
        evidence("Default is 20", heading="OtherTimeout", ordinal=1),
        evidence("Default is 30", heading="RingTimeout", ordinal=2),
    )
    every = [Unit(item, 0, item.evidence.text) for item in evidences]
    units = [ScoredUnit(evidences[0], 0, LIMIT, 0.7, 0.5, 0.0, 1.5)]
    first, second = put_defaults_first(ASKED, units, every)
    assert (first.text, first.score, first.rating, second) == ("Default is 30", 0.7, 1.5, units[0])
    assert put_defaults_first(ASKED, units, every[:2]) == units


def test_an_answer_without_a_default_lacks_it_if_one_is_asked_for() -> None:
    assert lacks_default(ASKED, [LIMIT])
    assert not lacks_default(ASKED, [LIMIT, "It defaults to 30 seconds."])
    assert not lacks_default("How long may the bell ring at most?", [LIMIT])
