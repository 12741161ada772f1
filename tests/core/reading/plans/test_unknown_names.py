"""Names that no row has are denied where the table would have them, and only there."""

from __future__ import annotations

import pytest

from tests.core.reading.tables import compute, evidences

LAPTOPS = """<p>Counted by the service desk, without those in Oslo.</p><table><tbody>
<tr><th>Laptop</th><th>Location</th><th>Class</th></tr>
<tr><td>LT-1</td><td>Berlin</td><td>A1</td></tr><tr><td>LT-2</td><td>Leiden</td><td>A2</td></tr>
<tr><td>LT-3</td><td>Berlin</td><td>A2</td></tr></tbody></table>"""


def answer(question: str, title: str = "Laptop inventory") -> str:
    found = compute(question, evidences(LAPTOPS, title))
    return found.answer.text if found else ""


@pytest.mark.parametrize(
    ("question", "denial"),
    [
        ("Which laptops are in Paris?", "No row of “Laptop inventory” matches “Paris”. [1]"),
        ("how many laptops are in New York?", "No row of “Laptop inventory” matches “New York”. [1]"),
        ("How many laptops have class A9?", "No row of “Laptop inventory” matches Class: A9. [1]"),
        ("Welche Laptops haben class A9?", "Keine Zeile in „Laptop inventory“ passt (Class: A9). [1]"),
        ("How many A9 laptops do we have?", "No row of “Laptop inventory” matches “A9”. [1]"),
    ],
)
def test_a_name_that_no_row_has_is_denied(question: str, denial: str) -> None:
    assert answer(question) == denial


@pytest.mark.parametrize(
    "question",
    [
        "Which laptops are in Oslo?",  # the page speaks of it elsewhere
        "Which laptops are in NL?",  # may be the short form of a name
        "Welche Laptops sind in Großbritannien?",  # may be there in English
        "Which laptops have Windows?",  # nothing says that the table would have it
        "Which laptops are in storage?",
        "Which printers are in Paris?",
        "Which laptops were sold by Ada in Paris?",
        "Which laptops are not in Paris?",
    ],
)
def test_nothing_is_denied_where_it_may_only_be_unsaid(question: str) -> None:
    assert answer(question) == ""


def test_some_rows_of_a_table_deny_nothing() -> None:
    found = [each for each in evidences(LAPTOPS, "Laptop inventory") if each.evidence.kind == "table_row"][:2]
    assert compute("Which laptops are in Paris?", found) is None
