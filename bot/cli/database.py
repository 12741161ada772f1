"""``wikiwhy db``: upgrading, compacting and copying the database, and rebuilding the indexes from it."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, TextColumn
from rich.text import Text

from adapters.postgres import parse_postgres_url
from adapters.store.audit import SqlAuditStore
from adapters.store.copying import copy_store, count_rows
from adapters.store.database import Database
from adapters.store.sqlite import back_up, sqlite_url
from bot.audit import record_action
from bot.cli.options import DataDir, errors, output, run, settings_for, show
from bot.operations.connect import require_stopped_server
from bot.storage.data_directory import DataDirectory, own_directory
from bot.wiring import Application, open_application
from core.errors import CopyRefused

_DELETE_FILES = (
    "The files still have every page, question and person, and nothing is removed from them any more: forget, deleted "
    "and restricted pages, retention and person forget now act on PostgreSQL only. Check the copy (wikiwhy spaces, "
    "wikiwhy ask), then delete these files, and their backups:"
)

app = typer.Typer(help="Look after the database and the indexes.", no_args_is_help=True)


@app.command("upgrade")
def upgrade(context: typer.Context, data_dir: DataDir = None) -> None:
    """Bring the database to this version's schema."""
    settings = settings_for(context, data_dir)
    require_stopped_server(settings.data_dir)
    with own_directory(settings.data_dir) as directory:
        database = Database.open_unmigrated(settings.database_url or sqlite_url(directory.database))
        try:
            database.own()
            changed = database.upgrade()
            run(_record_upgrade(database, changed))
            output.print(f"The database is {'now' if changed else 'already'} at revision {database.revision()}.")
        finally:
            database.close()


async def _record_upgrade(database: Database, changed: bool) -> None:
    """After the upgrade, which may only have created the audit log."""
    what = f"revision {database.revision()}" + ("" if changed else ", as before")
    async with record_action(SqlAuditStore(database), "upgrade_database", what):
        pass


@app.command("compact")
def compact(context: typer.Context, data_dir: DataDir = None) -> None:
    """Rewrite the files of the database and the full-text index, so that nothing of removed pages is left in them."""
    settings = settings_for(context, data_dir)
    require_stopped_server(settings.data_dir)
    with open_application(settings) as application:
        run(_compact(application), "interrupted; run the same command again")


async def _compact(application: Application) -> None:
    index, database = await application.lexical.compact(), await application.database.compact()
    rewritten = [name for name, done in (("the database", database), ("the full-text index", index)) if done]
    output.print(f"Rewritten: {' and '.join(rewritten) or 'nothing, for nothing was removed since the last time'}.")


@app.command("backup")
def backup(
    context: typer.Context,
    target: Annotated[Path, typer.Argument(help="The new file.", metavar="FILE")],
    data_dir: DataDir = None,
) -> None:
    """Write a copy of the database into a new file, also while the server runs. With PostgreSQL use pg_dump."""
    settings = settings_for(context, data_dir)
    source = DataDirectory(settings.data_dir).database
    if settings.database_url:
        raise CopyRefused("The database is not in files: back it up with pg_dump, see docs/postgresql.md.")
    if not source.is_file():
        raise CopyRefused(f"There is nothing to back up: {source} does not exist. Name its --data-dir.")
    try:
        back_up(source, target)
    except FileExistsError:
        raise CopyRefused(f"{target} is there already. Name a file that is not.") from None
    except (OSError, sqlite3.Error) as error:
        raise CopyRefused(f"{target} cannot be written: {error}. See to room and rights, then try again.") from error
    output.print(f"The database was copied, {target.stat().st_size:,} bytes.")


@app.command("rebuild-index")
def rebuild_index(context: typer.Context, data_dir: DataDir = None) -> None:
    """Make both indexes anew from the database; nothing is embedded that was embedded before."""
    settings = settings_for(context, data_dir)
    require_stopped_server(settings.data_dir)
    with open_application(settings) as application:
        entries = run(_rebuild_recorded(application), "interrupted; run the same command again")
    output.print(f"Both indexes hold {entries} entries.")


@app.command("copy")
def copy(context: typer.Context, data_dir: DataDir = None) -> None:
    """Copy everything from the data directory's files into the empty PostgreSQL that WIKIWHY_DATABASE_URL names.

    Nothing is embedded again. The files stay: delete them once the copy is checked.
    """
    settings = settings_for(context, data_dir)
    require_stopped_server(settings.data_dir)
    with open_application(settings) as application:
        rows = copy_files(application)
        entries = run(_record_copy(application), "interrupted; run wikiwhy db rebuild-index")
    output.print(f"{rows} rows were copied, and both indexes hold {entries} entries.")
    show(Text(_DELETE_FILES + "".join(f"\n  {file}" for file in application.directory.databases)))


async def _record_copy(application: Application) -> int:
    async with record_action(application.audit, "copy_database", application.directory.database.name):
        return await _rebuild(application)


async def _rebuild_recorded(application: Application) -> int:
    async with record_action(application.audit, "rebuild_indexes", ""):
        return await _rebuild(application)


def copy_files(application: Application) -> int:
    """Copies the data directory's database into the application's own; returns how many rows. Raises CopyRefused."""
    directory, settings = application.directory, application.settings
    if not parse_postgres_url(settings.database_url):
        raise CopyRefused("There is nowhere to copy to: set WIKIWHY_DATABASE_URL to postgresql+psycopg://…")
    if not directory.database.exists():
        raise CopyRefused(f"There is nothing to copy: {directory.database} does not exist. Name its --data-dir.")
    from bot.storage.workflow_database import OfflineWorkflows  # takes time, and other commands do without

    if unfinished := OfflineWorkflows(f"sqlite:///{directory.workflows}").count_unfinished():
        raise CopyRefused(
            f"{unfinished} questions or syncs of chats are in progress. Let the server end them first: start it "
            "without WIKIWHY_DATABASE_URL, and stop it when the chats are quiet."
        )
    source = Database.open(sqlite_url(directory.database))
    try:
        with Progress(*_columns("copying", "rows"), console=errors, transient=True) as bars:
            bar = bars.add_task("", total=count_rows(source))
            return copy_store(source, application.database, lambda copied: bars.update(bar, completed=copied))
    finally:
        source.close()


def _columns(what: str, unit: str) -> tuple[ProgressColumn, ...]:
    return TextColumn(what), BarColumn(), MofNCompleteColumn(), TextColumn(unit)


async def _rebuild(application: Application) -> int:
    application.indexes.delete()
    entries = 0
    summaries = await application.spaces.summaries()
    with Progress(*_columns("rebuilding", "evidences"), console=errors, transient=True) as bars:
        bar = bars.add_task("", total=sum(sum(summary.evidences.values()) for summary in summaries))
        await application.indexer.clean()
        for summary in summaries:
            await application.indexer.repair(summary.key, lambda embedded: None)
            entries += sum(summary.evidences.values())
            bars.update(bar, completed=entries)
    return entries
