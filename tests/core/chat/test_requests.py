"""Requests that start workflows: their keys and their stored form."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.chat import requests
from core.chat.requests import (
    ExplanationRequest,
    ForgetRequest,
    Json,
    QuestionRequest,
    RevisionRequest,
    SuggestionReference,
    SyncRequest,
    get_message_mark,
    make_explain_key,
    make_sync_key,
    make_turn_id,
)
from core.ports.chat import Place

ids = st.from_regex(r"[A-Z0-9]{1,6}", fullmatch=True)
timestamps = st.from_regex(r"[0-9]{1,10}\.[0-9]{6}", fullmatch=True)
slack = st.builds(Place, st.just("slack"), ids, ids, timestamps, st.booleans(), st.booleans())
teams = st.builds(Place, st.just("teams"), ids, st.from_regex(r"19:[a-z0-9]{1,6}@thread\.tacv2", fullmatch=True), ids)
asked = st.tuples(st.one_of(slack, teams), timestamps)


def ask_key(place: Place, message_id: str) -> str:
    return requests.make_ask_key(place, message_id, with_team=place.platform == "slack")


def what_counts(place: Place, message_id: str) -> tuple[str, ...]:
    team = place.team if place.platform == "slack" else ""
    return place.platform, team, place.channel, message_id


@given(asked, asked)
def test_two_messages_have_one_key_only_if_they_are_the_same(one: tuple[Place, str], other: tuple[Place, str]) -> None:
    same = what_counts(*one) == what_counts(*other)
    keys = ask_key(*one), ask_key(*other)
    assert (keys[0] == keys[1]) == same
    assert (make_turn_id(keys[0]) == make_turn_id(keys[1])) == same
    assert (get_message_mark(keys[0]) == get_message_mark(keys[1])) == same


@given(slack, timestamps, timestamps, st.booleans())
def test_a_messages_key_does_not_depend_on_its_thread(place: Place, message_id: str, thread: str, direct: bool) -> None:
    other = Place("slack", place.team, place.channel, thread, direct, not place.shared)
    assert ask_key(place, message_id) == ask_key(other, message_id)


def test_keys_have_their_documented_form() -> None:
    assert ask_key(Place("slack", "T1", "C1", "1.0"), "2.0") == "ask:slack:T1:C1:2.0"
    assert ask_key(Place("teams", "tenant", "19:x", "1"), "2") == "ask:teams:19:x:2"
    assert make_explain_key("t1") == "explain:t1"
    assert make_sync_key("ENG", "13.4") == "sync:ENG:13.4"


@given(asked)
def test_turn_ids_and_marks_are_opaque_and_short_enough(message: tuple[Place, str]) -> None:
    key = ask_key(*message)
    assert len(make_turn_id(key)) == 16
    assert int(make_turn_id(key), 16) >= 0
    assert get_message_mark(key).startswith("ww-")
    assert len(get_message_mark(key)) <= 255
    assert make_turn_id(key) not in key


# As version 0.1 stored them: workflows that it began are finished by later versions.
PLACE = {"platform": "slack", "team": "T1", "channel": "C1", "thread": "1.0", "direct": False, "shared": True}
QUESTION = {
    "place": PLACE, "message_id": "2.0", "user": "U1", "text": "Who is on call?", "spoken": "en", "kind": "message",
    "characters": 15, "notice": "", "key": "ask:slack:T1:C1:2.0",
}  # fmt: skip
EXPLANATION = {"place": PLACE, "turn": "t1", "user": "U1", "key": "explain:t1"}
CLICK = {"action_id": "150.5", "message_id": "2.1", "trigger": "13.4"}
EDIT = {
    "of": "ask:slack:T1:C1:2.0", "place": PLACE, "message_id": "2.0", "user": "U1", "edition": "3.0",
    "text": "Who is on call now?", "spoken": "de",
}  # fmt: skip
SYNC = {"spaces": ["ENG"], "reason": "chat", "place": PLACE, "user": "U1", "spoken": "de", "key": "sync:ENG:13.4"}
FORGET = {"place": PLACE, "space": "ENG", "run": "13.4", "user": "U1", "spoken": "de"}
SCHEDULED = {"spaces": ["ENG", "HR"], "reason": "schedule", "key": "sync:ENG,HR:2026-11-22T10:00:00+00:00"}


@pytest.mark.parametrize(
    ("kind", "stored"),
    [
        (QuestionRequest, QUESTION),
        (QuestionRequest, {**QUESTION, "follows": "0.5"}),
        (QuestionRequest, {**QUESTION, "kind": "correction", "corrects": "t1"}),
        (QuestionRequest, {**QUESTION, "kind": "correction", "page_id": "123"}),
        (QuestionRequest, {**QUESTION, "kind": "command", "page_id": "123"}),
        (QuestionRequest, {**QUESTION, "kind": "suggestion", "message_id": "0a1b.2", "key": "ask:slack:T1:C1:0a1b.2"}),
        (ExplanationRequest, EXPLANATION),
        (ExplanationRequest, {**EXPLANATION, "key": "explain:t1:150.5", "click": CLICK}),
        (SyncRequest, SYNC),
        (SyncRequest, SCHEDULED),
    ],
)
def test_stored_requests_are_read_and_stored_unchanged(
    kind: type[QuestionRequest | ExplanationRequest | SyncRequest], stored: Json
) -> None:
    request = kind.from_json(stored)
    assert request.key == stored["key"]
    assert request.to_json() == stored
    assert request.place == (Place("slack", "T1", "C1", "1.0", shared=True) if "place" in stored else None)


@pytest.mark.parametrize("stored", [EDIT, {**EDIT, "text": None}, {**EDIT, "characters": 5000}])
def test_a_stored_request_to_revise_an_answer_is_read_and_stored_unchanged(stored: Json) -> None:
    request = RevisionRequest.from_json(stored)
    assert (request.key, request.language) == ("revise:3.0:ask:slack:T1:C1:2.0", "de")
    assert request.to_json() == stored


def test_questions_from_a_form_about_a_page_and_of_suggestions_are_told_apart_when_they_are_read() -> None:
    read = QuestionRequest.from_json
    assert read({**QUESTION, "kind": "correction", "page_id": "123"}).kind == "page"
    assert read({**QUESTION, "kind": "correction", "corrects": "t1"}).kind == "correction"
    suggested = read({**QUESTION, "kind": "suggestion", "message_id": "0a1b.2"})
    assert (suggested.message_id, suggested.suggestion) == ("", SuggestionReference("0a1b", 2))


def test_a_stored_request_to_remove_a_space_is_read_and_stored_unchanged() -> None:
    request = ForgetRequest.from_json(FORGET)
    assert request.key == "forget:ENG:13.4"
    assert request.place == Place("slack", "T1", "C1", "1.0", shared=True)
    assert request.to_json() == FORGET
