"""Turns of the sample wiki, answered without a model."""

from __future__ import annotations

import time

from bot.wiring import Application
from core.answering.extractive.answerer import ExtractiveAnswerer
from core.completion.heuristic import HeuristicCompleter
from core.conversation import Assistant, QuestionToAnswer
from core.model import Scope, Turn
from core.suggesting.suggester import Checker
from core.trace import Stopwatch

HOTEL = "What is the hotel limit per night in the Netherlands for a trip in 2026?"


async def asked(wiki: Application, question: str, scope: Scope | None = None) -> Turn:
    completer, answerer = HeuristicCompleter(wiki.retriever), ExtractiveAnswerer(wiki.matcher)
    assistant = Assistant(completer, wiki.retriever, answerer, wiki.matcher, time.perf_counter, {})
    return await assistant.answer_question(
        QuestionToAnswer("t", "c", "2026-01-01T00:00:00+00:00", question, scope=scope or Scope())
    )


def checker(wiki: Application) -> Checker:
    return Checker(wiki.retriever, wiki.matcher)


async def first_results(wiki: Application, question: str, scope: Scope) -> list[str]:
    found = await wiki.retriever.retrieve(question, scope, Stopwatch(time.perf_counter))
    return [ranked.evidence.evidence_id for ranked in found[:3]]
