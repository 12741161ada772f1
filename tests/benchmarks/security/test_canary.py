"""The canary on a small scale: nothing leaves that its readers may not read, and it would tell if something did."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator

import pytest

from benchmarks.security._canary_loop import Scheduler, Stuck, VirtualLoop
from benchmarks.security._canary_oracle import Timeline
from benchmarks.security.canary import Canary, Outcome, open_canary
from core.model import Scope

pytestmark = pytest.mark.slow

CALM = 24  # cases by which the checkpoints become known: of some settings only, to be quick


@pytest.fixture(scope="module")
def canary() -> Iterator[Canary]:
    with open_canary(CALM, ()) as canary:
        yield canary


def played(canary: Canary, seeds: range) -> Outcome:
    outcome = Outcome()
    for seed in seeds:
        outcome.add(canary.play(seed, outcome.pairs))
    return outcome


@pytest.mark.slow
def test_no_text_leaves_that_its_readers_may_not_read_then(canary: Canary) -> None:
    outcome = played(canary, range(1, 61))
    assert not outcome.by_rule, dict(outcome.seeds)
    assert not outcome.failures
    assert outcome.words > 100


def test_it_tells_of_a_product_that_shows_everything(canary: Canary, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Scope, "admits", lambda scope, space, read_restrictions: True)
    outcome = played(canary, range(1, 16))
    assert outcome.failing > 5
    assert len({rule for rule, _ in outcome.by_rule}) > 1


def test_a_seed_gives_the_same_case_each_time(canary: Canary) -> None:
    first, second = canary.play(7, Counter()), canary.play(7, Counter())
    assert first.lines == second.lines
    assert first.steps > 5


def test_time_passes_only_where_nothing_else_can_happen() -> None:
    scheduler = Scheduler()
    loop = VirtualLoop(scheduler)

    async def worked() -> list[str]:
        done: list[str] = []

        async def wait() -> None:
            await asyncio.sleep(3600)
            done.append("slept")

        sleeping = asyncio.create_task(wait())
        await scheduler.checkpoint("store.read")
        done.append("read")
        await sleeping
        return done

    try:
        assert loop.run_until_complete(worked()) == ["read", "slept"]
        assert loop.time() >= 3600
    finally:
        loop.close()


def test_a_deadlock_ends_the_case() -> None:
    loop = VirtualLoop(Scheduler())

    async def forever() -> None:
        await asyncio.get_running_loop().create_future()

    try:
        with pytest.raises(Stuck):
            loop.run_until_complete(forever())
    finally:
        loop.close()


def test_a_fact_is_known_as_it_was_at_any_time_since() -> None:
    fact = Timeline("a")
    fact.set(10, "b")
    fact.set(20, "c")
    assert fact.since(0) == ["a", "b", "c"]
    assert fact.since(15) == ["b", "c"]
    assert fact.since(21) == ["c"]
