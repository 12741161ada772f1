"""Cells that say when a row is, as stretches of days."""

from __future__ import annotations

from datetime import date

import pytest

from core.reading.questions.periods import Span
from core.reading.relations.relation import Relation, make_relations
from core.reading.results.spans import find_time_columns
from tests.core.reading.tables import evidences
from tests.core.reading.test_days import write_table


def read_table(*rows: tuple[str, ...], title: str = "Rota") -> Relation:
    [relation] = make_relations(evidences(write_table(*rows), title))
    return relation


def read_spans(header: str, *cells: str, title: str = "Rota", year: int = 2026) -> list[Span | None]:
    relation = read_table((header, "Name"), *((cell, f"Name {at}") for at, cell in enumerate(cells)), title=title)
    found = find_time_columns(relation, year)
    return list(found[0].spans) if found else []


def span(start: str, end: str = "") -> Span:
    return Span(date.fromisoformat(start), date.fromisoformat(end or start))


@pytest.mark.parametrize(
    "cell",
    [
        "9–15 Nov 2026", "9 – 15 Nov 2026", "9.–15. November 2026", "09.11.–15.11.2026", "09.11. - 15.11.2026",
        "09.11.2026 bis 15.11.2026", "2026-11-09 – 2026-11-15", "2026-11-09 to 2026-11-15", "Nov 9–15, 2026",
        "Nov 9 - Nov 15 2026", "9 Nov – 15 Nov 2026", "Mo 09.11. – So 15.11.2026", "KW 46: 09.11.–15.11.2026",
        "09.11.–15.11.2026 (KW 46)", "9–15 Nov", "09.11.-15.11.", "vom 9. bis 15. November",
    ],
)  # fmt: skip
def test_a_range_is_read_in_many_forms(cell: str) -> None:
    assert read_spans("Zeitraum", cell, "2026-11-16") == [span("2026-11-09", "2026-11-15"), span("2026-11-16")]


@pytest.mark.parametrize(
    ("cell", "days"),
    [
        ("2026-12-05", span("2026-12-05")),
        ("5 Dec 2026, 22:00–23:30", span("2026-12-05")),
        ("November 2026", span("2026-11-01", "2026-11-30")),
        ("Oct – Dec 2026", span("2026-10-01", "2026-12-31")),
        ("11/2026", span("2026-11-01", "2026-11-30")),
        ("Q3 2026", span("2026-07-01", "2026-09-30")),
        ("28.12.2026–03.01.2027", span("2026-12-28", "2027-01-03")),
        ("28.12.–03.01.2027", span("2026-12-28", "2027-01-03")),
        ("28.12.–03.01.", span("2026-12-28", "2027-01-03")),
    ],
)
def test_other_stretches(cell: str, days: Span) -> None:
    assert read_spans("When", cell, "2026-11-16")[0] == days


def test_a_year_that_no_cell_has_is_that_of_the_title_or_of_the_question() -> None:
    cells = ("21.12.–27.12.", "28.12.–03.01.", "04.01.–10.01.")
    assert read_spans("Zeitraum", *cells)[2] == span("2027-01-04", "2027-01-10")
    assert read_spans("Zeitraum", *cells, title="Rota 2024")[0] == span("2024-12-21", "2024-12-27")


@pytest.mark.parametrize("header", ["Week", "Week of", "Woche ab", "From", "Ab"])
def test_the_first_days_of_weeks_last_until_the_next(header: str) -> None:
    found = read_spans(header, "16 Nov 2026", "23 Nov 2026", "30 Nov 2026")
    assert found == [
        span("2026-11-16", "2026-11-22"),
        span("2026-11-23", "2026-11-29"),
        span("2026-11-30", "2026-12-06"),
    ]


@pytest.mark.parametrize(("header", "cells"), [("KW", ("47", "48")), ("Einsatz", ("KW 47", "KW 48"))])
def test_numbers_of_weeks(header: str, cells: tuple[str, ...]) -> None:
    assert read_spans(header, *cells) == [span("2026-11-16", "2026-11-22"), span("2026-11-23", "2026-11-29")]


def test_the_number_of_a_week_counts_where_a_rota_changes_on_another_day() -> None:
    relation = read_table(("Week", "From", "Name"), ("24", "9 June", "Felix"), ("25", "16 June", "Noor"))
    [days] = find_time_columns(relation, 2026)
    [weeks] = find_time_columns(relation, 2026, prefers_weeks=True)
    assert days.spans == (span("2026-06-09", "2026-06-15"), span("2026-06-16", "2026-06-22"))
    assert weeks.spans == (span("2026-06-08", "2026-06-14"), span("2026-06-15", "2026-06-21"))


def test_two_columns_from_and_to_are_one_stretch() -> None:
    relation = read_table(
        ("Name", "Von", "Bis"), ("Mira", "23.11.2026", "04.12.2026"), ("Jens", "21.12.2026", "31.12.2026")
    )
    [found] = find_time_columns(relation, 2026)
    assert found.columns == ("Von", "Bis")
    assert found.spans == (span("2026-11-23", "2026-12-04"), span("2026-12-21", "2026-12-31"))


@pytest.mark.parametrize("cells", [("9–15", "16–22"), ("3/4/2026", "5/4/2026"), ("soon", "9 Nov 2026"), ("1.5", "2.5")])
def test_other_cells_are_no_days(cells: tuple[str, ...]) -> None:
    assert read_spans("Range", *cells) == []
