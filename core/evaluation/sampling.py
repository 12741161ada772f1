"""Which questions of a set are asked: all, or a sample that anyone gets again."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from core.evaluation.questions import GoldQuestion

QuestionForm = Literal["human", "system", "raw"]
"""human: completed by people; system: as asked, completed by us from the conversation so far; raw: as asked."""

_GOLDEN = (math.sqrt(5) - 1) / 2


@dataclass(frozen=True, slots=True)
class Planned:
    """A question to ask. Not ``measured``: asked only because a later one needs its answer as history."""

    gold: GoldQuestion
    measured: bool = True


def planned(
    conversations: Sequence[Sequence[GoldQuestion]], form: QuestionForm, sample: int | None = None
) -> list[list[Planned]]:
    """The questions to ask, by conversation: all, or so that ``sample`` of them are measured.

    With ``system`` a sampled question is asked after all before it in its conversation, as people would.
    """
    total = sum(len(conversation) for conversation in conversations)
    chosen = frozenset(range(total)) if sample is None else frozenset(spread(total, sample))
    plan: list[list[Planned]] = []
    start = 0
    for conversation in conversations:
        measured = [start + at in chosen for at in range(len(conversation))]
        last = max((at for at, counts in enumerate(measured) if counts), default=-1)
        pairs = list(zip(conversation, measured, strict=True))[: last + 1]
        plan.append([Planned(gold, counts) for gold, counts in pairs if counts or form == "system"])
        start += len(conversation)
    return plan


def spread(total: int, count: int) -> list[int]:
    """``count`` of the indices below ``total`` (all, if they are fewer), one of each of ``count`` equal stretches.

    Where in its stretch moves by the golden ratio: a fixed step would meet the same turn of every conversation, or one
    language only, wherever their lengths divide it.
    """
    count = min(count, total)
    found: list[int] = []
    for number in range(count):
        start, end = number * total // count, (number + 1) * total // count
        found.append(start + int((number * _GOLDEN) % 1 * (end - start)))
    return found
