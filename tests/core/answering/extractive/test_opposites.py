"""Rows and items that state the opposite of what a question asks for."""

from __future__ import annotations

import pytest

from core.answering.extractive.opposites import leave_out_opposites
from core.answering.extractive.units import list_units
from core.evidence.extract import extract
from core.model import Page, RankedEvidence

CHECKLIST = """<p>Permits are marked as closed by the office.</p><table><tr><th>Item</th><th>Notes</th></tr>
<tr><td>All permits that are marked for the season have been closed.</td><td>Done by the office</td></tr>
<tr><td>All permits that are not closed have been moved to spring.</td><td></td></tr>
<tr><td>The quay was swept.</td><td></td></tr></table>"""
TRIALS = """<table><tr><th>Boat</th><th>Finding</th></tr><tr><td>Alk</td><td>Water leak</td></tr>
<tr><td>Eider</td><td>Torn sail</td></tr></table>"""


def _texts(question: str, content: str) -> str:
    page = Page("1", "SEA", "Sea trials", "", content)
    found = [RankedEvidence(each, at, 1 / at) for at, each in enumerate(extract(page).evidences, start=1)]
    return " | ".join(unit.text for unit in leave_out_opposites(question, list_units(found)))


@pytest.mark.parametrize(
    "question",
    [
        "How are permits that are not marked as closed dealt with?",
        "Wie geht man mit Genehmigungen um, die nicht als „geschlossen“ markiert sind?",  # no row in German denies it
    ],
)
def test_rows_that_deny_it_stay_and_rows_that_affirm_it_do_not(question: str) -> None:
    texts = _texts(question, CHECKLIST)
    assert "moved to spring" in texts
    assert "have been closed" not in texts
    assert "by the office" in texts  # a sentence


def test_a_row_with_the_whole_denied_phrase_does_not_stay() -> None:
    texts = _texts("Which boats did not result in a water leak during the trial?", TRIALS)
    assert "Water leak" not in texts
    assert "Torn sail" in texts


@pytest.mark.parametrize(
    ("question", "content"),
    [
        ("Which permits are closed?", CHECKLIST),
        ("Why can I not close a permit?", CHECKLIST),
        ("Which boats did not come back?", TRIALS),
        ("What can I do if I do not want a water leak?", TRIALS),
        ("Hat ein Boot die Probe nicht bestanden?", TRIALS),
        ("Was war der Befund, als das Boot nicht kam?", TRIALS),
    ],
)
def test_other_questions_keep_all_rows(question: str, content: str) -> None:
    assert _texts(question, content) == _texts("", content)
