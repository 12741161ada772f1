"""Rate limits of questions and explanations, and the daily budget of tokens."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.chat import limits
from core.chat.limits import WINDOW, ChatLimits, LimitSettings, RecentQuestionsInMemory
from core.ports.chat import Place
from tests.contracts.chat_stores import RecentQuestionsContract

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


@dataclass
class Used:
    """A token store with one counter for all days."""

    tokens: int

    async def add(self, day: str, tokens: int) -> None:
        self.tokens += tokens

    async def load(self, day: str) -> int:
        return self.tokens


class Asking:
    """Asks questions at times set by a test."""

    def __init__(self, settings: LimitSettings, tokens_today: int = 0) -> None:
        self.clock = Seconds()
        self.recent = RecentQuestionsInMemory(self.clock)
        self._limits = ChatLimits(settings, self.recent, Used(tokens_today), lambda: "2026-11-22")

    def exceeds(self, person: str, channel: str, key: str) -> str:
        place = Place("slack", "T1", channel, "1700000000.000100")
        return asyncio.run(self._limits.find_exceeded(place, person, key))


class TestRecentQuestionsInMemory(RecentQuestionsContract):
    @pytest.fixture
    def recent(self) -> RecentQuestionsInMemory:
        return RecentQuestionsInMemory(Seconds())


@given(questions, st.integers(1, 4), st.integers(1, 5))
def test_never_more_than_allowed_in_any_window_by_a_person_or_in_a_channel(
    asked: list[tuple[float, str, str, str]], person_most: int, channel_most: int
) -> None:
    asking = Asking(LimitSettings(person_most, channel_most))
    admitted: list[tuple[float, str, str]] = []
    counted: dict[str, float] = {}
    for pause, person, channel, name in asked:
        asking.clock.now += pause
        now, key = asking.clock.now, f"{person} {channel} {name}"
        again = now - counted.get(key, -WINDOW) < WINDOW
        if not asking.exceeds(person, channel, key) and not again:
            admitted.append((now, person, channel))
            counted[key] = now
    for start, *_ in admitted:
        within = [each for each in admitted if start <= each[0] < start + WINDOW]
        assert all(count <= person_most for count in Counter(person for _, person, _ in within).values())
        assert all(count <= channel_most for count in Counter(channel for _, _, channel in within).values())


@given(st.lists(st.floats(0, 20), max_size=30))
def test_refused_questions_do_not_count(pauses: list[float]) -> None:
    asking = Asking(LimitSettings(1, 0))
    last = -WINDOW
    for at, pause in enumerate(pauses):
        asking.clock.now += pause
        free = asking.clock.now - last >= WINDOW
        assert (not asking.exceeds("ada", "C1", str(at))) == free
        last = asking.clock.now if free else last


def test_a_channels_limit_does_not_count_towards_a_persons() -> None:
    asking = Asking(LimitSettings(2, 1))
    assert not asking.exceeds("ada", "C1", "1")
    assert asking.exceeds("ada", "C1", "2") == "limit_channel"
    assert not asking.exceeds("ada", "C2", "3")
    assert asking.exceeds("ada", "C3", "4") == "limit_person"


@pytest.mark.parametrize(("most", "used", "exceeded"), [(100, 99, ""), (100, 100, "limit_tokens"), (0, 10**9, "")])
def test_the_daily_token_budget(most: int, used: int, exceeded: str) -> None:
    assert Asking(LimitSettings(daily_tokens=most), used).exceeds("ada", "C1", "1") == exceeded


def test_zero_means_no_limit() -> None:
    asking = Asking(LimitSettings(0, 0, 0), 10**9)
    assert not any(asking.exceeds("ada", "C1", str(at)) for at in range(500))


def test_old_questions_are_dropped_from_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "_MOST_NAMES", 4)
    asking = Asking(LimitSettings(1, 240))
    for at in range(10):
        asking.clock.now += 20
        asking.exceeds(f"person {at}", "C1", str(at))
    assert len(asking.recent._asked) <= 5
    assert asking.exceeds("person 9", "C1", "another") == "limit_person"
