"""Samples are spread over a set, and always the same."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.questions import GoldQuestion
from evaluation.sampling import choose_spread, plan_questions
from tests.evaluation.test_measures import gold


def conversations(count: int, turns: int) -> list[list[GoldQuestion]]:
    """Each in English and then in German, as a set is read."""
    return [
        [gold(number, language=language, turn=turn) for turn in range(1, turns + 1)]
        for number in range(count)
        for language in ("en", "de")
    ]


@given(st.integers(0, 500), st.integers(1, 600))
def test_a_sample_has_its_size_and_one_of_each_stretch(total: int, count: int) -> None:
    found = choose_spread([gold(1, turn=number % 7) for number in range(total)], count)
    assert len(found) == min(total, count) == len(set(found))
    assert found == sorted(found)
    assert all(
        number * total // len(found) <= at < (number + 1) * total // len(found) for number, at in enumerate(found)
    )


@pytest.mark.parametrize(("count", "turns", "sample"), [(30, 5, 60), (30, 5, 30), (20, 4, 20), (18, 10, 40)])
def test_turns_and_languages_vary_also_where_the_step_divides_the_conversations(
    count: int, turns: int, sample: int
) -> None:
    plan = plan_questions(conversations(count, turns), "human", sample)
    chosen = [item.gold for conversation in plan for item in conversation]
    of_turn, of_language = Counter(item.turn for item in chosen), Counter(item.language for item in chosen)
    assert len(chosen) == sample
    assert set(of_turn) == set(range(1, turns + 1))
    assert max(of_turn.values()) - min(of_turn.values()) <= 3
    assert abs(of_language["en"] - of_language["de"]) <= sample / 10


def test_without_a_sample_all_are_measured_in_order() -> None:
    plan = plan_questions(conversations(2, 3), "system")
    assert [[item.gold for item in conversation] for conversation in plan] == conversations(2, 3)
    assert all(item.measured for conversation in plan for item in conversation)
    assert plan_questions(conversations(2, 3), "system", 99) == plan


def test_a_follow_up_is_asked_after_all_turns_before_it_and_nothing_after_it() -> None:
    for conversation in plan_questions(conversations(4, 5), "system", 5):
        assert [item.gold.turn for item in conversation] == list(range(1, len(conversation) + 1))
        assert not conversation or conversation[-1].measured
    alone = [item for conversation in plan_questions(conversations(4, 5), "raw", 5) for item in conversation]
    assert len(alone) == 5
    assert all(item.measured for item in alone)
