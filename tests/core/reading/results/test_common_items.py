"""What two tables or lists of a page have in common."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.reading.tables import compute, evidences

ROWS = "<table><tr><th>Bus</th><th>Range</th></tr>{}</table>"


def table(*buses: str) -> str:
    return ROWS.format("".join(f"<tr><td>{bus}</td><td>{at} km</td></tr>" for at, bus in enumerate(buses, 1)))


TRIALS = (
    f"<h1>Trial 3.1</h1><h2>Winter:</h2>{table('Solaris U12', 'Ebusco 3')}<h2>Summer:</h2>{table('Ebusco 3')}"
    f"<h1>Trial 3.2</h1><h2>Winter:</h2>{table('Solaris U12', 'Citea', 'Urbino 9')}"
    f"<h2>Summer:</h2>{table('Urbino 9', 'solaris u12')}"
)
STEPS = """<p>The opening sequence of the depot looks like:</p><ul><li>unlock</li><li>ring the bell</li></ul>
<p>The closing sequence of the depot looks like:</p><ul><li>sweep</li><li>ring the bell</li><li>lock</li></ul>"""


def answer(question: str, content: str = TRIALS, title: str = "Bus trials") -> str:
    computed = compute(question, evidences(content, title))
    return computed.answer.text if computed else ""


@pytest.mark.parametrize(
    "question",
    [
        "Which buses were driven in both winter and summer in trial 3.2?",
        "Which buses were driven in both summer and winter in trial 3.2?",
        "How many buses were driven in both winter and summer in trial 3.2?",
    ],
)
def test_rows_of_two_tables_are_intersected(question: str) -> None:
    headline, *lines = answer(question).splitlines()
    assert headline in {
        "2 entries are in both “Winter” and “Summer”:",
        "2 entries are in both “Summer” and “Winter”:",
    }
    assert sorted(line.casefold() for line in lines) == ["- bus: solaris u12 [1][2]", "- bus: urbino 9 [1][2]"]


def test_a_german_question_is_answered_in_german() -> None:
    content = TRIALS.replace("Winter", "Winterfahrt").replace("Summer", "Sommerfahrt").replace("Trial", "Versuch")
    text = answer(
        "Welche Busse fuhren sowohl bei der Winterfahrt als auch bei der Sommerfahrt im Versuch 3.2?", content
    )
    assert text.startswith("2 Einträge stehen sowohl in „Winterfahrt“ als auch in „Sommerfahrt“:")


def test_words_that_say_nothing_and_the_capitals_of_a_name_do_not_matter() -> None:
    text = answer(
        "Welche Busse wurden bei TBT 3.2 sowohl in Bezug auf Winter als auch auf Summer getestet?", title="TranBusTest"
    )
    assert text.startswith("2 Einträge stehen sowohl in „Winter“ als auch in „Summer“:")


def test_items_of_two_lists_are_intersected_by_their_introductions() -> None:
    text = answer("Which step is in both the opening sequence and the closing sequence of the depot?", STEPS, "Depot")
    assert text.splitlines()[1:] == ["- ring the bell [1][2]"]


@pytest.mark.parametrize(
    "question",
    [
        "Which buses were driven in both winter and summer?",  # of two trials
        "Which buses were driven in both winter and autumn in trial 3.2?",
        "Which buses were driven in both winter and summer in trial 3.3?",
        "Which buses were not driven in both winter and summer in trial 3.2?",
        "Which buses were driven in both winter and summer in trial 3.2 for Utrecht UT7?",
    ],
)
def test_nothing_is_intersected_if_the_two_are_not_named(question: str) -> None:
    assert "both “" not in answer(question)


@given(
    st.lists(st.sampled_from("ABCDEF"), min_size=1, max_size=6, unique=True),
    st.lists(st.sampled_from("ABCDEF"), min_size=1, max_size=6, unique=True),
)
def test_the_intersection_has_what_both_have(one: list[str], other: list[str]) -> None:
    rows = [table(*(f"Line {name}" for name in names)) for names in (one, other)]
    content = f"<h2>Winter:</h2>{rows[0]}<h2>Summer:</h2>{rows[1]}"
    lines = answer("Which buses were driven in both winter and summer?", content).splitlines()
    shown = [line.split(" [")[0] for line in lines if "[1][2]" in line]
    if lines and "both “" in lines[0]:
        assert shown == [f"- Bus: Line {name}" for name in one if name in other]
    else:
        assert not set(one) & set(other)
