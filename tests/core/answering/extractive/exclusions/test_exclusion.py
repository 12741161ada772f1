"""Rows and items that share the words of a question and are about something else."""

from __future__ import annotations

import pytest

from core.answering.extractive.exclusions.exclusion import leave_out_others
from core.answering.extractive.units import list_units
from core.evidence.extract import extract
from core.model import Page, RankedEvidence

HOOKS = """<p>Hooks are applied at low tide.</p><table><tr><th>Hook</th><th>Verdict</th></tr>
<tr><td>tide.cfg</td><td>keep</td></tr><tr><td>old-tide-config.cfg</td><td>drop</td></tr></table>
<table><tr><th>Pump</th><th>Power</th></tr><tr><td>P-1</td><td>5 kW</td></tr></table>"""
CHECKLIST = """<p>Permits are marked as closed by the office.</p><table><tr><th>Item</th><th>Notes</th></tr>
<tr><td>All permits that are marked for the season have been closed.</td><td>Done by the office</td></tr>
<tr><td>All permits that are not closed have been moved to spring.</td><td></td></tr>
<tr><td>The quay was swept.</td><td></td></tr></table>"""
TRIALS = """<table><tr><th>Boat</th><th>Finding</th></tr><tr><td>Alk</td><td>Water leak</td></tr>
<tr><td>Eider</td><td>Torn sail</td></tr></table>"""

FAHRTEN = """<table><tr><th>Boot</th><th>Befund der Fahrt</th></tr><tr><td>Alk</td><td>Leck</td></tr>
<tr><td>Eider</td><td>Riss im Segel</td></tr></table>"""


def _texts(question: str, content: str) -> str:
    page = Page("1", "SEA", "Sea trials", "", content)
    found = [RankedEvidence(each, at, 1 / at) for at, each in enumerate(extract(page).evidences, start=1)]
    return " | ".join(unit.text for unit in leave_out_others(question, list_units(found)))


# ------------------------------------------------------------------------------------------ other rows


def test_only_the_row_with_the_exact_name_stays_of_its_table() -> None:
    texts = _texts("What happened to tide.cfg?", HOOKS)
    assert "keep" in texts
    assert "drop" not in texts
    assert "5 kW" in texts
    assert "low tide" in texts


def test_no_row_stays_for_a_composite_name_of_which_a_cell_is_the_first_part() -> None:
    hosts = """<table><tr><th>Host</th><th>Keeper</th></tr><tr><td>web</td><td>Ada</td></tr>
    <tr><td>web-eu</td><td>Bo</td></tr></table><p>Keepers carry a pager.</p>"""
    texts = _texts("who is the keeper of web-us", hosts)
    assert "Ada" not in texts
    assert "Bo" not in texts
    assert "pager" in texts
    assert "Ada" in _texts("who is the keeper of web", hosts)


def test_without_an_exact_name_all_rows_stay() -> None:
    for question in ("What happened to the tide hook?", "Was geschah mit other-tide.cfg?"):
        texts = _texts(question, HOOKS)
        assert "keep" in texts
        assert "drop" in texts


def test_a_number_of_something_else_leaves_no_range_out() -> None:
    ages = """<table><tr><th>Age</th><th>Fee</th></tr><tr><td>0–5</td><td>free</td></tr>
    <tr><td>6–17</td><td>4 €</td></tr><tr><td>18+</td><td>9 €</td></tr></table>"""
    for question in ("What is the fee in room 12?", "What is the fee on 12 May?", "What is the fee for 7 people?"):
        texts = _texts(question, ages)
        assert "free" in texts
        assert "9 €" in texts
    assert "9 €" not in _texts("What is the fee at age 12?", ages)


def test_rows_of_a_list_of_facts_stay() -> None:
    facts = """<table><tr><th>Name:</th><td>mod_sluice</td></tr><tr><th>Default:</th><td>SluiceTime 5s</td></tr>
    <tr><th>Status:</th><td>Extension</td></tr></table>"""
    question = "mod_sluice: default of SluiceTime?"
    assert _texts(question, facts) == _texts("", facts)


# ------------------------------------------------------------------------------------------ opposites


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
    "question",
    [
        "which boats don't report a water leak",
        "which boats dont report a water leak",
        "Which boats didn’t report a water leak?",
        "how many boats do not report a water leak",
        "how many boats havent had a water leak",
        "which boats are without a water leak",
        "welche boote melden kein leck",
        "wie viele boote sind ohne leck",
    ],
)
def test_the_denied_is_left_out_however_it_is_denied(question: str) -> None:
    texts = _texts(question, TRIALS if "boats" in question else FAHRTEN)
    assert "Eider" in texts
    assert "Alk" not in texts


def test_words_that_only_look_like_negations_deny_nothing() -> None:
    assert _texts("which boats want a water leak", TRIALS) == _texts("", TRIALS)


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


def test_a_row_stays_for_a_number_of_the_question_that_the_exact_name_lacks() -> None:
    builds = """<table><tr><th>Version</th><th>Core</th></tr><tr><td>7.1 release</td><td>A</td></tr>
    <tr><td>7.2 nightly</td><td>B</td></tr><tr><td>7.0 release</td><td>C</td></tr></table>"""
    texts = _texts("Which core is in 7.1 and which in the 7.2 nightly?", builds)
    assert "Core is A" in texts
    assert "Core is B" in texts
    assert "Core is C" not in texts
