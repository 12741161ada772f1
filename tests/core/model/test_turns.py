"""The day of a turn."""

from __future__ import annotations

from datetime import date

import pytest

from core.model import find_day


@pytest.mark.parametrize(
    ("moment", "timezone", "day"),
    [
        ("2026-11-29T00:30:00+00:00", "UTC", date(2026, 11, 29)),
        ("2026-11-29T00:30:00+00:00", "America/New_York", date(2026, 11, 28)),
        ("2026-11-28T23:30:00+00:00", "Europe/Berlin", date(2026, 11, 29)),
        ("2026-11-28T23:30:00", "Europe/Berlin", date(2026, 11, 29)),  # of an old turn, in UTC
        ("yesterday", "UTC", None),
        ("2026-11-28T23:30:00+00:00", "Middle/Earth", None),
    ],
)
def test_a_question_is_asked_on_the_day_of_its_time_zone(moment: str, timezone: str, day: date | None) -> None:
    assert find_day(moment, {"timezone": timezone}) == day


def test_without_a_time_zone_the_day_is_in_utc() -> None:
    assert find_day("2026-11-29T00:30:00+00:00", {}) == date(2026, 11, 29)
