"""The text of the beginning of an answer in Teams."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings

from adapters.teams.cards import render_message
from tests.adapters.slack.test_streams import STATEMENTS, answer


@given(STATEMENTS)
@settings(max_examples=100, deadline=None)
def test_the_text_of_a_beginning_begins_the_text_of_the_answer(statements: list[str]) -> None:
    said = ["The bell is red. [1]", *statements]
    whole = replace(answer("".join(said)), notes=("A remark.",), suggestions=("And now?",))
    full = render_message(whole, "stream")["text"]
    for count in range(1, len(said)):
        assert full.startswith(render_message(answer("".join(said[:count])), "stream")["text"])
