"""Work that is counted, and that waits until the models are loaded."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from bot.health.finding import Finding
from bot.privacy import PersonExport, PersonForgotten
from bot.server.metrics import Metrics
from bot.work.work import AnswerListener, Asking, ForgetPerson, Judged, Spaces, Synced, SyncListener, SyncOrder, Work
from core.attribution.explaining import Explanation
from core.identity.person import PersonId
from core.model import Turn
from core.ports import AuditEntry, ProgressListener


class CountedWork:
    """Another's work (see :class:`bot.work.work.Work`), once ``loaded`` is set."""

    def __init__(self, work: Work, metrics: Metrics, loaded: asyncio.Event) -> None:
        self._work = work
        self._metrics = metrics
        self._loaded = loaded

    async def begin(self, spaces: Sequence[str]) -> str:
        """See :meth:`bot.work.work.Work.begin`."""
        await self._loaded.wait()
        return await self._work.begin(spaces)

    async def ask(self, asking: Asking, listener: AnswerListener) -> Turn:
        """See :meth:`bot.work.work.Work.ask`."""
        await self._loaded.wait()
        with self._metrics.asking() as outcome:
            outcome.turn = turn = await self._work.ask(asking, listener)
        return turn

    async def suggest(self, turn_id: str, earlier: Sequence[str]) -> Turn:
        """See :meth:`bot.work.work.Work.suggest`."""
        await self._loaded.wait()
        return await self._work.suggest(turn_id, earlier)

    async def explain(self, turn_id: str, on_progress: ProgressListener) -> tuple[Turn, Explanation]:
        """See :meth:`bot.work.work.Work.explain`."""
        await self._loaded.wait()
        with self._metrics.explaining():
            return await self._work.explain(turn_id, on_progress)

    async def spaces(self) -> Spaces:
        """See :meth:`bot.work.work.Work.spaces`."""
        return await self._work.spaces()

    async def sync(self, order: SyncOrder, listener: SyncListener) -> Synced:
        """See :meth:`bot.work.work.Work.sync`."""
        await self._loaded.wait()
        with self._metrics.syncing():
            synced = await self._work.sync(order, listener)
        if not order.dry_run:
            for report in synced.reports:
                self._metrics.synced("command", report.refusal)
        return synced

    async def forget(self, key: str) -> None:
        """See :meth:`bot.work.work.Work.forget`."""
        await self._loaded.wait()
        await self._work.forget(key)

    async def feedback(self) -> list[Judged]:
        """See :meth:`bot.work.work.Work.feedback`."""
        return await self._work.feedback()

    async def export_person(self, person: PersonId) -> PersonExport:
        """See :meth:`bot.work.work.Work.export_person`."""
        return await self._work.export_person(person)

    async def forget_person(self, order: ForgetPerson) -> PersonForgotten:
        """See :meth:`bot.work.work.Work.forget_person`."""
        await self._loaded.wait()
        return await self._work.forget_person(order)

    async def audit(self, since: str) -> list[AuditEntry]:
        """See :meth:`bot.work.work.Work.audit`."""
        return await self._work.audit(since)

    async def clean_files(self, on_begin: Callable[[], None]) -> bool:
        """See :meth:`bot.work.work.Work.clean_files`."""
        return await self._work.clean_files(on_begin)

    async def check_indexes(self) -> list[Finding]:
        """See :meth:`bot.work.work.Work.check_indexes`."""
        await self._loaded.wait()
        return await self._work.check_indexes()
