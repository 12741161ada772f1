"""Work that is counted, and that waits until the models are loaded."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from bot.health.finding import Finding
from bot.operations.operations import (
    AnswerListener,
    AskRequest,
    ForgetPerson,
    Judged,
    Operations,
    Spaces,
    Synced,
    SyncListener,
    SyncOrder,
)
from bot.privacy import PersonExport, PersonForgotten
from bot.server.metrics import Metrics
from core.attribution.explainer import Explanation
from core.identity.person import PersonId
from core.model import Turn
from core.ports import AuditEntry, ProgressListener


class MeteredOperations:
    """Another's work (see :class:`bot.operations.operations.Operations`), once ``loaded`` is set."""

    def __init__(self, work: Operations, metrics: Metrics, loaded: asyncio.Event) -> None:
        self._work = work
        self._metrics = metrics
        self._loaded = loaded

    async def begin(self, spaces: Sequence[str]) -> str:
        """See :meth:`bot.operations.operations.Operations.begin`."""
        await self._loaded.wait()
        return await self._work.begin(spaces)

    async def ask(self, asking: AskRequest, listener: AnswerListener) -> Turn:
        """See :meth:`bot.operations.operations.Operations.ask`."""
        await self._loaded.wait()
        with self._metrics.count_question() as outcome:
            outcome.turn = turn = await self._work.ask(asking, listener)
        return turn

    async def suggest(self, turn_id: str, earlier: Sequence[str]) -> Turn:
        """See :meth:`bot.operations.operations.Operations.suggest`."""
        await self._loaded.wait()
        return await self._work.suggest(turn_id, earlier)

    async def explain(self, turn_id: str, on_progress: ProgressListener) -> tuple[Turn, Explanation]:
        """See :meth:`bot.operations.operations.Operations.explain`."""
        await self._loaded.wait()
        with self._metrics.count_explanation():
            return await self._work.explain(turn_id, on_progress)

    async def spaces(self) -> Spaces:
        """See :meth:`bot.operations.operations.Operations.spaces`."""
        return await self._work.spaces()

    async def sync(self, order: SyncOrder, listener: SyncListener) -> Synced:
        """See :meth:`bot.operations.operations.Operations.sync`."""
        await self._loaded.wait()
        with self._metrics.measure_sync():
            synced = await self._work.sync(order, listener)
        if not order.dry_run:
            for report in synced.reports:
                self._metrics.count_sync("command", report.refusal)
        return synced

    async def forget(self, key: str) -> None:
        """See :meth:`bot.operations.operations.Operations.forget`."""
        await self._loaded.wait()
        await self._work.forget(key)

    async def feedback(self) -> list[Judged]:
        """See :meth:`bot.operations.operations.Operations.feedback`."""
        return await self._work.feedback()

    async def export_person(self, person: PersonId) -> PersonExport:
        """See :meth:`bot.operations.operations.Operations.export_person`."""
        return await self._work.export_person(person)

    async def forget_person(self, order: ForgetPerson) -> PersonForgotten:
        """See :meth:`bot.operations.operations.Operations.forget_person`."""
        await self._loaded.wait()
        return await self._work.forget_person(order)

    async def audit(self, since: str) -> list[AuditEntry]:
        """See :meth:`bot.operations.operations.Operations.audit`."""
        return await self._work.audit(since)

    async def clean_files(self, on_begin: Callable[[], None]) -> bool:
        """See :meth:`bot.operations.operations.Operations.clean_files`."""
        return await self._work.clean_files(on_begin)

    async def check_indexes(self) -> list[Finding]:
        """See :meth:`bot.operations.operations.Operations.check_indexes`."""
        await self._loaded.wait()
        return await self._work.check_indexes()
