"""Which questions of a set are asked: all, or a sample that anyone gets again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from evaluation.questions import GoldQuestion

QuestionForm = Literal["human", "system", "raw"]
"""human: completed by people; system: as asked, completed by us from the conversation so far; raw: as asked."""


@dataclass(frozen=True, slots=True)
class Planned:
    """A question to ask. Not ``measured``: asked only because a later one needs its answer as history."""

    gold: GoldQuestion
    measured: bool = True


def plan_questions(
    conversations: Sequence[Sequence[GoldQuestion]], form: QuestionForm, sample: int | None = None
) -> list[list[Planned]]:
    """The questions to ask, by conversation: all, or so that ``sample`` of them are measured.

    With ``system`` a sampled question is asked after all before it in its conversation, as people would.
    """
    questions = [gold for conversation in conversations for gold in conversation]
    chosen = frozenset(range(len(questions)) if sample is None else spread(questions, sample))
    plan: list[list[Planned]] = []
    start = 0
    for conversation in conversations:
        measured = [start + at in chosen for at in range(len(conversation))]
        last = max((at for at, counts in enumerate(measured) if counts), default=-1)
        pairs = list(zip(conversation, measured, strict=True))[: last + 1]
        plan.append([Planned(gold, counts) for gold, counts in pairs if counts or form == "system"])
        start += len(conversation)
    return plan


def spread(questions: Sequence[GoldQuestion], count: int) -> list[int]:
    """The indices of ``count`` questions (all, if they are fewer), one of each of ``count`` equal stretches.

    Of its stretch, the one whose turn and language have been taken least, by their share of all questions: a fixed
    step would meet the same turn of every conversation, or one language only, wherever their lengths divide it.
    """
    count = min(count, len(questions))
    turns, languages = Counter(gold.turn for gold in questions), Counter(gold.language for gold in questions)
    turns_taken, languages_taken = Counter[int](), Counter[str]()
    found: list[int] = []
    for number in range(count):
        stretch = range(number * len(questions) // count, (number + 1) * len(questions) // count)
        shares = [
            turns_taken[gold.turn] / turns[gold.turn] + languages_taken[gold.language] / languages[gold.language]
            for gold in (questions[at] for at in stretch)
        ]
        best = stretch[shares.index(min(shares))]
        turns_taken[questions[best].turn] += 1
        languages_taken[questions[best].language] += 1
        found.append(best)
    return found
