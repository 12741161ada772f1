"""Rows that are ranges, and columns whose unit is in the header."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.reading.questions.ranges import find_range, read_range
from core.reading.values import read_value
from tests.core.reading.tables import compute, evidences
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
        ("ein zug mit drei stunden verspätung", "120 minutes or more"),
        ("platform 45", None),
        ("in 2026", None),
        ("between 20 and 45 minutes", None),
    ],
)
def test_units_have_to_agree(text: str, cell: str | None) -> None:
    found = find_range(text, DELAYS, "Delay")
    assert (found[0] if found else None) == cell


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("who approves a trip that costs 2,000 euros?", "€1,200 to €4,000"),
        ("trip for €2,000, who approves?", "€1,200 to €4,000"),
        ("Wer genehmigt 5000 Euro?", "above €4,000"),
        ("who approves € 500", "up to €1,200"),
        ("who approves a trip of 500?", "up to €1,200"),
        ("who approves CHF 500", None),
        ("who approves a trip of 3 days", None),
        ("who approves a trip over €4,000?", None),  # maybe in another range
        ("who approves a trip of €3 million?", None),
        ("who approves a trip of three hundred euros?", None),
        ("who approves a trip of 3 people?", None),
        ("who approves trip 42?", None),
    ],
)
def test_a_sum_is_in_a_range_of_the_same_currency(text: str, cell: str | None) -> None:
    found = find_range(text, ["up to €1,200", "€1,200 to €4,000", "above €4,000"], "Cost of the trip")
    assert (found[0] if found else None) == cell


def test_a_range_with_a_currency_and_a_magnitude_is_not_read() -> None:
    assert find_range("who approves €500?", ["up to €10k", "over €10k"], "Budget") is None


@pytest.mark.parametrize("text", ["a delay of under two hours", "15 minutes and two seconds", "two trains"])
def test_limits_and_other_numbers_in_words_name_no_range(text: str) -> None:
    assert find_range(text, DELAYS, "Delay") is None


def test_a_number_in_words_without_the_unit_does_not_count() -> None:
    assert find_range("discount for a group of 30 with two teachers", ["1–9", "10–24", "25 or more"], "Group") == (
        *("25 or more", "30"),
    )


AGES = write_table(("Age", "Price"), ("0–5", "free"), ("6–17", "€4"), ("18+", "€9"))


@pytest.mark.parametrize(
    "question",
    [
        "how much is a ticket for 2 adults",
        "what is the price for 7 people",
        "what is the price on 12 May",
        "what is the price on May 12",
        "what is the price in version 2",
        "what is the price in zone 3",
        "what is the price from 2 pm",
        "from which age is 2 pm the price",
        "price of room 12",
        "what is the price in building 9",
        "price of a 2 year ticket",
    ],
)
def test_a_number_of_something_else_is_in_no_range(question: str) -> None:
    assert headline(question, AGES, "Prices") == ""


@pytest.mark.parametrize(
    "question",
    ["what is the price for age 7", "price for the age of 7", "price for 7 years old"],
)
def test_a_number_with_the_word_of_the_header_is_in_a_range(question: str) -> None:
    assert headline(question, AGES, "Prices") == "6–17, Price: €4"


@pytest.mark.parametrize(
    ("text", "header", "cell"),
    [
        ("for 12 nights", "Nights", "10–24"),
        ("12 nächte", "Nächte", "10–24"),
        ("how much are 12 pens", "Quantity", "10–24"),
        ("discount for 12 adults", "Number of people", "10–24"),
        ("12 rooms", "Number of people", None),
        ("room 12 people", "Group size", None),
        ("on 12 May", "Group size", None),
        ("at 12 pm", "Group size", None),
        ("um 12 uhr", "Gruppengröße", None),
        ("for group 12", "Group size", None),
        ("for a party of 12", "Group size", "10–24"),
        ("für 12 personen", "Gruppengröße", "10–24"),
        ("für eine gruppe von 12", "Gruppengröße", "10–24"),
        ("for a child aged 12", "Age", "10–24"),
        ("for 12 years", "Age", "10–24"),
        ("in 12 years", "Age", None),
        ("mit 12 jahren", "Alter", "10–24"),
        ("within 12 years", "Seats", None),
        ("for 12", "Discount", None),
    ],
)
def test_a_range_without_a_unit_needs_a_word_beside_the_number(text: str, header: str, cell: str | None) -> None:
    found = find_range(text, ("1–9", "10–24", "25 or more"), header)
    assert (found[0] if found else None) == cell


def test_cells_that_are_no_ranges_are_not_read() -> None:
    assert find_range("zone 3", ("1", "1–2", "1–3"), "Zone") is None
    assert find_range("12 people", ("5–9", "10–24", "Schools"), "People") is None


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
