"""Counting where the question's words are not those of the table, by the real word vectors."""

from __future__ import annotations

import pytest

from core.ports.models import WordMatcher
from core.reading.compute import compute_clear_result
from tests.core.reading.plans.test_binding import write_table
from tests.core.reading.tables import compute, evidences

GUESTS = "".join(
    write_table(("Test cases",), tuple((case,) for case in cases), heading)
    for heading, cases in (
        ("Creation of guest 1, disk not encrypted", ("Copy the image", "Start it")),
        ("Creation of guest 3, disk encrypted AES-128", ("Copy the image", "Create it", "Start it", "Stop it")),
    )
)
CALL = (
    "<h2>Attendees</h2><ul><li>Ada</li><li>Ben</li><li>Cleo</li></ul>"
    "<h2>Decisions</h2><ul><li>The call moves to two o'clock</li><li>Branch 6 is not supported any more</li></ul>"
)
RESULTS = write_table(
    ("Build", "Platform", "BIOS"),
    (("6671", "Latitude 7490", "1.9"), ("6662", "Latitude 7490", "1.9"), ("6671", "Optiplex 7060", "1.3")),
    "Release 9.0",
)

INCIDENTS = write_table(
    ("Incident", "Severity", "Status"),
    (("Mail", "P1", "closed"), ("Web", "P2", "closed"), ("Disk", "P1", "open"), ("Net", "P1", "closed")),
    "Incidents",
)
LAB = write_table(
    ("Host", "Site", "State"),
    (
        ("ada", "Utrecht, the south hall", "in use since May"),
        ("ben", "Ghent, in the old annex of the mill", "retired"),
        ("cleo", "Utrecht, below the roof", "in use"),
        ("dora", "Hamburg", "in use"),
    ),
    "Machines of the lab",
)


async def first_line(question: str, content: str, matcher: WordMatcher, title: str) -> str:
    found = await compute_clear_result(question, evidences(content, title), matcher)
    return found.answer.text.splitlines()[0] if found else ""


@pytest.mark.parametrize(
    ("question", "content", "title", "line"),
    [
        ("How many steps are there for the third guest, the one with AES-128 encryption?", GUESTS, "Installation",
         "4 entries in “Creation of guest 3, disk encrypted AES-128”:"),
        ("How many things were decided in the monthly call of August 16, 2018?", CALL, "2018-08-16 Monthly call",
         "2 entries in “Decisions”:"),
        ("How many machines were measured with build 6671?", RESULTS, "Measurements",
         "2 of 3 entries in “Release 9.0” match Build: 6671:"),
    ],
)  # fmt: skip
async def test_what_is_counted_may_have_another_word(
    question: str, content: str, title: str, line: str, matcher: WordMatcher
) -> None:
    assert await first_line(question, content, matcher, title) == line


@pytest.mark.parametrize(
    ("question", "content", "title"),
    [
        ("How many bicycles does the installation have?", GUESTS, "Installation"),
        ("How many dogs were on the monthly call of August 16, 2018?", CALL, "2018-08-16 Monthly call"),
        ("How many steps does the installation of a guest have?", GUESTS, "Installation"),  # of which guest?
        ("How many steps are there for guestType in the third guest, the one with AES-128?", GUESTS, "Installation"),
        ("How many decisions may the call make at most?", CALL, "Monthly call"),
        ("How many computers of the lab are in the south hall?", LAB, "Inventory"),  # not all of them
        ("How many computers of the lab stand in the annex?", LAB, "Inventory"),
        ("How many computers of the lab are in Utrecht?", LAB, "Inventory"),
        ("How many computers of the lab were retired?", LAB.replace("retired", "retired in the spring"), "Inventory"),
    ],
)
async def test_what_no_table_means_is_not_counted(
    question: str, content: str, title: str, matcher: WordMatcher
) -> None:
    assert await first_line(question, content, matcher, title) == ""


@pytest.mark.parametrize(
    "question",
    [
        "How many incidents did we have {}?",
        "How many P1 incidents did we have {}?",
        "How many incidents were closed {}?",
        "Which P1 incidents did we have {}?",
    ],
)
@pytest.mark.parametrize("period", ["last year", "this month", "last quarter", "yesterday", "recently"])
async def test_rows_of_which_the_time_is_not_known_are_not_those_of_a_period(
    question: str, period: str, matcher: WordMatcher
) -> None:
    assert await first_line(question.format(period), INCIDENTS, matcher, "Incidents") == ""


@pytest.mark.parametrize("period", ["letztes Jahr", "im Vorjahr", "im letzten Quartal", "heute", "letzten Monats"])
@pytest.mark.parametrize("question", ["Wie viele Vorfälle hatten wir {}?", "Wie viele P1-Vorfälle gab es {}?"])
async def test_neither_are_they_in_german(question: str, period: str, matcher: WordMatcher) -> None:
    assert await first_line(question.format(period), INCIDENTS, matcher, "Vorfälle") == ""


async def test_a_limit_in_hours_is_no_period(matcher: WordMatcher) -> None:
    runs = write_table(("Machine", "Hours"), (("ada", "4 hours"), ("ben", "9 hours"), ("cleo", "7 hours")), "Runs")
    line = await first_line("How many machines ran more than 5 hours?", runs, matcher, "Machines")
    assert line.startswith("2 of 3 entries")


async def test_a_number_that_a_sentence_states_is_left_to_the_sentence(matcher: WordMatcher) -> None:
    question = "How many things were decided in the monthly call?"
    stated = "<p>In the call we decided seven things, most of which are not in the list below at all.</p>"
    assert await first_line(question, CALL, matcher, "Monthly call") == "2 entries in “Decisions”:"
    assert await first_line(question, stated.replace("things", "decided") + CALL, matcher, "Monthly call") == ""


def test_the_table_that_has_every_name_is_taken_before_a_better_page_that_lacks_one() -> None:
    first = write_table(("Vendor", "Model"), (("Dell", "7040"), ("HP", "Z820")), "Hardware used in the test")
    second = write_table(("Vendor", "Model"), (("Dell", "7480"), ("Dell", "3420"), ("HP", "840")), "Hardware")
    found = compute(
        "How many Dell machines are in the 7.0 hardware test?",
        [*evidences(first, "Results of 9.0"), *evidences(second, "Release 7.0", page_id="8", rank=5)],
    )
    assert found is not None
    assert found.answer.text.startswith("2 of 3 entries in “Hardware” match Vendor: Dell:")
