"""What the measurements of the bot have in common: they notice where it does not do what it must."""

from __future__ import annotations

import random
from collections import Counter

from benchmarks.chat import left, outcome
from benchmarks.chat.killing import Kill, Moment, drawn
from benchmarks.chat.left import Left
from benchmarks.chat.talk import Kind, Reply


def reply(kind: Kind, at: float = 0.0) -> Reply:
    return Reply(f"{kind} {at}", kind, at, at)


def kill(at: float) -> Kill:
    return Kill(at, Moment(0, 1, 0.0, False), Counter(), 1.0)


def test_what_is_missing_or_there_twice_is_counted_and_fails() -> None:
    replies = {"1": [reply("answer"), reply("answer")], "2": [reply("placeholder")], "3": [reply("answer")]}
    found = outcome.outcome(replies, "answer", [], 0.0)

    assert (found.double, found.lost, len(found.orphans)) == (["1"], ["2"], 1)
    assert [figure.failed for figure in outcome.figures("answers", "", found, 1)] == [True, True, False]


def test_orphans_are_counted_by_the_kill_that_left_them() -> None:
    waiting = [reply("placeholder", at) for at in (5.0, 15.0, 16.0)]
    found = outcome.outcome({"1": [reply("answer"), *waiting]}, "answer", [kill(10.0), kill(20.0)], 0.0)

    *_, orphans = outcome.figures("answers", "", found, 1)
    assert (orphans.measured, orphans.failed) == (2, True)


def test_a_killed_server_tells_how_far_it_was() -> None:
    state = Left({"ask:done": True, "ask:b": False}, frozenset({"b"}), frozenset({"ask:a", "ask:b"}), frozenset())
    moments = [
        state.moment(f"ask:{name}", name, posted) for name, posted in [("done", True), ("new", False), ("a", False)]
    ]

    assert moments == ["", left.BEFORE_START, left.BEFORE_PLACEHOLDER]
    assert state.moment("ask:a", "a", posted=True) == left.BETWEEN
    assert (state.moment("ask:b", "b", True), state.moment("ask:b", "c", True)) == (left.BEFORE_SHOWN, left.BEFORE_TURN)


def test_no_kill_waits_for_messages_that_were_posted_before() -> None:
    for seed in range(50):
        moments = drawn(5, 200, 16, random.Random(seed))
        assert [each.done for each in moments] == sorted(each.done for each in moments)
        assert all(each.done + 16 + each.call <= 200 for each in moments if each.posting)
