"""Sections whose headings differ in a number."""

from __future__ import annotations

import pytest

from core.answering.extractive.exclusions.other_headings import leave_out_other_headings
from core.answering.extractive.units import list_units
from tests.core.answering.examples import evidence, ranked

TITLE = "Calibration of Halden 2 and Halden 3"
SECOND = evidence("The limit is 0.0010.", title=TITLE, heading="Halden 2", ordinal=1)
THIRD = evidence("The limit is 0.0004.", title=TITLE, heading="Halden 3", ordinal=2)
BOTH = evidence("Both are checked.", title=TITLE, heading="Halden 2 and Halden 3", ordinal=3)
GENERAL = evidence("Filters are old.", title=TITLE, heading="Filters", ordinal=4)
OTHER_PAGE = evidence("The limit is 7.", title="Halden 3", heading="Halden 3", page_id="2")


@pytest.mark.parametrize(
    ("question", "left_out"),
    [
        ("What is the limit of the Halden 2?", ["The limit is 0.0004."]),
        ("limit halden-3", ["The limit is 0.0010."]),
        ("What are the limits of Halden 2 and Halden 3?", []),
        ("What is the limit of the Halden?", []),
        ("What is the limit of the Halden 4?", []),  # no heading has it
        ("What comes after Halden 2?", []),
        ("How does Halden 2 differ from the others?", []),
        ("What is new in Halden 2.1?", []),  # "2" may be all of it
        ("What is the limit? (Calibration of Halden 2)", []),  # completion took the title
    ],
)
def test_what_stands_below_another_number_is_left_out(question: str, left_out: list[str]) -> None:
    units = list_units(ranked(SECOND, THIRD, BOTH, GENERAL, OTHER_PAGE))
    kept = leave_out_other_headings(question, units)
    assert [unit.text for unit in units if unit not in kept] == left_out
