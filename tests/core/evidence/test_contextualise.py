"""The context of an evidence that is indexed with it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.evidence.contextualise import ContextMode, contextualise, first_words, last_words
from core.model import Context, Evidence

EVIDENCE = Evidence("e", "7", "ENG", "passage", 0, "Text.", Context("Title", ("H1", "H2"), "Before.", "After."), "")


@pytest.mark.parametrize(
    ("mode", "text"),
    [
        ("NONE", "Text."),
        ("TTL", "Title\nText."),
        ("HDR", "H1 > H2\nText."),
        ("BEF", "Before.\nText."),
        ("AFT", "Text.\nAfter."),
        ("ALL", "Title\nH1 > H2\nBefore.\nText.\nAfter."),
    ],
)
def test_each_mode_adds_its_part(mode: ContextMode, text: str) -> None:
    assert contextualise(EVIDENCE, mode) == text


def test_what_is_not_there_leaves_no_empty_line() -> None:
    assert contextualise(Evidence("e", "7", "E", "list", 0, "- a", Context("T"), "")) == "T\n- a"


def test_neighbours_are_cut_to_whole_words() -> None:
    assert last_words("one two three", 2) == "… two three"
    assert first_words("one two three", 2) == "one two …"
    assert last_words("one two", 2) == first_words("one two", 2) == "one two"


def test_one_endless_word_is_cut_too() -> None:
    assert first_words("x" * 5000, 2) == "x" * 40 + " …"
    assert last_words("x" * 5000, 2) == "… " + "x" * 40


@given(st.text(max_size=3000), st.integers(1, 50))
def test_a_neighbour_is_bounded_even_without_spaces(text: str, limit: int) -> None:
    for cut in (first_words(text, limit), last_words(text, limit)):
        assert len(cut) <= limit * 21 + 2
        assert len(cut.split()) <= limit + 1
