"""Runs the product's workflows in a canary case, without a workflow database."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextvars import copy_context
from random import Random
from typing import Any, TypeVar

from benchmarks.security._canary_loop import ACTOR, Killed, Scheduler
from benchmarks.security._canary_parts import ASKED_AT
from bot.coordination.bots import OneBot
from bot.durable import Durable
from bot.workflow import Request, Workflow
from core.chat.requests import ExplanationRequest, QuestionRequest, RevisionRequest, SyncRequest
from core.errors import ChatRefused

T = TypeVar("T")

_ATTEMPTS = 3


class Runner(Durable):
    """Runs the steps of workflows in order, and repeats or interrupts some of them."""

    def __init__(self, scheduler: Scheduler, random: Random, kills: float) -> None:
        self._scheduler, self._random, self._kills = scheduler, random, kills
        self._first_pause = 1.0
        self._workflows: dict[str, tuple[type[Request], Workflow[Any]]] = {}
        self._started: set[str] = set()
        self._fresh: set[str] = set()
        self._bots = OneBot()
        self._starting: dict[str, asyncio.Future[Any]] = {}
        self._running: dict[str, asyncio.Task[None]] = {}
        self._launched = asyncio.Event()
        self._launched.set()

    async def is_under_way(self, key: str) -> bool:
        await self._scheduler.checkpoint("durable.status")
        return key in self._running

    async def restart(self, request: Request) -> bool:
        await self._scheduler.checkpoint("durable.status")
        if request.key in self._running:
            return False
        await self._commit(request)
        return True

    async def run_to_end(self, request: Request) -> None:
        await self._commit(request)
        await self._running[request.key]

    async def sweep(self) -> None:
        self._started = set(self._running)

    async def wait_until_idle(self) -> None:
        """Wait until no workflow runs."""
        while self._running or self._starting:
            await asyncio.gather(*self._running.values(), *self._starting.values(), return_exceptions=True)

    async def _commit(self, request: Request) -> Any:
        await self._scheduler.checkpoint("durable.commit")
        self._started.add(request.key)
        if request.key not in self._running:
            request_type, workflow = self._workflows[request.workflow]
            self._fresh.add(request.key)
            task = asyncio.create_task(self._run(workflow, request_type.from_json(request.to_json())))
            self._running[request.key] = task
            task.add_done_callback(lambda _: self._running.pop(request.key, None))

    async def _run(self, workflow: Workflow[Any], request: Request) -> None:
        ACTOR.set("sync command" if request.workflow == "sync" else request.workflow)

        async def step(name: str, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
            await self._scheduler.checkpoint("durable.step")
            return await self._run_attempts(request, name, work)

        try:
            await workflow.run(request, step)
        except Exception:  # reported by the workflow
            await workflow.report_failure(request)

    async def _run_attempts(self, request: Request, name: str, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        attempts = _ATTEMPTS
        if self._random.random() < self._kills:
            await self._cut_off(request, name, work)
        while True:
            attempts -= 1
            self._note_asked_at(request)
            try:
                return await work()
            except ChatRefused:
                raise
            except Exception:
                if attempts <= 0:
                    raise
                await self._scheduler.checkpoint("durable.retry")

    async def _cut_off(self, request: Request, name: str, work: Callable[[], Coroutine[Any, Any, T]]) -> None:
        """Begin the step, and kill the simulated process in it or before its outcome is stored."""
        task = asyncio.get_running_loop().create_task(_ignore_kill(work), context=copy_context())
        self._scheduler.doomed[task] = self._random.randint(1, 12)
        self._note_asked_at(request)
        await asyncio.gather(task, return_exceptions=True)
        self._fresh.discard(request.key)
        self._scheduler.note(f"step {name} is run again")

    def _note_asked_at(self, request: Request) -> None:
        assert isinstance(request, QuestionRequest | RevisionRequest | ExplanationRequest | SyncRequest)
        ASKED_AT.set((request.place, request.user, self._scheduler.now) if request.place else None)


async def _ignore_kill(work: Callable[[], Coroutine[Any, Any, object]]) -> None:
    try:
        await work()
    except Killed:
        return
