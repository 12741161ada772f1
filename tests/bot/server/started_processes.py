"""Processes that answer questions, for tests: they have loaded their models."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from bot.server.metrics import Metrics
from bot.server.processes import AnswerProcesses
from bot.wiring import Application, make_id
from core.conversation import QuestionToAnswer
from core.model import HistoryMessage, Scope, Turn

TRAVEL = "Who approves travel?"
ALL = Scope()
CONVERSATION: list[tuple[str, tuple[HistoryMessage, ...], Scope]] = [
    (TRAVEL, (), ALL),
    ("And hotels?", (HistoryMessage("user", TRAVEL), HistoryMessage("assistant", "Ann approves travel.")), ALL),
    ("What is the limit in Berlin?", (), ALL),
    ("Wer putzt die Küche?", (), ALL),
    ("Who paints the moon?", (), ALL),
    (TRAVEL, (), Scope(frozenset({"OPS"}))),
]
"""Questions, each with its history and scope. All but the last two are answered."""


@asynccontextmanager
async def started(application: Application, count: int = 1) -> AsyncIterator[AnswerProcesses]:
    processes = AnswerProcesses(application, count, Metrics())
    await processes.start()
    try:
        await running(processes, count)
        yield processes
    finally:
        await processes.stop()


async def running(processes: AnswerProcesses, count: int) -> None:
    async with asyncio.timeout(120):
        while processes.count_running() != count:  # noqa: ASYNC110 - threads start them
            await asyncio.sleep(0.05)


async def ask(
    application: Application, question: str, history: tuple[HistoryMessage, ...] = (), scope: Scope = ALL
) -> Turn:
    return await application.make_assistant().answer_question(
        QuestionToAnswer(make_id(), "conversation", "2026-11-27T12:00:00+00:00", question, history, scope)
    )


def pids(processes: AnswerProcesses) -> list[int]:
    return [process._process.pid for process in processes._running]


def forbid_answers_here(processes: AnswerProcesses, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "_run_here", None)


async def check_answers_are_equal(application: Application, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process gives the same turns as the server, but for ids and times."""
    here = [await ask(application, *each) for each in CONVERSATION]
    async with started(application) as processes:
        forbid_answers_here(processes, monkeypatch)
        there = [await ask(application, *each) for each in CONVERSATION]
    assert [turn.answer.answered for turn in here] == [True, True, True, True, False, False]
    for one, other in zip(here, there, strict=True):
        assert replace(other, turn_id=one.turn_id, timings_ms=one.timings_ms) == one
