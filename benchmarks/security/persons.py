"""Forget a person after random histories: none of the person's data is left, and others' data is unchanged.

python -m benchmarks.security persons --cases 1000 --seed 1
"""

from __future__ import annotations

import argparse
import asyncio
import random
import tempfile
import time
from pathlib import Path

from core.ports.chat import Platform
from tests.adapters.store.chats.forgetting import violations
from tests.adapters.store.chats.histories import EVENTS, PEOPLE, Event

_MOST_EVENTS = 30


def history(draw: random.Random) -> list[Event]:
    """Return a random history."""
    return [
        Event(draw.choice(EVENTS), *(draw.randrange(most) for most in (PEOPLE, PEOPLE, 3, 2)))
        for _ in range(draw.randint(1, _MOST_EVENTS))
    ]


def run_case(seed: int) -> list[str]:
    """Run the case of a seed. Return its violations as text."""
    draw = random.Random(seed)  # noqa: S311 - cases, no secrets
    platform: Platform = draw.choice(("slack", "teams"))
    happened, who = history(draw), draw.randrange(PEOPLE)
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(violations(Path(folder), platform, happened, who))


def main(arguments: list[str]) -> int:
    """Print a table. Return 1 for a violation."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.security persons")
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(arguments)
    started, broken = time.perf_counter(), 0
    for case in range(given.cases):
        if found := run_case(given.seed * 1_000_000 + case):
            broken += 1
            print(f"case {case}: {'; '.join(found[:3])}")
    print(f"{'cases':>10} {'violations':>12} {'seconds':>10}")
    print(f"{given.cases:>10} {broken:>12} {time.perf_counter() - started:>10.1f}")
    return 1 if broken else 0
