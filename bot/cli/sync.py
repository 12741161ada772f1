"""``wikiwhy sync folder``: brings spaces up to date, with a progress bar and a report."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from adapters.folder.wiki import FolderWiki
from bot.cli.json_views import sync_json
from bot.cli.options import AsJson, DataDir, errors, output, print_json, run, settings_for
from bot.wiring import Application, now, opened
from core import ports
from core.indexing.report import SpaceReport
from core.indexing.synchroniser import all_errors

app = typer.Typer(help="Bring spaces up to date.", no_args_is_help=True)


@app.command("folder")
def folder(
    context: typer.Context,
    path: Annotated[Path, typer.Argument(help="A folder with one JSON file a page.", metavar="PATH")],
    allow_mass_delete: Annotated[
        bool, typer.Option("--allow-mass-delete", help="Go on even if most pages of a space would be removed.")
    ] = False,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Sync all spaces of a folder of documents."""
    started = time.perf_counter()
    with opened(settings_for(context, data_dir)) as application:
        reports = run(sync_wiki(application, FolderWiki(path), allow_mass_delete))
    seconds = time.perf_counter() - started
    unread = all_errors(reports)
    if as_json:
        print_json(sync_json(reports, [failure for failure in unread if failure.space is None], seconds))
    else:
        _print_reports(reports, seconds)
    for failure in unread:
        errors.print(f"[red]not read:[/] {_name(failure)}: {failure.cause}", markup=True, soft_wrap=True)
    for warning in (warning for report in reports for warning in report.warnings):
        errors.print(f"[yellow]note:[/] {_name(warning)}: {warning.cause}", soft_wrap=True)
    if any(failure.space is None for failure in unread):
        errors.print("Pages that are no longer in the folder were kept: an unread file may be one of them.")
    for report in reports:
        if report.stopped:
            errors.print(f"[red]stopped:[/] {report.stopped}", soft_wrap=True)
    if unread or any(report.stopped for report in reports):
        raise typer.Exit(1)


async def sync_wiki(application: Application, wiki: ports.Wiki, allow_mass_delete: bool = False) -> list[SpaceReport]:
    """Syncs every space of a wiki, showing progress on standard error."""
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("pages, {task.fields[embedded]} texts embedded"),
        TimeElapsedColumn(),
    )
    reports: list[SpaceReport] = []
    keys = await wiki.spaces()
    synchroniser = application.synchroniser(allow_mass_delete)
    with Progress(*columns, console=errors, transient=True) as bars:
        for key in keys:
            bar = bars.add_task(key, total=None, embedded=0)

            def show(progress: ports.Progress, bar: int = bar) -> None:
                bars.update(
                    bars.task_ids[bar],
                    completed=progress.done,
                    total=progress.total,
                    embedded=progress.detail["embedded"],
                )

            reports.append(await synchroniser.sync(wiki, key, now(), show))
    await application.vectors.prune()
    return reports


def _name(failure: ports.PageFailure) -> str:
    from rich.markup import escape

    return escape(f"{failure.title} ({failure.page_id})" if failure.page_id else failure.title)


def _print_reports(reports: list[SpaceReport], seconds: float) -> None:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("space")
    names = ("pages", "added", "updated", "removed", "unchanged", "failed", "evidences", "embedded", "seconds")
    for name in names:
        table.add_column(name, justify="right")
    for report in reports:
        pages = report.pages
        counts = (pages.seen, pages.added, pages.updated, pages.removed, pages.unchanged, pages.failed)
        evidences = sum(report.evidences.values())
        table.add_row(report.key, *map(str, counts), str(evidences), str(report.embedded), f"{report.seconds:.1f}")
    output.print(table)
    seen, embedded = sum(report.pages.seen for report in reports), sum(report.embedded for report in reports)
    output.print(f"{seen} pages in {len(reports)} spaces, {embedded} texts embedded, {seconds:.1f} s")
