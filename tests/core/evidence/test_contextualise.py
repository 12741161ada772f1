"""The context of an evidence that is indexed with it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.evidence.contextualise import ContextMode, add_after, add_before, contextualise
from core.model import Context, Evidence

EVIDENCE = Evidence("e", "7", "ENG", "passage", 0, "Text.", Context("Title", ("H1", "H2"), "Before.", "After."), "")


def last_words(text: str, limit: int) -> str:
    return add_before(Context(), text, limit).before


def first_words(text: str, limit: int) -> str:
    return add_after(Context(), text, limit).after


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


LINE = st.lists(st.sampled_from(["a", "bc", "Owner:", "@"]), min_size=1, max_size=6).map(" ".join)


@given(st.lists(LINE, max_size=9), st.integers(1, 50))
def test_a_neighbour_keeps_its_lines_though_it_is_shortened(lines: list[str], limit: int) -> None:
    text = "\n".join(lines)
    before, after = add_before(Context(), text, limit), add_after(Context(), text, limit)
    kept = after.lines_after
    assert [line.removesuffix(" …") for line in kept[:-1]] == lines[: len(kept) - 1]
    assert lines[len(kept) - 1 : len(kept)] == [] or lines[len(kept) - 1].startswith(kept[-1].removesuffix(" …"))
    kept = before.lines_before
    assert kept[1:] == lines[len(lines) - len(kept) + 1 :] or not lines
    assert not lines or lines[-len(kept)].endswith(kept[0].removeprefix("… "))


def test_a_neighbour_that_is_not_shortened_keeps_its_line_breaks() -> None:
    context = add_after(Context(), "Owner: Mara\nRoom 4.12", 50)
    assert (context.after, context.after_breaks) == ("Owner: Mara\nRoom 4.12", ())
    assert context.lines_after == ["Owner: Mara", "Room 4.12"]


def test_the_lines_of_a_neighbour_change_nothing_of_what_is_embedded() -> None:
    context = add_before(add_after(Context("T"), "one\ntwo three", 2), "one\ntwo\nthree", 2)
    item = Evidence("e", "7", "E", "list", 0, "- a", context, "")
    assert (context.before_breaks, context.after_breaks) == ((6,), (4,))
    assert contextualise(item) == "T\n… two three\n- a\none two …"
