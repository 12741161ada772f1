"""What a question asks of rows."""

from __future__ import annotations

import pytest

from core.reading.questions.question import read_question
from core.reading.questions.row_question import Operation
from tests.core.reading.tables import compute, evidences

TEAM = """<h2>People</h2><table><tr><th>Name</th><th>Team</th></tr><tr><td>Ada Ferreira</td><td>Bells</td></tr>
<tr><td>Bo Hall</td><td>Clocks</td></tr></table>"""


@pytest.mark.parametrize(
    ("question", "is_count"),
    [
        ("number of machines with a fault", True),
        ("What is the number of machines with a fault?", True),
        ("serial number of the Z820", False),
        ("What is the phone number of Ada?", False),
        ("which build number of the installer failed", False),
    ],
)
def test_a_number_after_a_noun_is_a_name_and_no_count(question: str, is_count: bool) -> None:
    asked = read_question(question)
    assert (asked is not None and asked.operation is Operation.COUNT) is is_count


def test_what_is_asked_of_somebody_follows_the_name() -> None:
    asked = read_question("What's Ada Ferreira's phone number?")
    assert asked
    assert [word.text for word in asked.subject] == ["phone", "number"]


def test_a_quotation_mark_is_no_possessive() -> None:
    asked = read_question("What are the 'night bells' settings of Ada?")
    assert asked
    assert [word.text for word in asked.subject] == ["night", "bells", "settings"]


@pytest.mark.parametrize(
    ("question", "is_answered"),
    [
        ("What's Ada Ferreira's phone number?", False),
        ("What are Ada Ferreira's hobbies?", False),
        ("What are the teams of Ada Ferreira?", True),
    ],
)
def test_a_row_with_the_name_answers_only_if_the_table_has_what_is_asked(question: str, is_answered: bool) -> None:
    assert bool(compute(question, evidences(TEAM, "Who we are"))) is is_answered
