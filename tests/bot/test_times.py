from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from bot.schedules import describe_future, describe_past
from core.i18n import format_value

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (59, "just now"), (60, "60 seconds ago"), (7100, "118 minutes ago"), (7200, "2 hours ago"),
        (47 * 3600, "47 hours ago"), (2 * 86400, "2 days ago"), (400 * 86400, "13 months ago"), (-5, "just now"),
    ],
)  # fmt: skip
def test_how_long_ago(seconds: int, said: str) -> None:
    assert format_value(describe_past(NOW - timedelta(seconds=seconds), NOW), "en") == said


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(-1, "now"), (0, "now"), (59, "in less than a minute"), (60, "in 60 seconds"), (9e4, "in 25 hours")],
)
def test_how_long_until(seconds: float, said: str) -> None:
    assert format_value(describe_future(NOW + timedelta(seconds=seconds), NOW), "en") == said
