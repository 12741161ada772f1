"""Cells are read as numbers, dates, times and versions, or are text."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.dates import MONTHS
from core.reading.values import (
    Value,
    ValueKind,
    count_days,
    find_date_value,
    is_same_kind,
    read_column,
    read_value,
    write_number,
)


@pytest.mark.parametrize(
    ("cell", "amount", "measure"),
    [
        ("12", "12", ""),
        ("1,500", "1500", ""),
        ("1,500.25 kg", "1500250", "mass"),
        ("1.500,25 kg", "1500250", "mass"),
        ("1.500.000", "1500000", ""),
        ("1 500 m", "1500", "length"),
        ("0,5 h", "1800", "duration"),
        ("0.8 s", "0.8", "duration"),
        ("2 Wochen", "1209600", "duration"),
        ("64MB", "64000000", "size"),
        ("€165", "165", "€"),
        ("165 EUR", "165", "€"),
        ("-5 °C", "-5", "temperature"),
        ("ca. 40 %", "40", "percent"),
        ("5 working days", "5", "working days"),
    ],
)
def test_numbers_have_thousands_decimals_and_units(cell: str, amount: str, measure: str) -> None:
    value = read_value(cell)
    assert (value.kind, value.key, value.measure) == (ValueKind.NUMBER, (Decimal(amount),), measure)


@pytest.mark.parametrize("cell", ["10⁶", "10⁶ V", "120¹", "120 ¹ euro", "101₂"])
def test_a_number_with_an_exponent_or_the_number_of_a_note_is_no_amount(cell: str) -> None:
    assert read_value(cell).kind is ValueKind.TEXT
    assert read_value("120 m²").measure == "m²"


@pytest.mark.parametrize(
    "cell", ["2026-10-07", "7.10.2026", "07.10.2026", "7. Oktober 2026", "7 October 2026", "Oct 7, 2026", "10/07/2026"]
)
def test_dates_are_read_in_six_formats_and_not_where_day_and_month_could_be_either(cell: str) -> None:
    value = read_value(cell)
    if "/" in cell:
        assert value.kind is ValueKind.TEXT
    else:
        assert value.key == (2026, 10, 7)


@pytest.mark.parametrize(
    "cell",
    [
        *("Sa 28.11.2026", "Sa., 28.11.2026", "Samstag, 28. November 2026", "Samstag, den 28.11.2026", "sa 2026-11-28"),
        *("Sat, 28 November 2026", "Saturday 28 Nov 2026", "Sat. November 28, 2026", "Sonnabend 28.11.2026"),
    ],
)
def test_a_date_may_have_its_weekday_before_it(cell: str) -> None:
    assert read_value(cell).key == (2026, 11, 28)
    assert read_value(cell).text == cell


@pytest.mark.parametrize("cell", ["Sa", "Sunday", "Mo 5", "Di 8:00", "Sun May", "Sam 28.11.2026", "Sa 31.11.2026"])
def test_a_weekday_alone_or_before_something_else_is_no_date(cell: str) -> None:
    assert read_value(cell).kind is ValueKind.TEXT


@pytest.mark.parametrize(
    ("cell", "kind"),
    [
        ("22:00", ValueKind.TIME),
        ("8 Uhr", ValueKind.TIME),
        ("1.21.6", ValueKind.VERSION),
        ("v2.0", ValueKind.VERSION),
        ("January", ValueKind.DATE),
        ("2026-02-31", ValueKind.TEXT),
        ("22:00 to 06:00", ValueKind.TEXT),
        ("up to 5", ValueKind.TEXT),
        ("1.5,000.2", ValueKind.TEXT),
        ("A21", ValueKind.TEXT),
        ("-", ValueKind.TEXT),
        ("", ValueKind.TEXT),
    ],
)
def test_other_cells_are_times_versions_or_text(cell: str, kind: ValueKind) -> None:
    assert read_value(cell).kind is kind


def test_a_number_that_can_be_read_in_two_ways_is_read_as_its_column_writes_decimals() -> None:
    assert [value.key[0] for value in read_column(["1.500 kg", "2,5 kg"], "en")] == [1_500_000, 2_500]
    assert [value.key[0] for value in read_column(["1.500 kg", "2.5 kg"], "de")] == [1_500, 2_500]
    assert [value.key[0] for value in read_column(["1.500 kg"], "de")] == [1_500_000]


def test_versions_are_ordered_by_their_numbers() -> None:
    values = read_column(["9.9.1", "9.10", "10.0.0"], "en")
    assert sorted(values, key=lambda value: value.key) == values


def test_values_of_different_measures_are_not_compared() -> None:
    assert not is_same_kind([read_value("5 kg"), read_value("5 m")])
    assert not is_same_kind([read_value("October 2026"), read_value("7 October 2026")])
    assert is_same_kind([read_value("90 min"), read_value("2 h")])


def test_the_one_date_of_a_sentence_is_found() -> None:
    found = find_date_value("Book the bus by 14 October 2026 (Carmen).")
    assert found is not None
    assert found.key == (2026, 10, 14)
    assert find_date_value("From 14 October 2026 to 16 October 2026") is None


@given(st.decimals(0, 10**9, places=2))
def test_a_number_is_read_as_it_was_written_in_both_languages(amount: Decimal) -> None:
    english, german = (write_number(amount, "kg", language) for language in ("en", "de"))  # type: ignore[arg-type]
    assert read_value(english).key == read_value(german, decimal=",").key == (amount * 1000,)


@given(st.dates(date(1000, 1, 1), date(2999, 12, 31)), st.integers(0, 5))
def test_a_date_is_the_same_in_every_format(day: date, form: int) -> None:
    english = {number: name for name, number in reversed(MONTHS.items())}[day.month]
    written = (
        day.isoformat(),
        f"{day.day}.{day.month}.{day.year}",
        f"{day.day}. {english.title()} {day.year}",
        f"{day.day} {english} {day.year}",
        f"{english.title()} {day.day}, {day.year}",
        f"{day.day}-{english[:3].title()}-{day.year}",
    )[form]
    value = read_value(written)
    assert value.key == (day.year, day.month, day.day)


@given(st.dates(date(1000, 1, 1), date(2900, 1, 1)), st.integers(0, 30_000))
def test_days_between_two_dates_are_those_of_the_calendar(day: date, days: int) -> None:
    later = day + timedelta(days)
    assert count_days(read_value(day.isoformat()), read_value(later.isoformat())) == days


@given(st.text(max_size=80), st.sampled_from([".", ","]))
def test_any_text_is_a_value_that_equals_itself(text: str, decimal: str) -> None:
    value = read_value(text, decimal)
    assert value == read_value(text, decimal)
    assert isinstance(value, Value)
    assert (value.kind is ValueKind.TEXT) == (not value.key)


@pytest.mark.parametrize(
    ("amount", "unit", "english", "german"),
    [
        ("8121450.5", "€", "€8,121,450.50", "8.121.450,50 €"),
        ("1234.5", "€", "€1,234.50", "1.234,50 €"),
        ("1234.50", "EUR/Monat", "1,234.50 EUR/Monat", "1.234,50 EUR/Monat"),
        ("-0.5", "CHF", "-0.50 CHF", "-0,50 CHF"),
        ("0.125", "$", "$0.125", "0,125 $"),
        ("1200.00", "€", "€1,200", "1.200 €"),
        ("1200", "EUR", "1,200 EUR", "1.200 EUR"),
        ("1889.5", "kg", "1,889.5 kg", "1.889,5 kg"),
        ("2.5", "", "2.5", "2,5"),
    ],
)
def test_money_that_is_not_whole_is_written_with_cents(amount: str, unit: str, english: str, german: str) -> None:
    written = [write_number(Decimal(amount), unit, language) for language in ("en", "de")]
    assert [each.replace("\xa0", " ") for each in written] == [english, german]
