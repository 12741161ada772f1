"""What a language model is shown of a thread in which several people talk."""

from __future__ import annotations

from core.completion.generative import completion_prompt, exchanges_of
from core.model import Message


def test_what_people_said_to_each_other_is_shown_with_their_names() -> None:
    history = [
        Message("user", "Who is on call at night?", "Ada"),
        Message("assistant", "Platform on-call.", subject="On-call handbook"),
        Message("user", "I only need to know about the Berlin towers.", "Ben"),
    ]
    prompt = completion_prompt("And at the weekend?", exchanges_of(history)).messages[-1].text
    assert "Question (Ada): Who is on call at night?\nAnswer: Platform on-call.\nPage: On-call handbook" in prompt
    assert "Question (Ben): I only need to know about the Berlin towers.\n" in prompt


def test_without_names_nothing_stands_for_them() -> None:
    prompt = completion_prompt("And at the weekend?", exchanges_of([Message("user", "Who is on call?")]))
    assert "\nQuestion: Who is on call?\n" in prompt.messages[-1].text
