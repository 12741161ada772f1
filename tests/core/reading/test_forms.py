"""Conditions whose words differ from those of the cells: forms, units, numbers; and "only", "both", sections."""

from __future__ import annotations

import pytest

from tests.core.reading.tables import compute, evidences

TESTS = """<h2>Matrix</h2><table><tbody><tr><th>Test</th><th>Guest</th><th>Result</th><th>Parts</th></tr>
<tr><td>Install</td><td>Windows 10</td><td>FAIL; slow</td><td>core</td></tr>
<tr><td>Boot</td><td>Windows 10</td><td>PASS</td><td>core, tools</td></tr>
<tr><td>Sleep</td><td>Debian</td><td>FAIL</td><td>tools</td></tr>
<tr><td>Wake</td><td>Debian</td><td>PWE</td><td>tools</td></tr></tbody></table>"""
LAPTOPS = """<h2>Laptops</h2><table><tbody><tr><th>Model</th><th>Memory</th><th>Replaced after</th></tr>
<tr><td>Anvil</td><td>16 GB</td><td>4 years</td></tr><tr><td>Feather</td><td>8GB</td><td>3 years</td></tr>
<tr><td>Tortoise</td><td>16GB</td><td>4 years</td></tr><tr><td>Rock</td><td>32G</td><td>none</td></tr>
</tbody></table>"""
SPLIT = """<h2>Configuration</h2><table><tbody>
<tr><th>Default parts</th><th>Y/N</th><th>Optional parts</th><th>Y/N</th></tr>
<tr><td>Clock</td><td>Yes</td><td>Radio</td><td>No</td></tr>
<tr><td>Motor</td><td>Yes</td><td>Lamp</td><td>Yes</td></tr></tbody></table>"""
CHECKLIST = """<h2>Before the launch</h2><ac:task-list>
<ac:task><ac:task-status>complete</ac:task-status><ac:task-body>Test</ac:task-body></ac:task>
<ac:task><ac:task-status>incomplete</ac:task-status><ac:task-body>Pack</ac:task-body></ac:task></ac:task-list>
<h2>After the launch</h2><ac:task-list>
<ac:task><ac:task-status>incomplete</ac:task-status><ac:task-body>Tell</ac:task-body></ac:task></ac:task-list>"""


MEMBERS = """<h2>Members</h2><table><tbody><tr><th>Member</th><th>Committees</th><th>Fee</th></tr>
<tr><td>Ada</td><td>Staff</td><td>1,775</td></tr><tr><td>Nia</td><td>IT, Data protection</td><td>1</td></tr>
<tr><td>Uwe</td><td>IT</td><td>1</td></tr></tbody></table>"""


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("Which laptop has the most RAM?", "Largest “Memory” in “Laptops”: 32GB – Rock"),
        ("Which laptop has the most power?", ""),
        ("Which laptop has the biggest disk?", ""),
        ("Which laptop has the most storage?", ""),
    ],
)
def test_a_word_for_what_is_measured_names_the_column(question: str, line: str) -> None:
    assert first_line(question, LAPTOPS) == line


def test_one_of_several_values_of_a_cell_is_meant_too() -> None:
    assert first_line("Which members are in the committee IT?", MEMBERS) == (
        "2 of 3 entries in “Members” match Committees: IT:"
    )
    assert first_line("Which members have a fee of 1?", MEMBERS) == "2 of 3 entries in “Members” match Fee: 1:"


def first_line(question: str, content: str, title: str = "Release 9") -> str:
    computed = compute(question, evidences(content, title))
    return computed.answer.text.splitlines()[0] if computed else ""


@pytest.mark.parametrize(
    ("question", "content", "expected"),
    [
        ("How many tests failed in the matrix?", TESTS, "2 of 4 entries in “Matrix” match Result: FAIL:"),
        ("Which tests with Windows 10 guests failed?", TESTS, "Test: Install (Guest: Windows 10, Result: FAIL)"),
        ("Which laptops have 16GB of memory?", LAPTOPS, "2 of 4 entries in “Laptops” match Memory: 16GB:"),
        ("Which laptops are replaced after four years?", LAPTOPS, "2 of 4 entries in “Laptops” match"),
        ("Welche Laptops werden nach vier Jahren ersetzt?", LAPTOPS, "2 von 4 Einträgen in „Laptops“ ("),
        ("Which laptop has the most memory?", LAPTOPS, "Largest “Memory” in “Laptops”: 32GB"),
    ],
)  # fmt: skip
def test_a_value_is_bound_in_another_form_unit_or_spelling(question: str, content: str, expected: str) -> None:
    assert first_line(question, content).startswith(expected)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many tests have both core and tools?", "1 of 4 entries in “Matrix” matches Parts: tools, Parts: core"),
        ("How many tests have only tools?", "2 of 4 entries in “Matrix” match Parts: tools:"),
        ("How many tests have tools?", "3 of 4 entries in “Matrix” match Parts: tools:"),
    ],
)  # fmt: skip
def test_only_and_both_select_by_the_whole_cell(question: str, expected: str) -> None:
    assert first_line(question, TESTS, "Core release 9").startswith(expected)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many default parts are there?", "2 of 4 entries in “Configuration” match “Default parts”:"),
        ("Which configuration parts are not Yes?", "1 of 4 entries in “Configuration” matches not Y/N: Yes:"),
        ("Which optional parts are enabled?", "Optional parts, Yes, parts: Lamp"),
        ("Is the radio enabled?", "No – Y/N: No"),
    ],
)  # fmt: skip
def test_columns_that_are_repeated_side_by_side_are_one_table(question: str, expected: str) -> None:
    assert first_line(question, SPLIT) == expected


def test_the_heading_over_tasks_selects_them() -> None:
    said = first_line("Which tasks are still open before the launch?", CHECKLIST, "Checklist")
    assert said == "1 of 3 entries in “Checklist” matches “Before the launch”, state: open:"


RULES = """<h2>Rules</h2><table><tbody><tr><th>Rule</th><th>Inputs</th><th>State</th><th>Notes</th></tr>
<tr><td>add_rule</td><td>name</td><td>FAIL</td><td>Is this known upstream already? Ask Mara first</td></tr>
<tr><td>clear_rules</td><td>-</td><td>PASS</td><td></td></tr><tr><td>get_rules</td><td>-</td><td>FAIL</td><td></td></tr>
<tr><td>set_rule</td><td>name</td><td>PASS</td><td>Slow</td></tr></tbody></table>"""


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which rules have notes?", "2 of 4 entries in “Rules” match Notes: given:"),
        ("Which rules take no input?", "2 of 4 entries in “Rules” match no Inputs:"),
        ("How many states of the rules are FAIL?", "2 of 4 entries in “Rules” match State: FAIL:"),
        ("How many rules are known upstream already?", ""),  # a part of one remark
        ("Which rules have a name only?", ""),
    ],
)
def test_rows_are_selected_by_whether_a_cell_is_filled_and_not_counted_by_a_part_of_a_remark(
    question: str, expected: str
) -> None:
    assert first_line(question, RULES) == expected


def test_exactly_one_is_a_limit() -> None:
    pages = LAPTOPS.replace("Memory", "Bells").replace("16 GB", "1").replace("8GB", "2").replace("16GB", "1")
    assert first_line("Which laptops have only one of the bells?", pages.replace("32G", "3")) == (
        "2 of 4 entries in “Laptops” match Bells: 1:"
    )
