"""Checks of the database, the spaces in it, and the indexes."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

from adapters.store.database import HEAD, Database
from adapters.store.sqlite import make_sqlite_url
from bot.operations.finding import SYNC, Finding, run_check
from bot.operations.operation import LocalOperations, connect_to
from bot.operations.spaces import CheckIndexes
from bot.settings import Settings
from bot.storage.data_directory import DataDirectory, describe_owner, find_running_server, own_directory
from bot.wiring import Application
from core.errors import DataDirectoryInUse, WikiWhyError


@contextmanager
def open_database(settings: Settings, directory: DataDirectory) -> Iterator[Database | WikiWhyError | OSError | None]:
    """Open the database without a migration; yields the error if it cannot be opened, None if there is none yet."""
    database = None
    try:
        if settings.database_url or directory.database.exists():
            database = Database.open_unmigrated(settings.database_url or make_sqlite_url(directory.database))
    except (WikiWhyError, OSError) as error:
        yield error
        return
    try:
        yield database
    finally:
        if database:
            database.close()


def check_revision(database: Database | WikiWhyError | OSError | None) -> Finding:
    part = "database"
    if database is None:
        return Finding(part, "note", "there is none yet", SYNC)
    if isinstance(database, WikiWhyError | OSError):
        raise database
    revision = database.read_revision()
    if defect := database.find_defect():
        advice = "Restore a backup. Without one, move the file away and sync the spaces again."
        return Finding(part, "broken", f"{database.place} is damaged: {defect}", advice)
    if revision == HEAD:
        return Finding(part, "works", f"{database.place}, revision {revision}")
    if revision is None:
        return Finding(part, "note", f"{database.place} is empty", SYNC)
    from adapters.store.migrate import list_revisions

    if revision in list_revisions():
        found = f"revision {revision}, this version uses {HEAD}"
        return Finding(part, "note", found, "The next command upgrades it. To upgrade it now, run: wikiwhy db upgrade")
    found = f"written by a newer version of WikiWhy (revision {revision}, this version knows {HEAD})"
    return Finding(part, "broken", found, "Upgrade WikiWhy on this machine, or use another database.")


def check_application(application: Application) -> list[Finding]:
    return [run_check("spaces", lambda: _check_spaces(application)), *_check_indexes(application)]


def _check_spaces(application: Application) -> Finding:
    summaries = asyncio.run(application.spaces.load_summaries())
    if not summaries:
        return Finding("spaces", "note", "nothing has been synced yet", SYNC)
    pages = sum(summary.pages for summary in summaries)
    found = f"{len(summaries)} with {pages} pages"
    failed = [summary for summary in summaries if summary.last_error or not summary.synced_at]
    if failed:
        first = failed[0]
        cause = first.last_error or "its first sync has not finished"
        advice = "Correct the cause and sync again. `wikiwhy spaces` lists all errors."
        return Finding("spaces", "note", f"{found}; {len(failed)} with errors, {first.key}: {cause}", advice)
    return Finding("spaces", "works", found)


def _check_indexes(application: Application) -> list[Finding]:
    """Check both indexes in the running server that owns the data directory, or else in this process."""
    path = application.directory.path
    if server := find_running_server(path):
        try:
            return asyncio.run(connect_to(server).execute(CheckIndexes()))
        except WikiWhyError as error:
            return [Finding("indexes", "broken", str(error))]
    try:
        with own_directory(path, wait_seconds=0) if path.is_dir() else nullcontext():
            findings = asyncio.run(LocalOperations(application).execute(CheckIndexes()))
            application.indexes.close()
            return findings
    except DataDirectoryInUse:
        found = f"not checked, because they are in use by {describe_owner(path) or 'another process'}"
        return [Finding("indexes", "note", found, "Run wikiwhy doctor again when it has ended.")]
    except (WikiWhyError, OSError) as error:
        return [Finding("indexes", "broken", str(error))]
