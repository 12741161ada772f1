"""Reading sets of gold questions."""

import json
from typing import Any

import pytest

from evaluation.questions import QuestionSetUnreadable, parse_page_number, read_questions

TURN = {
    "q_en": "And in Germany?",
    "q_de": "Und in Deutschland?",
    "completed_q_en": "What is the limit in Germany?",
    "completed_q_de": "",
    "a_url": ["https://w/pages/7/Travel"],
    "a_source": "Table",
    "q_type": "simple",
    "a": "€150",
}


def conversations(*turns: dict[str, Any], **labels: str) -> str:
    return json.dumps([{"conv_id": 3, "turns": list(turns), **labels}])


def test_a_set_is_read_by_conversation_and_language() -> None:
    english, german = read_questions(conversations(TURN, TURN))
    assert [(gold.language, gold.turn, gold.conversation) for gold in english] == [("en", 1, "3"), ("en", 2, "3")]
    assert [gold.as_asked for gold in german] == ["Und in Deutschland?"] * 2
    assert english[0].human_completed == "What is the limit in Germany?"
    assert dict(english[0].labels) == {"source": "table", "type": "simple"}


def test_one_language_can_be_chosen() -> None:
    assert [gold.language for (gold,) in read_questions(conversations(TURN), "de")] == ["de"]


def test_a_question_that_needs_no_completion_is_its_own() -> None:
    assert read_questions(conversations(TURN), "de")[0][0].human_completed == "Und in Deutschland?"


@pytest.mark.parametrize(("urls", "answerable"), [([], False), ("https://w/pages/7", True), (["https://w/7"], True)])
def test_a_question_without_gold_pages_is_one_that_the_wiki_does_not_answer(urls: Any, answerable: bool) -> None:
    assert read_questions(conversations({**TURN, "a_url": urls}), "en")[0][0].answerable is answerable


def test_what_a_set_says_of_a_conversation_is_a_label_of_its_questions() -> None:
    (gold,) = read_questions(conversations({**TURN, "subject_change": True}, split="dev"), "en")[0]
    assert {("split", "dev"), ("subject_change", "true")} <= set(gold.labels)


@pytest.mark.parametrize(
    "text",
    [
        "", "{", "null", "7", '"text"', '{"turns": []}', "[7]", "[[]]", '["a"]', "[{}]", '[{"conv_id": 1}]',
        '[{"conv_id": 1, "turns": 5}]', '[{"conv_id": 1, "turns": [{}]}]', '[{"conv_id": 1, "turns": ["q"]}]',
        conversations({name: value for name, value in TURN.items() if name != "a_url"}),
        conversations({**TURN, "q_en": None}), conversations({**TURN, "q_en": 5, "completed_q_en": 7}),
        conversations({**TURN, "a_url": 5}), conversations({**TURN, "a_url": [5]}),
        conversations({**TURN, "a_url": None}),
        "[" * 100_000,
    ],
)  # fmt: skip
def test_a_file_of_another_form_is_refused_with_the_form_it_should_have(text: str) -> None:
    with pytest.raises(QuestionSetUnreadable, match="a JSON list of conversations"):
        read_questions(text)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("https://w/wiki/spaces/A/pages/12/Travel+%26+expenses", "https://w/wiki/spaces/A/pages/12/Travel+expenses,+2026"),
        ("https://w/wiki/pages/viewpage.action?pageId=12", "https://w/wiki/spaces/A/pages/12"),
        ("https://w/pages/viewpage.action?spaceKey=A&pageId=12#x", "https://w/pages/12/x"),
    ],
)  # fmt: skip
def test_urls_of_one_page_have_one_number(one: str, other: str) -> None:
    assert parse_page_number(one) == parse_page_number(other) == "12"


def test_a_url_without_a_number_stands_for_itself() -> None:
    assert parse_page_number("https://w/display/A/Travel") == "https://w/display/A/Travel"


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("q_en", "", "no question"),
        ("q_en", " ?! ", "no question"),
        ("completed_q_en", "-", "no question"),
        ("completed_q_de", "word " * 1000, "4,000"),
    ],
)
def test_a_question_that_nobody_can_ask_is_named_with_its_place(name: str, text: str, told: str) -> None:
    with pytest.raises(QuestionSetUnreadable, match=f"{name} of conversation 3, turn 2.*{told}"):
        read_questions(conversations(TURN, {**TURN, name: text}))
