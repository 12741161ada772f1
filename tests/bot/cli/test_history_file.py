"""Reading the history file of ``wikiwhy ask``."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.cli.history_file import parse_history
from core.errors import HistoryUnreadable
from core.model import HistoryMessage


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
    assert parse_history(json.dumps(data)) == [HistoryMessage("user", "Who?"), HistoryMessage("assistant", "Alice.")]


def test_names_are_kept_and_a_question_may_have_no_answer() -> None:
    assert parse_history('[{"text": "Hi", "name": "Bob"}, {"question": "Who?"}]') == [
        HistoryMessage("user", "Hi", "Bob"),
        HistoryMessage("user", "Who?"),
    ]


@pytest.mark.parametrize(
    "text",
    ["", "{", "5", '"text"', "{}", '{"messages": 5}', "[5]", "[null]", "[{}]", '[{"role": "user"}]', "[" * 100_000],
)
def test_what_cannot_be_read_says_what_is_expected(text: str) -> None:
    with pytest.raises(HistoryUnreadable, match="Give a JSON list"):
        parse_history(text)


def test_the_message_at_fault_is_named_by_its_number() -> None:
    with pytest.raises(HistoryUnreadable, match="Message 2"):
        parse_history('["ok", {"role": "user"}]')


def test_a_lone_surrogate_is_left_out() -> None:
    assert parse_history('["a\\ud800b"]') == [HistoryMessage("user", "ab")]


def test_500_messages_are_read() -> None:
    assert len(parse_history(json.dumps([f"Question {number}?" for number in range(500)]))) == 500


@given(st.lists(st.text(max_size=30), max_size=10))
def test_messages_are_tidy_and_in_order(texts: list[str]) -> None:
    found = parse_history(json.dumps(texts))
    assert all(message.text and message.text == " ".join(message.text.split()) for message in found)
    assert all(message.role == "user" for message in found)
