"""Lists under a heading: how many items there are, which of them are meant, and what is nested in one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.reading.words import is_derived
from tests.core.reading.tables import compute, evidences, of_kind

PIPES = """<h2>Organ stop families</h2><p>The families are:</p>
<ul><li>Principal</li><li>Flute<ul><li>also stopped</li></ul></li><li>Reed</li></ul>
<p>There are also other families elsewhere:</p><ul><li>Percussion</li><li>Bells</li></ul>"""
GOALS = """<h2>Workshop goals</h2><ul><li>Repairable bellows in all organs</li><li>Documented tuning of each rank</li>
<li>Repaired keys before winter</li>
<li>Care of old pipes.<ul><li>Clean them by hand</li><li>Store them upright</li></ul></li></ul>"""


def answer(question: str, content: str, title: str = "Organ workshop") -> str:
    computed = compute(question, evidences(content, title))
    return computed.answer.text if computed else ""


@pytest.mark.parametrize("question", ["How many organ stop families are there?", "How many stop families are listed?"])
def test_the_first_list_below_a_heading_is_counted_without_nested_items(question: str) -> None:
    assert answer(question, PIPES) == ("3 entries in “Organ stop families”:\n- Principal [1]\n- Flute [1]\n- Reed [1]")


@pytest.mark.parametrize("word", ["repairability", "repair", "repairs"])
def test_items_are_chosen_by_how_they_begin(word: str) -> None:
    text = answer(f"Which workshop goals are concerned with {word}?", GOALS)
    expected = "2 of 6 entries in “Workshop goals” match"
    assert text.startswith(expected) if len(word) > 6 else not text.startswith("6")


def test_an_item_that_only_has_the_word_further_on_is_not_chosen() -> None:
    text = answer("Which workshop goals are concerned with documentation?", GOALS)
    assert text.splitlines()[1:] == ["- Documented tuning of each rank [1]"]


def test_an_item_that_the_question_has_in_full_is_answered_by_what_is_nested_in_it() -> None:
    text = answer("Among the workshop goals, what are those that are concerned with care of old pipes?", GOALS)
    assert text == "2 entries in “Care of old pipes”:\n- Clean them by hand [1]\n- Store them upright [1]"


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("verifiability", "verified"),
        ("verification", "verifiable"),
        ("verification", "verify"),
        ("compatibility", "compatible"),
        ("aktivierung", "aktivierbar"),
        ("wartbarkeit", "wartbar"),
    ],
)
def test_words_from_one_root_are_known(name: str, other: str) -> None:
    assert is_derived(name, other)


@pytest.mark.parametrize(("name", "other"), [("interest", "internal"), ("station", "static"), ("port", "portable")])
def test_words_that_begin_alike_are_not_from_one_root(name: str, other: str) -> None:
    assert not is_derived(name, other)


@given(st.text("abcdefgiy", max_size=12), st.text("abcdefgiy", max_size=12))
def test_derivation_has_no_direction(name: str, other: str) -> None:
    assert is_derived(name, other) == is_derived(other, name)
    assert is_derived(name, name)


# ------------------------------------------------------------------------------------------- tables


HEAD = "<tr><th>Bench</th><th>Damper</th><th>Reporter</th><th>Remarks</th></tr>"
ROWS = [
    ("Bench 1", "w/ and w/o", "Mara Lind", "even"),
    ("Bench 1", "w/", "Bo Hall", "even"),
    ("Bench 2", "w/", "Mara Lind", "uneven"),
    ("Bench 2", "w/", "Mara Lind", "uneven"),
]
BENCHES = "<h2>Sound tests</h2><table>{}{}</table>".format(
    HEAD, "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in ROWS)
)


def test_a_cell_without_content_words_is_compared_literally() -> None:
    text = answer("Which benches were tested w/ and w/o damper in the sound tests?", BENCHES)
    assert text.startswith("1 of 4 entries in “Sound tests” matches Damper: w/ and w/o:\n- Bench: Bench 1")


def test_equal_rows_are_one_line_with_their_number() -> None:
    text = answer("Which entries of the sound tests are uneven?", BENCHES)
    assert text.splitlines()[1:] == [
        "- Bench: Bench 2 · Damper: w/ · Reporter: Mara Lind · Remarks: uneven (2 rows) [1]"
    ]


def test_people_of_a_column_are_named_once() -> None:
    assert answer("Who was the reporter for the sound tests?", BENCHES).startswith("Mara Lind, Bo Hall\n")


@pytest.mark.parametrize(
    "question",
    [
        "Who was the reporter for the door tests?",
        "Who was the reporter?",
        "Who was the reporter for the sound tests in Utrecht?",
        "Who was the night reporter for the sound tests?",
        "Who was not a reporter for the sound tests?",
    ],
)
def test_people_of_a_column_are_not_named_if_something_else_is_asked(question: str) -> None:
    assert not answer(question, BENCHES)


def test_the_owners_in_a_table_do_not_own_its_page() -> None:
    content = BENCHES.replace("Reporter", "Owner")
    assert not answer("Who is the owner of the sound tests?", content, "Sound tests")


def test_rows_are_neither_counted_nor_listed_as_all_if_some_are_missing() -> None:
    rows = of_kind(evidences(BENCHES, "Organ workshop"), "table_row")
    assert compute("How many sound tests are there?", rows)
    assert not compute("How many sound tests are there?", rows[1:])
