"""The work done by this process, which owns the data directory."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path

from adapters.folder.wiki import FolderWiki
from bot.audit import outcome_of, record_action
from bot.cleaning import clean_files, has_erased_text
from bot.data_directory import DataDirectory, delete, owner_of
from bot.explainers import explainer_for, turn_to_explain
from bot.health.data import index_findings
from bot.health.finding import Finding
from bot.operations.operations import (
    AnswerListener,
    AskRequest,
    ForgetPerson,
    Judged,
    Spaces,
    Synced,
    SyncListener,
    SyncOrder,
)
from bot.privacy import PersonExport, PersonForgotten, export_person, forget_person
from bot.retention import remove_old
from bot.schedules import due, last_syncs, next_due
from bot.sync import sync_spaces
from bot.wikis import confluence_for
from bot.wiring import Application, new_id, now
from core.attribution.explainer import Explanation
from core.conversation import Ask
from core.errors import DataDirectoryInUse, IndexDamaged, SettingsInvalid, SpaceUnknown, TurnUnknown
from core.identity.person import PersonId
from core.indexing.report import SpaceReport
from core.model import Conversation, Scope, Turn
from core.ports import AuditEntry, ProgressListener, SpaceSummary, Wiki
from core.suggesting.suggester import add_suggestions

_TRAFFIC_SECONDS = 0.2  # between two looks at a wiki's traffic


async def _nothing() -> None:
    """Threads need no waiting for where the event loop ends with the work: that waits for them."""


class LocalOperations:
    """Does the work itself (see :class:`bot.operations.operations.Operations`).

    ``settled``: waits until threads have finished what they are at. A thread cannot be cancelled; where the process
    goes on, the next sync must not begin beside what a cancelled one left running.
    """

    def __init__(self, application: Application, settled: Callable[[], Awaitable[None]] = _nothing) -> None:
        self._application = application
        self._settled = settled

    async def begin(self, spaces: Sequence[str]) -> str:
        """See :meth:`bot.operations.operations.Operations.begin`."""
        await check_spaces(self._application, spaces)
        conversation = Conversation(new_id(), now())
        await self._application.conversations.start(conversation)
        return conversation.conversation_id

    async def ask(self, asking: AskRequest, listener: AnswerListener) -> Turn:
        """See :meth:`bot.operations.operations.Operations.ask`."""
        scope = Scope(frozenset(asking.spaces) if asking.spaces else None)
        ask = Ask(new_id(), asking.conversation_id, now(), asking.question, asking.history, scope, asking.suggested_in)
        turn = await self._application.assistant().ask(ask, listener.on_text, listener.on_question)
        await self._application.turns.keep(turn)
        return turn

    async def suggest(self, turn_id: str, earlier: Sequence[str]) -> Turn:
        """See :meth:`bot.operations.operations.Operations.suggest`."""
        turn = await self._application.turns.get(turn_id)
        if turn is None:
            raise TurnUnknown(f"There is no answer {turn_id} here.")
        if self._application.suggester is None:
            return turn
        turn = await add_suggestions(self._application.suggester, turn, earlier, time.perf_counter)
        await self._application.turns.keep_suggestions(turn.turn_id, turn.suggestions)
        return turn

    async def explain(self, turn_id: str, on_progress: ProgressListener) -> tuple[Turn, Explanation]:
        """See :meth:`bot.operations.operations.Operations.explain`."""
        turn = await turn_to_explain(self._application, turn_id, Scope())
        explainer = await explainer_for(self._application, turn)
        return turn, await explainer.explain(turn, on_progress=on_progress)

    async def spaces(self) -> Spaces:
        """See :meth:`bot.operations.operations.Operations.spaces`."""
        summaries = await self._application.spaces.summaries()
        return Spaces(tuple(summaries), self._next_due(summaries))

    async def sync(self, order: SyncOrder, listener: SyncListener) -> Synced:
        """See :meth:`bot.operations.operations.Operations.sync`."""
        if order.source == "due" and not self._application.settings.schedules:
            raise SettingsInvalid(
                'Nothing can be due: WIKIWHY_SYNC_SCHEDULE is not set. Set it, for example to "ENG, PEO: 0 6 * * *", '
                "or name the spaces: wikiwhy sync confluence KEY…"
            )
        if order.source == "due":
            await remove_old(self._application, datetime.now(UTC))
        with self._wiki(order) as wiki:
            keys = await self._keys(order, wiki)
            async with self._holding(keys):
                reports = await self._recorded(order, wiki, keys, listener) if keys else []
                summaries = await self._application.spaces.summaries()
        return Synced(tuple(reports), self._next_due(summaries))

    async def forget(self, key: str) -> None:
        """See :meth:`bot.operations.operations.Operations.forget`."""
        async with record_action(self._application.audit, "forget_space", key), self._holding([key]):
            await asyncio.to_thread(_delete_evaluations, self._application.directory)
            await self._application.indexer.drop(await self._application.spaces.forget(key))

    async def feedback(self) -> list[Judged]:
        """See :meth:`bot.operations.operations.Operations.feedback`."""
        async with record_action(self._application.audit, "export_feedback", ""):
            given = await self._application.feedback.all()
        turn_ids = dict.fromkeys(each.turn_id for each in given)
        turns = {turn_id: await self._application.turns.get(turn_id) for turn_id in turn_ids}
        return [Judged(each, turns[each.turn_id]) for each in given]

    async def export_person(self, person: PersonId) -> PersonExport:
        """See :meth:`bot.operations.operations.Operations.export_person`."""
        return await export_person(self._application, person)

    async def forget_person(self, order: ForgetPerson) -> PersonForgotten:
        """See :meth:`bot.operations.operations.Operations.forget_person`."""
        return await forget_person(self._application, order.person, order.names, self._settled)

    async def audit(self, since: str) -> list[AuditEntry]:
        """See :meth:`bot.operations.operations.Operations.audit`."""
        return await self._application.audit.entries(since)

    async def clean_files(self, on_begin: Callable[[], None]) -> bool:
        """See :meth:`bot.operations.operations.Operations.clean_files`."""
        if not await has_erased_text(self._application):
            return True
        on_begin()
        return await clean_files(self._application)

    async def check_indexes(self) -> list[Finding]:
        """See :meth:`bot.operations.operations.Operations.check_indexes`."""
        async with self._application.syncing.hold_all():  # beside a sync they differ, and that is right
            return await index_findings(self._application)

    async def _keys(self, order: SyncOrder, wiki: Wiki) -> list[str]:
        """The keys of the spaces to sync, each once."""
        if order.source == "folder":
            return await self._application.synchroniser().spaces_of(wiki)
        if order.source == "confluence":
            return list(dict.fromkeys(order.keys))
        last = last_syncs(await self._application.spaces.summaries())
        return due(self._application.settings.schedules, last, datetime.now(UTC))

    async def _recorded(
        self, order: SyncOrder, wiki: Wiki, keys: list[str], listener: SyncListener
    ) -> list[SpaceReport]:
        """The same as :meth:`_synced`, in the audit log unless nothing is to be changed."""
        if order.dry_run:
            return await self._synced(order, wiki, keys, listener)
        what = f"folder {order.path}" if order.source == "folder" else ", ".join(keys)
        async with record_action(self._application.audit, "sync", what) as entry:
            reports = await self._synced(order, wiki, keys, listener)
            entry.outcome = outcome_of(reports)
        return reports

    async def _synced(self, order: SyncOrder, wiki: Wiki, keys: list[str], listener: SyncListener) -> list[SpaceReport]:
        synchroniser = self._application.synchroniser(order.allow_mass_delete, order.full)
        async with _telling(wiki, listener):
            if order.dry_run:
                return await synchroniser.preview(wiki, keys)
            return await sync_spaces(self._application, wiki, synchroniser, keys, listener.on_progress)

    @contextmanager
    def _wiki(self, order: SyncOrder) -> Iterator[Wiki]:
        if order.source == "folder":
            yield FolderWiki(Path(order.path))
            return
        with closing(confluence_for(self._application.settings)) as wiki:
            yield wiki

    @asynccontextmanager
    async def _holding(self, keys: Sequence[str]) -> AsyncIterator[None]:
        async with self._application.syncing.hold(keys):
            try:
                yield
            except BaseException:
                await self._settled()
                raise

    def _next_due(self, summaries: Sequence[SpaceSummary]) -> dict[str, datetime]:
        return next_due(self._application.settings.schedules, last_syncs(summaries), datetime.now(UTC))


async def check_spaces(application: Application, keys: Sequence[str]) -> None:
    """Raises SpaceUnknown where there is no such space, or none at all; IndexDamaged where nothing would be found."""
    summaries = await application.spaces.summaries()
    known = {summary.key for summary in summaries}
    if not known:
        raise SpaceUnknown(
            f"Nothing has been synced into {application.directory.path} yet. "
            "Run for example: wikiwhy sync folder samples/documents"
        )
    unknown = sorted(set(keys) - known)
    if unknown:
        raise SpaceUnknown(f"There is no space {', '.join(unknown)} here. The spaces are: {', '.join(sorted(known))}.")
    # An index that misses entries would find nothing, and nobody would know why.
    if lacking := await application.indexer.find_incomplete_spaces(application.spaces, keys or None):
        raise IndexDamaged(
            f"The indexes lack evidences of space {lacking[0]} (files deleted, or another embedder than before). "
            "Run `wikiwhy db rebuild-index`: it makes the indexes anew from the database."
        )


@asynccontextmanager
async def _telling(wiki: Wiki, listener: SyncListener) -> AsyncIterator[None]:
    """Tells of the wiki's traffic for as long as the block lasts: while it is listed there is no other progress."""

    async def tell() -> None:
        while True:
            listener.on_traffic(wiki.traffic)
            await asyncio.sleep(_TRAFFIC_SECONDS)

    telling = asyncio.create_task(tell())
    try:
        yield
    finally:
        telling.cancel()


def _delete_evaluations(directory: DataDirectory) -> None:
    """They may hold the space's pages too, and are made again when needed. Raises DataDirectoryInUse."""
    if directory.evaluations.is_dir():
        for index in directory.evaluations.iterdir():
            if owner := owner_of(index):
                raise DataDirectoryInUse(
                    f"{index} is in use by {owner}. Nothing was forgotten: wait until that is done or stop it, "
                    "and forget again."
                )
    delete(directory.evaluations)
