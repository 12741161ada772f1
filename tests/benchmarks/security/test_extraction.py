"""A small seed of ``python -m benchmarks.security extraction``."""

from benchmarks.security.extraction import try_calls, try_pumped, try_random


def test_random_trees_cost_in_proportion_to_their_bytes() -> None:
    assert try_random(150, seed=9_000_000).violations == []


def test_nesting_twice_as_deep_costs_about_twice() -> None:
    assert try_pumped(30).violations == []


def test_the_interpreter_counts_the_same() -> None:
    assert try_calls(25, seed=1, depth=30).violations == []
