"""The database, what is in it, and the indexes beside it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from adapters.store.database import HEAD, Database, sqlite_url
from bot.data_directory import DataDirectory, owned, owner_of
from bot.health.finding import SYNC, Finding, guarded
from bot.settings import Settings
from bot.wiring import Application
from core.errors import DataDirectoryInUse, WikiWhyError

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
    from adapters.store.migrate import known_revisions

    if revision in known_revisions():
        found = f"revision {revision}, this version uses {HEAD}"
        return Finding(part, "note", found, "The next command brings it up to date, or: wikiwhy db upgrade")
    found = f"written by a newer version of WikiWhy (revision {revision}, this version knows {HEAD})"
    return Finding(part, "broken", found, "Upgrade WikiWhy, or use another data directory.")


def of_application(application: Application) -> list[Finding]:
    return [guarded("spaces", lambda: _spaces(application)), *_indexes(application)]


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
    """Both indexes, which this process owns meanwhile: they serve one process. In use by another, they are left out."""
    path = application.directory.path
    lexical = application.directory.lexical_index
    dense = Path() if application.settings.chroma_url else application.directory.dense_index / "chroma.sqlite3"
    try:
        with owned(path, wait_seconds=0) if path.is_dir() else nullcontext():
            return [
                guarded("full-text index", lambda: _index(application, lexical, lambda: application.lexical.keys)),
                guarded("dense index", lambda: _index(application, dense, lambda: application.dense.keys)),
            ]
    except DataDirectoryInUse:
        found = f"in use by {owner_of(path) or 'another process'}, so not looked at"
        return [Finding("indexes", "note", found, "Run wikiwhy doctor again after that.")]
    except (WikiWhyError, OSError) as error:
        return [Finding("indexes", "broken", str(error))]


def _index(application: Application, file: Path, keys: Callable[[], Callable[[str], Any]]) -> Finding:
    """Compares an index with the store, key by key. Without its ``file`` it is not opened, which would create it."""
    part = "full-text index" if file == application.directory.lexical_index else "dense index"
    summaries = asyncio.run(application.spaces.summaries())
    if not file.exists():
        return Finding(
            part, "broken" if summaries else "note", f"{file} does not exist", REBUILD if summaries else SYNC
        )
    total, differing = 0, []
    for summary in summaries:
        wanted = {evidence.entry.key for evidence in asyncio.run(application.pages.entries(summary.key))}
        there = asyncio.run(keys()(summary.key))
        total += len(wanted)
        if wanted != there:
            lacks, surplus = len(wanted - there), len(there - wanted)
            differing.append(f"{summary.key} lacks {lacks} of {len(wanted)} entries and has {surplus} too many")
    if differing:
        return Finding(part, "broken", "; ".join(differing), REBUILD)
    return Finding(part, "works", f"{total} entries, the same as in the database")
