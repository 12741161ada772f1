"""Totals and means of a column, over all rows or those that fulfil conditions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.reading.relations.test_totals import write_table
from tests.core.reading.tables import compute, evidences

HEADER = ("Vendor", "Country", "State", "Cost per year", "Seats")
VENDORS = (
    ("Kern", "Germany", "Done", "€100", "4"),
    ("Olme", "Norway", "Open", "€250", "6"),
    ("Pike", "US", "Done", "€50", "5"),
    ("Quad", "US", "Open", "€300", "9"),
)
BOOTE = (("Ahoi", "12 €", "4"), ("Brise", "19 €", "6"), ("Welle", "15 €", "2"))
TABLES = {
    "Vendors": write_table(HEADER, *VENDORS),
    "Boote": write_table(("Boot", "Preis", "Plätze"), *BOOTE),
}


def answer(question: str, content: str, title: str) -> str:
    found = compute(question, evidences(content, title))
    return found.answer.text if found else ""


@pytest.mark.parametrize(
    ("question", "title", "headline"),
    [
        ("total cost of all vendors per year", "Vendors", "Sum of “Cost per year” in 4 rows of “Vendors”: €700"),
        ("What is the total cost of the vendors?", "Vendors", "Sum of “Cost per year” in 4 rows of “Vendors”: €700"),
        ("what's the total cost of the us vendors", "Vendors", "Sum of “Cost per year” in 2 rows of “Vendors”: €350"),
        ("total seats of the done vendors", "Vendors", "Sum of “Seats” in 2 rows of “Vendors”: 9"),
        ("how high is the total cost of vendors in the us?", "Vendors", "Sum of “Cost per year” in 2 rows"),
        ("Was ist der Gesamtpreis aller Boote?", "Boote", "Summe von „Preis“ in 3 Zeilen von „Boote“: 46 €"),
        ("Wie hoch ist der gesamte Preis der Boote?", "Boote", "Summe von „Preis“ in 3 Zeilen von „Boote“: 46 €"),
    ],
)
def test_the_total_of_a_column_is_added_up(question: str, title: str, headline: str) -> None:
    assert answer(question, TABLES[title], title).startswith(headline)


@pytest.mark.parametrize(
    "question",
    [
        "total cost of the wooden vendors",
        "total cost of all vendors per country",
        "total cost of the vendors in Peru",
        "total cost of all vendors per month",
    ],
)
def test_nothing_is_added_up_if_a_word_may_select_or_divide_rows(question: str) -> None:
    assert answer(question, TABLES["Vendors"], "Vendors") == ""


def test_a_sum_names_the_rows_without_a_value_and_its_conditions() -> None:
    rows = (
        ("Hosting", "€120", "approved"),
        ("Mail", "", "approved"),
        ("Archive", "€80", "approved"),
        ("Tape", "€5", "late"),
    )
    content = write_table(("Service", "Price", "Status"), *rows)
    found = answer("total price of all services", content, "Services")
    assert found.startswith("Sum of “Price” in 3 rows of “Services”: €205; without a value: Mail\n")
    found = answer("total price of the late services", content, "Services")
    assert found == ""  # of one row
    found = answer("total price of the approved services", content, "Services")
    assert found.startswith("Sum of “Price” in 2 rows of “Services”: €200 (Status: approved); without a value: Mail\n")


def test_what_something_cost_is_the_only_column_of_money() -> None:
    content = write_table(("Bestellung", "Betrag"), ("B-1", "84,50 €"), ("B-2", "219,00 €"))
    found = answer("was haben die bestellungen insgesamt gekostet", content, "Bestellungen")
    assert found.startswith("Summe von „Betrag“ in 2 Zeilen von „Bestellungen“: 303,50 €")


def test_a_row_for_the_total_is_the_answer_itself() -> None:
    rows = (("Sales", "€120"), ("Legal", "€80"), ("Research", "€300"), ("Total", "€500"))
    found = answer("what is the total budget of the departments", write_table(("Department", "Budget"), *rows), "Money")
    assert found.startswith("Total, Budget: €500") or found == ""


def test_the_total_of_one_row_is_its_cell() -> None:
    table = write_table(("Bridge", "Total length"), ("Alma", "120 m"), ("Brod", "80 m"))
    assert answer("what is the total length of Alma", table, "Bridges").startswith("Alma, Total length: 120 m")


@given(st.lists(st.integers(0, 10_000), min_size=2, max_size=8))
def test_the_total_is_the_sum_of_the_cells(figures: list[int]) -> None:
    table = write_table(("Tool", "Seats"), *((f"Tool{chr(65 + at)}x", f"{each}") for at, each in enumerate(figures)))
    found = answer("total seats of all tools", table, "Tools")
    assert found.splitlines()[0].rpartition(": ")[2].replace(",", "") == str(sum(figures))


@pytest.mark.parametrize(
    ("question", "title", "headline"),
    [
        ("average seats per vendor", "Vendors", "Mean of “Seats” in 4 rows of “Vendors”: 6"),
        ("what is the average number of seats?", "Vendors", "Mean of “Seats” in 4 rows of “Vendors”: 6"),
        (
            "what's the average cost of the us vendors",
            "Vendors",
            "Mean of “Cost per year” in 2 rows of “Vendors”: €17",
        ),
        ("how many seats does a vendor have on average", "Vendors", "Mean of “Seats” in 4 rows of “Vendors”: 6"),
        ("durchschnittlicher Preis der Boote", "Boote", "Durchschnitt von „Preis“ in 3 Zeilen von „Boote“: 15,33 €"),
        ("Wie hoch ist der Durchschnittspreis der Boote?", "Boote", "Durchschnitt von „Preis“ in 3 Zeilen"),
        (
            "Wie viele Plätze haben die Boote im Schnitt?",
            "Boote",
            "Durchschnitt von „Plätze“ in 3 Zeilen von „Boote“: 4",
        ),
    ],
)
def test_the_mean_of_a_column_is_computed(question: str, title: str, headline: str) -> None:
    assert answer(question, TABLES[title], title).startswith(headline)


@pytest.mark.parametrize(
    "question",
    [
        "average cost per country",
        "average cost of the wooden vendors",
        "average seats per month",
        "which vendors have seats above average",
        "how many vendors have seats above the average",
        "average number of pages",
    ],
)
def test_no_mean_is_computed_if_a_word_may_select_or_divide_rows(question: str) -> None:
    assert "Mean" not in answer(question, TABLES["Vendors"], "Vendors")


def test_no_mean_is_computed_if_a_row_has_no_value_or_the_page_states_it() -> None:
    rows = (("Ada", "4"), ("Bo", "6"), ("Cy", "11"))
    for last in (("Di", "–"), ("Average", "7")):
        table = write_table(("Person", "Seats"), *rows, last)
        assert "Mean" not in answer("what is the average seats per person", table, "Seats")
    table = write_table(("Person", "Seats"), *rows, ("Total", "21"))
    assert answer("average seats per person", table, "Desks").startswith("Mean of “Seats” in 3 rows of “Desks”: 7")


@given(st.lists(st.integers(0, 10_000), min_size=2, max_size=8))
def test_the_mean_is_between_the_smallest_and_the_largest(figures: list[int]) -> None:
    table = write_table(("Tool", "Seats"), *((f"Tool{chr(65 + at)}x", f"{each}") for at, each in enumerate(figures)))
    found = answer("average seats per tool", table, "Tools").splitlines()[0]
    assert found.startswith(f"Mean of “Seats” in {len(figures)} rows of “Tools”: ")
    mean = float(found.rpartition(": ")[2].replace(",", ""))
    assert abs(mean - sum(figures) / len(figures)) <= 0.0051


@pytest.mark.parametrize("question", ["what's our cheapest test?", "what is the cheapest test?"])
def test_the_s_of_what_s_is_no_second(question: str) -> None:
    content = (
        "<table><tr><th>Code</th><th>Test</th><th>Takes</th><th>Price</th></tr>"
        "<tr><td>C1</td><td>Chemistry</td><td>6 hours</td><td>24.90 EUR</td></tr>"
        "<tr><td>H2</td><td>Blood count</td><td>4 hours</td><td>14.20 EUR</td></tr>"
        "<tr><td>M3</td><td>Culture</td><td>3 hours</td><td>33.00 EUR</td></tr></table>"
    )
    found = compute(question, evidences(content, "Test catalogue"))
    assert found is not None
    assert found.answer.text.startswith("Smallest “Price” in “Test catalogue”: 14.20 EUR – Blood count")
