"""Warnings that are logged once in a while."""

from __future__ import annotations

import logging

import pytest

from core.timing import WarningLog


def test_each_key_is_logged_once_a_minute(caplog: pytest.LogCaptureFixture) -> None:
    seconds = [0.0]
    warnings = WarningLog(logging.getLogger("some"), lambda: seconds[0])
    for at, key in ((0.0, "a"), (0.0, "a"), (0.0, "b"), (59.0, "a"), (60.0, "a"), (60.0, "a")):
        seconds[0] = at
        warnings.warn(key, "%s at %g", key, at)
    assert [record.getMessage() for record in caplog.records] == ["a at 0", "b at 0", "a at 60"]
    assert {record.name for record in caplog.records} == {"some"}
