"""The bot in Teams: response times, the effect of kills, forged requests, and messages that Teams refuses.

The tenant is ``tests/servers/teams``, which runs in this process. ``wikiwhy serve`` runs in its own process with an
app id, and with the samples as its wiki for any corpus.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from benchmarks.chat.kills import measure_kills
from benchmarks.corpus import Corpus
from benchmarks.figure import Figure
from benchmarks.teams.forged import measure_forged
from benchmarks.teams.refused import measure_refused
from benchmarks.teams.served import tenant
from benchmarks.teams.times import measure_answers

QUESTIONS = 200
KILLS = 5
ANSWERS = 300
PARTS: tuple[str, ...] = ("answered", "kills", "streamed", "forged", "refused")


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
        "answered": lambda: measure_answers(questions, drawn),
        "kills": lambda: measure_kills(tenant, questions, kills, drawn),
        "streamed": lambda: measure_kills(tenant, questions, kills, drawn, by_model=True),
        "forged": lambda: measure_forged(drawn),
        "refused": lambda: measure_refused(answers, drawn),
    }
    return [figure for name in PARTS if name in parts for figure in groups[name]()]
