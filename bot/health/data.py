"""The database, what is in it, and the indexes beside it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path

from adapters.store.database import HEAD, Database, sqlite_url
from bot.data_directory import DataDirectory, own_directory, owner_of
from bot.health.finding import SYNC, Finding, run_async_check, run_check
from bot.operations.address import find_running_server
from bot.settings import Settings
from bot.wiring import Application
from core.errors import DataDirectoryInUse, WikiWhyError
from core.ports import SpaceSummary

REBUILD = "Run: wikiwhy db rebuild-index"


@contextmanager
def database(settings: Settings, directory: DataDirectory) -> Iterator[Database | WikiWhyError | OSError | None]:
    """The database as it is, the reason why it cannot be opened, or None if there is none yet."""
    database = None
    try:
        if settings.database_url or directory.database.exists():
            database = Database.open_unmigrated(settings.database_url or sqlite_url(directory.database))
    except (WikiWhyError, OSError) as error:
        yield error
        return
    try:
        yield database
    finally:
        if database:
            database.close()


def revision(database: Database | WikiWhyError | OSError | None) -> Finding:
    part = "database"
    if database is None:
        return Finding(part, "note", "there is none yet", SYNC)
    if isinstance(database, WikiWhyError | OSError):
        raise database
    revision = database.revision()
    if database.is_sqlite:
        with database.read() as connection:
            defect = connection.exec_driver_sql("PRAGMA quick_check(1)").scalar()
        if defect != "ok":
            advice = "Restore a backup, or move the file away and sync the spaces again."
            return Finding(part, "broken", f"{database.place} is damaged: {defect}", advice)
    if revision == HEAD:
        return Finding(part, "works", f"{database.place}, revision {revision}")
    if revision is None:
        return Finding(part, "note", f"{database.place} is empty", SYNC)
    from adapters.store.migrate import list_revisions

    if revision in list_revisions():
        found = f"revision {revision}, this version uses {HEAD}"
        return Finding(part, "note", found, "The next command brings it up to date, or: wikiwhy db upgrade")
    found = f"written by a newer version of WikiWhy (revision {revision}, this version knows {HEAD})"
    return Finding(part, "broken", found, "Upgrade WikiWhy, or use another data directory.")


def of_application(application: Application) -> list[Finding]:
    return [run_check("spaces", lambda: _spaces(application)), *_indexes(application)]


def _spaces(application: Application) -> Finding:
    summaries = asyncio.run(application.spaces.summaries())
    if not summaries:
        return Finding("spaces", "note", "nothing has been synced yet", SYNC)
    pages = sum(summary.pages for summary in summaries)
    found = f"{len(summaries)} with {pages} pages"
    failed = [summary for summary in summaries if summary.last_error or not summary.synced_at]
    if failed:
        first = failed[0]
        cause = first.last_error or "its first sync has not finished"
        advice = "wikiwhy spaces lists them all; sync again after correcting the cause."
        return Finding("spaces", "note", f"{found}; {len(failed)} with errors, {first.key}: {cause}", advice)
    return Finding("spaces", "works", found)


def _indexes(application: Application) -> list[Finding]:
    """Both indexes, which their owner looks at, for they serve one process: this one meanwhile, or a server."""
    path = application.directory.path
    if server := find_running_server(path):
        from bot.operations.remote import RemoteOperations

        try:
            return asyncio.run(RemoteOperations(server).check_indexes())
        except WikiWhyError as error:
            return [Finding("indexes", "broken", str(error))]
    try:
        with own_directory(path, wait_seconds=0) if path.is_dir() else nullcontext():
            return asyncio.run(index_findings(application))
    except DataDirectoryInUse:
        found = f"in use by {owner_of(path) or 'another process'}, so not looked at"
        return [Finding("indexes", "note", found, "Run wikiwhy doctor again after that.")]
    except (WikiWhyError, OSError) as error:
        return [Finding("indexes", "broken", str(error))]


async def index_findings(application: Application) -> list[Finding]:
    """Compares both indexes with the store, entry by entry; for the owner of the data directory."""
    lexical = application.directory.lexical_index
    dense = Path() if application.settings.chroma_url else application.directory.dense_index / "chroma.sqlite3"
    summaries = await application.spaces.summaries()
    parts: list[tuple[str, Path, Callable[[str], Awaitable[set[str]]]]] = [
        ("full-text index", lexical, lambda space: application.lexical.keys(space)),
        ("dense index", dense, lambda space: application.dense.keys(space)),
    ]
    return [await run_async_check(part, _index(application, part, file, keys, summaries)) for part, file, keys in parts]


async def _index(
    application: Application,
    part: str,
    file: Path,
    keys: Callable[[str], Awaitable[set[str]]],
    summaries: Sequence[SpaceSummary],
) -> Finding:
    """Compares an index with the store, key by key. Without its ``file`` it is not opened, which would create it."""
    if not await asyncio.to_thread(file.exists):
        return Finding(
            part, "broken" if summaries else "note", f"{file} does not exist", REBUILD if summaries else SYNC
        )
    total, differing = 0, []
    for summary in summaries:
        wanted = {evidence.entry.key for evidence in await application.pages.entries(summary.key)}
        there = await keys(summary.key)
        total += len(wanted)
        if wanted != there:
            lacks, surplus = len(wanted - there), len(there - wanted)
            differing.append(f"{summary.key} lacks {lacks} of {len(wanted)} entries and has {surplus} too many")
    if differing:
        return Finding(part, "broken", "; ".join(differing), REBUILD)
    return Finding(part, "works", f"{total} entries, the same as in the database")
