"""How much may be asked."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.chat import requests as limits
from core.chat.requests import WINDOW, Limits, LimitSettings

questions = st.lists(
    st.tuples(
        st.floats(0, 30), st.sampled_from(["ada", "ben"]), st.sampled_from(["C1", "C2"]), st.integers(0, 12).map(str)
    ),
    max_size=40,
)


class Seconds:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@given(questions, st.integers(1, 4), st.integers(1, 5))
def test_never_more_than_allowed_in_any_window_by_a_person_or_in_a_channel(
    asked: list[tuple[float, str, str, str]], person_most: int, channel_most: int
) -> None:
    clock = Seconds()
    limit = Limits(LimitSettings(person_most, channel_most), clock)
    admitted: list[tuple[float, str, str]] = []
    counted: dict[str, float] = {}
    for pause, person, channel, name in asked:
        clock.now += pause
        key = f"{person} {channel} {name}"
        again = clock.now - counted.get(key, -WINDOW) < WINDOW
        if limit.check(person, channel, key, 0) is None and not again:
            admitted.append((clock.now, person, channel))
            counted[key] = clock.now
    for start, *_ in admitted:
        within = [each for each in admitted if start <= each[0] < start + WINDOW]
        assert all(count <= person_most for count in Counter(person for _, person, _ in within).values())
        assert all(count <= channel_most for count in Counter(channel for _, _, channel in within).values())


@given(st.integers(1, 5), st.lists(st.sampled_from("abcde"), max_size=30))
def test_a_question_counts_once_however_often_it_comes(most: int, keys: list[str]) -> None:
    limit = Limits(LimitSettings(most, 0), Seconds())
    admitted: set[str] = set()
    for key in keys:
        exceeded = limit.check("ada", "C1", key, 0)
        assert (exceeded is None) == (key in admitted or len(admitted) < most)
        admitted |= {key} if exceeded is None else set()


@given(st.lists(st.floats(0, 20), max_size=30))
def test_what_was_refused_does_not_count(pauses: list[float]) -> None:
    clock = Seconds()
    limit = Limits(LimitSettings(1, 0), clock)
    last = -WINDOW
    for at, pause in enumerate(pauses):
        clock.now += pause
        free = clock.now - last >= WINDOW
        assert (limit.check("ada", "C1", str(at), 0) is None) == free
        last = clock.now if free else last


def test_a_full_channel_does_not_use_up_what_a_person_may_ask() -> None:
    limit = Limits(LimitSettings(2, 1), Seconds())
    assert limit.check("ada", "C1", "1", 0) is None
    assert limit.check("ada", "C1", "2", 0) == "channel"
    assert limit.check("ada", "C2", "3", 0) is None
    assert limit.check("ada", "C3", "4", 0) == "person"


@pytest.mark.parametrize(("most", "used", "exceeded"), [(100, 99, None), (100, 100, "tokens"), (0, 10**9, None)])
def test_the_budget_of_a_day_is_spent_when_it_is_reached(most: int, used: int, exceeded: str | None) -> None:
    assert Limits(LimitSettings(daily_tokens=most), Seconds()).check("ada", "C1", "1", used) == exceeded


def test_nothing_is_limited_where_the_limit_is_zero() -> None:
    limit = Limits(LimitSettings(0, 0, 0), Seconds())
    assert all(limit.check("ada", "C1", str(at), 10**9) is None for at in range(500))


def test_whoever_has_not_asked_for_a_while_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "_MOST_NAMES", 4)
    clock = Seconds()
    limit = Limits(LimitSettings(1, 0), clock)
    for at in range(10):
        clock.now += 20
        limit.check(f"person {at}", "C1", str(at), 0)
    assert len(limit._asked) <= 5
    assert limit.check("person 9", "C1", "another", 0) == "person"
