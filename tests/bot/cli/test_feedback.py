"""``wikiwhy feedback export``, alone and through a running server."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from bot.settings import load_settings
from bot.wiring import open_application
from core.ports import Feedback
from tests.bot.cli.running import wikiwhy
from tests.contracts.examples import indexed_page, turn
from tests.servers.serving import serving


def filled(data: Path) -> Path:
    async def fill() -> None:
        with open_application(load_settings(data_dir=data)) as application:
            page = indexed_page("7", ("Ann approves travel.",))
            await application.turns.add(turn(used=(page,), cited=(page,), answer="Ann ü. [1]"))
            await application.feedback.keep(Feedback("t1", "slack:T1:U1", "bad", "Zu alt", "2026-01-02T00:00:00+00:00"))
            await application.feedback.keep(Feedback("gone", "slack:T1:U2", "good", "", "2026-01-01T00:00:00+00:00"))

    asyncio.run(fill())
    return data


def test_all_feedback_is_printed_a_line_each_oldest_first_with_its_question(tmp_path: Path) -> None:
    ran = wikiwhy("feedback", "export", "--data-dir", filled(tmp_path / "data"))
    assert ran.code == 0
    gone, kept = map(json.loads, ran.out.splitlines())
    assert gone == {
        "at": "2026-01-01T00:00:00+00:00",
        "person": "slack:T1:U2",
        "reaction": "good",
        "reason": "",
        "turn_id": "gone",
    }
    assert (kept["reason"], kept["question"], kept["answer"], kept["answered"]) == (
        "Zu alt",
        "And then?",
        "Ann ü. [1]",
        True,
    )
    assert kept["pages"] == [{"page_id": "7", "title": "Title of 7", "url": "https://wiki/7"}]


def test_a_file_is_written_instead_or_it_is_said_why_not(tmp_path: Path) -> None:
    data = filled(tmp_path / "data")
    alone = wikiwhy("feedback", "export", "--data-dir", data)
    ran = wikiwhy("feedback", "export", "--output", tmp_path / "out.jsonl", "--data-dir", data)
    assert (ran.code, ran.out) == (0, "")
    assert (tmp_path / "out.jsonl").read_text("utf-8") == alone.out
    ran = wikiwhy("feedback", "export", "--output", tmp_path / "no" / "out.jsonl", "--data-dir", data)
    assert ran.code == 1
    assert ran.says("cannot be written", "Name another file")


@pytest.mark.slow
def test_through_a_server_it_is_the_same(tmp_path: Path) -> None:
    data = filled(tmp_path / "data")
    alone = wikiwhy("feedback", "export", "--data-dir", data)
    with serving(data, ready=False):
        assert wikiwhy("feedback", "export", "--data-dir", data).out == alone.out
