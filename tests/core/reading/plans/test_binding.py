"""What a question is bound to does not depend on the order, the other columns or the other rows of a table."""

from __future__ import annotations

from html import escape

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.core.reading.tables import compute, evidences

COLUMNS = ("Vendor", "Model", "Build", "Result", "Notes")
ROWS = (
    ("Dell", "E7440", "1775", "Fail", "slow disk"),
    ("HP", "8300", "1775", "Pass", "replaced"),
    ("HP", "Z820", "1630", "Fail", "loud fan"),
    ("Dell", "XE2", "1630", "Pass", "small case"),
    ("NCS", "T440", "1775", "Pass", "borrowed"),
)
UNRELATED = st.lists(st.sampled_from(["Acme", "Zenith", "Nadir"]), max_size=4)


def write_table(columns: tuple[str, ...], rows: tuple[tuple[str, ...], ...], heading: str = "Machines") -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in columns)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<h2>{heading}</h2><table><tbody><tr>{head}</tr>{body}</tbody></table>"


def first_line(question: str, content: str) -> str:
    found = compute(question, evidences(content))
    return found.answer.text.splitlines()[0] if found else ""


QUESTIONS = (
    ("How many HP machines are listed in the table?", "2"),
    ("How many machines were tested with build 1775?", "3"),
    ("Which machines have build 1630 and are from Dell?", "1"),
    ("Wie viele Maschinen von HP stehen in der Tabelle?", "2"),
    ("How many machines does the hardware testing have according to the wiki?", "5"),
)


@pytest.mark.parametrize(("question", "count"), QUESTIONS)
@given(
    order=st.permutations(range(len(ROWS))),
    columns=st.permutations(range(len(COLUMNS))),
    notes=st.sampled_from(["Notes", "Remarks", "Comment", "Colour"]),
    others=UNRELATED,
)
@settings(deadline=None, max_examples=25)
def test_the_result_is_the_same_in_any_order_and_beside_other_rows(
    question: str, count: str, order: list[int], columns: list[int], notes: str, others: list[str]
) -> None:
    added = tuple((vendor, f"{vendor}{at}", "9000", "Skipped", "none") for at, vendor in enumerate(others))
    rows = tuple(ROWS[at] for at in order) + added
    named = tuple(notes if COLUMNS[at] == "Notes" else COLUMNS[at] for at in columns)
    content = write_table(named, tuple(tuple(row[at] for at in columns) for row in rows))
    expected = str(len(ROWS) + len(added)) if count == "5" else count
    assert first_line(question, content).startswith(f"{expected} ")


@given(order=st.permutations(range(len(ROWS))), columns=st.permutations(range(len(COLUMNS))))
@settings(deadline=None, max_examples=25)
def test_a_name_that_no_cell_has_is_not_computed_in_any_order(order: list[int], columns: list[int]) -> None:
    rows = tuple(tuple(ROWS[row][at] for at in columns) for row in order)
    content = write_table(tuple(COLUMNS[at] for at in columns), rows)
    for question in (
        "How many Lenovo T480 machines are there?",
        "Which machines from HP were painted green in winter?",
        "How many kilometres did the HP machines run?",
    ):
        assert first_line(question, content) == ""


RELEASES = write_table(
    ("Release Candidate", "Date"),
    (("6.0.0-RC1", "2016-07-21"), ("6.0.0-RC2", "2016-08-05"), ("6.0.0-RC3", "2016-08-12")),
    "Builds",
)
SECTIONS = write_table(("Test cases",), (("Start",), ("Stop",)), "No connection on the platform") + write_table(
    ("Test cases",), (("Ping",), ("Download",), ("Roam",)), "Ethernet connection on the platform"
)


@pytest.mark.parametrize(
    ("question", "content", "line"),
    [
        ("how many release candidates did 6.0.0 have?", RELEASES, "3 entries in “Builds”:"),
        ("Wie viele Release Candidates gab es für 6.0.0?", RELEASES, "3 Einträge in „Builds“:"),
        ("how many release candidates did 7.0.0 have?", RELEASES, ""),
        ("How many downloads did the 6.0.0-RC3 have?", RELEASES, ""),
        (
            "How many test cases does the plan list for “No connection on the platform”?",
            SECTIONS,
            "2 entries in “No connection on the platform”:",
        ),
        ("How many test cases are there for “Wireless on the platform”?", SECTIONS, ""),
    ],
)
def test_what_all_rows_have_and_what_is_quoted_is_accounted_for(question: str, content: str, line: str) -> None:
    assert first_line(question, content) == line


ATTENDEES = (
    "<h2>Attendees</h2><p>Ada Holt - AIS<br/>Ben Ruiz - NSA<br/>Cem Arslan - AIS</p><h2>Notes</h2>"
    "<ul><li>AIS team will give a talk on the state of the toolstack work next month</li><li>Slides follow</li></ul>"
)
CONDITIONS = write_table(
    ("Call", "Returns"),
    (("get_conditions", "gets a list of available conditions"), ("get_actions", "gets a list of actions")),
    "Interface",
) + write_table(
    ("Condition", "Description"), (("onLid", "Lid closed"), ("onPower", "Button"), ("onDock", "Docked")), "Available"
)


@pytest.mark.parametrize(
    ("question", "content", "line"),
    [
        (
            "how many people from AIS joined the hardware testing?",
            ATTENDEES,
            "2 of 3 entries in “Attendees” match “AIS”:",
        ),
        ("How many attendees did the hardware testing have?", ATTENDEES, "3 entries in “Attendees”:"),
        ("How many available conditions does the hardware testing list?", CONDITIONS, "3 entries in “Available”:"),
    ],
)
def test_rows_that_are_called_as_what_is_counted_come_first(question: str, content: str, line: str) -> None:
    assert first_line(question, content) == line


CARDS = write_table(
    ("Machine", "Card", "OXT-241 Repro?", "Install", "Notes"),
    (
        ("HP 8300", "W600", "Yes", "Pass", "blinks after OXT-241 was patched in a guest"),
        ("HP 8300", "K2000", "No", "Fail", "none"),
        ("Dell 9020", "K2000", "No", "Fail; screen stays black", "none"),
    ),
    "Cards",
)


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("Does the W600 show OXT-241?", "Yes – OXT-241 Repro?: Yes"),
        ("In the hardware testing, did the install on the K2000 pass?", "No – Install: Fail"),  # both rows say so
        ("Did the install on the HP 8300 pass?", ""),  # its rows differ
        ("Did the W600 pass the OXT-241 Repro?", "W600, OXT-241 Repro?: Yes"),  # a fault that is there is no pass
    ],
)
def test_a_verdict_is_that_of_all_rows_that_are_meant(question: str, line: str) -> None:
    assert first_line(question, CARDS) == line
