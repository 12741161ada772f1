"""The bot in Slack: response times, the effect of kills, and messages that Slack refuses.

Slack is ``tests/servers/slack``, which runs in this process. ``wikiwhy serve`` runs in its own process, with the
samples as its wiki for any corpus.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from benchmarks.chat.kills import measure_kills
from benchmarks.corpus import Corpus
from benchmarks.figure import Figure
from benchmarks.slack.burst import measure_burst
from benchmarks.slack.refused import measure_refused
from benchmarks.slack.served import workplace
from benchmarks.slack.shares import measure_extractive, measure_with_model
from benchmarks.slack.times import LATENCY, measure_acknowledgements, measure_status

QUESTIONS = 200
KILLS = 5
ANSWERS = 300
PARTS: tuple[str, ...] = ("acknowledged", "status", "shares", "burst", "kills", "refused")


def measure(
    corpus: Corpus,
    questions: int = QUESTIONS,
    kills: int = KILLS,
    answers: int = ANSWERS,
    seed: int | None = None,
    parts: tuple[str, ...] = PARTS,
) -> list[Figure]:
    """Measure. ``questions``: per measurement; ``kills``: during questions, and clicks; ``parts``: to measure."""
    drawn = random.randrange(1_000_000) if seed is None else seed  # noqa: S311  # no secret
    groups: dict[str, Callable[[], list[Figure]]] = {
        "acknowledged": lambda: measure_acknowledgements(questions, drawn),
        "status": lambda: [*measure_status(questions), *measure_status(questions, LATENCY)],
        "shares": lambda: [measure_extractive(questions), measure_with_model(questions)],
        "burst": lambda: measure_burst(drawn),
        "kills": lambda: [
            *measure_kills(workplace, questions, kills, drawn),
            *measure_kills(workplace, questions, kills, drawn, by_model=True),
        ],
        "refused": lambda: measure_refused(answers, drawn),
    }
    return [figure for name in PARTS if name in parts for figure in groups[name]()]
