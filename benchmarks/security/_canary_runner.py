"""Durable work in a canary case: the product's workflows without books."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextvars import copy_context
from random import Random
from typing import Any

from benchmarks.security._canary_loop import ACTOR, Killed, Scheduler
from benchmarks.security._canary_parts import ASKED_AT
from bot.chat.payloads import Json, place_of
from bot.durable import Durable, Step, Workflow
from core.errors import ChatRefused


class Runner(Durable):
    """Durable work without books: the same workflows' steps in order, some of them repeated or cut off."""

    def __init__(self, scheduler: Scheduler, random: Random, kills: float) -> None:
        self._scheduler, self._random, self._kills = scheduler, random, kills
        self._first_pause = 1.0
        self._workflows: list[Workflow] = []
        self._started: set[str] = set()
        self._resumed: set[str] = set()
        self._starting: dict[str, asyncio.Future[Any]] = {}
        self._running: dict[str, asyncio.Task[None]] = {}
        self._launched = asyncio.Event()
        self._launched.set()

    async def is_under_way(self, key: str) -> bool:
        await self._scheduler.checkpoint("durable.status")
        return key in self._running

    async def again(self, name: str, key: str, payload: Json) -> bool:
        await self._scheduler.checkpoint("durable.status")
        if key in self._running:
            return False
        await self._begun(name, key, payload)
        return True

    async def done(self, name: str, key: str, payload: Json) -> None:
        await self._begun(name, key, payload)
        await self._running[key]

    async def sweep(self) -> None:
        self._started = set(self._running)

    async def wait_until_idle(self) -> None:
        """Until no work is under way."""
        while self._running or self._starting:
            await asyncio.gather(*self._running.values(), *self._starting.values(), return_exceptions=True)

    async def _begun(self, name: str, key: str, payload: Json) -> Any:
        await self._scheduler.checkpoint("durable.commit")
        self._started.add(key)
        if key not in self._running:
            workflow = next(each for each in self._workflows if each.name == name)
            task = asyncio.create_task(self._run(workflow, {**payload, "key": key}))
            self._running[key] = task
            task.add_done_callback(lambda _: self._running.pop(key, None))

    async def _run(self, workflow: Workflow, payload: Json) -> None:
        actor = "sync command" if workflow.name == "sync" else workflow.name
        ACTOR.set(actor)
        outcomes: dict[str, Json] = {}
        try:
            for step in workflow.steps:
                await self._scheduler.checkpoint("durable.step")
                outcomes[step.name] = await self._stepped(step, payload, outcomes)
        except Exception as error:
            await workflow.failed(payload, error)

    async def _stepped(self, step: Step, payload: Json, outcomes: Mapping[str, Json]) -> Json:
        if self._random.random() < self._kills:
            await self._cut_off(step, payload, outcomes)
        attempts = step.attempts
        while True:
            attempts -= 1
            ASKED_AT.set((place_of(payload), payload["user"], self._scheduler.now) if "place" in payload else None)
            try:
                return await step.run(payload, dict(outcomes))
            except ChatRefused:
                raise
            except Exception:
                if attempts <= 0:
                    raise
                await self._scheduler.checkpoint("durable.retry")

    async def _cut_off(self, step: Step, payload: Json, outcomes: Mapping[str, Json]) -> None:
        """The step is begun, and the process dies in it or before its outcome is in the books."""
        task = asyncio.get_running_loop().create_task(_outcome(step, payload, outcomes), context=copy_context())
        self._scheduler.doomed[task] = self._random.randint(1, 12)
        ASKED_AT.set((place_of(payload), payload["user"], self._scheduler.now) if "place" in payload else None)
        await asyncio.gather(task, return_exceptions=True)
        self._resumed.add(payload["key"])
        self._scheduler.note(f"step {step.name} is run again")


async def _outcome(step: Step, payload: Json, outcomes: Mapping[str, Json]) -> None:
    try:
        await step.run(payload, dict(outcomes))
    except Killed:
        return
