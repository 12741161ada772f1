"""Days without a year, as people type them in questions about tables with full dates."""

from __future__ import annotations

import pytest

from core.reading.questions.limits import take_bounds, take_range
from tests.core.reading.tables import compute, evidences


def write_table(*rows: tuple[str, ...]) -> str:
    """A table with a header in its first row."""
    header, *others = rows
    lines = ["".join(f"<th>{cell}</th>" for cell in header)]
    lines += ["".join(f"<td>{cell}</td>" for cell in row) for row in others]
    return "<p>Alle.</p><table>" + "".join(f"<tr>{line}</tr>" for line in lines) + "</table>"


COURSES = write_table(
    ("Schulung", "Datum"),
    ("Erste Hilfe", "14.03.2026"),
    ("Brandschutz", "02.12.2026"),
    ("Datenschutz", "21.04.2026"),
)
AUDITS = write_table(("Audit", "Date"), ("ISO 9001", "2026-03-12"), ("ISO 27001", "21 April 2026"))


HALLS = write_table(("Halle", "Zähltag"), ("Halle Nord", "Sa 28.11.2026"), ("Halle Süd", "So 29.11.2026"))
STORES = write_table(("Store", "Day"), ("North", "Mon, 30 November 2026"), ("South", "Tuesday, 1 December 2026"))


def answer(question: str, content: str, title: str = "Termine") -> str:
    found = compute(question, evidences(content, title))
    return found.answer.text if found else ""


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("welche schulungen sind am 14.03.?", ["Erste Hilfe"]),
        ("welche schulungen sind am 14.3.?", ["Erste Hilfe"]),
        ("Welche Schulungen gibt es am 2.12.", ["Brandschutz"]),
        ("welche schulungen sind am 2.12", ["Brandschutz"]),
        ("am 21.4. sind welche schulungen?", ["Datenschutz"]),
        ("welche schulungen sind ab 21.04.?", ["Brandschutz", "Datenschutz"]),
        ("wie viele schulungen gibt es seit dem 21.4.?", ["Brandschutz", "Datenschutz"]),
        ("welche schulungen sind bis 30.04?", ["Erste Hilfe", "Datenschutz"]),
        ("welche schulungen sind vor dem 21.4.?", ["Erste Hilfe"]),
        ("welche schulungen sind zwischen 1.3. und 30.4.?", ["Erste Hilfe", "Datenschutz"]),
        ("welche schulungen sind zwischen 1.3. und 30.4.2026?", ["Erste Hilfe", "Datenschutz"]),
    ],
)
def test_a_day_without_a_year_selects_the_rows_with_it(question: str, rows: list[str]) -> None:
    headline, *lines = answer(question, COURSES).splitlines()
    assert headline.startswith(f"{len(rows)} von 3 ")
    assert [line.partition(": ")[2].partition(" · ")[0] for line in lines] == rows


@pytest.mark.parametrize(
    ("question", "row"),
    [
        ("welche audits waren am 12.03.?", "ISO 9001"),
        ("wie viele audits gab es am 21.4.?", "ISO 27001"),
        ("which audits were on 12.3.?", "ISO 9001"),
    ],
)
def test_cells_may_have_any_format(question: str, row: str) -> None:
    assert row in answer(question, AUDITS, "Audits")


@pytest.mark.parametrize(
    ("question", "content", "row"),
    [
        ("welche hallen werden am 28. november gezählt?", HALLS, "Halle Nord"),
        ("wie viele hallen werden am 29.11. gezählt?", HALLS, "Halle Süd"),
        ("welche hallen werden nach dem 28.11. gezählt?", HALLS, "Halle Süd"),
        ("which stores are counted on 30 November?", STORES, "North"),
        ("which stores are counted after 30 November?", STORES, "South"),
    ],
)
def test_cells_may_have_a_weekday_before_the_date(question: str, content: str, row: str) -> None:
    headline, *lines = answer(question, content, "Inventur").splitlines()
    assert [row in line for line in lines or [headline]] == [True]


@pytest.mark.parametrize("question", ["welche schulungen sind am 14.?", "welche schulungen sind am 2.12?"])
def test_a_number_that_may_be_a_day_is_no_missing_name_beside_dates(question: str) -> None:
    assert not answer(question, COURSES).startswith("Keine Zeile")


def test_a_day_that_no_row_has_is_denied_as_a_date() -> None:
    assert answer("welche schulungen sind am 15.3.?", COURSES) == "Keine Zeile in „Termine“ passt (Datum: 15.3.). [1]"


@pytest.mark.parametrize(
    "question",
    ["Welche Server laufen seit 3.9?", "Welche Pakete sind bis 31.4. da?", "Which servers run until 14.03?"],
)
def test_versions_and_days_that_no_month_has_are_no_dates(question: str) -> None:
    assert take_bounds(question, "de" if question.startswith("Welche") else "en") == ((), question)


def test_numbers_at_the_end_of_a_sentence_stay_numbers() -> None:
    bounds, _ = take_range("Which boards are between 1.5 and 2.5.", "en")
    assert [bound.value.kind for bound in bounds] == ["number", "number"]
    [bound] = take_bounds("Which boards are below 2.5.", "en")[0]
    assert bound.value.kind == "number"
