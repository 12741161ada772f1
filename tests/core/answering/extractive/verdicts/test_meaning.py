"""When a clause in other words gives a verdict."""

import pytest

from core.answering.extractive.units import ScoredUnit
from core.answering.extractive.verdicts.meaning import read_clauses_by_meaning
from core.answering.extractive.verdicts.needed_words import UnitVerdict
from core.answering.extractive.verdicts.yes_no_question import read_yes_no_question
from core.wording.focus import find_focus
from tests.core.answering.examples import evidence, ranked


def read(question: str, sentence: str, title: str = "Belfry") -> UnitVerdict | None:
    asked = read_yes_no_question(find_focus(question))
    item = evidence(sentence, title=title)
    assert asked
    return read_clauses_by_meaning(asked, ScoredUnit(ranked(item)[0], 0, sentence, 1.0, 1.0, 0.0))


def test_words_of_a_state_are_the_same_in_both_languages() -> None:
    verdict = read("Wird Hibernation im Belfry unterstützt?", "Hibernation is not supported in Belfry, which is new.")
    assert verdict is not None
    assert (verdict.says, verdict.unknown, verdict.extra) == (False, (), ())


def test_what_the_clause_says_besides_has_to_be_in_the_question_by_meaning() -> None:
    verdict = read("Wird Hibernation im Belfry unterstützt?", "Guest hibernation is supported in Belfry.")
    assert verdict is not None
    assert [word.folded for word in verdict.extra] == ["guest"]


@pytest.mark.parametrize(
    "sentence",
    [
        "Hibernation is supported in Belfry if it is new.",
        "Hibernation might be supported in Belfry.",
        "Belfry is supported.",
        "Is hibernation supported in Belfry?",
    ],
)
def test_a_condition_a_doubt_or_a_missing_word_leaves_it_open(sentence: str) -> None:
    verdict = read("Wird Hibernation im Belfry unterstützt?", sentence)
    assert verdict is None or verdict.unknown
