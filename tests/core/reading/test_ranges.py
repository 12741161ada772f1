"""Rows that are ranges, and columns whose unit is in the header."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.reading.ranges import find_range, read_range
from core.reading.values import read_value
from tests.core.reading.pages import compute, evidences
from tests.core.reading.test_days import write_table

GROUPS = write_table(
    ("Group size", "Discount", "Book ahead"),
    ("5–9", "15 %", "1 day"),
    ("10–24", "25 %", "3 days"),
    ("25 or more", "40 %", "14 days"),
)
DELAYS = ("15–29 minutes", "30–59 minutes", "60–119 minutes", "120 minutes or more")
UNITS = write_table(
    ("Unit", "Odometer (km)", "Overhaul (€)"),
    ("231-001", "412,300", "900"),
    ("398-001", "96,400", "400"),
    ("168-014", "3,050,600", "300"),
)


def headline(question: str, content: str, title: str) -> str:
    found = compute(question, evidences(content, title))
    return found.answer.text.partition("\n")[0] if found else ""


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("discount for a group of 12", "10–24, Discount: 25 %"),
        ("what is the discount for 30 people", "25 or more, Discount: 40 %"),
        ("discount for a group of 3", ""),
        ("discount for a group of 12 or 30", ""),
    ],
)
def test_a_number_names_the_range_that_it_is_in(question: str, line: str) -> None:
    assert headline(question, GROUPS, "Group tickets") == line


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("my train is 45 minutes late", "30–59 minutes"),
        ("20 min late", "15–29 minutes"),
        ("ein zug mit 3 stunden verspätung", "120 minutes or more"),
        ("platform 45", None),
        ("in 2026", None),
        ("between 20 and 45 minutes", None),
    ],
)
def test_units_have_to_agree(text: str, cell: str | None) -> None:
    found = find_range(text, DELAYS)
    assert (found[0] if found else None) == cell


def test_cells_that_are_no_ranges_are_not_read() -> None:
    assert find_range("zone 3", ("1", "1–2", "1–3")) is None
    assert find_range("12 people", ("5–9", "10–24", "Schools")) is None


@given(st.integers(0, 99), st.integers(0, 99), st.integers(0, 99))
def test_a_range_contains_what_is_between_its_ends(first: int, last: int, value: int) -> None:
    low, high = sorted((first, last))
    read = read_range(f"{low}–{high} days")
    assert read
    assert read.contains(read_value(f"{value} days")) is (low <= value <= high)


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("which unit has the most kilometres", "Largest “Odometer (km)” in “Unit register”: 3,050,600 – 168-014"),
        (
            "which units have more than 400,000 km",
            "2 of 3 entries in “Unit register” match Odometer (km) > 400,000 km:",
        ),
        ("which units cost less than €500", "2 of 3 entries in “Unit register” match Overhaul (€) < €500:"),
    ],
)
def test_the_unit_of_a_header_is_that_of_its_cells(question: str, line: str) -> None:
    assert headline(question, UNITS, "Unit register") == line
