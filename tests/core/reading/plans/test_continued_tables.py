"""Tables that continue each other on other pages, or below one caption."""

from __future__ import annotations

import pytest

from tests.core.reading.tables import compute, evidences
from tests.core.reading.test_days import write_table

HEADER = ("Incident", "Severity", "Cost")
THIRD = write_table(HEADER, ("INC-1", "SEV2", "€10"), ("INC-2", "SEV1", "€20"))
FOURTH = write_table(HEADER, ("INC-3", "SEV1", "€40"), ("INC-4", "SEV3", "€5"))


def answer(question: str, *pages: tuple[str, str]) -> str:
    found = []
    for at, (title, content) in enumerate(pages):
        found += evidences(content, title, str(20 + at), rank=len(found) + 1)
    computed = compute(question, found)
    return computed.answer.text.partition("\n")[0] if computed else ""


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("how many sev1 incidents", "2 of 4 entries in “Incident log Q3, Incident log Q4” match Severity: sev1:"),
        ("how many sev1 incidents in q4", "1 of 2 entries in “Incident log Q4” matches Severity: sev1:"),
        ("how many incidents do we have", "4 entries in “Incident log Q3, Incident log Q4”:"),
        ("total cost of all incidents", "Sum of “Cost” in 4 rows of “Incident log Q3, Incident log Q4”: €75"),
        ("which incident has the highest cost", "Largest “Cost” in “Incident log Q3, Incident log Q4”: €40 – INC-3"),
    ],
)
def test_pages_that_differ_in_their_part_are_one_table(question: str, line: str) -> None:
    assert answer(question, ("Incident log Q4", FOURTH), ("Incident log Q3", THIRD)) == line


def test_tables_with_the_same_rows_are_versions() -> None:
    line = answer("how many sev1 incidents", ("Incident log Q4", THIRD), ("Incident log Q3", THIRD))
    assert "of 4" not in line


def test_pages_of_other_years_are_versions() -> None:
    line = answer("how many sev1 incidents", ("Incident log 2026", FOURTH), ("Incident log 2025", THIRD))
    assert "of 4" not in line


def test_two_tables_below_one_caption_are_one() -> None:
    content = f"<p>The incidents of this year:</p>{FOURTH.removeprefix('<p>Alle.</p>')}"
    content += f"<p>The incidents of this year:</p>{THIRD.removeprefix('<p>Alle.</p>')}"
    assert answer("how many sev1 incidents", ("Incident log", content)).startswith("2 of 4 entries in “Incident log”")


COURSES = ("Termin", "Schulung", "Ort")
FIRST = write_table(COURSES, ("12.01.", "Erste Hilfe", "Wittow"), ("20.01.–21.01.", "Rangieren", "Barth"))
SECOND = write_table(COURSES, ("03.02.", "Brandschutz", "Wittow"), ("17.02.", "Deeskalation", "Grimmen"))
LAST = write_table(COURSES, ("09.03.", "Erste Hilfe", "Grimmen"), ("24.03.–26.03.", "Streckenkunde", "Barth"))
MONTHS = f"<h2>Januar</h2>{FIRST}<h2>Februar</h2>{SECOND}<h2>März</h2>{LAST}"


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("welche schulungen gibt es in barth", "2 von 6 Einträgen in „Schulungen“ (Ort: barth):"),
        ("wie viele termine gibt es", "6 Einträge in „Schulungen“:"),
        ("welche schulungen gibt es im märz", "2 Einträge in „März“:"),
        ("welche schulungen gibt es im april", "Keine Zeile in „Schulungen“ passt („april“). [1]"),
    ],
)
def test_tables_of_sections_beside_each_other_are_one(question: str, line: str) -> None:
    assert answer(question, ("Schulungen", MONTHS)) == line


def test_rows_of_several_sections_are_shown_with_their_headings() -> None:
    computed = compute("welche schulungen gibt es in barth", evidences(MONTHS, "Schulungen"))
    assert computed
    assert "- März · Termin: 24.03.–26.03. · Schulung: Streckenkunde · Ort: Barth" in computed.answer.text


@pytest.mark.parametrize("headings", [("Results", "Old results"), ("2025", "2026")])
def test_sections_that_are_versions_are_not_one(headings: tuple[str, str]) -> None:
    tables = (("INC-1", "SEV2", "€10"), ("INC-3", "SEV2", "€40"))
    content = "".join(f"<h2>{each}</h2>{write_table(HEADER, row)}" for each, row in zip(headings, tables, strict=True))
    assert "2 entries" not in answer("how many incidents", ("Incident log", content))


@pytest.mark.parametrize(
    ("headings", "question"),
    [
        (("Approved", "Rejected"), "which incidents are there"),
        (("Planned", "Cancelled"), "how many incidents do we have"),
        (("In use", "Retired"), "which incident has the highest cost"),
        (("Incidents", "Drills"), "total cost of all incidents"),
        (("January", "Cancelled"), "how many incidents do we have"),
        (("January", "Not in January"), "how many incidents do we have"),
    ],
)
def test_sections_that_are_no_series_are_not_one(headings: tuple[str, str], question: str) -> None:
    content = f"<h2>{headings[0]}</h2>{THIRD}<h2>{headings[1]}</h2>{FOURTH}"
    assert "“Incident log”" not in answer(question, ("Incident log", content))


@pytest.mark.parametrize(
    "headings",
    [
        *(("March", "April"), ("Q3", "Q4"), ("Week 45", "Week 46"), ("KW 9", "KW 10"), ("KW9", "KW10"), ("H1", "H2")),
        *(("Monday", "Tuesday"), ("Part A", "Part B"), ("Part II", "Part IV"), ("Quarter three", "Quarter four")),
    ],
)
def test_sections_of_a_series_are_one(headings: tuple[str, str]) -> None:
    content = f"<h2>{headings[0]}</h2>{THIRD}<h2>{headings[1]}</h2>{FOURTH}"
    line = answer("how many sev1 incidents", ("Incident log", content))
    assert line == "2 of 4 entries in “Incident log” match Severity: sev1:"
