"""Completions of follow-ups by the language model and by the heuristic, on the same histories."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from bot.wiring import Application
from core.answering.extractive.answerer import ExtractiveAnswerer
from core.completion.heuristic import HeuristicCompleter
from core.conversation import Assistant, QuestionToAnswer
from core.history import list_messages
from core.model import HistoryMessage, Scope, Turn
from core.trace import Stopwatch, Tracer
from core.views.notices import format_notice, format_rejection
from evaluation.measures import JudgedQuestion, judge
from evaluation.questions import GoldQuestion
from evaluation.sampling import choose_spread


@dataclass(frozen=True, slots=True)
class Case:
    """A follow-up with its history and its completion by the heuristic."""

    gold: GoldQuestion
    history: Sequence[HistoryMessage]
    by_heuristic: JudgedQuestion


async def follow_ups(
    application: Application, conversations: Sequence[Sequence[GoldQuestion]], count: int
) -> list[Case]:
    """Return ``count`` later turns, spread evenly over the set, in conversations held without the language model."""
    later = [(number, gold) for number, turns in enumerate(conversations) for gold in turns if gold.turn > 1]
    chosen = {
        (number, gold.turn) for number, gold in (later[at] for at in choose_spread([gold for _, gold in later], count))
    }
    heuristic, extractive = HeuristicCompleter(application.retriever), ExtractiveAnswerer(application.matcher)
    assistant = Assistant(heuristic, application.retriever, extractive, application.matcher, time.perf_counter, {})
    cases: list[Case] = []
    for number, conversation in enumerate(conversations):
        last = max((turn for of, turn in chosen if of == number), default=0)
        turns: list[Turn] = []
        for gold in conversation[:last]:
            history = list_messages(turns)
            turn = await assistant.answer_question(
                QuestionToAnswer(f"{number}-{gold.turn}", str(number), "", gold.as_asked, history)
            )
            turns.append(turn)
            if (number, gold.turn) in chosen:
                cases.append(Case(gold, history, judge(gold, turn)))
    return cases


async def by_model(
    application: Application, cases: Sequence[Case], on_case: Callable[[], None]
) -> list[JudgedQuestion]:
    """Complete the same follow-ups by the application's completer, and retrieve with the completions."""
    found: list[JudgedQuestion] = []
    for case in cases:
        tracer = Tracer(time.perf_counter)
        question = await application.completer.complete(case.gold.as_asked, case.history, Scope(), tracer)
        stopwatch = Stopwatch(time.perf_counter)
        evidences = await application.retriever.retrieve(question.intent_explicit, Scope(), stopwatch)
        turn = replace(case.by_heuristic.turn, question=question, evidences=tuple(evidences), trace=tracer.trace)
        found.append(judge(case.gold, turn))
        on_case()
    return found


def format_completions(cases: Sequence[Case], found: Sequence[JudgedQuestion]) -> str:
    """Return both completions of each follow-up with the gold page's rank, and the model's rejected proposals."""
    lines = [line for case, item in zip(cases, found, strict=True) for line in _lines(case, item)]
    return "\n".join(["# Completions", *lines]) + "\n"


def _lines(case: Case, item: JudgedQuestion) -> Iterator[str]:
    gold = case.gold
    yield f"\n## Conversation {gold.conversation}, turn {gold.turn}, {gold.language}: {gold.as_asked}\n"
    yield f"- by people: {gold.human_completed}"
    for name, judged in (("heuristic", case.by_heuristic), ("model", item)):
        yield f"- {name}, gold page at {judged.rank or 'none'}: {judged.turn.question.intent_explicit}"
    for completion in item.turn.trace.proposed_completions:
        if completion.rejected:
            yield f"- rejected, {format_rejection(completion)}: {completion.text}"
    for notice in item.turn.trace.notices:
        yield f"- notice: {format_notice(notice, 'en')}"
