"""Limits of how often something happens."""

from __future__ import annotations

from core.timing import Throttle


def test_each_key_is_taken_once_in_the_time() -> None:
    seconds = [0.0]
    throttle = Throttle(60.0, lambda: seconds[0])
    assert [throttle.take("a"), throttle.take("a"), throttle.take("b")] == [True, False, True]
    seconds[0] = 59.0
    assert not throttle.take("a")
    seconds[0] = 60.0
    assert [throttle.take("a"), throttle.take("a")] == [True, False]
