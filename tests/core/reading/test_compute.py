"""Answers that are computed from whole tables and lists, and questions for which none is."""

from __future__ import annotations

import re

import pytest

from core.reading.plans import binding
from core.reading.plans.binding import make_plans
from core.reading.relations.relation import make_relations
from tests.core.reading.tables import MACHINES, PLUGINS, compute, evidences, of_kind


def answer(question: str, content: str = MACHINES) -> str:
    found = compute(question, evidences(content))
    return found.answer.text if found else ""


@pytest.mark.parametrize(
    ("question", "headline", "rows"),
    [
        ("How many machines have an F for S3?", "2 of 5 entries in “Machines” match S3 P/F: F:", ["E7440", "Z820"]),
        ("How many HP machines are there?", "2 of 5 entries in “Machines” match Vendor: HP:", ["8300", "Z820"]),
        ("How many machines were tested with build 1775?", "3 of 5 ", ["E7440", "8300", "T440"]),
        ("Which machines have build 1630?", "2 of 5 entries in “Machines” match Build: 1630:", ["Z820", "XE2"]),
        (
            "Wie viele Maschinen von Dell haben wir?",
            "2 von 5 Einträgen in „Machines“ (Vendor: Dell):",
            ["E7440", "XE2"],
        ),
        ("How many machines are in the hardware testing?", "5 entries in “Machines”:", ["E7440", "T440"]),
        ("How many machines were tested with build 1999?", "No row of “Machines” matches Build: 1999.", []),
    ],
)
def test_rows_are_counted_or_listed_by_all_conditions(question: str, headline: str, rows: list[str]) -> None:
    found = answer(question)
    assert found.startswith(headline)
    assert all(row in found for row in rows)
    assert len(re.findall(r"(?m)^- ", found)) >= len(rows)


@pytest.mark.parametrize("question", ["how many plugins do we have for berta", "how many plugins are there for Berta?"])
def test_nothing_is_counted_for_a_name_that_stands_nowhere(question: str) -> None:
    assert answer("how many plugins do we have", PLUGINS).startswith("3 entries")
    assert not answer(question, PLUGINS)


def test_items_of_a_list_are_counted_without_those_nested_in_them() -> None:
    assert answer("How many Jenkins plugins are on the build server?", PLUGINS).startswith(
        "3 entries in “Build server”:"
    )


def test_each_row_is_cited_by_the_piece_of_the_table_that_has_it() -> None:
    found = compute("How many machines have an F for S3?", evidences(MACHINES, max_chars=200))
    assert found is not None
    assert len(found.answer.citations) == 2
    for line, citation in zip(found.answer.text.splitlines()[1:], found.answer.citations, strict=True):
        assert line.endswith(f"[{citation.number}]")
        assert line.split("Model: ")[1].split(" ")[0] in citation.quote


NEEDS_ALL_ROWS = [
    "How many machines have an F for S3?",
    "How many HP machines are there?",
    "Which machines have build 1630?",
    "Which machines are not from Dell?",
    "Welche Maschinen sind nicht von HP?",
    "What is the latest build of the machines?",
    "Did any HP machine fail S3?",
    "Did the E7440 pass S3?",
]


@pytest.mark.parametrize("question", NEEDS_ALL_ROWS)
def test_nothing_is_computed_from_a_part_of_a_table(question: str) -> None:
    rows = of_kind(evidences(MACHINES), "table_row")
    for left_out in range(len(rows)):
        assert compute(question, [*rows[:left_out], *rows[left_out + 1 :]]) is None


def test_a_table_that_is_declined_as_a_whole_is_not_computed_from_the_rows_that_were_found() -> None:
    blank = MACHINES.replace("<td>Dell</td><td>XE2</td>", "<td></td><td>XE2</td>")
    rows = of_kind(evidences(blank), "table_row")
    question = "Which machines are not from Dell?"
    assert compute(question, rows) is None
    assert compute(question, [row for row in rows if "XE2" not in row.evidence.text]) is None


@pytest.mark.parametrize(
    "question",
    [
        "How many machines were shipped with firmware 1999?",  # a number that is not there
        "How many days does a test take?",  # measured, not counted
        "How many hardware testing days are there?",
        "Wie viele Testtage hat Hardware testing?",
        "Which hotel is near Dell?",
        "How many volcanoes are there?",
        "Who tests the machines?",
        "What is HP?",
        "What do I do with build 1630?",
    ],
)
def test_a_question_that_the_table_does_not_account_for_is_not_computed(question: str) -> None:
    assert answer(question) == ""


