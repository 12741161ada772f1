"""Counting tokens of language models."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from bot.settings import load_settings
from bot.wiring import open_application, today
from core.chat.limits import ChatLimits, LimitSettings
from core.model import Usage


async def test_token_usage_counts_at_once_and_after_a_restart(tmp_path: Path) -> None:
    with open_application(load_settings(data_dir=tmp_path)) as application:
        limits = ChatLimits(LimitSettings(), application.recent_questions, application.tokens, today)
        assert await limits.count_tokens_today() == 0
        for _ in range(20):
            limits.note_usage(Usage(1, 100, 7))
        assert await limits.count_tokens_today() == 2140
    with open_application(load_settings(data_dir=tmp_path)) as application:
        assert (
            await ChatLimits(
                LimitSettings(), application.recent_questions, application.tokens, today
            ).count_tokens_today()
            == 2140
        )


async def test_tokens_that_cannot_be_counted_are_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with open_application(load_settings(data_dir=tmp_path)) as application:
        limits = ChatLimits(LimitSettings(), application.recent_questions, application.tokens, today)
        limits.note_usage(Usage(1, 2**70, 0))  # more than the database can hold
        with caplog.at_level(logging.ERROR):
            assert await limits.count_tokens_today() == 0
        assert "could not be counted" in caplog.text
