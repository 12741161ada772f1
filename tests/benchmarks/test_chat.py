"""What the measurements of the bot have in common: they notice where it does not do what it must."""

from __future__ import annotations

import random
import threading
import time
from dataclasses import dataclass, field
from typing import cast

import pytest

from benchmarks.chat import left, outcome
from benchmarks.chat.killing import Kill, Moment, drawn
from benchmarks.chat.kills import Clicker
from benchmarks.chat.left import Left
from benchmarks.chat.talk import Kind, Reply, World, rest


def reply(kind: Kind, at: float = 0.0) -> Reply:
    return Reply(f"{kind} {at}", kind, at, at)


def kill(**hit: str) -> Kill:
    return Kill(1.0, Moment(0, 1, 0.0, False), hit, 1.0)


def test_what_is_missing_or_there_twice_is_counted_and_fails() -> None:
    replies = {"1": [reply("answer"), reply("answer")], "2": [reply("orphan")], "3": [reply("answer")]}
    found = outcome.outcome(replies, "answer", [], 0.0, finds_messages=False)

    assert (found.double, found.lost, len(found.orphans)) == ({"1": 1}, ["2"], 1)
    assert [figure.failed for figure in outcome.figures("answers", "", found, 1)] == [True, True, False, True]


@pytest.mark.parametrize(
    ("finds_messages", "hit", "messages", "failed"),
    [
        (False, {"a": left.BETWEEN}, 2, [False, False]),
        (False, {"a": left.BETWEEN}, 3, [True, False]),
        (False, {"a": left.BEFORE_POST}, 2, [True, False]),
        (False, {"a": left.BETWEEN, "b": left.BETWEEN}, 2, [False, True]),
        (True, {"a": left.BETWEEN}, 2, [True, False]),
    ],
)
def test_a_double_is_excused_by_a_kill_between_post_and_store_where_nobody_can_look(
    finds_messages: bool, hit: dict[str, str], messages: int, failed: list[bool]
) -> None:
    replies = {key: [reply("answer")] * messages for key in hit}
    found = outcome.outcome(replies, "answer", [kill(**hit), kill()], 0.0, finds_messages)

    _, known, by_one_kill, _ = outcome.figures("answers", "", found, 1)
    assert [known.failed, by_one_kill.failed] == failed


@pytest.mark.parametrize(
    ("finds_messages", "orphans", "failed"), [(True, 1, True), (False, 1, False), (False, 2, True)]
)
def test_a_kill_may_leave_one_message_that_shows_work_where_nobody_can_look(
    finds_messages: bool, orphans: int, failed: bool
) -> None:
    replies = {"1": [reply("answer"), *[reply("orphan")] * orphans]}
    found = outcome.outcome(replies, "answer", [kill()], 0.0, finds_messages)

    assert outcome.figures("answers", "", found, 1)[-1].failed == failed


@dataclass
class LateWorld:
    """A platform that reads a call a while after the bot that sent it is dead."""

    calls: list[str] = field(default_factory=list)

    def receive(self, call: str, delay: float) -> None:
        threading.Timer(delay, self.calls.append, [call]).start()


def test_what_a_killed_bot_had_sent_has_arrived_before_anybody_looks() -> None:
    world = LateWorld()
    world.receive("post", 0.1)
    world.receive("post", 0.3)

    rest(cast(World, world), 0.4, deliveries=False)

    assert len(world.calls) == 2


@dataclass
class Sent:
    status: int | None = 200
    acknowledged: bool = True
    seconds: float = 0.0


class OwnChat:
    """An explanation that is posted at once, so that there is nothing to share."""

    def click(self) -> Sent:
        return Sent()

    def sees(self) -> bool:
        return True

    def notices(self) -> list[str]:
        return []

    def share(self) -> None:
        return None


class FailingAtFirst:
    """An explanation that fails when it is first asked for, and again when it is first shared."""

    def __init__(self) -> None:
        self.clicks, self.shares = 0, 0
        self.told: list[str] = []

    def click(self) -> Sent:
        self.clicks += 1
        if self.clicks == 1:
            self.told.append("Please click Explain again in a few minutes.")
        return Sent()

    def sees(self) -> bool:
        return self.clicks > 1

    def notices(self) -> list[str]:
        return self.told

    def share(self) -> Sent:
        self.shares += 1
        if self.shares == 1:
            self.told.append("The language model does not answer.")
        return Sent()


def test_who_is_told_that_an_explanation_failed_clicks_again_until_it_is_shared() -> None:
    chat = FailingAtFirst()
    clicker = Clicker(chat, lambda: chat.shares == 2, pause=0.0)

    until = time.monotonic() + 10
    while not clicker.done and time.monotonic() < until:
        clicker.go_on()
        time.sleep(0.05)

    assert clicker.done
    assert (chat.clicks, chat.shares) == (3, 2)


def test_who_sees_the_explanation_in_a_chat_of_their_own_has_clicked_for_it() -> None:
    clicker = Clicker(OwnChat(), lambda: True, pause=0.0)
    assert not clicker.clicked

    while not clicker.done:
        clicker.go_on()
        time.sleep(0.05)

    assert clicker.clicked


def test_a_killed_server_tells_how_far_it_was() -> None:
    state = Left({"ask:done": True, "ask:b": False}, frozenset({"b"}), frozenset({"ask:a", "ask:b"}), frozenset())
    moments = [
        state.moment(f"ask:{name}", name, posted) for name, posted in [("done", True), ("new", False), ("a", False)]
    ]

    assert moments == ["", left.BEFORE_START, left.BEFORE_TURN]
    assert state.moment("ask:b", "b", posted=True) == left.BETWEEN
    assert state.moment("ask:b", "b", posted=False) == left.BEFORE_POST


def test_a_message_that_one_kill_hit_before_it_was_stored_is_not_hit_by_the_next_kill_too() -> None:
    state, seen = Left({"ask:b": False}, frozenset({"b"}), frozenset({"ask:b"}), frozenset()), dict[str, int]()
    moments = [left.find_moments(state, [("ask:b", "b", messages)], seen)["ask:b"] for messages in (0, 1, 1, 2)]

    assert moments == [left.BEFORE_POST, left.BETWEEN, left.BEFORE_POST, left.BETWEEN]


def test_no_kill_waits_for_messages_that_were_posted_before() -> None:
    for seed in range(50):
        moments = drawn(5, 200, 16, random.Random(seed))
        assert [each.done for each in moments] == sorted(each.done for each in moments)
        assert all(each.done + 16 + each.call <= 200 for each in moments if each.posting)
