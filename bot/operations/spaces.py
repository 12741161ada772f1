"""Operations on spaces: list and forget them, check their indexes, and clean the files."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from bot.audit import record_action
from bot.maintenance import clean_files, has_erased_text
from bot.operations.finding import REBUILD, SYNC, Finding, run_async_check
from bot.operations.operation import EventListener, Operation
from bot.operations.sync import find_next_syncs, hold_spaces
from bot.storage.data_directory import DataDirectory, delete, describe_owner
from bot.wiring import Application
from core.errors import DataDirectoryInUse
from core.ports.pages import SpaceSummary
from core.timing import Progress


@dataclass(frozen=True, slots=True)
class SpaceList:
    """The synced spaces. ``next_due``: the next sync (UTC) by key of each scheduled space, even if never synced."""

    summaries: tuple[SpaceSummary, ...] = ()
    next_due: Mapping[str, datetime] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ListSpaces(Operation[SpaceList]):
    """Lists the synced spaces."""

    needs_models = False

    async def run(self, application: Application, on_event: EventListener) -> SpaceList:
        summaries = await application.spaces.load_summaries()
        return SpaceList(tuple(summaries), find_next_syncs(application, summaries))


@dataclass(frozen=True, slots=True)
class ForgetSpace(Operation[None]):
    """Removes a space, its text in past answers, and the indexes of evaluations."""

    key: str

    async def run(self, application: Application, on_event: EventListener) -> None:
        """Raises DataDirectoryInUse while an evaluation runs."""
        async with record_action(application.audit, "forget_space", self.key), hold_spaces(application, [self.key]):
            await asyncio.to_thread(_delete_evaluations, application.directory)
            await application.indexer.drop(await application.spaces.forget(self.key))
            await asyncio.to_thread(application.erasure_log.write)


@dataclass(frozen=True, slots=True)
class CheckIndexes(Operation[list[Finding]]):
    """Compares both indexes with the store, entry by entry."""

    async def run(self, application: Application, on_event: EventListener) -> list[Finding]:
        indexes = application.indexes
        # No sync may run, because during a sync the indexes differ from the store.
        async with application.syncing.hold_all():
            summaries = await application.spaces.load_summaries()
            parts: list[tuple[str, Callable[[], str], Callable[[str], Awaitable[set[str]]]]] = [
                ("full-text index", indexes.find_missing_lexical, lambda space: application.lexical.load_keys(space)),
                ("dense index", indexes.find_missing_dense, lambda space: application.dense.load_keys(space)),
            ]
            return [
                await run_async_check(part, _check_index(application, part, find_missing, keys, summaries))
                for part, find_missing, keys in parts
            ]


@dataclass(frozen=True, slots=True)
class CleanFiles(Operation[bool]):
    """Removes erased text from large files, for a few minutes at most. The result is whether all of it is removed.

    Events: one of progress, if there is text to remove. A server cleans its files by itself (see bot.maintenance).
    """

    needs_models = False

    async def run(self, application: Application, on_event: EventListener) -> bool:
        if not await has_erased_text(application):
            return True
        on_event(Progress("clean files", 0, None))
        return await clean_files(application)


def find_key(typed: str, keys: Sequence[str]) -> str:
    """Return the space key that equals ``typed`` when case is ignored, "" if there is none."""
    return typed if typed in keys else next((key for key in keys if key.casefold() == typed.casefold()), "")


def _delete_evaluations(directory: DataDirectory) -> None:
    """Delete the indexes of evaluations, which may contain the space. They are rebuilt when needed.

    Raises DataDirectoryInUse while an evaluation runs.
    """
    if directory.evaluations.is_dir():
        for index in directory.evaluations.iterdir():
            if owner := describe_owner(index):
                raise DataDirectoryInUse(
                    f"{index} is in use by {owner}, so nothing was forgotten. Wait until it has ended or stop it, then "
                    "run the command again."
                )
    delete(directory.evaluations)


async def _check_index(
    application: Application,
    part: str,
    find_missing: Callable[[], str],
    keys: Callable[[str], Awaitable[set[str]]],
    summaries: Sequence[SpaceSummary],
) -> Finding:
    """Compare an index with the store, key by key. A missing index is not opened, because that would create it."""
    if missing := await asyncio.to_thread(find_missing):
        return Finding(part, "broken", missing, REBUILD) if summaries else Finding(part, "note", missing, SYNC)
    total, differing = 0, []
    for summary in summaries:
        wanted = {evidence.entry.key for evidence in await application.pages.load_evidences(summary.key)}
        there = await keys(summary.key)
        total += len(wanted)
        if wanted != there:
            lacks, surplus = len(wanted - there), len(there - wanted)
            differing.append(f"{summary.key} lacks {lacks} of {len(wanted)} entries and has {surplus} surplus ones")
    if differing:
        return Finding(part, "broken", "; ".join(differing), REBUILD)
    return Finding(part, "works", f"{total} entries, the same as in the database")
