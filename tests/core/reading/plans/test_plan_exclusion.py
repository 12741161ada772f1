"""Several tables of which one is meant, or of which it is not clear which one is."""

from __future__ import annotations

import pytest

from core.ports.models import WordMatcher
from core.reading.compute import find_meant_relations
from tests.core.reading.tables import compute, evidences
from tests.core.reading.test_days import write_table


def _table(heading: str, *rows: str) -> str:
    cells = "".join(f"<tr><td>{row.replace('|', '</td><td>')}</td></tr>" for row in rows)
    return f"<h3>{heading}</h3><table><tbody><tr><th>Platform</th><th>TPM</th><th>Ok</th></tr>{cells}</tbody></table>"


TABLES = (
    "<h2>Test table</h2><h2>Release 9.0.1</h2>"
    + _table("EFI", "Dell 7060|2.0|y", "Dell 9010|1.2|y", "HP 800|2.0|n")
    + _table("Legacy", "Dell 7450|1.2|y", "Dell 9010|1.2|y", "HP 810|2.0|y")
)


def test_nothing_is_counted_if_several_tables_of_a_page_fit_as_well() -> None:
    found = evidences(TABLES, "Measurement of platforms")
    assert compute("How many platforms in the measurement have TPM 2.0?", found) is None


@pytest.mark.parametrize(("heading", "count"), [("EFI", 2), ("legacy", 1)])
def test_the_heading_in_the_question_says_which_is_meant(heading: str, count: int) -> None:
    found = evidences(TABLES, "Measurement of platforms")
    computed = compute(f"How many platforms in the {heading} table have TPM 2.0?", found)
    assert computed
    assert computed.answer.text.startswith(f"{count} of 3 entries in")


RUNS = _table("Results", "Dell 7060|2.0|y", "HP 800|2.0|n", "HP 9|1.2|n") + _table(
    "Old results", "Dell 7060|1.2|y", "HP 800|2.0|y"
)


@pytest.mark.parametrize(
    ("question", "headline"),
    [
        ("How many platforms have TPM 2.0?", "2 of 3 entries in “Results”"),
        ("How many platforms have TPM 2.0 in the old results?", "1 of 2 entries in “Old results”"),
    ],
)
def test_an_old_table_is_only_meant_if_it_is_asked_for(question: str, headline: str) -> None:
    computed = compute(question, evidences(RUNS, "Measurement of platforms"))
    assert computed
    assert computed.answer.text.startswith(headline)


@pytest.mark.parametrize(
    ("title", "question", "line"),
    [
        ("Limits 2022 – outdated", "what is the hotel limit in Rotterdam", "Rotterdam, Hotel limit: €155"),
        ("Limits 2022", "what is the hotel limit in Rotterdam", ""),
        ("Limits 2022 – outdated", "hotel limit in Rotterdam in the outdated limits", "Rotterdam, Hotel limit: €125"),
    ],
)
def test_a_table_of_a_page_that_no_longer_holds_is_only_meant_if_it_is_asked_for(
    title: str, question: str, line: str
) -> None:
    old, new = (
        write_table(("City", "Hotel limit"), ("Rotterdam", limit), ("London", "£150")) for limit in ("€125", "€155")
    )
    found = [*evidences(old, title, page_id="1"), *evidences(new, "Limits (from March 2026)", page_id="2", rank=5)]
    computed = compute(question, found)
    assert (computed.answer.text.partition("\n")[0] if computed else "") == line


@pytest.mark.parametrize("heading", ["Old servers", "Alt results", "Archive results"])
def test_another_table_is_not_an_old_one(heading: str) -> None:
    content = RUNS.replace("Old results", heading)
    assert compute("How many platforms have TPM 2.0?", evidences(content, "Measurement of platforms")) is None


async def test_all_tables_that_may_be_meant_are_loaded(matcher: WordMatcher) -> None:
    found = evidences(TABLES, "Measurement of platforms")
    question = "How many platforms in the measurement have TPM 2.0?"
    meant = await find_meant_relations(question, found, matcher)
    assert [each.heading_path[-1] for each in meant] == ["EFI", "Legacy"]


CASES = """<h2>Radio</h2><table><tbody><tr><th>Test cases</th></tr><tr><td>Switch it on</td></tr>
<tr><td>Find a station</td></tr></tbody></table><h2>Clock</h2><table><tbody><tr><th>Test cases</th></tr>
<tr><td>Set the hands</td></tr><tr><td>Strike twelve</td></tr></tbody></table>"""


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("Are there test cases for the radio in the regression tests?", "Yes – 2 entries in “Radio”:"),
        ("Are there test cases for the printer in the regression tests?", ""),
        ("Are there test cases in the regression tests?", ""),
    ],
)
def test_there_is_what_a_table_under_its_heading_has(question: str, line: str) -> None:
    computed = compute(question, evidences(CASES, "Regression tests"))
    assert (computed.answer.text.splitlines()[0] if computed else "") == line


def test_a_table_of_another_version_is_not_meant() -> None:
    def make_tests(*rows: str) -> str:
        cells = "".join(f"<tr><td>{row.replace('|', '</td><td>')}</td></tr>" for row in rows)
        return f"<table><tr><th>Build</th><th>Platform</th><th>Upgrade from 8.0.1</th></tr>{cells}</table>"

    newer = evidences(make_tests("6671|Dell", "6675|HP"), "Rook 9.0 tests")
    older = evidences(make_tests("1642|Dell", "1775|HP", "|Acer and others"), "Rook 8.0 tests", page_id="8", rank=9)
    question = "What is the latest build in the Rook 8.0 tests?"
    for found in ([*newer, *older], [*older, *newer]):
        computed = compute(question, found)
        assert computed is None or "6675" not in computed.answer.text.splitlines()[0]
    alone = compute("What is the latest build in the Rook 9.0 tests?", [*older, *newer])
    assert alone
    assert "6675" in alone.answer.text.splitlines()[0]


def test_a_number_in_a_header_says_which_table_is_meant_too() -> None:
    hosts = "<table><tr><th>Host</th><th>RAM</th><th>Windows 11</th></tr><tr><td>alpha</td><td>8</td><td>yes</td></tr>"
    hosts += "<tr><td>beta</td><td>16</td><td>no</td></tr></table>"
    rollout = "<table><tr><th>Host</th><th>State</th></tr><tr><td>alpha</td><td>done</td></tr>"
    rollout += "<tr><td>gamma</td><td>open</td></tr></table>"
    found = [*evidences(hosts, "Machines"), *evidences(rollout, "Windows 11 rollout", page_id="8", rank=9)]
    computed = compute("which hosts have Windows 11", found)
    assert computed is None or "gamma" not in computed.answer.text
