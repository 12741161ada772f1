"""A row for the total of the others is no row of its own, and answers only questions for the total."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.reading.relations.relation import make_relations
from core.reading.relations.totals import says_total
from tests.core.reading.tables import compute, evidences

HEADER = ("Department", "Head", "Budget")
DEPARTMENTS = (("Sales", "Kim", "€120,000"), ("Legal", "Ola", "€80,000"), ("Research", "Pat", "€300,000"))
TOTAL = ("Total", "", "€500,000")
SITES_HEADER = ("Standort", "Stadt", "Mitarbeitende")
SITES = (("Nord", "Kiel", "12"), ("Süd", "Ulm", "30"), ("West", "Bonn", "21"))
SUPPLIERS = (("Shell", "London", "300 t"), ("Total", "Paris", "250 t"), ("Repsol", "Madrid", "100 t"))


def write_table(header: tuple[str, ...], *rows: tuple[str, ...]) -> str:
    head = "".join(f"<th>{cell}</th>" for cell in header)
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    return f"<p>The figures of this year.</p><table><tr>{head}</tr>{body}</table>"


def answer(question: str, content: str, title: str = "Budget 2026") -> str:
    found = compute(question, evidences(content, title))
    return found.answer.text if found else ""


def split_rows(content: str) -> tuple[list[str], list[str]]:
    """Return the first cells of the rows and of the totals."""
    relation = make_relations(evidences(content))[0]
    assert relation.total == len(relation.rows)
    return tuple(
        [next((cell for cell in row.cells.values() if cell), "") for row in rows]
        for rows in (relation.rows, relation.totals)
    )  # type: ignore[return-value]


QUESTIONS = [
    "How many departments are there?",
    "List all departments",
    "Which department has the largest budget?",
    "Which department has the smallest budget?",
    "Which departments have a budget over €100,000?",
    "How many departments have a budget over €100,000?",
    "Which departments have a budget of less than €100,000?",
    "Is there a department with a budget over €400,000?",
    "What is the sum of the budgets?",
    "What is the budget of Legal?",
]


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("label", ["Total", "Total:", "Grand total", "Total budget", "Sum", "Σ", "Totale", "Итого"])
def test_a_row_for_the_total_changes_no_answer(question: str, label: str) -> None:
    without, with_total = (write_table(HEADER, *DEPARTMENTS, *rows) for rows in ((), ((label, "", "€500,000"),)))
    assert answer(question, with_total) == answer(question, without)


@pytest.mark.parametrize(
    "question",
    [
        "Wie viele Standorte gibt es?",
        "Welche Standorte gibt es?",
        "Welcher Standort hat die meisten Mitarbeitende?",
        "Welche Standorte haben mehr als 20 Mitarbeitende?",
    ],
)
@pytest.mark.parametrize("label", ["Summe", "Gesamt", "Insgesamt", "Gesamtsumme"])
def test_a_german_row_for_the_total_changes_no_answer(question: str, label: str) -> None:
    without, with_total = (
        answer(question, write_table(SITES_HEADER, *SITES, *rows), "Standorte") for rows in ((), ((label, "", "63"),))
    )
    assert with_total == without != ""


@given(
    st.lists(st.integers(1, 10_000), min_size=2, max_size=8, unique=True),
    st.sampled_from(QUESTIONS),
    st.sampled_from([("Total", "", "{}"), ("", "Total", "{}"), ("Total", "-", "{}"), ("Sum", "", "{}")]),
)
def test_no_figures_make_the_total_a_row(amounts: list[int], question: str, form: tuple[str, ...]) -> None:
    names = ("Sales", "Legal", "Research", "Care", "Print", "Post", "Press", "Stage")
    rows = [(name, f"Head {name}", f"€{amount:,}") for name, amount in zip(names, amounts, strict=False)]
    total = tuple(cell.format(f"€{sum(amounts):,}") for cell in form)
    without, with_total = (answer(question, write_table(HEADER, *rows, *more)) for more in ((), (total,)))
    assert with_total == without


def test_a_total_that_contradicts_the_rows_is_not_added_up_again() -> None:
    wrong = write_table(HEADER, *DEPARTMENTS, ("Total", "", "€510,000"))
    assert answer("What is the sum of the budgets?", wrong) == ""


@pytest.mark.parametrize(
    ("question", "headline"),
    [
        ("What is the total budget?", "Total, Budget: €500,000"),
        ("What is the budget in total?", "Sum of “Budget” in 3 rows of “Budget 2026”: €500,000"),
    ],
)
def test_the_total_is_still_found(question: str, headline: str) -> None:
    assert answer(question, write_table(HEADER, *DEPARTMENTS, TOTAL)).split("\n")[0] == headline


def test_a_company_with_this_name_is_a_row() -> None:
    rows = write_table(("Company", "City", "Sales"), *SUPPLIERS)
    assert split_rows(rows) == (["Shell", "Total", "Repsol"], [])
    chance = write_table(
        ("Company", "City", "Sales"), SUPPLIERS[2], SUPPLIERS[2], ("Total", "Paris", "200 t"), SUPPLIERS[0]
    )
    assert split_rows(chance)[1] == []
    mean = write_table(
        ("Company", "Sales"), ("Shell", "300 t"), ("Repsol", "100 t"), ("Total", "200 t"), ("Eni", "5 t")
    )
    assert split_rows(mean)[1] == []
    last = write_table(("Company", "City", "Sales"), SUPPLIERS[0], SUPPLIERS[2], SUPPLIERS[1])
    assert split_rows(last) == (["Shell", "Repsol", "Total"], [])
    assert answer("Which company has the largest sales?", rows, "Companies").startswith("Largest “Sales”")


@pytest.mark.parametrize(
    ("rows", "totals"),
    [
        (
            (
                ("Kiel", "", "5"),
                ("Ulm", "", "7"),
                ("Subtotal", "", "12"),
                ("Graz", "", "1"),
                ("Linz", "", "2"),
                ("Total", "", "15"),
            ),
            2,
        ),
        ((("A", "", "5"), ("B", "", "7"), ("Total", "", "12"), ("Average", "", "6")), 2),
        ((("Total", "", "12"), ("A", "", "5"), ("B", "", "7")), 1),
        ((("A", "", "5"), ("B", "", "7"), ("Total films", "", "9")), 0),
        ((("A", "", "5"), ("B", "", "7"), ("Total", "", "3")), 0),
        ((("A", "", "x"), ("B", "", "y"), ("Total", "", "z")), 0),
        ((("Total", "", "12"),), 0),
    ],
)
def test_totals_are_recognised_by_place_and_figures(rows: tuple[tuple[str, ...], ...], totals: int) -> None:
    kept, left_out = split_rows(write_table(("City", "Note", "Offices"), *rows))
    assert len(left_out) == totals
    assert len(kept) == len(rows) - totals


def test_totals_of_groups_are_left_out() -> None:
    rows = (
        "<tr><td rowspan='3'>Germany</td><td>Kiel</td><td>12</td></tr><tr><td>Ulm</td><td>30</td></tr>"
        "<tr><td>Total</td><td>42</td></tr><tr><td rowspan='3'>Austria</td><td>Graz</td><td>5</td></tr>"
        "<tr><td>Linz</td><td>7</td></tr><tr><td>Total</td><td>12</td></tr>"
    )
    content = f"<table><tr><th>Country</th><th>City</th><th>Headcount</th></tr>{rows}</table>"
    relation = make_relations(evidences(content))[0]
    assert [row.cells["City"] for row in relation.rows] == ["Kiel", "Ulm", "Graz", "Linz"]
    assert len(relation.totals) == 2


def test_the_last_item_of_a_list_may_be_the_total() -> None:
    items = "<h2>Licences</h2><ul><li>Sales: 5</li><li>Legal: 7</li><li>Total: 12</li></ul>"
    assert split_rows(items) == (["Sales: 5", "Legal: 7"], ["Total: 12"])


@pytest.mark.parametrize("cell", ["Totalenergies", "Summer school", "Gesamtschule", ""])
def test_longer_words_are_no_totals(cell: str) -> None:
    assert not says_total(cell)


@pytest.mark.parametrize(
    ("question", "total"),
    [
        ("Wie hoch ist die Miete insgesamt?", "1100"),
        ("wie teuer sind die mieten zusammen", "1100"),
        ("How high is the rent altogether?", "1100"),
    ],
)
def test_the_adjective_of_a_question_for_a_sum_need_not_be_in_the_table(question: str, total: str) -> None:
    header = ("City", "Rent") if question.startswith("How") else ("Ort", "Miete")
    content = write_table(header, ("Kiel", "300 €"), ("Ulm", "800 €"))
    found = answer(question, content, "Offices" if question.startswith("How") else "Standorte")
    assert total in "".join(filter(str.isdigit, found))
