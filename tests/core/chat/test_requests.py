"""Requests for durable work: their keys, and how they are stored."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.chat import requests
from core.chat.requests import (
    ExplanationRequest,
    Json,
    QuestionRequest,
    SyncRequest,
    explain_key,
    mark_of,
    sync_key,
    turn_id_of,
)
from core.ports.chat import Place

ids = st.from_regex(r"[A-Z0-9]{1,6}", fullmatch=True)
timestamps = st.from_regex(r"[0-9]{1,10}\.[0-9]{6}", fullmatch=True)
slack = st.builds(Place, st.just("slack"), ids, ids, timestamps, st.booleans(), st.booleans())
teams = st.builds(Place, st.just("teams"), ids, st.from_regex(r"19:[a-z0-9]{1,6}@thread\.tacv2", fullmatch=True), ids)
asked = st.tuples(st.one_of(slack, teams), timestamps)


def ask_key(place: Place, message_id: str) -> str:
    return requests.ask_key(place, message_id, with_team=place.platform == "slack")


def what_counts(place: Place, message_id: str) -> tuple[str, ...]:
    team = place.team if place.platform == "slack" else ""
    return place.platform, team, place.channel, message_id


@given(asked, asked)
def test_two_messages_have_one_key_only_if_they_are_the_same(one: tuple[Place, str], other: tuple[Place, str]) -> None:
    same = what_counts(*one) == what_counts(*other)
    keys = ask_key(*one), ask_key(*other)
    assert (keys[0] == keys[1]) == same
    assert (turn_id_of(keys[0]) == turn_id_of(keys[1])) == same
    assert (mark_of(keys[0]) == mark_of(keys[1])) == same


@given(slack, timestamps, timestamps, st.booleans())
def test_a_message_has_one_key_whatever_the_event_says_of_its_thread(
    place: Place, message_id: str, thread: str, direct: bool
) -> None:
    other = Place("slack", place.team, place.channel, thread, direct, not place.shared)
    assert ask_key(place, message_id) == ask_key(other, message_id)


def test_keys_are_those_of_the_design() -> None:
    assert ask_key(Place("slack", "T1", "C1", "1.0"), "2.0") == "ask:slack:T1:C1:2.0"
    assert ask_key(Place("teams", "tenant", "19:x", "1"), "2") == "ask:teams:19:x:2"
    assert explain_key("t1") == "explain:t1"
    assert sync_key("ENG", "13.4") == "sync:ENG:13.4"


@given(asked)
def test_turn_ids_and_marks_are_opaque_and_fit_where_they_go(message: tuple[Place, str]) -> None:
    key = ask_key(*message)
    assert len(turn_id_of(key)) == 16
    assert int(turn_id_of(key), 16) >= 0
    assert mark_of(key).startswith("ww-")
    assert len(mark_of(key)) <= 255
    assert turn_id_of(key) not in key


# As version 0.1 stored them: workflows that it began are finished by later versions.
PLACE = {"platform": "slack", "team": "T1", "channel": "C1", "thread": "1.0", "direct": False, "shared": True}
QUESTION = {
    "place": PLACE, "message_id": "2.0", "user": "U1", "text": "Who is on call?", "spoken": "en", "kind": "message",
    "characters": 15, "notice": "", "key": "ask:slack:T1:C1:2.0",
}  # fmt: skip
EXPLANATION = {"place": PLACE, "turn": "t1", "user": "U1", "key": "explain:t1"}
CLICK = {"action_id": "150.5", "message_id": "2.1", "trigger": "13.4"}
SYNC = {"spaces": ["ENG"], "reason": "chat", "place": PLACE, "user": "U1", "spoken": "de", "key": "sync:ENG:13.4"}
SCHEDULED = {"spaces": ["ENG", "HR"], "reason": "schedule", "key": "sync:ENG,HR:2026-11-22T10:00:00+00:00"}


@pytest.mark.parametrize(
    ("kind", "stored"),
    [
        (QuestionRequest, QUESTION),
        (QuestionRequest, {**QUESTION, "follows": "0.5"}),
        (ExplanationRequest, EXPLANATION),
        (ExplanationRequest, {**EXPLANATION, "key": "explain:t1:150.5", "click": CLICK}),
        (SyncRequest, SYNC),
        (SyncRequest, SCHEDULED),
    ],
)
def test_what_was_stored_is_read_and_stored_alike(
    kind: type[QuestionRequest | ExplanationRequest | SyncRequest], stored: Json
) -> None:
    request = kind.from_json(stored)
    assert request.key == stored["key"]
    assert request.to_json() == stored
    assert request.place == (Place("slack", "T1", "C1", "1.0", shared=True) if "place" in stored else None)
