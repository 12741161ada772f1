from __future__ import annotations

import logging

import pytest

from bot.refusals import RefusalLog, http_logger


@pytest.fixture(autouse=True)
def _captured(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)


def test_a_flood_of_refusals_makes_few_lines_and_says_how_many_there_were(caplog: pytest.LogCaptureFixture) -> None:
    now = 0.0
    refusals = RefusalLog(logging.getLogger("tests"), lines=2, seconds=60, clock=lambda: now)
    for _ in range(1000):
        refusals.warn("A request was refused: %s", "why")
    assert [record.getMessage() for record in caplog.records] == ["A request was refused: why"] * 2
    now = 61.0
    refusals.warn("A request was refused: %s", "why")
    assert [record.getMessage() for record in caplog.records][2:] == [
        "998 more requests were refused, which were not logged one by one.", "A request was refused: why",
    ]  # fmt: skip


def test_what_is_no_http_leaves_no_traceback_and_a_defect_of_ours_does(caplog: pytest.LogCaptureFixture) -> None:
    from aiohttp.http_exceptions import BadHttpMessage

    logger = http_logger("tests.refusals.http")
    for error in [BadHttpMessage("\r\nforged line")] * 50 + [RuntimeError("a defect")]:
        try:
            raise error
        except Exception:
            logger.exception("Error handling request from %s", "10.0.0.1")
    assert len(caplog.records) == 6
    assert [record.levelname for record in caplog.records] == ["WARNING"] * 5 + ["ERROR"]
    assert [bool(record.exc_info) for record in caplog.records] == [False] * 5 + [True]
    assert "forged" not in caplog.text
