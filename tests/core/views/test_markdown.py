"""Deeply nested Markdown and long texts, on both platforms."""

from __future__ import annotations

import itertools

import pytest

from adapters.slack.blocks import render_message as slack_rendered
from adapters.teams.cards import render_message as teams_rendered
from adapters.teams.cards import render_part_card
from core.model import Citation
from core.model.views import AnswerView
from core.views.markdown import MOST_CHARS

CITED = (Citation(1, "e1", "1", "Travel", "", "https://wiki/1", "table", ""),)
MARKS = ("*", "**", "_", "__", "~~")
PAIRS = tuple(itertools.product(MARKS, repeat=2))


def view(text: str) -> AnswerView:
    return AnswerView("t1", "en", text, True, "markdown", CITED)


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_the_text_of_deeply_nested_spans_is_shown(one: str, other: str) -> None:
    text = f"{one}a {other}b " * 150 + "core" + f" c{other} d{one}" * 150
    assert "core" in str(slack_rendered(view(text), "")["blocks"])
    assert "core" in str([render_part_card(view(text), part) for part in range(3)])
    assert teams_rendered(view(text))


def test_spans_with_normal_nesting_keep_their_styles() -> None:
    shown = slack_rendered(view("**bold _both ~~all~~_** [1]"), "")["blocks"][0]["text"]["text"]
    assert shown == "*bold _both ~all~_* <https://wiki/1|[1]>"


def test_a_text_that_is_too_long_to_parse_is_cut_with_a_note() -> None:
    long = view("[a](https://elsewhere.example/page) " * (MOST_CHARS // 36 + 2))
    assert "… the answer continues" in slack_rendered(long, "")["blocks"][0]["text"]["text"]
    assert "… the answer continues" in str(teams_rendered(long))
