"""Pauses before retries."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.retries import compute_pause, read_retry_after

NOW = datetime(2026, 11, 22, 12, 0, tzinfo=UTC)
SOON = NOW + timedelta(seconds=90)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"Retry-After": "7"}, 7),
        ({"Retry-After": "0.5"}, 0.5),
        ({"Retry-After": "-3"}, 0),
        ({"Retry-After": format_datetime(SOON, usegmt=True)}, 90),
        ({"Retry-After": format_datetime(NOW - timedelta(hours=1), usegmt=True)}, 0),
        ({"Retry-After": "soon"}, None),
        ({"Retry-After": "inf"}, None),
        ({"Retry-After": "nan"}, None),
        ({"Retry-After-Ms": "1500", "Retry-After": "9"}, 1.5),
        ({"X-RateLimit-Reset": "2026-11-22T12:01Z"}, 60),
        ({"X-RateLimit-Reset": "2026-11-22T12:01:30"}, 90),
        ({"X-RateLimit-Reset": "tomorrow"}, None),
        ({"Retry-After": "2", "X-RateLimit-Reset": "2026-11-22T12:01Z"}, 2),
    ],
)
def test_the_server_says_how_long_in_seconds_as_a_date_or_not_at_all(
    headers: dict[str, str], seconds: float | None
) -> None:
    assert read_retry_after(headers, NOW) == seconds


@given(tries=st.integers(1, 5000))
def test_waits_double_up_to_the_longest_and_half_of_each_is_chance(tries: int) -> None:
    whole = min(60.0, 2.0 ** min(tries - 1, 30))
    assert whole / 2 <= compute_pause(tries, 1, 60) <= whole
