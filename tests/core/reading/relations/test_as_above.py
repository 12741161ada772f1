"""Cells that stand for the ones above them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.reading.relations.as_above import fill_cells
from core.reading.relations.rows import Row
from tests.core.reading.tables import compute, evidences
from tests.core.reading.test_days import write_table

UNITS = write_table(
    ("Unit", "Class", "Driver", "Status"),
    ("231-001", "Lapwing", "Ada", "In service"),
    ("231-002", "", "", "In workshop"),
    ("231-003", "", "", "In service"),
    ("398-001", "Curlew", "Ben", "In service"),
)
NOTE = "<p>An empty cell means the same as in the line above.</p>"
TEAMS = write_table(("Team", "Person"), ("Blue", "Ann"), ("", "Bob"), ("", "Cem"), ("Red", "Dora"))
ROOF = write_table(("Owner", "Task"), ("Ada", "Clean the pump"), ("Ben", "Paint the gate"), ("", "Repair the roof"))
DESKS = write_table(("Room", "Person"), ("Oak", "Ann"), ("Elm", "Bob"), ("", "Mara"))
DITTO = write_table(("Tool", "Shelf"), ("Saw", "A1"), ("Drill", "″"), ("File", "dito"), ("Level", "B2"))


def headline(question: str, content: str, title: str) -> str:
    found = compute(question, evidences(content, title))
    return found.answer.text.partition("\n")[0] if found else ""


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("how many lapwings do we have", "3 of 4 entries in “Unit register” match Class: Lapwing:"),
        (
            "which lapwings are in service",
            "2 of 4 entries in “Unit register” match Status: in service, Class: Lapwing:",
        ),
        ("what is the class of 231-003", "231-003, Class: Lapwing"),
    ],
)
def test_the_page_says_that_empty_cells_are_as_above(question: str, line: str) -> None:
    assert headline(question, NOTE + UNITS, "Unit register") == line


def test_an_empty_cell_alone_says_nothing() -> None:
    loans = write_table(("Tool", "Borrowed by"), ("Saw", "Ann"), ("Drill", ""), ("File", "Ben"))
    assert headline("which tools has ann borrowed", loans, "Loans") == "Tool: Saw (Borrowed by: ann)"


def test_rows_without_a_name_continue_those_of_the_name_above() -> None:
    line = headline("how many people are in team blue", TEAMS, "Teams")
    assert line == "3 of 4 entries in “Teams” match Team: blue:"


def test_a_single_row_without_a_name_has_none() -> None:
    assert headline("how many tasks does ben have", ROOF, "Plan") == "1 of 3 entries in “Plan” matches Owner: ben:"
    assert "Elm" not in headline("which room is mara in", DESKS, "Plan")


ONE = "1 of 4 entries in “Unit register” matches Class: Lapwing:"
THREE = "3 of 4 entries in “Unit register” match Class: Lapwing:"


@pytest.mark.parametrize(
    ("note", "line"),
    [
        ("Empty cells mean nobody; see the previous version for former drivers.", ONE),
        ("Leave the field empty if the address is the same as above.", ONE),
        ("An empty cell means that nobody drives. The rules above apply.", ONE),
        ("Empty cells are as above.", THREE),
        ("Blank means the same as the row above.", THREE),
        ("Leere Zellen: wie oben.", THREE),
        ("Leere Felder bedeuten dasselbe wie in der Zeile darüber.", THREE),
        ("If a cell is empty, the value above applies.", THREE),
    ],
)
def test_empty_cells_are_filled_only_if_a_note_says_that_they_are_as_above(note: str, line: str) -> None:
    assert headline("how many lapwings do we have", f"<p>{note}</p>{UNITS}", "Unit register") == line


def test_ditto_marks_stand_for_the_cell_above() -> None:
    assert headline("which tools are on shelf a1", DITTO, "Tools") == "3 of 4 entries in “Tools” match Shelf: A1:"


@given(st.lists(st.lists(st.sampled_from(["", "a", "b", '"']), min_size=3, max_size=3), max_size=6), st.booleans())
def test_only_empty_cells_and_marks_change(table: list[list[str]], says_so: bool) -> None:
    ranked = evidences("<p>x</p>")[0]
    columns = ("x", "y", "z")
    rows = [Row({c: v for c, v in zip(columns, cells, strict=True) if v}, ranked, 0) for cells in table]
    for before, after in zip(rows, fill_cells(rows, columns, says_so), strict=True):
        assert {c: v for c, v in before.cells.items() if v != '"'}.items() <= after.cells.items()
