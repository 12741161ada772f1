"""The models as chats use them: once they are loaded, for so many questions at a time, counted in the metrics."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from bot.explainers import explainer_for
from bot.server.metrics import Metrics, Outcome
from bot.wiring import Application
from core.attribution.explainer import Explainer
from core.conversation import Assistant
from core.model import Turn
from core.suggesting.suggester import add_suggestions

_BUSY = 3  # questions being answered, from which on nobody waits for suggestions: answers come first
_AT_ONCE = (os.cpu_count() or 2) + 1  # questions being answered: more would only make each of them slower
_AT_ONCE_BY_MODEL = 64  # where they mostly wait for a language model, which has a limit of its own


class ChatModels:
    """What answers, suggests and explains. ``loaded``: set when the models are; what comes before waits for them."""

    def __init__(self, application: Application, metrics: Metrics, loaded: asyncio.Event) -> None:
        self._application = application
        self._metrics = metrics
        self._loaded = loaded
        self._slots = asyncio.Semaphore(_AT_ONCE_BY_MODEL if application.settings.has_language_model else _AT_ONCE)
        self._answering = 0
        self._suggesting = asyncio.Semaphore(1)

    def assistant(self) -> Assistant:
        return self._application.assistant()

    @asynccontextmanager
    async def reserve_answer(self) -> AsyncIterator[Outcome]:
        """Waits for the models and its turn. The block answers a question, and sets the turn that is counted."""
        await self._loaded.wait()
        self._answering += 1
        try:
            async with self._slots:
                with self._metrics.count_question() as outcome:
                    yield outcome
        finally:
            self._answering -= 1

    def may_suggest(self) -> bool:
        """Whether there is something that suggests, and time for it."""
        return self._application.suggester is not None and self._answering < _BUSY

    async def add_suggestions(self, turn: Turn, earlier: Sequence[str]) -> Turn:
        """The turn with suggested questions. ``earlier``: the questions asked before it."""
        suggester = self._application.suggester
        if suggester is None:
            return turn
        async with self._suggesting, self._slots:  # answers come first
            return await add_suggestions(suggester, turn, earlier, time.perf_counter)

    @asynccontextmanager
    async def open_explainer(self, turn: Turn) -> AsyncIterator[Explainer]:
        """Waits for the models; gives what explains this turn. Raises what :func:`explainer_for` raises."""
        await self._loaded.wait()
        with self._metrics.count_explanation():
            yield await explainer_for(self._application, turn)
