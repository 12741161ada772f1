"""Ask all questions of a set, and summarise how well they were answered."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from core.conversation import Assistant, QuestionToAnswer
from core.history import list_messages
from core.model import Scope, Turn
from core.ports.models import LanguageModel
from evaluation.journal import Journal
from evaluation.measures import (
    JudgedQuestion,
    citation_precision,
    contains_answer,
    fell_back,
    group_by_label,
    hit_at_10,
    judge,
    literal_p_at_1,
    measure_cited_gold,
    measure_refused,
    measure_unsupported_statements,
    mrr_at_10,
    p_at_1,
    summarise_judgements,
    token_f1,
)
from evaluation.relevance import Relevance, judge_answer
from evaluation.sampling import PlannedQuestion, QuestionForm


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The judged questions of one run, in order, and the turns that were asked only as their history."""

    judged: tuple[JudgedQuestion, ...]
    history: tuple[Turn, ...] = ()

    @property
    def answerable(self) -> list[JudgedQuestion]:
        return [item for item in self.judged if item.gold.answerable]

    @property
    def unanswerable(self) -> list[JudgedQuestion]:
        return [item for item in self.judged if not item.gold.answerable]

    @property
    def fell_back(self) -> int:
        """The number of turns, including history, that were made without the language model because it failed."""
        return fell_back([*(item.turn for item in self.judged), *self.history])

    def summary(self) -> dict[str, Any]:
        """Return the content of ``wikiwhy evaluate --json``, without ``seconds``, ``errors`` and ``settings``."""
        answerable = self.answerable
        return {
            "questions": len(self.judged),
            "answerable": len(answerable),
            "p_at_1": p_at_1(answerable),
            "p_at_1_literal": literal_p_at_1(answerable),
            "hit_at_10": hit_at_10(answerable),
            "mrr_at_10": mrr_at_10(answerable),
            "by": {
                name: {value: _group(items) for value, items in values.items()}
                for name, values in group_by_label(answerable).items()
            },
            "answer": self._answers(),
        }

    def _answers(self) -> dict[str, Any]:
        answerable, unanswerable = self.answerable, self.unanswerable
        by_judge = any(item.relevance for item in answerable)
        return {
            "answered": round(1 - measure_refused(answerable), 4) if answerable else 0.0,
            "refused": measure_refused(answerable),
            "cited_gold": measure_cited_gold(answerable),
            "citation_precision": citation_precision(answerable),
            "contains_gold_words": contains_answer(answerable),
            "token_f1": token_f1(answerable),
            "unsupported_statements": measure_unsupported_statements(self.judged),
            "fell_back": self.fell_back,
            **({"judge": summarise_judgements(answerable)} if by_judge else {}),
            "unanswerable": {
                "questions": len(unanswerable),
                "refused": measure_refused(unanswerable),
                "by": {
                    name: {value: measure_refused(items) for value, items in values.items()}
                    for name, values in group_by_label(unanswerable).items()
                },
            },
        }


def _group(items: Sequence[JudgedQuestion]) -> dict[str, float | int]:
    return {
        "questions": len(items),
        "p_at_1": p_at_1(items),
        "hit_at_10": hit_at_10(items),
        "refused": measure_refused(items),
    }


async def evaluate(
    plan: Sequence[Sequence[PlannedQuestion]],
    assistant: Assistant,
    form: QuestionForm,
    journal: Journal[Turn],
    on_question: Callable[[], None],
) -> Evaluation:
    """Ask all planned questions that are not in the journal. In the form ``system``, ask with the history."""
    judged: list[JudgedQuestion] = []
    only_history: list[Turn] = []
    for number, conversation in enumerate(plan):
        turns: list[Turn] = []
        for planned in conversation:
            gold = planned.gold
            question = gold.human_completed if form == "human" else gold.as_asked
            history = list_messages(turns) if form == "system" else []
            key = f"{number}-{gold.turn}"
            turn = journal.get(key)
            if turn is None:
                turn = await assistant.answer_question(
                    QuestionToAnswer(key, str(number), "", question, history, Scope())
                )
                journal.put(key, turn)
            turns.append(turn)
            if planned.measured:
                judged.append(judge(gold, turn))
            else:
                only_history.append(turn)
            on_question()
    return Evaluation(tuple(judged), tuple(only_history))


async def judge_relevance(
    evaluation: Evaluation, model: LanguageModel, journal: Journal[Relevance], on_judged: Callable[[], None]
) -> Evaluation:
    """Return the evaluation with the answers of all answerable questions judged by the model, concurrently."""

    async def add_score(item: JudgedQuestion) -> JudgedQuestion:
        if not item.gold.answerable:
            return item
        score = journal.get(item.turn.turn_id)
        if score is None:
            score = await judge_answer(item.gold.human_completed, item.gold.gold_answer, item.turn.answer, model)
            if score.score is not None:
                journal.put(item.turn.turn_id, score)
        on_judged()
        return replace(item, relevance=score)

    return replace(evaluation, judged=tuple(await asyncio.gather(*map(add_score, evaluation.judged))))
