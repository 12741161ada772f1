"""What a table says about the thing in a sentence."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.answering.extractive.quoting.compose import compose, quote_items, quote_passage
from core.model import Ranking
from core.reading.lookup import leave_out_tables_for_lookup, look_up, read_lookup
from tests.core.reading.tables import evidences, of_kind

ROWS = [
    ("Maker B700", "Lever", "1.2"),
    ("Maker B700", "Lever", "1.3"),
    ("Maker C800", "Motor", "1.3"),
    ("Maker C800", "Motor", "n/a"),
]
PAGE = (
    "<h2>Doors</h2><table><tr><th>Model</th><th>Opener</th><th>Firmware</th></tr>"
    + "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>" for cells in ROWS)
    + "</table><h2>Notes</h2><ul><li>On the B700, the door jammed twice.</li><li>On the C800, it rained in.</li>"
    "<li>On the B700 and the C800, the lamp failed.</li><li>The bell rang.</li></ul>"
)
FOUND = evidences(PAGE, "Door tests")
[NOTES] = of_kind(FOUND, "list")


def answer(question: str, item: int) -> list[str]:
    quotations = look_up(question, [quote_items(NOTES.evidence, [item])], FOUND)
    return compose(quotations).text.splitlines()


@pytest.mark.parametrize(
    ("question", "item", "first"),
    [
        ("What was the opener when the door jammed twice?", 0, "Doors: Maker B700, Opener: Lever [1]"),
        ("What was the firmware when it rained in?", 1, "Doors: Maker C800, Firmware: 1.3 [1]"),
        ("Was war die Firmware, als es hineinregnete?", 1, "Doors: Maker C800, Firmware: 1.3 [1]"),
        (
            "Which firmware was it when the door jammed twice?",
            0,
            "Doors: 2 different values of “Firmware” in “Doors” for Model: Maker B700: 1.2, 1.3 [1]",
        ),
    ],
)
def test_the_value_of_the_thing_in_the_sentence_comes_first(question: str, item: int, first: str) -> None:
    lines = answer(question, item)
    assert lines[0] == first
    assert lines[1:] == ["Notes:", f"{NOTES.evidence.parts[item]} [2]"]


@pytest.mark.parametrize(
    ("question", "item"),
    [
        ("What was the opener when the lamp failed?", 2),  # two things
        ("What was the opener when the bell rang?", 3),  # none
        ("What was the colour when the door jammed twice?", 0),  # no such column
        ("What was the cause of the jam?", 0),  # no event
    ],
)
def test_other_questions_get_the_sentence(question: str, item: int) -> None:
    assert answer(question, item)[0] == "Notes:"


def test_a_row_of_the_table_is_no_sentence() -> None:
    row = quote_passage(of_kind(FOUND, "table")[0].evidence, [0])
    assert look_up("What was the opener when the door jammed twice?", [row], FOUND) == [row]


def test_only_tables_that_a_search_found_are_quoted() -> None:
    question = "What was the opener when the door jammed twice?"
    assert read_lookup(question)
    kept = leave_out_tables_for_lookup(question, FOUND)
    assert {each.evidence.kind for each in FOUND} - {each.evidence.kind for each in kept} == {"table"}
    hit = [replace(each, lexical=Ranking(1, 1.0)) for each in FOUND]
    assert leave_out_tables_for_lookup(question, hit) == hit
    assert leave_out_tables_for_lookup("How many doors are there?", FOUND) == FOUND