def test_the_cells_that_name_what_is_listed_are_shown_in_whatever_column_they_stand() -> None:
    columns = "".join(
        f"<th>{name}</th>" for name in ("Xen version", "Machine", "Mode", "Monitor", "Driver", "Result", "Notes")
    )
    cells = "<td>4.3</td><td>9020</td><td>UEFI</td><td>one</td><td>i915</td><td>works</td>"
    rows = "".join(f"<tr>{cells}<td>Ubuntu {kernel} kernel</td></tr>" for kernel in ("3.11", "3.13", "3.16"))
    found = answer(
        "Which Ubuntu versions were used in the GPU tests?",
        f"<h2>GPU tests</h2><table><tr>{columns}</tr>{rows}</table>",
    )
    assert all(f"Ubuntu {kernel} kernel" in found for kernel in ("3.11", "3.13", "3.16"))


def test_a_number_that_a_column_states_is_not_counted_again() -> None:
    rows = "<tr><td>Red</td><td>7</td></tr><tr><td>Blue</td><td>9</td></tr>"
    table = f"<table><tr><th>Team</th><th>Members</th></tr>{rows}</table>"
    assert answer("How many members does team Red have?", table).startswith("Red, Members: 7\n")
    assert answer("How many members do the teams have?", table) == ""


def test_a_word_in_a_long_cell_is_no_condition() -> None:
    found = make_plans("Which machines go upstream with build 1775?", make_relations(evidences(MACHINES)))[0]
    assert [(condition.column, condition.value) for condition in found.conditions] == [("Build", "1775")]


def test_more_rows_than_fit_are_announced() -> None:
    rows = "".join(f"<tr><td>m{at}</td><td>HP</td></tr><tr><td>d{at}</td><td>Dell</td></tr>" for at in range(23))
    found = answer("How many HP machines are there?", f"<table><tr><th>Model</th><th>Vendor</th></tr>{rows}</table>")
    assert found.startswith("23 of 46 entries")
    assert found.endswith("Showing 15 of 23.")


@pytest.mark.parametrize(
    "question", ["List all machines", "Which machines are there?", "Show me the machines", "Zeig mir alle Machines"]
)
def test_a_long_table_is_listed_with_the_number_of_its_rows(question: str) -> None:
    rows = "".join(f"<tr><td>m{at}</td><td>HP</td></tr>" for at in range(300))
    table = f"<h2>Machines</h2><table><tr><th>Machine</th><th>Vendor</th></tr>{rows}</table>"
    found = answer(question, table).splitlines()
    assert found[0].startswith("300 ")
    assert [line.partition(" · ")[0] for line in found[1:-1]] == [f"- Machine: m{at}" for at in range(15)]
    assert re.search(r"15 \w+ 300", found[-1])


@pytest.mark.parametrize(
    "question", ["Who must show the machines?", "What machine should I order?", "Where do I show the machine?"]
)
def test_a_question_for_something_else_is_not_answered_by_all_rows_of_a_long_table(question: str) -> None:
    rows = "".join(f"<tr><td>m{at}</td><td>HP</td></tr>" for at in range(300))
    assert answer(question, f"<h2>Machines</h2><table><tr><th>Machine</th><th>Vendor</th></tr>{rows}</table>") == ""


def test_the_first_cells_of_a_very_wide_row_are_shown_and_the_rest_is_marked() -> None:
    head = "".join(f"<th>Metric {at}</th>" for at in range(1, 100))
    rows = "".join(
        f"<tr><td>{name}</td>{''.join(f'<td>{name[0]}{at}</td>' for at in range(1, 100))}</tr>"
        for name in ("Alpha", "Gamma")
    )
    table = f"<h2>Readings</h2><table><tr><th>Sensor</th>{head}</tr>{rows}</table>"
    [_, row] = answer("Show the readings of Sensor Gamma", table).splitlines()
    assert row.startswith("- Sensor: Gamma · Metric 1: G1 · Metric 2: G2 · ")
    assert re.sub(r"( \[\d+\])+$", "", row).endswith(" · Metric 38: G38 · …")
    assert "Metric 55: G55" in answer("Which sensor has Metric 55 G55?", table)


def test_a_result_is_not_cut_for_a_few_rows() -> None:
    rows = "".join(f"<tr><td>m{at}</td><td>HP</td></tr><tr><td>d{at}</td><td>Dell</td></tr>" for at in range(16))
    found = answer("How many HP machines are there?", f"<table><tr><th>Model</th><th>Vendor</th></tr>{rows}</table>")
    assert "m15" in found
    assert "Showing" not in found


