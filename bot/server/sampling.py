"""Read the database for the metrics in the background, so that reading the metrics costs no query."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter

from bot.durable import Durable
from bot.schedules import find_last_syncs
from bot.server.metrics import Metrics
from bot.wiring import Application
from core.chat.requests import ExplanationRequest, ForgetRequest, QuestionRequest, RevisionRequest, SyncRequest

SAMPLE_SECONDS = 15.0
_LAG_SECONDS = 0.5
_REQUESTS = QuestionRequest, ExplanationRequest, RevisionRequest, SyncRequest, ForgetRequest
_WORKFLOWS = tuple(request.workflow for request in _REQUESTS)

logger = logging.getLogger(__name__)


class Sampling:
    """Samples spaces and workflows, and measures the lag of the event loop."""

    def __init__(self, application: Application, durable: Durable, metrics: Metrics) -> None:
        self._application = application
        self._durable = durable
        self._metrics = metrics
        bots = application.bots
        metrics.leader.set_function(lambda: bots.leads)
        metrics.bots.set(1)
        bots.on_beat(self._note_bots)

    async def run(self) -> None:
        """Sample until cancelled."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._sample_regularly())
            group.create_task(self._measure_lag())

    async def sample(self) -> None:
        """Read the database now."""
        last = find_last_syncs(await self._application.spaces.load_summaries())
        self._metrics.spaces.synced_at = {space: at.timestamp() for space, at in last.items()}
        unfinished = await self._durable.list_unfinished()
        counts = Counter(each.workflow for each in unfinished)
        for workflow in _WORKFLOWS:
            self._metrics.workflows.labels(workflow).set(counts[workflow])
        now = time.time()
        oldest = min((each.started_at for each in unfinished), default=now)
        self._metrics.oldest_workflow.set(max(0.0, now - oldest))

    async def _sample_regularly(self) -> None:
        while True:
            try:
                await self.sample()
            except Exception as error:  # the readiness checks report errors of the database
                logger.debug("The database could not be read for the metrics: %s", error)
            await asyncio.sleep(SAMPLE_SECONDS)

    async def _measure_lag(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            began = loop.time()
            await asyncio.sleep(_LAG_SECONDS)
            self._metrics.lag_seconds.observe(max(0.0, loop.time() - began - _LAG_SECONDS))

    async def _note_bots(self, living: frozenset[str]) -> None:
        self._metrics.bots.set(len(living))
