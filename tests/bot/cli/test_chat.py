from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from unittest import mock

import pytest

from bot.operations.operation import EventListener
from bot.operations.questions import SuggestQuestions
from bot.wiring import Application
from core.model import Suggestion, Turn
from tests.bot.cli.running import Ran, wikiwhy

Play = Callable[..., Ran]


async def two_suggestions(operation: SuggestQuestions, application: Application, on_event: EventListener) -> Turn:
    """As if two follow-ups had been found."""
    turn = await application.turns.load_turn(operation.turn_id)
    assert turn
    evidence_id = turn.evidences[0].evidence.evidence_id
    suggestions = ("Who cleans the [red]kitchen[/] on Fridays?", "Who approves travel?")
    return replace(turn, suggestions=tuple(Suggestion(each, evidence_id) for each in suggestions))


@pytest.fixture
def played(synced_once: Path, tmp_path: Path) -> Play:
    def play(*lines: str) -> Ran:
        (tmp_path / "play.json").write_text(json.dumps({"turns": [{"question": line} for line in lines]}))
        with mock.patch.object(SuggestQuestions, "run", two_suggestions):
            return wikiwhy("chat", "--play", tmp_path / "play.json", "--data-dir", synced_once / "data")

    return play


def test_the_number_of_a_suggestion_asks_it(played: Play) -> None:
    ran = played("hotel limit in Berlin?", "1", "/trace")
    assert ran.code == 0, ran.err
    assert ran.says("You could also ask: 1. Who cleans the [red]kitchen[/] on Fridays? 2. Who approves travel?")
    assert ran.says("› 1 › Who cleans the [red]kitchen[/] on Fridays?", "marmaladeword")
    assert ran.says("as asked: Who cleans the [red]kitchen[/] on Fridays?")


@pytest.mark.parametrize(
    ("lines", "notice"),
    [
        (("1", "hotel limit in Berlin?", "/trace"), "No question is suggested. Ask in words."),
        (("hotel limit in Berlin?", "3", "/trace"), "There is no suggestion 3, only 1 to 2."),
        (("hotel limit in Berlin?", "0", "/trace"), "There is no suggestion 0, only 1 to 2."),
    ],
)
def test_a_number_that_was_not_suggested_asks_nothing(played: Play, lines: tuple[str, ...], notice: str) -> None:
    ran = played(*lines)
    assert ran.code == 0, ran.err
    assert ran.says(notice)
    assert ran.says("as asked: hotel limit in Berlin?")


def test_a_longer_number_is_a_question(played: Play) -> None:
    assert played("hotel limit in Berlin?", "2026", "/trace").says("as asked: 2026 ")


def test_trace_takes_prompts_or_the_number_of_a_call(played: Play) -> None:
    ran = played("/trace prompts", "hotel limit in Berlin?", "/trace  prompts", "/trace 1", "/trace [red]x[/]")
    assert ran.code == 0, ran.err
    assert ran.says("Ask something first.", "There is no /trace [red]x[/]. Type /trace, /trace prompts or /trace 2.")
    assert ran.out.count("No model was called.") == 2
    assert played("hotel limit in Berlin?", "/trace " + "9" * 5000).code == 0


def test_who_greets_or_thanks_gets_a_word_and_no_search(played: Play) -> None:
    ran = played("Who are you?", "hotel limit in Berlin?", "Danke!", "ok", "/trace")
    assert ran.code == 0, ran.err
    assert ran.says("› Who are you? I answer questions from the synced wiki", "Ask anything.")
    assert ran.says("› Danke! Gern geschehen.", "as asked: hotel limit in Berlin?")
    assert "Understood as" not in ran.out
