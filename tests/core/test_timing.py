"""Times of stages, by a clock that is passed in."""

from collections.abc import Iterator

import pytest

from core.timing import Stopwatch


def ticking(*seconds: float) -> Stopwatch:
    ticks: Iterator[float] = iter(seconds)
    return Stopwatch(lambda: next(ticks))


def test_a_stage_is_timed_in_milliseconds() -> None:
    stopwatch = ticking(10.0, 10.25)
    with stopwatch.stage("embed"):
        pass
    assert stopwatch.timings_ms == {"embed": 250.0}


def test_a_stage_measured_twice_adds_up_and_stages_keep_their_order() -> None:
    stopwatch = ticking(0.0, 0.1, 1.0, 1.5, 2.0, 2.2)
    for name in ("lexical", "dense", "lexical"):
        with stopwatch.stage(name):
            pass
    assert list(stopwatch.timings_ms.items()) == [("lexical", pytest.approx(300.0)), ("dense", 500.0)]


def test_a_stage_that_fails_is_timed_and_its_error_goes_on() -> None:
    stopwatch = ticking(0.0, 0.5)
    with pytest.raises(KeyError), stopwatch.stage("answer"):
        raise KeyError("x")
    assert stopwatch.timings_ms == {"answer": 500.0}
