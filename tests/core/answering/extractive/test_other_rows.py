"""Rows with another name than the exact one of the question."""

from __future__ import annotations

from core.answering.extractive.other_rows import leave_out_other_rows
from core.answering.extractive.units import list_units
from core.evidence.extract import extract
from core.model import Page, RankedEvidence

HOOKS = """<p>Hooks are applied at low tide.</p><table><tr><th>Hook</th><th>Verdict</th></tr>
<tr><td>tide.cfg</td><td>keep</td></tr><tr><td>old-tide-config.cfg</td><td>drop</td></tr></table>
<table><tr><th>Pump</th><th>Power</th></tr><tr><td>P-1</td><td>5 kW</td></tr></table>"""


def _texts(question: str) -> list[str]:
    page = Page("1", "DYKE", "Dyke queue", "", HOOKS)
    found = [RankedEvidence(each, at, 1 / at) for at, each in enumerate(extract(page).evidences, start=1)]
    return [unit.text for unit in leave_out_other_rows(question, list_units(found))]


def test_only_the_row_with_the_exact_name_stays_of_its_table() -> None:
    texts = " ".join(_texts("What happened to tide.cfg?"))
    assert "keep" in texts
    assert "drop" not in texts
    assert "5 kW" in texts
    assert "low tide" in texts


def test_without_an_exact_name_all_rows_stay() -> None:
    for question in ("What happened to the tide hook?", "Was geschah mit other-tide.cfg?"):
        texts = " ".join(_texts(question))
        assert "keep" in texts
        assert "drop" in texts


def test_rows_of_a_list_of_facts_stay() -> None:
    facts = """<table><tr><th>Name:</th><td>mod_sluice</td></tr><tr><th>Default:</th><td>SluiceTime 5s</td></tr>
    <tr><th>Status:</th><td>Extension</td></tr></table>"""
    found = [
        RankedEvidence(each, at, 1 / at)
        for at, each in enumerate(extract(Page("1", "DYKE", "Sluice", "", facts)).evidences, start=1)
    ]
    units = list_units(found)
    assert leave_out_other_rows("mod_sluice: default of SluiceTime?", units) == units
