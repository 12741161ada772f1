"""The measurements of the bot in Teams, as far as they take no process that is killed: ``.ci/run`` has those."""

from __future__ import annotations

from collections import Counter
from typing import Any

from benchmarks.figure import Figure
from benchmarks.teams import forged, refused
from benchmarks.teams.seen import kind_of, reply
from tests.servers.teams import Message
from tests.servers.teams.state import ADAPTIVE

ANSWER = {"channelData": {"feedbackLoop": {"type": "default"}}}
LABEL = {"entities": [{"type": "https://schema.org/Message", "additionalType": ["AIGeneratedContent"]}]}


def short(figures: list[Figure]) -> list[Figure]:
    return [figure for figure in figures if figure.verdict != "ok"]


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


def test_answers_explanations_and_orphans_are_told_apart() -> None:
    waiting = Message("a:1", "1", "28:bot", {"text": "Reading the wiki …"})
    messages = [message(**ANSWER, **LABEL), message("good", "bad"), message(**LABEL), waiting, message()]

    assert [kind_of(each) for each in messages] == ["answer", "answer", "explanation", "orphan", "other"]


def test_what_can_be_explained_has_a_button_for_it() -> None:
    assert reply(message("explain", "sources", **ANSWER)).explainable
    assert not reply(message("good", **ANSWER)).explainable
