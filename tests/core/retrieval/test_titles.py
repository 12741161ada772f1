"""How much a question names a page by its title."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.retrieval.ranking import title_similarity


def test_a_question_that_is_the_title_names_it_wholly() -> None:
    assert title_similarity("What is the Release Checklist?", "Release Checklist") == 1.0


def test_word_forms_and_compounds_count() -> None:
    assert title_similarity("Wie ist die Urlaubsregelung?", "Urlaubsregelungen Deutschland") > 0.4
    assert title_similarity("Größe der Türme", "Groesse des Turms") > title_similarity(
        "Größe der Türme", "Vacation policy"
    )


@pytest.mark.parametrize(("question", "title"), [("", "Title"), ("What?", ""), ("!!!", "???")])
def test_nothing_names_nothing(question: str, title: str) -> None:
    assert title_similarity(question, title) == 0.0


@given(st.text(max_size=40), st.text(max_size=40))
def test_it_is_symmetric_and_between_0_and_1(one: str, two: str) -> None:
    assert 0.0 <= title_similarity(one, two) <= 1.0
    assert title_similarity(one, two) == title_similarity(two, one)
