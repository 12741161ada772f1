"""Names in questions, and their forms."""

from __future__ import annotations

import pytest

from core.completion.names import complete_names, find_form, find_other_numbers, has_other_name


def test_a_word_of_a_name_stands_for_the_whole_name() -> None:
    before = "How long does the battery of the Wren 2 last in Belgium?"
    assert complete_names(frozenset({"wren"}), before) == {"wren", "2"}
    assert complete_names(frozenset({"battery"}), before) == {"battery"}


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("Heron", "name"),
        ("Wren 2", "name"),
        ("May", "month"),
        ("12", "number of 2 digits"),
        ("9.0", "0.0"),
        ("rc2", "A0"),
        ("battery", ""),
    ],
)
def test_a_form_says_what_a_phrase_may_replace(text: str, form: str) -> None:
    assert find_form(text) == form


def test_another_name_of_one_form_is_found() -> None:
    before = "How long does the battery of the Rook 4 last?"
    assert has_other_name("What warranty does the Heron have?", before)
    assert not has_other_name("What warranty does the Rook 4 have?", before)
    assert not has_other_name("And in 2026?", before)


@pytest.mark.parametrize(
    ("question", "title", "others"),
    [
        ("Which guests were used in the RC1 tests?", "Belfry 7 rc2 test matrix", {"rc2"}),
        ("What warranty does the Rook 5 have?", "Rook 4: data sheet", {"4"}),
        ("Welche Tests laufen mit Belfry 6.2?", "Testplan Belfry 7", {"7"}),
        ("What changed from rc1 to rc2?", "Belfry 7 rc2 test matrix", set()),
        ("Does the Wren 2 have one?", "Rook 4: data sheet", set()),
        ("Was it 3 or 4 in May?", "Rook 4: data sheet", set()),
        ("How was it in 2024?", "Guests in 2026", set()),  # names have numbers, not prepositions
        ("Which guests were used?", "Belfry 7 rc2 test matrix", set()),
    ],
)
def test_a_title_loses_the_number_of_which_the_question_has_another(
    question: str, title: str, others: set[str]
) -> None:
    assert find_other_numbers(question, title) == others
