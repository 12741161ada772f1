"""The measurements of the bot in Slack, small: what they require holds, and they notice where it does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.chat import kills
from benchmarks.figure import Figure
from benchmarks.slack import refused, served
from benchmarks.slack.asking import kind_of
from tests.servers.slack import Message


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setattr(served, "FOLDER", tmp_path)
    return tmp_path


def short(figures: list[Figure]) -> list[Figure]:
    return [figure for figure in figures if figure.verdict != "ok"]


def test_questions_and_clicks_under_kills_are_answered_once(folder: Path) -> None:
    assert short(kills.measure_kills(served.workplace, 8, 1, seed=3)) == []
    assert (folder / "kills.json").exists()


def test_generated_answers_are_not_refused() -> None:
    assert short(refused.measure_refused(20, seed=4)) == []


def message(*kinds: str) -> Message:
    return Message("C1", "1.0", "U1", "", [{"type": kind} for kind in kinds])


def test_answers_explanations_and_placeholders_are_told_apart() -> None:
    messages = [message("section", "context_actions"), message("section", "context"), message("context")]

    assert [kind_of(each) for each in [*messages, message("section")]] == [
        "answer", "explanation", "placeholder", "other",
    ]  # fmt: skip
