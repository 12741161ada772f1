"""What crosses between a command and the server arrives equal to what it was."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.operations.finding import Finding
from bot.operations.questions import AskQuestion, SuggestQuestions
from bot.operations.serialisation import OPERATIONS, dump_value, load_value
from bot.operations.spaces import SpaceList
from bot.operations.sync import SyncResult, SyncSpaces
from core.attribution.explainer import Explanation
from core.model import Turn
from core.ports.wiki import Traffic
from core.timing import Progress

# A number that is whole stays whole where both are allowed, else it may become a float that is equal.
st.register_type_strategy(float, st.floats(allow_nan=False))


@settings(max_examples=30)
@given(turn=st.from_type(Turn))
def test_a_turn_arrives_as_it_was(turn: Turn) -> None:
    arrived = load_value(Turn, dump_value(Turn, turn))
    assert arrived == turn
    assert hash(arrived.evidences) == hash(turn.evidences)
    assert {name: type(value) for name, value in arrived.configuration.items()} == {
        name: type(value) for name, value in turn.configuration.items()
    }


@pytest.mark.parametrize(
    "kind", [AskQuestion, Explanation, Finding, Progress, SpaceList, SuggestQuestions, SyncResult, SyncSpaces, Traffic]
)
@given(data=st.data())
def test_everything_else_arrives_as_it_was(kind: type, data: st.DataObject) -> None:
    value = data.draw(st.builds(kind, **({"next_due": times()} if kind in {SpaceList, SyncResult} else {})))
    assert load_value(kind, dump_value(kind, value)) == value


def times() -> st.SearchStrategy[dict[str, datetime]]:
    return st.dictionaries(st.text(), st.datetimes(timezones=st.just(UTC)))


@given(text=st.text())
def test_one_line_holds_any_text(text: str) -> None:
    line = dump_value(str, text)
    assert "\n" not in line
    assert load_value(str, line) == text


def test_numbers_that_are_no_json_cross_as_well() -> None:
    assert load_value(float, dump_value(float, math.inf)) == math.inf
    assert math.isnan(load_value(float, dump_value(float, math.nan)))


@pytest.mark.parametrize("kind", OPERATIONS.values())
@pytest.mark.parametrize("body", ["", "{", "17", '"x', "[[]]", '{"a": 1}'])
def test_what_are_no_arguments_is_refused(kind: Any, body: str) -> None:
    with pytest.raises(ValueError, match=r".*"):
        load_value(kind, body)
