"""Asks every question of a set, and sums up how well they were answered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from core.conversation import Ask, Assistant
from core.evaluation.measures import (
    Judged,
    breakdown,
    cited_gold,
    contains_answer,
    hit_at_10,
    judge,
    literal_p_at_1,
    mrr_at_10,
    p_at_1,
    refused,
)
from core.evaluation.questions import GoldQuestion
from core.history import from_turns
from core.model import Scope, Turn

QuestionForm = Literal["human", "system", "raw"]
"""human: completed by people; system: as asked, completed by us from the conversation so far; raw: as asked."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The judged questions of one run, in order."""

    judged: tuple[Judged, ...]

    @property
    def answerable(self) -> list[Judged]:
        return [item for item in self.judged if item.gold.answerable]

    @property
    def unanswerable(self) -> list[Judged]:
        return [item for item in self.judged if not item.gold.answerable]

    def summary(self) -> dict[str, Any]:
        """The contract of ``wikiwhy evaluate --json``, without ``seconds``."""
        answerable, unanswerable = self.answerable, self.unanswerable
        return {
            "questions": len(self.judged),
            "answerable": len(answerable),
            "p_at_1": p_at_1(answerable),
            "p_at_1_literal": literal_p_at_1(answerable),
            "hit_at_10": hit_at_10(answerable),
            "mrr_at_10": mrr_at_10(answerable),
            "by": {
                name: {value: _group(items) for value, items in values.items()}
                for name, values in breakdown(answerable).items()
            },
            "answer": {
                "answered": round(1 - refused(answerable), 4) if answerable else 0.0,
                "refused": refused(answerable),
                "cited_gold": cited_gold(answerable),
                "contains_gold_words": contains_answer(answerable),
                "unanswerable": {
                    "questions": len(unanswerable),
                    "refused": refused(unanswerable),
                    "by": {
                        name: {value: refused(items) for value, items in values.items()}
                        for name, values in breakdown(unanswerable).items()
                    },
                },
            },
        }


def _group(items: Sequence[Judged]) -> dict[str, float | int]:
    return {"questions": len(items), "p_at_1": p_at_1(items), "hit_at_10": hit_at_10(items), "refused": refused(items)}


async def evaluate(
    conversations: Sequence[Sequence[GoldQuestion]],
    assistant: Assistant,
    form: QuestionForm,
    on_question: Callable[[], None],
) -> Evaluation:
    """Asks all questions; with ``system``, each with its own conversation's turns as history."""
    judged: list[Judged] = []
    for number, conversation in enumerate(conversations):
        turns: list[Turn] = []
        for gold in conversation:
            question = gold.human_completed if form == "human" else gold.as_asked
            history = from_turns(turns) if form == "system" else []
            ask = Ask(f"{number}-{gold.turn}", str(number), "", question, history, Scope())
            turn = await assistant.ask(ask)
            turns.append(turn)
            judged.append(judge(gold, turn))
            on_question()
    return Evaluation(tuple(judged))
