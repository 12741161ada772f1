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
QUESTION_KEYS = ("q_en", "q_de", "completed_q_en", "completed_q_de")
TURN_KEYS = {"turn_id", "q_type", *QUESTION_KEYS, "a_url", "a_source", "a"}

Conversations = list[dict[str, Any]]
SUBJECT_CHANGES: Conversations = json.loads((HERE / "subject_changes.json").read_text("utf-8"))
UNANSWERABLE: Conversations = json.loads((HERE / "unanswerable.json").read_text("utf-8"))
BOTH = pytest.mark.parametrize("conversations", [SUBJECT_CHANGES, UNANSWERABLE], ids=["changes", "unanswerable"])


def turns_of(conversations: Conversations) -> list[dict[str, Any]]:
    return [turn for conversation in conversations for turn in conversation["turns"]]


def folder_of_confquestions() -> Path:
    """The folder holding `documents/`; the pages are licensed data and not part of the repository."""
    given = os.environ.get("WIKIWHY_CONFQUESTIONS")
    return Path(given) if given else ROOT.parent / "shared" / "confquestions"


@BOTH
def test_every_turn_has_the_format_of_the_benchmark_and_words_in_both_languages(conversations: Conversations) -> None:
    for turn in turns_of(conversations):
        assert turn.keys() >= TURN_KEYS
        assert turn["q_type"] in {"simple", "complex"}
        assert turn["a_source"] in {"passage", "list", "table"}
        assert isinstance(turn["a_url"], list)
        assert all(turn[key].strip() for key in QUESTION_KEYS), turn


@BOTH
def test_conversations_and_turns_are_numbered_in_order(conversations: Conversations) -> None:
    assert [each["conv_id"] for each in conversations] == [str(n) for n in range(1, len(conversations) + 1)]
    for conversation in conversations:
        turns = conversation["turns"]
        assert [turn["turn_id"] for turn in turns] == [str(n) for n in range(1, len(turns) + 1)]


@BOTH
def test_no_completed_question_occurs_twice(conversations: Conversations) -> None:
    turns = turns_of(conversations)
    for key in ("completed_q_en", "completed_q_de"):
        assert len({turn[key] for turn in turns}) == len(turns)


def test_the_subject_changes_inside_each_of_twenty_conversations_of_four_to_six_turns() -> None:
    assert len(SUBJECT_CHANGES) == 20
    for conversation in SUBJECT_CHANGES:
        first, *later = conversation["turns"]
        assert 3 <= len(later) <= 5
        assert first["subject_change"] is False
        assert any(turn["subject_change"] is True for turn in later), conversation["conv_id"]


def test_a_turn_is_marked_exactly_when_its_gold_pages_are_other_ones() -> None:
    for conversation in SUBJECT_CHANGES:
        for before, turn in pairwise(conversation["turns"]):
            other_pages = set(turn["a_url"]).isdisjoint(before["a_url"])
            assert turn["subject_change"] is other_pages, (conversation["conv_id"], turn["turn_id"])


def test_a_follow_up_is_completed_with_words_it_leaves_out() -> None:
    for conversation in SUBJECT_CHANGES:
        for turn in conversation["turns"][1:]:
            if not turn["subject_change"]:
                assert turn["completed_q_en"] != turn["q_en"]
                assert turn["completed_q_de"] != turn["q_de"]


def test_every_turn_has_an_answer_and_the_answers_spread_over_many_pages() -> None:
    turns = turns_of(SUBJECT_CHANGES)
    assert all(turn["a"].strip() and turn["a_url"] for turn in turns)
    assert len({turn["a_url"][0] for turn in turns}) >= 35
    assert {turn["a_source"] for turn in turns} == {"passage", "list", "table"}


def test_sixty_unanswerable_questions_stand_alone_in_halves_balanced_by_kind() -> None:
    assert [(len(each["turns"]), each["turns"][0]["a_url"], each["turns"][0]["a"]) for each in UNANSWERABLE] == [
        (1, [], "")
    ] * 60
    assert Counter(each["kind"] for each in UNANSWERABLE) == {"outside": 15, "near": 25, "detail": 20}
    assert Counter(each["split"] for each in UNANSWERABLE) == {"tune": 30, "held_out": 30}
    for kind in ("outside", "near", "detail"):
        halves = Counter(each["split"] for each in UNANSWERABLE if each["kind"] == kind)
        assert abs(halves["tune"] - halves["held_out"]) <= 1


def test_every_gold_address_is_the_address_of_a_page() -> None:
    documents = folder_of_confquestions() / "documents"
    if not documents.is_dir():
        pytest.skip(f"the pages are not here: {documents}; set WIKIWHY_CONFQUESTIONS to the folder holding documents/")
    pages = {json.loads(path.read_text("utf-8"))["url"] for path in documents.glob("*.json")}
    assert pages
    assert {url for turn in turns_of(SUBJECT_CHANGES) for url in turn["a_url"]} <= pages
