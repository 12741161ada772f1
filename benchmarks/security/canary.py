"""`python -m benchmarks.security canary`: random interleavings of questions and clicks with changes.

The product's own chat service, workflows, synchroniser, Confluence adapter, SQL store, retriever and answerers run in
one process on a deterministic event loop. At each await of a port a seeded choice decides which task continues, and
whether something changes: a page is restricted, moved, edited or deleted, a person leaves a group, a channel gets
other spaces or is shared. Every text that leaves is checked for words that its readers may not read *then*; what that
means is written down in ``_canary_oracle``.
"""

from __future__ import annotations

import argparse
import gc
import logging
import os
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from benchmarks.security._canary_case import Bench
from benchmarks.security._canary_director import Catalogue, Pairs, Setting
from benchmarks.security._canary_loop import Scheduler, VirtualLoop, without_threads
from benchmarks.security._canary_story import ACTS, Story, prepare, run_case
from benchmarks.security._canary_world import MUTATIONS, ROOMS
from core.errors import WikiWhyError

_TOLD = 30  # failing cases that are printed
_CALM = 2 * 8 * len(ACTS)  # cases without changes, which collect the checkpoints


@dataclass(slots=True)
class Outcome:
    """The results of many cases. ``by_rule``: violations by rule and way; ``seeds``: examples of each."""

    cases: int = 0
    failing: int = 0
    steps: int = 0
    texts: int = 0
    words: int = 0
    longest: int = 0
    by_rule: Counter[tuple[str, str]] = field(default_factory=Counter)
    seeds: dict[tuple[str, str], list[int]] = field(default_factory=lambda: defaultdict(list))
    failures: Counter[str] = field(default_factory=Counter)
    pairs: Pairs = field(default_factory=Counter)

    def add(self, story: Story) -> None:
        """Count a case."""
        self.cases += 1
        self.failing += bool(story.violations)
        self.steps += story.steps
        self.texts += story.texts
        self.words += story.words
        self.longest = max(self.longest, story.longest)
        for kind in {(violation.rule, violation.by) for violation in story.violations}:
            self.by_rule[kind] += 1
            self.seeds[kind].append(story.seed)
        self.failures.update(failure[:150] for failure in story.failures)


