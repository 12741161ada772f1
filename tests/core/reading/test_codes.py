"""Codes in cells that the page explains: "FF - form factor: L (laptop), D (desktop)"."""

from __future__ import annotations

import pytest

from tests.core.reading.tables import compute, evidences

LEGEND = """<p>GEN - generation of the processor: SNB (Sandy Bridge), IVB (Ivy Bridge), HSW (Haswell)</p>
<p>FF - form factor: L (laptop), D (desktop), W (workstation)</p><p>Decisions:</p><p>K - Keep</p><p>D1 - Drop</p>"""
TESTED = """<table><tbody><tr><th>Model</th><th>GEN</th><th>FF</th><th>Fate</th></tr>
<tr><td>E7440</td><td>HSW</td><td>L</td><td>K</td></tr><tr><td>8300</td><td>IVB</td><td>D</td><td>D1</td></tr>
<tr><td>Folio</td><td>IVB</td><td>L</td><td>D1</td></tr><tr><td>Z820</td><td>SNB</td><td>W</td><td>K</td></tr>
</tbody></table>"""


def first_line(question: str, content: str = LEGEND + TESTED) -> str:
    computed = compute(question, evidences(content, "Release 6 testing"))
    return computed.answer.text.splitlines()[0] if computed else ""


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many laptops are in the release 6 testing?", "2 of 4 entries in “Release 6 testing” match FF: L:"),
        ("Which Ivy Bridge models were tested?", "2 of 4 entries in “Release 6 testing” match GEN: IVB:"),
        ("Which Ivy Bridge (IVB) models were tested?", "2 of 4 entries in “Release 6 testing” match GEN: IVB:"),
        ("How many models were dropped?", "2 of 4 entries in “Release 6 testing” match Fate: D1:"),
        ("How many models are not laptops?", "2 of 4 entries in “Release 6 testing” match not FF: L:"),
        ("Welche Modelle sind Desktops?", "Model: 8300 (FF: D)"),
    ],
)
def test_the_meaning_of_a_code_selects_the_rows_with_the_code(question: str, expected: str) -> None:
    assert first_line(question) == expected


def test_a_legend_itself_is_no_data() -> None:
    assert first_line("Which Ivy Bridge processors are there?").startswith("2 of 4 entries")
    assert first_line("How many generations of processors are there?") == ""


@pytest.mark.parametrize(
    "question",
    [
        "How many models were rejected?",  # perhaps those with D1, and not all
        "How many models passed?",
    ],
)
def test_rows_are_not_counted_as_a_whole_if_a_word_may_be_a_kind_of_them(question: str) -> None:
    assert first_line(question) == ""
