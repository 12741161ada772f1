"""Questions for the largest or a sum of only those rows that have something: "the cheapest boat with a bar"."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.reading.plans.measure import read_measure
from core.reading.relations.relation import make_relations
from tests.core.reading.tables import compute, evidences

HEADER = ("Boat", "Bar", "Heated", "Damage", "Price")
BOATS = (
    ("Albatross", "no", "yes", "none", "€12"),
    ("Bittern", "yes", "no", "bow", "€19"),
    ("Curlew", "no", "no", "window", "€15"),
    ("Dunlin", "yes", "yes", "none", "€31"),
)
SEE = (
    ("Ahorn", "nein", "5 m", "40"),
    ("Birke", "ja", "9 m", "90"),
    ("Buche", "ja", "7 m", "70"),
)


def write_table(header: tuple[str, ...], *rows: tuple[str, ...]) -> str:
    lines = ["".join(f"<th>{cell}</th>" for cell in header)]
    lines += ["".join(f"<td>{cell}</td>" for cell in row) for row in rows]
    return "<p>All of them.</p><table>" + "".join(f"<tr>{line}</tr>" for line in lines) + "</table>"


def answer(question: str, content: str, title: str) -> str:
    found = compute(question, evidences(content, title))
    return found.answer.text if found else ""


@pytest.mark.parametrize(
    ("question", "row"),
    [
        ("cheapest boat with a bar", "Bittern"),
        ("Which is the cheapest boat with a bar?", "Bittern"),
        ("which boat with a bar has the highest price", "Dunlin"),
        ("Which heated boat has the lowest price?", "Albatross"),
        ("what is the most expensive boat that is heated", "Dunlin"),
        ("the cheapest boat with damage", "Curlew"),
        ("which boat has the highest price", "Dunlin"),
    ],
)
def test_only_rows_that_have_it_are_compared(question: str, row: str) -> None:
    lines = answer(question, write_table(HEADER, *BOATS), "Boats").splitlines()
    assert [row in line for line in lines[1:]] == [True]


@pytest.mark.parametrize(
    ("question", "row"),
    [
        ("Welche Hütte mit Sauna hat die wenigsten Plätze?", "Buche"),
        ("Welche Hütte hat die wenigsten Plätze?", "Ahorn"),
    ],
)
def test_german_questions_too(question: str, row: str) -> None:
    table = write_table(("Hütte", "Sauna", "Breite", "Plätze"), *SEE)
    lines = answer(question, table, "Hütten").splitlines()
    assert [row in line for line in lines[1:]] == [True]


def test_the_measure_is_what_the_superlative_says_by_itself() -> None:
    boats = [(*row, f"{number}") for number, row in zip((5, 0, 2, 9), BOATS, strict=True)]
    lines = answer("cheapest boat with a cabin", write_table((*HEADER, "Cabin"), *boats), "Boats").splitlines()
    assert not lines or "€12" in lines[0]


@pytest.mark.parametrize("question", ["which heated boats are there", "how many heated boats are there"])
def test_a_column_before_the_noun_selects_rows(question: str) -> None:
    assert answer(question, write_table(HEADER, *BOATS), "Boats").startswith("2 of 4 entries")


@pytest.mark.parametrize(
    "question",
    ["which boat has the highest price per berth", "the cheapest boat by berth", "the cheapest boat per berth"],
)
def test_another_named_column_that_is_no_condition_is_not_ignored(question: str) -> None:
    boats = [(*row, f"{number} wide") for number, row in enumerate(BOATS)]
    assert answer(question, write_table((*HEADER, "Berth"), *boats), "Boats") == ""


@given(st.lists(st.tuples(st.booleans(), st.integers(1, 999)), min_size=4, max_size=9, unique_by=lambda row: row[1]))
def test_the_result_is_never_of_a_row_without_what_is_asked_for(rows: list[tuple[bool, int]]) -> None:
    cells = [(f"Room{chr(65 + at)}x", "yes" if lift else "no", str(lamps)) for at, (lift, lamps) in enumerate(rows)]
    lines = answer(
        "Which room with a lift has the most lamps?", write_table(("Room", "Lift", "Lamps"), *cells), "Rooms"
    )
    assert not lines or "Lift: yes" in lines.splitlines()[1]


@pytest.mark.parametrize(
    ("headers", "unit"),
    [
        (("Duration (min)",), "min"),
        (("Fahrzeit (min)", "Fahrzeit (h)"), "min"),
        (("Duration (min)", "Duration (max)"), ""),
        (("Temperature (min)", "Temperature (max)"), ""),
        (("Temperature (min)",), ""),
        (("Stock (min)",), ""),
        (("Games (h)", "Games (a)"), ""),
        (("Games (h)",), ""),
        (("Delay (h)",), "h"),
        (("Gewicht (t)",), "t"),
        (("Weight (m)",), ""),
        (("Price (kg)",), ""),
        (("Salary (month)",), ""),
        (("Odometer (km)",), "km"),
        (("Notice period (months)",), "months"),
        (("Storage (€)",), "€"),
        (("Weight (%)",), "%"),
    ],
)
def test_brackets_in_a_header_have_a_unit_only_of_what_it_measures(headers: tuple[str, ...], unit: str) -> None:
    cells = [[f"Row {row}", *(str(row + at) for at in range(len(headers)))] for row in (2, 4)]
    [relation] = [
        each
        for each in make_relations(evidences(write_table(("Name", *headers), *map(tuple, cells)), "Figures"))
        if each.kind == "table"
    ]
    measure = read_measure(relation, headers[0])
    assert measure
    assert [each and each.unit for each in measure.values] == [unit] * 2
