"""Choose the questions of a set to ask: all, or a reproducible sample."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from evaluation.questions import GoldQuestion

QuestionForm = Literal["human", "system", "raw"]
"""human: completed by people; system: completed by WikiWhy from the conversation so far; raw: as asked."""


@dataclass(frozen=True, slots=True)
class PlannedQuestion:
    """A question to ask. ``measured`` False: it is asked only as history of a later question."""

    gold: GoldQuestion
    measured: bool = True


def plan_questions(
    conversations: Sequence[Sequence[GoldQuestion]], form: QuestionForm, sample: int | None = None
) -> list[list[PlannedQuestion]]:
    """Return the questions to ask, by conversation: all, or those for a sample of ``sample`` measured questions.

    In the form ``system``, all earlier questions of the conversation are asked before a sampled one.
    """
    questions = [gold for conversation in conversations for gold in conversation]
    chosen = frozenset(range(len(questions)) if sample is None else choose_spread(questions, sample))
    plan: list[list[PlannedQuestion]] = []
    start = 0
    for conversation in conversations:
        measured = [start + at in chosen for at in range(len(conversation))]
        last = max((at for at, counts in enumerate(measured) if counts), default=-1)
        pairs = list(zip(conversation, measured, strict=True))[: last + 1]
        plan.append([PlannedQuestion(gold, counts) for gold, counts in pairs if counts or form == "system"])
        start += len(conversation)
    return plan


def choose_spread(questions: Sequence[GoldQuestion], count: int) -> list[int]:
    """Return the indices of ``count`` questions (or of all), one from each of ``count`` equal stretches.

    From each stretch it takes the question whose turn and language were taken least so far, relative to their share of
    all questions. A fixed step could always hit the same turn of each conversation, or one language only.
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
