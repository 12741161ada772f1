"""The measurements of the bot in Slack, small: what they require holds, and they notice where it does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.figure import Figure
from benchmarks.slack import kills, left, refused, served
from benchmarks.slack.asking import is_answer, is_explanation, is_placeholder
from benchmarks.slack.left import Left
from tests.servers.slack import Message


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    for module in (kills, served):
        monkeypatch.setattr(module, "FOLDER", tmp_path)
    return tmp_path


def short(figures: list[Figure]) -> list[Figure]:
    return [figure for figure in figures if figure.verdict != "ok"]


def test_questions_and_clicks_under_kills_are_answered_once(folder: Path) -> None:
    assert short(kills.measure_kills(8, 1, seed=3)) == []
    assert (folder / "kills.json").exists()


def test_generated_answers_are_not_refused() -> None:
    assert short(refused.measure_refused(20, seed=4)) == []


def message(*kinds: str) -> Message:
    return Message("C1", "1.0", "U1", "", [{"type": kind} for kind in kinds])


def test_answers_explanations_and_placeholders_are_told_apart() -> None:
    answer, explanation, waiting = (
        message("section", "context_actions"),
        message("section", "context"),
        message("context"),
    )
    found = [
        (is_answer(each.blocks), is_explanation(each), is_placeholder(each)) for each in (answer, explanation, waiting)
    ]

    assert found == [(True, False, False), (False, True, False), (False, False, True)]


def test_what_is_missing_or_there_twice_is_counted() -> None:
    answer = message("context_actions")
    outcome = kills._outcome(
        {"1": [answer, answer], "2": [message("context")]}, lambda one: is_answer(one.blocks), [], 0.0
    )

    assert (outcome.double, outcome.lost, len(outcome.orphans)) == (["1"], ["2"], 1)


def test_a_killed_server_tells_how_far_it_was() -> None:
    state = Left({"ask:done": True, "ask:b": False}, frozenset({"b"}), frozenset({"ask:a", "ask:b"}), frozenset())
    moments = [
        state.moment(f"ask:{name}", name, posted) for name, posted in [("done", True), ("new", False), ("a", False)]
    ]

    assert moments == ["", left.BEFORE_START, left.BEFORE_PLACEHOLDER]
    assert state.moment("ask:a", "a", posted=True) == left.BETWEEN
    assert (state.moment("ask:b", "b", True), state.moment("ask:b", "c", True)) == (left.BEFORE_SHOWN, left.BEFORE_TURN)