class Canary:
    """Runs cases. Use it within :func:`opened`."""

    def __init__(self, loop: VirtualLoop, scheduler: Scheduler, logged: list[str]) -> None:
        """``logged``: receives every unexpected error that the product logs."""
        self._loop = loop
        self._logged = logged
        self._bench = Bench(scheduler)
        self._catalogue: Catalogue = {}

    def learn(self, cases: int, rooms: Collection[str]) -> None:
        """Collect the checkpoints that each actor reaches without changes, and how often."""
        self._loop.run_until_complete(prepare(self._bench, rooms))
        most: dict[Setting, dict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
        for seed in range(cases):
            story = self._loop.run_until_complete(run_case(self._bench, seed, {}, Counter(), calm=True))
            for actor, counts in _counts(story).items():
                most[story.setting][actor] |= counts
        self._catalogue = {
            setting: {actor: sorted(counts.items()) for actor, counts in sorted(by_actor.items())}
            for setting, by_actor in most.items()
        }

    def play(self, seed: int, pairs: Pairs) -> Story:
        """Run the case of a seed."""
        self._logged.clear()
        story = self._loop.run_until_complete(run_case(self._bench, seed, self._catalogue, pairs))
        story.failures.extend(self._logged)
        return story


class _Unexpected(logging.Handler):
    """Collects logged errors that are not of the product's own classes, which indicate a defect."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.heard: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        if error is not None and not isinstance(error, WikiWhyError):
            self.heard.append(f"{record.name}: {error!r}")


def _counts(story: Story) -> dict[str, Counter[str]]:
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for line in story.lines[1:]:
        if line[:5].strip().isdigit():
            counts[line[6:21].strip()][line[22:]] += 1
    return counts


@contextmanager
def open_canary(calm: int = _CALM, rooms: Collection[str] = tuple(ROOMS)) -> Iterator[Canary]:
    """Yield a canary that has collected the checkpoints in ``calm`` cases.

    ``rooms``: rooms in which some cases begin after an answered question. Only unexpected errors are logged.
    """
    scheduler = Scheduler()
    loop = VirtualLoop(scheduler)
    thresholds = gc.get_threshold()
    log, level, handlers = logging.getLogger(), logging.getLogger().level, logging.getLogger().handlers
    log.handlers, unexpected = [], _Unexpected()
    log.addHandler(unexpected)
    log.setLevel(logging.ERROR)
    try:
        with without_threads():
            canary = Canary(loop, scheduler, unexpected.heard)
            with canary._bench.patched():
                canary.learn(calm, rooms)
                gc.freeze()
                gc.set_threshold(50_000)
                yield canary
    finally:
        gc.set_threshold(*thresholds)
        gc.unfreeze()
        log.handlers = handlers
        log.setLevel(level)
        loop.close()


def main(arguments: list[str]) -> int:
    """Run the command. Exit code 1 if a forbidden text left, or a case failed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.security canary", description=__doc__)
    parser.add_argument("--cases", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1, help="of the first case; the others count on from it")
    parser.add_argument("--verbose", action="store_true", help="prints the schedule of every case")
    parser.add_argument("--pairs", action="store_true", help="prints how often each change met each checkpoint")
    options = parser.parse_args(arguments)
    if os.environ.get("PYTHONHASHSEED") != "0":  # since the order of sets is part of the schedule
        os.execve(  # noqa: S606
            sys.executable,
            [sys.executable, "-m", "benchmarks.security", "canary", *arguments],
            {**os.environ, "PYTHONHASHSEED": "0"},
        )
    started, outcome = time.monotonic(), Outcome()
    with open_canary() as canary:
        for number in range(options.cases):
            story = canary.play(options.seed + number, outcome.pairs)
            outcome.add(story)
            if (story.violations or story.failures) and outcome.failing + sum(outcome.failures.values()) <= _TOLD:
                print(story.lines[0], *sorted({f"{v.rule} by {v.by}" for v in story.violations}), *story.failures,
                      sep="\n    ", flush=True)  # fmt: skip
            if options.verbose:
                print(*story.lines, *story.failures, sep="\n")
            if number % 1000 == 999:
                print(f"{number + 1} cases, {outcome.failing} failing, {time.monotonic() - started:.0f} s", flush=True)
    _print(outcome, time.monotonic() - started, options.pairs)
    return 1 if outcome.failing or outcome.failures or not outcome.words else 0


def _print(outcome: Outcome, seconds: float, with_pairs: bool) -> None:
    print(f"\n{outcome.cases} cases, {outcome.failing} with violations, {seconds:.0f} s "
          f"({1000 * seconds / max(1, outcome.cases):.1f} ms a case)")  # fmt: skip
    print(f"{outcome.steps} operations, {outcome.texts} texts left with {outcome.words} canary words; "
          f"the longest check took {outcome.longest} operations")  # fmt: skip
    for (rule, by), count in outcome.by_rule.most_common():
        seeds = ", ".join(map(str, outcome.seeds[rule, by][:5]))
        print(f"{count:6}  {rule}, {by}   seeds {seeds}")
    for failure, count in outcome.failures.most_common(20):
        print(f"{count:6}  broke off: {failure}")
    checkpoints = sorted({name for _, name in outcome.pairs})
    missed = [(kind, name) for kind in MUTATIONS for name in checkpoints if not outcome.pairs[kind, name]]
    total = len(MUTATIONS) * len(checkpoints)
    print(f"{len(MUTATIONS)} changes x {len(checkpoints)} checkpoints: {total - len(missed)} of {total} pairs were hit")
    if with_pairs:
        print(f"{'':50}" + " ".join(f"{kind[:9]:>9}" for kind in MUTATIONS))
        for name in checkpoints:
            print(f"{name:50}" + " ".join(f"{outcome.pairs[kind, name]:9}" for kind in MUTATIONS))
