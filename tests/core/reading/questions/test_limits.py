"""Limits of a question on values, dates and periods: each row that keeps them is found, and no other."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.reading.questions.limits import take_bounds
from tests.core.reading.tables import compute, evidences

MILESTONES = """<h2>Milestones</h2><table><tbody><tr><th>Milestone</th><th>Due</th><th>Status</th><th>Cost</th></tr>
<tr><td>Kick-off</td><td>2026-02-10</td><td>Done</td><td>€1,450</td></tr>
<tr><td>Pilot</td><td>29.05.2026</td><td>In progress</td><td>€99.50</td></tr>
<tr><td>Review</td><td>3 July 2026</td><td>Not started</td><td>€12,000</td></tr>
<tr><td>Go-live</td><td>September 15, 2026</td><td>Not started</td><td>€800</td></tr>
<tr><td>Archive</td><td>1. Dezember 2027</td><td>Not started</td><td>€0</td></tr>
<tr><td>Start</td><td>31/12/2025</td><td>Done</td><td>€5</td></tr></tbody></table>"""
NAMES = ["Kick-off", "Pilot", "Review", "Go-live", "Archive", "Start"]


def find(question: str, content: str = MILESTONES) -> tuple[str, list[str]]:
    """The first line of the answer, and the milestones in the others."""
    found = compute(question, evidences(content, "Project Aurora"))
    headline, *lines = found.answer.text.splitlines() if found else [""]
    return headline, [name for name in NAMES if any(f"Milestone: {name} " in line for line in lines)]


@pytest.mark.parametrize(
    ("question", "milestones"),
    [
        ("Which milestones are due before June 2026?", ["Kick-off", "Pilot", "Start"]),
        ("Which milestones are due after May 2026?", ["Review", "Go-live", "Archive"]),
        ("Which milestones are due by the end of July 2026?", ["Kick-off", "Pilot", "Review", "Start"]),
        ("Which milestones are due before the end of May 2026?", ["Kick-off", "Pilot", "Start"]),
        ("Which milestones are due since 2026-07-03?", ["Review", "Go-live", "Archive"]),
        ("Which milestones are due before 2026?", ["Start"]),
        ("which milestones are due after may 2026", ["Review", "Go-live", "Archive"]),
        ("which milestones are due after december 2026", ["Archive"]),
        ("Which milestones are due in July 2026?", ["Review"]),
        ("which milestone is due in july?", ["Review"]),
        ("Which milestones are due in 2027?", ["Archive"]),
        ("Which milestones are due on 29 May 2026?", ["Pilot"]),
        ("Which milestones are due between May and July 2026?", ["Pilot", "Review"]),
        ("Welche milestones sind vor Juni 2026 due?", ["Kick-off", "Pilot", "Start"]),
        ("Welche milestones sind im Juli 2026 due?", ["Review"]),
        ("Welche milestones sind bis Ende Mai 2026 due?", ["Kick-off", "Pilot", "Start"]),
        ("Welche milestones sind ab September 2026 due?", ["Go-live", "Archive"]),
        ("Which milestones cost more than €1,400?", ["Kick-off", "Review"]),
        ("Which milestones cost between €50 and €1,000?", ["Pilot", "Go-live"]),
        ("Welche milestones haben mehr als 1.400 € cost?", ["Kick-off", "Review"]),
        ("Welche milestones haben weniger als 99,60 € cost?", ["Pilot", "Archive", "Start"]),
    ],
)
def test_rows_are_chosen_by_limits_and_periods(question: str, milestones: list[str]) -> None:
    headline, found = find(question)
    assert found == milestones
    assert headline.startswith(f"{len(milestones)} ")


@pytest.mark.parametrize(
    ("question", "headline"),
    [
        ("Which milestones are due in August 2026?", "No row of “Milestones” matches Due: August 2026. [1]"),
        ("Which milestones cost more than €99,999?", "No row of “Milestones” matches Cost > €99,999. [1]"),
        ("Welche milestones kosten mehr als 99.999 €?", "Keine Zeile in „Milestones“ passt (Cost > 99.999 €). [1]"),
        ("Welche milestones sind vor 2025 due?", "Keine Zeile in „Milestones“ passt (Due vor 2025). [1]"),
    ],
)
def test_a_limit_that_no_row_keeps_is_named_and_no_row_is_shown(question: str, headline: str) -> None:
    assert find(question) == (headline, [])


def test_a_month_without_its_year_limits_no_column_of_several_years() -> None:
    assert find("Which milestones are due before June?") == ("", [])


def test_of_two_columns_of_dates_the_named_one_is_limited() -> None:
    rows = "<tr><td>Kick-off</td><td>2026-02-10</td><td>2026-03-01</td></tr>"
    rows += "<tr><td>Pilot</td><td>2026-03-05</td><td>2026-04-01</td></tr>"
    table = f"<h2>Milestones</h2><table><tr><th>Milestone</th><th>Start</th><th>End</th></tr>{rows}</table>"
    assert find("Which milestones have their end in March 2026?", table)[1] == ["Kick-off"]
    assert find("Which milestones have their start in March 2026?", table)[1] == ["Pilot"]
    assert find("Which milestones are in March 2026?", table)[1] == ["Kick-off", "Pilot"]  # from start to end


@pytest.mark.parametrize(
    "text",
    ["Which people come by train?", "Wer kam nach Leiden?", "seit Montag", "up to the roof"],
)
def test_other_words_are_no_limits(text: str) -> None:
    assert take_bounds(text, "en") == ((), text)


def test_a_row_with_the_date_itself_is_not_after_it() -> None:
    rows = "<tr><td>Pilot</td><td>01 January 2020</td></tr><tr><td>Launch</td><td>02 January 2020</td></tr>"
    table = f"<h2>Milestones</h2><table><tr><th>Milestone</th><th>Due</th></tr>{rows}</table>"
    found = compute("Which milestones are due after 01 January 2020?", evidences(table, "Project Aurora"))
    assert found
    assert [row.cells["Milestone"] for row in found.result.rows] == ["Launch"]


_WRITTEN = ("%Y-%m-%d", "%d.%m.%Y", "%d %B %Y", "%B %d, %Y")
_DATES = st.dates(date(2020, 1, 1), date(2027, 12, 31))


@given(st.lists(_DATES, min_size=2, max_size=8, unique=True), _DATES, st.sampled_from(_WRITTEN), st.booleans())
def test_any_date_divides_the_rows_as_the_calendar_does(
    days: list[date], limit: date, written: str, is_before: bool
) -> None:
    rows = "".join(f"<tr><td>m{at}</td><td>{day:{written}}</td></tr>" for at, day in enumerate(days))
    table = f"<h2>Milestones</h2><table><tr><th>Milestone</th><th>Due</th></tr>{rows}</table>"
    word = "before" if is_before else "after"
    found = compute(f"Which milestones are due {word} {limit:%d %B %Y}?", evidences(table, "Project Aurora"))
    wanted = [f"m{at}" for at, day in enumerate(days) if (day < limit if is_before else day > limit)]
    assert found is not None
    assert [row.cells["Milestone"] for row in found.result.rows] == wanted
