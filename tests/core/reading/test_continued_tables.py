"""Tables that continue each other on other pages, or below one caption."""

from __future__ import annotations

import pytest

from tests.core.reading.pages import compute, evidences
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
        ("which incident has the highest cost", "Largest “Cost” in “Incident log Q3, Incident log Q4”: €40"),
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
