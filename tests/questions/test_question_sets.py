"""The two question sets keep their format, their counts and, where the pages are at hand, true addresses."""

import json
import os
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
TURN_KEYS = {
    "turn_id",
    "q_type",
    "q_en",
    "q_de",
    "completed_q_en",
    "completed_q_de",
    "a_url",
    "a_source",
    "a",
}
QUESTION_KEYS = ("q_en", "q_de", "completed_q_en", "completed_q_de")

Conversations = list[dict[str, Any]]


def _load(name: str) -> Conversations:
    conversations: Conversations = json.loads((HERE / name).read_text(encoding="utf-8"))
    return conversations


def _turns(conversations: Conversations) -> list[dict[str, Any]]:
    return [turn for conversation in conversations for turn in conversation["turns"]]


def _confquestions() -> Path:
    """The folder holding `documents/`; the pages are licensed data and not part of the repository."""
    given = os.environ.get("WIKIWHY_CONFQUESTIONS")
    return Path(given) if given else ROOT.parent / "shared" / "confquestions"


@pytest.fixture
def subject_changes() -> Conversations:
    return _load("subject_changes.json")


@pytest.fixture
def unanswerable() -> Conversations:
    return _load("unanswerable.json")


@pytest.mark.parametrize("name", ["subject_changes.json", "unanswerable.json"])
def test_every_turn_has_the_keys_of_the_benchmark_format(name: str) -> None:
    for turn in _turns(_load(name)):
        assert turn.keys() >= TURN_KEYS
        assert turn["q_type"] in {"simple", "complex"}
        assert turn["a_source"] in {"passage", "list", "table"}
        assert isinstance(turn["a_url"], list)


@pytest.mark.parametrize("name", ["subject_changes.json", "unanswerable.json"])
def test_every_question_has_words_in_both_languages(name: str) -> None:
    for turn in _turns(_load(name)):
        assert all(turn[key].strip() for key in QUESTION_KEYS), turn


@pytest.mark.parametrize("name", ["subject_changes.json", "unanswerable.json"])
def test_conversations_and_turns_are_numbered_in_order(name: str) -> None:
    conversations = _load(name)
    assert [c["conv_id"] for c in conversations] == [str(n) for n in range(1, len(conversations) + 1)]
    for conversation in conversations:
        turns = conversation["turns"]
        assert [turn["turn_id"] for turn in turns] == [str(n) for n in range(1, len(turns) + 1)]


@pytest.mark.parametrize("name", ["subject_changes.json", "unanswerable.json"])
def test_no_completed_question_occurs_twice(name: str) -> None:
    turns = _turns(_load(name))
    for key in ("completed_q_en", "completed_q_de"):
        assert len({turn[key] for turn in turns}) == len(turns)


def test_there_are_twenty_conversations_of_four_to_six_turns(subject_changes: Conversations) -> None:
    assert len(subject_changes) == 20
    assert {len(conversation["turns"]) for conversation in subject_changes} <= {4, 5, 6}


def test_the_subject_changes_inside_every_conversation(subject_changes: Conversations) -> None:
    for conversation in subject_changes:
        first, *later = conversation["turns"]
        assert first["subject_change"] is False
        assert any(turn["subject_change"] is True for turn in later), conversation["conv_id"]


def test_a_turn_is_marked_exactly_when_its_gold_pages_are_other_ones(subject_changes: Conversations) -> None:
    for conversation in subject_changes:
        turns = conversation["turns"]
        for before, turn in pairwise(turns):
            other_pages = set(turn["a_url"]).isdisjoint(before["a_url"])
            assert turn["subject_change"] is other_pages, (conversation["conv_id"], turn["turn_id"])


def test_a_follow_up_is_completed_with_words_it_leaves_out(subject_changes: Conversations) -> None:
    for conversation in subject_changes:
        for turn in conversation["turns"][1:]:
            if not turn["subject_change"]:
                assert turn["completed_q_en"] != turn["q_en"]
                assert turn["completed_q_de"] != turn["q_de"]


def test_every_turn_has_an_answer_and_the_answers_spread_over_many_pages(subject_changes: Conversations) -> None:
    turns = _turns(subject_changes)
    assert all(turn["a"].strip() and turn["a_url"] for turn in turns)
    assert len({turn["a_url"][0] for turn in turns}) >= 35
    assert {turn["a_source"] for turn in turns} == {"passage", "list", "table"}


def test_sixty_unanswerable_questions_stand_alone_without_answer(unanswerable: Conversations) -> None:
    assert len(unanswerable) == 60
    for conversation in unanswerable:
        (turn,) = conversation["turns"]
        assert turn["a_url"] == []
        assert turn["a"] == ""


def test_the_unanswerable_questions_are_split_in_halves_balanced_by_kind(unanswerable: Conversations) -> None:
    assert Counter(c["kind"] for c in unanswerable) == {"outside": 15, "near": 25, "detail": 20}
    assert Counter(c["split"] for c in unanswerable) == {"tune": 30, "held_out": 30}
    for kind in ("outside", "near", "detail"):
        halves = Counter(c["split"] for c in unanswerable if c["kind"] == kind)
        assert abs(halves["tune"] - halves["held_out"]) <= 1


def test_every_gold_address_is_the_address_of_a_page(subject_changes: Conversations) -> None:
    documents = _confquestions() / "documents"
    if not documents.is_dir():
        pytest.skip(f"the pages are not here: {documents}; set WIKIWHY_CONFQUESTIONS to the folder holding documents/")
    pages = {json.loads(path.read_text(encoding="utf-8"))["url"] for path in documents.glob("*.json")}
    assert pages
    assert {url for turn in _turns(subject_changes) for url in turn["a_url"]} <= pages
