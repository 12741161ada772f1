"""The measurements of the bot in Teams, small: what they require holds, and they notice where it does not."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from benchmarks.chat import kills
from benchmarks.figure import Figure
from benchmarks.teams import forged, refused, served
from benchmarks.teams.seen import kind_of, reply
from tests.servers.teams import Message
from tests.servers.teams.state import ADAPTIVE

ANSWER = {"channelData": {"feedbackLoop": {"type": "default"}}}
LABEL = {"entities": [{"type": "https://schema.org/Message", "additionalType": ["AIGeneratedContent"]}]}


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setattr(served, "FOLDER", tmp_path)
    return tmp_path


def short(figures: list[Figure]) -> list[Figure]:
    return [figure for figure in figures if figure.verdict != "ok"]


def test_questions_and_clicks_under_kills_are_answered_once(folder: Path) -> None:
    assert short(kills.measure_kills(served.tenant, 8, 1, seed=3)) == []
    assert (folder / "kills.json").exists()


def test_forged_requests_are_refused_by_the_server(folder: Path) -> None:
    assert short(forged.measure_forged(seed=1)) == []


def test_a_forged_request_that_gets_through_fails() -> None:
    found = Counter({("expired", 401): 3, ("unsigned", 500): 1, ("alg none", 200): 1})

    figures = forged._figures(found, ["ask:teams:a:1"], 2)
    assert [figure.measured for figure in figures] == [2, 1, 1, 2]
    assert all(figure.failed for figure in figures)


def test_generated_answers_are_not_refused() -> None:
    assert short(refused.measure_refused(20, seed=4)) == []


def message(*actions: str, **activity: Any) -> Message:
    body = [{"type": "ActionSet", "actions": [{"type": "Action.Execute", "verb": verb} for verb in actions]}]
    card = {"contentType": ADAPTIVE, "content": {"type": "AdaptiveCard", "body": body}}
    return Message("a:1", "1", "28:bot", {"attachments": [card], **activity})


def test_answers_explanations_and_placeholders_are_told_apart() -> None:
    waiting = Message("a:1", "1", "28:bot", {"text": "Reading the wiki …"})
    messages = [message(**ANSWER, **LABEL), message(**LABEL), waiting, message()]

    assert [kind_of(each) for each in messages] == ["answer", "explanation", "placeholder", "other"]


def test_what_can_be_explained_has_a_button_for_it() -> None:
    assert reply(message("explain", "sources", **ANSWER)).explainable
    assert not reply(message("good", **ANSWER)).explainable
