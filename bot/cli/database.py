"""``wikiwhy db``: the database's schema, and the indexes made anew from it."""

from __future__ import annotations

import shutil

import typer
from rich.progress import Progress

from adapters.store.database import Database, sqlite_url
from bot.cli.options import DataDir, errors, output, run, settings_for
from bot.data_directory import owned
from bot.wiring import Application, opened

app = typer.Typer(help="Look after the database and the indexes.", no_args_is_help=True)


@app.command("upgrade")
def upgrade(context: typer.Context, data_dir: DataDir = None) -> None:
    """Bring the database to this version's schema."""
    settings = settings_for(context, data_dir)
    with owned(settings.data_dir) as directory:
        database = Database.open_unmigrated(settings.database_url or sqlite_url(directory.database))
        try:
            changed = database.upgrade()
            output.print(f"The database is {'now ' if changed else 'already '}at revision {database.revision()}.")
        finally:
            database.close()


@app.command("rebuild-index")
def rebuild_index(context: typer.Context, data_dir: DataDir = None) -> None:
    """Make both indexes anew from the database; nothing is embedded that was embedded before."""
    with opened(settings_for(context, data_dir)) as application:
        entries = run(_rebuild(application))
    output.print(f"Both indexes hold {entries} entries.")


async def _rebuild(application: Application) -> int:
    directory = application.directory
    for name in ("", "-wal", "-shm"):
        directory.lexical_index.with_name(directory.lexical_index.name + name).unlink(missing_ok=True)
    if not application.settings.chroma_url:
        shutil.rmtree(directory.dense_index, ignore_errors=True)
    entries = 0
    summaries = await application.spaces.summaries()
    with Progress(console=errors, transient=True) as bars:
        bar = bars.add_task("rebuilding", total=len(summaries))
        await application.indexer.clean()
        for summary in summaries:
            await application.indexer.repair(summary.key, lambda count: None)
            entries += sum(summary.evidences.values())
            bars.advance(bar)
    return entries
