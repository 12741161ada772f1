"""Questions whose words name a heading, and not rows that mention it."""

from __future__ import annotations

import pytest

from tests.core.reading.tables import compute, evidences

TRIALS = """<h3>Pilot boat crews in the trials:</h3><ul><li>Alk and Fuut</li><li>Eider</li></ul><h2>Trials</h2><table>
<tr><th>Trial</th><th>Result</th></tr><tr><td>Start engines of pilot boats for hours at low tide.</td><td>pass</td></tr>
<tr><td>Radio check</td><td>pass</td></tr><tr><td>Anchor at night</td><td>fail</td></tr></table>"""
PROBEN = """<h3>Lotsen VMs im Test:</h3><ul><li>Debian</li><li>Fedora</li></ul><h2>Proben</h2><table>
<tr><th>Probe</th><th>Ergebnis</th></tr><tr><td>Lotsen VM auf zwei Rechnern neu starten.</td><td>gut</td></tr>
<tr><td>Funk</td><td>gut</td></tr></table>"""
STARTS = """<h2>Proben</h2><table><tr><th>Testfall</th></tr><tr><td>Start VMs</td></tr><tr><td>Delete VMs</td></tr>
<tr><td>Reboot</td></tr></table>"""


def answer(question: str, content: str) -> str:
    computed = compute(question, evidences(content, "Harbour trials"))
    return computed.answer.text if computed else ""


@pytest.mark.parametrize(
    ("question", "content", "headline"),
    [
        (
            "Which pilot boats were used in the harbour trials?",
            TRIALS,
            "2 entries in “Pilot boat crews in the trials”:",
        ),
        ("Welche Lotsen VMs gab es in den Harbour trials?", PROBEN, "2 Einträge in „Lotsen VMs im Test“:"),
    ],
)
def test_the_list_under_the_named_heading_is_the_answer(question: str, content: str, headline: str) -> None:
    assert answer(question, content).split("\n")[0] == headline


def test_a_whole_cell_still_selects_rows() -> None:
    page = TRIALS.replace("Radio check", "Pilot boats")
    assert "Trial: Pilot boats" in answer("Which pilot boats were used in the harbour trials?", page)


def test_a_listed_noun_in_cells_selects_no_rows_if_its_description_is_unknown() -> None:
    assert answer("Welche Gast VMs wurden in den Harbour trials genutzt?", STARTS) == ""
