"""A conversation's earlier messages, from turns or from a file."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import HistoryUnreadable
from core.history import from_turns, parse
from core.model import Answer, Context, Evidence, Message, Question, RankedEvidence, Scope, Turn


def turn(question: str, answer: str, *titles: str) -> Turn:
    found = tuple(
        RankedEvidence(Evidence("e", "7", "E", "passage", 0, "t", Context(title), ""), rank, 1.0)
        for rank, title in enumerate(titles, start=1)
    )
    return Turn(
        "t",
        "c",
        "2026-01-01T00:00:00+00:00",
        Question(question, f"{question} made explicit"),
        found,
        Answer(answer, True),
        Scope(),
        {},
        {},
    )


def test_turns_give_what_was_asked_and_said_with_the_page_it_was_found_on() -> None:
    assert from_turns([turn("Who?", "Alice.", "Team", "Other"), turn("Why?", "Not found.")]) == [
        Message("user", "Who?"),
        Message("assistant", "Alice.", subject="Team"),
        Message("user", "Why?"),
        Message("assistant", "Not found."),
    ]


@pytest.mark.parametrize(
    "data",
    [
        ["Who?", {"role": "assistant", "text": "Alice."}],
        [{"role": "user", "text": "Who?"}, {"role": "assistant", "content": "Alice."}],
        [{"role": "user", "text": "Who?"}, {"role": "WikiWhy", "text": "Alice."}],
        [{"question": "Who?", "answer": "Alice."}],
        [{"q": "Who?", "a": "Alice."}],
        {"messages": [{"role": "user", "text": " Who?\n"}, {"role": "bot", "text": "Alice."}]},
        {"turns": [{"question": "Who?\x00", "answer": "Alice."}]},
        {"history": ["", "Who?", {"role": "ai", "text": "Alice."}, "  "]},
    ],
)
def test_every_form_people_write_is_read(data: object) -> None:
    assert parse(json.dumps(data)) == [Message("user", "Who?"), Message("assistant", "Alice.")]


def test_names_are_kept_and_a_question_may_have_no_answer() -> None:
    assert parse('[{"text": "Hi", "name": "Bob"}, {"question": "Who?"}]') == [
        Message("user", "Hi", "Bob"),
        Message("user", "Who?"),
    ]


@pytest.mark.parametrize(
    "text",
    ["", "{", "5", '"text"', "{}", '{"messages": 5}', "[5]", "[null]", "[{}]", '[{"role": "user"}]', "[" * 100_000],
)
def test_what_cannot_be_read_says_what_is_expected(text: str) -> None:
    with pytest.raises(HistoryUnreadable, match="Give a JSON list"):
        parse(text)


def test_the_message_at_fault_is_named_by_its_number() -> None:
    with pytest.raises(HistoryUnreadable, match="Message 2"):
        parse('["ok", {"role": "user"}]')


def test_a_lone_surrogate_is_left_out() -> None:
    assert parse('["a\\ud800b"]') == [Message("user", "ab")]


def test_500_messages_are_read() -> None:
    assert len(parse(json.dumps([f"Question {number}?" for number in range(500)]))) == 500


@given(st.lists(st.text(max_size=30), max_size=10))
def test_messages_are_tidy_and_in_order(texts: list[str]) -> None:
    found = parse(json.dumps(texts))
    assert all(message.text and message.text == " ".join(message.text.split()) for message in found)
    assert all(message.role == "user" for message in found)
