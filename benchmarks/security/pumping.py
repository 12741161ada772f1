"""Pumped strings through every text pipeline: twice the text may take at most three times as long.

`python -m benchmarks.security pumping [--only NAME …] [--cases N] [--seed S]`; without `--cases` all of them are
tried. A text is a violation if two more doublings exceed the factor too: memory sizes, and a length from which a text
is shortened for display, cause single jumps.
"""

from __future__ import annotations

import argparse
import gc
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.security._pumping_pipelines import PARSERS, PIPELINES, Pipeline, patterns, run_of
from benchmarks.security._pumping_texts import Attack, attacks_on, general_attacks, paired_attacks
from core.text_caches import clear_text_caches

MOST = 3.0  # ratio of the times for twice the text and the text
_SHORTEST, _LONGEST = 1_000, 200_000  # characters
_MEASURABLE = 0.004  # seconds
_REPEATS = 5


@dataclass(frozen=True, slots=True)
class Case:
    """One pumped string for one pipeline."""

    name: str
    run: Pipeline
    attack: Attack


@dataclass(frozen=True, slots=True)
class Violation:
    """A text that takes too long. ``seconds``: for ``length`` and for twice as many characters."""

    case: Case
    length: int
    seconds: tuple[float, float]
    error: str = ""

    def __str__(self) -> str:
        if self.error:
            return f"{self.case.name}: {self.case.attack}: {self.error}"
        once, twice = self.seconds
        return f"{self.case.name}: {self.case.attack}: {self.length} characters {once:.4f} s, twice {twice:.4f} s"


def all_cases(only: Sequence[str] = ()) -> list[Case]:
    """Yield each pipeline with the general attacks, and each pattern with the attacks derived from it."""
    cases: list[Case] = []
    general = list(general_attacks())
    for name, run in (PIPELINES | PARSERS).items():
        cases += [Case(name, run, attack) for attack in general]
    for name, pattern, methods in patterns():
        for method in {"finditer" if each in {"sub", "split", "findall"} else each for each in methods}:
            cases += [Case(name, run_of(pattern, method), attack) for attack in attacks_on(pattern)]
    return [case for case in cases if not only or any(part in case.name for part in only)]


def sample_cases(count: int, seed: int, only: Sequence[str] = ()) -> list[Case]:
    """Return ``count`` cases, including pairs of units, the same for the same seed."""
    chance = random.Random(seed)  # noqa: S311 - a choice of cases
    pairs = list(paired_attacks())
    cases = all_cases(only)
    pipelines = [each for each in (PIPELINES | PARSERS).items() if not only or any(part in each[0] for part in only)]
    paired = [Case(name, run, chance.choice(pairs)) for name, run in pipelines for _ in range(count // 200 + 1)]
    cases += paired
    return chance.sample(cases, min(count, len(cases)))


def try_case(case: Case) -> Violation | None:
    """Return the violation of a case, if any."""
    length = _SHORTEST
    try:
        once = _seconds(case, length)
        while once < _MEASURABLE and length < _LONGEST:
            length *= 2
            once = _seconds(case, length)
        if once < _MEASURABLE or _seconds(case, 2 * length) <= MOST * once:
            return None
        seconds = [_least(case, length)]
        for times in (2, 4, 8):
            seconds.append(_least(case, times * length))
            if seconds[-1] <= MOST * seconds[-2]:
                return None
    except Exception as error:  # a pipeline may raise anything
        return Violation(case, length, (0.0, 0.0), f"{type(error).__name__}: {error}"[:200])
    return Violation(case, length, (seconds[0], seconds[1]))


def _least(case: Case, length: int) -> float:
    return min(_seconds(case, length) for _ in range(_REPEATS))


def _seconds(case: Case, length: int) -> float:
    text = case.attack.text(length)
    clear_text_caches()
    gc.disable()  # a full collection takes longer than many cases, and would distort the time of one length
    try:
        started = time.process_time()
        case.run(text)
        return time.process_time() - started
    finally:
        gc.enable()


def main(argv: list[str]) -> int:
    """Run the cases. Exit code 1 if a text of twice the length takes more than three times as long."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.security pumping")
    parser.add_argument("--only", nargs="*", default=[], help="parts of the names of pipelines and patterns")
    parser.add_argument("--cases", type=int, default=0, help="how many; all by default")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(argv)
    cases = sample_cases(options.cases, options.seed, options.only) if options.cases else all_cases(options.only)
    started = time.perf_counter()
    found: dict[str, Violation] = {}
    violations = 0
    for case in cases:
        violation = None if violations > 50 and case.name in found else try_case(case)
        if violation is not None:
            violations += 1
            if case.name not in found:
                print(violation, flush=True)
            found.setdefault(case.name, violation)
    names = len({case.name for case in cases})
    print(f"{len(cases)} cases in {names} pipelines, {violations} violations, {time.perf_counter() - started:.0f} s")
    return int(violations > 0)