def test_a_list_in_one_section_is_not_all_of_what_a_heading_above_names() -> None:
    items = "<ul><li>If it is new, it wins.</li><li>Otherwise, the old one wins.</li></ul>"
    assert answer("How many strategies are there?", f"<h1>Strategies</h1>{items}").startswith("2 entries")
    assert answer("How many strategies are there?", f"<h1>Strategies</h1><h2>Ours</h2>{items}") == ""


def test_a_table_of_one_row_is_not_all_of_anything() -> None:
    head, row = "<tr><th>Machine</th><th>Vendor</th></tr>", "<tr><td>Rook</td><td>HP</td></tr>"
    assert "2 entries" in answer("Which machines are there?", f"<table>{head}{row}{row}</table>")
    assert answer("Which machines are there?", f"<table>{head}{row}</table>") == ""


def test_a_number_in_brackets_of_the_page_does_not_look_like_a_citation() -> None:
    rows = "<tr><td>A1 [7]</td><td>HP</td></tr><tr><td>B2</td><td>Dell</td></tr>"
    found = answer("How many HP machines are there?", f"<table><tr><th>Model</th><th>Vendor</th></tr>{rows}</table>")
    assert "A1 (7)" in found
    assert re.findall(r"\[\d+\]", found) == ["[1]"]


def test_a_table_that_takes_too_long_to_read_and_a_question_as_long_as_a_story_are_left_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(binding, "_MOST_CELLS", 30)
    rows = "<tr><td>HP</td><td>x</td></tr>" * 16
    large = f"<table><tr><th>Vendor</th><th>Other</th></tr>{rows}</table>"
    question = "How many HP machines are there?"
    assert answer(question, large) == ""
    assert answer(question).startswith("2 of 5")
    assert answer(f"{question} {'And we have so many of them. ' * 10}") == ""


def test_not_all_rows_are_counted_where_a_word_that_is_left_stands_in_some() -> None:
    rooms = "".join(f"<li>{name}</li>" for name in ("Gloriosa with a large screen and video", "Pummerin", "Bimmel"))
    assert not answer("Wie viele Räume haben Video?", f"<h2>Räume</h2><ul>{rooms}</ul>").startswith("3 ")


def test_a_long_cell_that_is_left_out_is_marked_if_other_rows_show_the_column() -> None:
    rows = [
        ("Pump 1", "41 kg", "fine"),
        ("Pump 2", "42 kg", "It leaks. " * 40),
        ("Pump 3", "43 kg", "fine"),
        ("Pump 4", "44 kg", ""),
    ]
    lines = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    table = f"<table><tbody><tr><th>Pump</th><th>Weight</th><th>Remark</th></tr>{lines}</tbody></table>"
    found = compute("Which pumps are there?", evidences(table, title="Pumps"))
    assert found is not None
    assert [line.partition(" [")[0] for line in found.answer.text.splitlines()[1:]] == [
        "- Pump: Pump 1 · Weight: 41 kg · Remark: fine",
        "- Pump: Pump 2 · Weight: 42 kg · Remark: …",
        "- Pump: Pump 3 · Weight: 43 kg · Remark: fine",
        "- Pump: Pump 4 · Weight: 44 kg",
    ]


LONG = (
    "The screen stays black after the tools were installed, and the guest does not boot again until they are removed."
)
MATRIX = "".join(
    f"<tr><td>{'</td><td>'.join(row)}</td></tr>"
    for row in (
        ("Install a guest", "UEFI", "Rook 1803", "Legacy", "FAIL", LONG, "6662", "Ada"),
        ("Install a guest", "Legacy", "Rook 1803", "UEFI", "FAIL", LONG, "6662", "Ada"),
        ("Install a guest", "Legacy", "Rook 1809", "UEFI", "FAIL", LONG, "6662", "Ada"),
        ("Install a guest", "Legacy", "Heron 7", "UEFI", "PASS", LONG, "6662", "Ada"),
        ("Start a guest", "UEFI", "Heron 7", "UEFI", "FAIL", LONG, "6662", "Ada"),
    )
)
HEADERS = ("Test", "Host Boot", "OS Version", "OS Boot", "Result", "Notes", "Build", "Tester")
MATRIX = f"<table><tr>{''.join(f'<th>{name}</th>' for name in HEADERS)}</tr>{MATRIX}</table>"


def test_a_header_that_is_named_in_full_binds_the_value_and_rows_that_differ_look_different() -> None:
    lines = answer("How many rows with UEFI as OS boot have a FAIL?", MATRIX).splitlines()
    assert lines[0] == "3 of 5 entries in “Hardware testing” match OS Boot: UEFI, Result: FAIL:"
    assert ["Rook 1803" in line for line in lines[1:]] == [True, False, False]
    assert ["Rook 1809" in line for line in lines[1:]] == [False, True, False]
