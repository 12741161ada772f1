"""``wikiwhy db``: upgrade, compact, back up and copy the database, and rebuild the indexes from it."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, TextColumn
from rich.text import Text

from adapters.postgres import parse_postgres_url
from adapters.store.administration import SqlAuditStore
from adapters.store.copying import copy_store, count_rows
from adapters.store.database import Database
from adapters.store.sqlite import back_up, make_sqlite_url
from bot.audit import record_action
from bot.cli.options import DataDir, errors, load_command_settings, output, run, show
from bot.operations.operation import require_stopped_server
from bot.storage.data_directory import DataDirectory, own_directory
from bot.wiring import Application, open_application
from core.errors import CopyRefused

_DELETE_FILES = (
    "The files still have all pages, questions and people, and nothing is removed from them any more: forget, deleted "
    "and restricted pages, retention and person forget now act on PostgreSQL only. Check the copy (wikiwhy spaces, "
    "wikiwhy ask), then delete these files and their backups:"
)

app = typer.Typer(help="Maintain the database and the indexes.", no_args_is_help=True)


@app.command("upgrade")
def upgrade(context: typer.Context, data_dir: DataDir = None) -> None:
    """Bring the database to this version's schema."""
    settings = load_command_settings(context, data_dir)
    require_stopped_server(settings.data_dir)
    with own_directory(settings.data_dir) as directory:
        database = Database.open_unmigrated(settings.database_url or make_sqlite_url(directory.database))
        try:
            database.own()
            changed = database.upgrade()
            run(_record_upgrade(database, changed))
            output.print(f"The database is {'now' if changed else 'already'} at revision {database.read_revision()}.")
        finally:
            database.close()


async def _record_upgrade(database: Database, changed: bool) -> None:
    """Add an audit entry. It follows the upgrade because the upgrade may create the audit log."""
    what = f"revision {database.read_revision()}" + ("" if changed else ", as before")
    async with record_action(SqlAuditStore(database), "upgrade_database", what):
        pass


@app.command("compact")
def compact(context: typer.Context, data_dir: DataDir = None) -> None:
    """Rewrite the files of the database and the full-text index, to remove the last text of removed pages."""
    settings = load_command_settings(context, data_dir)
    require_stopped_server(settings.data_dir)
    with open_application(settings) as application:
        run(_compact(application), "Interrupted. Run the same command again.")


async def _compact(application: Application) -> None:
    index, database = await application.lexical.compact(), await application.database.compact()
    rewritten = [name for name, done in (("the database", database), ("the full-text index", index)) if done]
    output.print(f"Rewritten: {' and '.join(rewritten) or 'nothing, since nothing was removed since the last time'}.")


@app.command("backup")
def backup(
    context: typer.Context,
    target: Annotated[Path, typer.Argument(help="The new file.", metavar="FILE")],
    data_dir: DataDir = None,
) -> None:
    """Copy the database into a new file, even while the server runs. With PostgreSQL use pg_dump."""
    settings = load_command_settings(context, data_dir)
    source = DataDirectory(settings.data_dir).database
    if settings.database_url:
        raise CopyRefused("The database is in PostgreSQL. Back it up with pg_dump, see docs/postgresql.md.")
    if not source.is_file():
        raise CopyRefused(f"There is no database to back up: {source} does not exist. Name its --data-dir.")
    try:
        back_up(source, target)
    except FileExistsError:
        raise CopyRefused(f"{target} exists already. Name a new file.") from None
    except (OSError, sqlite3.Error) as error:
        raise CopyRefused(
            f"{target} cannot be written: {error}. Check the free space and the permissions, then try again."
        ) from error
    output.print(f"The database was copied to {target}: {target.stat().st_size:,} bytes.")


@app.command("rebuild-index")
def rebuild_index(context: typer.Context, data_dir: DataDir = None) -> None:
    """Rebuild both indexes from the database. Texts that were embedded before are not embedded again."""
    settings = load_command_settings(context, data_dir)
    require_stopped_server(settings.data_dir)
    with open_application(settings) as application:
        entries = run(_rebuild_audited(application), "Interrupted. Run the same command again.")
    output.print(f"Both indexes were rebuilt with {entries} entries.")


@app.command("copy")
def copy(context: typer.Context, data_dir: DataDir = None) -> None:
    """Copy all data from the files of the data directory into the empty PostgreSQL of WIKIWHY_DATABASE_URL.

    Nothing is embedded again. The files stay; delete them after checking the copy.
    """
    settings = load_command_settings(context, data_dir)
    require_stopped_server(settings.data_dir)
    with open_application(settings) as application:
        rows = copy_files(application)
        entries = run(
            _rebuild_after_copy(application), "Interrupted. To complete the indexes, run: wikiwhy db rebuild-index"
        )
    output.print(f"{rows} rows were copied, and both indexes have {entries} entries.")
    show(Text(_DELETE_FILES + "".join(f"\n  {file}" for file in application.directory.databases)))


async def _rebuild_after_copy(application: Application) -> int:
    async with record_action(application.audit, "copy_database", application.directory.database.name):
        return await _rebuild(application)


async def _rebuild_audited(application: Application) -> int:
    async with record_action(application.audit, "rebuild_indexes", ""):
        return await _rebuild(application)


def copy_files(application: Application) -> int:
    """Copy the database of the data directory into PostgreSQL. Return the number of rows. Raises CopyRefused."""
    directory, settings = application.directory, application.settings
    if not parse_postgres_url(settings.database_url):
        raise CopyRefused("No PostgreSQL is configured. Set WIKIWHY_DATABASE_URL to postgresql+psycopg://…")
    if not directory.database.exists():
        raise CopyRefused(f"There is no database to copy: {directory.database} does not exist. Name its --data-dir.")
    from bot.storage.workflow_database import OfflineWorkflows  # slow to import, and other commands do not need it

    if unfinished := OfflineWorkflows(f"sqlite:///{directory.workflows}").count_unfinished():
        raise CopyRefused(
            f"{unfinished} workflows of chats (questions, syncs) are unfinished. Start the server without "
            "WIKIWHY_DATABASE_URL to finish them, stop it when the chats are idle, then run this command again."
        )
    source = Database.open(make_sqlite_url(directory.database))
    try:
        with Progress(*_make_columns("copying", "rows"), console=errors, transient=True) as bars:
            bar = bars.add_task("", total=count_rows(source))
            return copy_store(source, application.database, lambda copied: bars.update(bar, completed=copied))
    finally:
        source.close()


def _make_columns(what: str, unit: str) -> tuple[ProgressColumn, ...]:
    return TextColumn(what), BarColumn(), MofNCompleteColumn(), TextColumn(unit)


async def _rebuild(application: Application) -> int:
    application.indexes.delete()
    entries = 0
    summaries = await application.spaces.load_summaries()
    with Progress(*_make_columns("rebuilding", "evidences"), console=errors, transient=True) as bars:
        bar = bars.add_task("", total=sum(sum(summary.evidences.values()) for summary in summaries))
        await application.indexer.clean()
        for summary in summaries:
            await application.indexer.repair(summary.key, lambda embedded: None)
            entries += sum(summary.evidences.values())
            bars.update(bar, completed=entries)
    return entries
