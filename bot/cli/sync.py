"""``wikiwhy sync``: sync spaces, with a progress bar and a report."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import (
    BarColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    Task,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
)
from rich.table import Table
from rich.text import Text

from bot.cli.json_views import sync_json
from bot.cli.options import (
    AsJson,
    DataDir,
    clean_files,
    count,
    errors,
    load_command_settings,
    output,
    print_json,
    run,
    say,
)
from bot.operations.operation import Event, Operations, open_operations
from bot.operations.sync import SyncResult, SyncSpaces
from bot.schedules import describe_future
from bot.settings import Settings
from core import timing
from core.i18n import format_value
from core.indexing.report import SpaceReport, list_errors
from core.ports.wiki import PageFailure, Traffic
from core.text import remove_controls

app = typer.Typer(help="Sync spaces from a folder or from Confluence.", no_args_is_help=True)

_INTERRUPTED = "Interrupted. Run the same command again to continue where it stopped."

AllowMassDelete = Annotated[
    bool, typer.Option("--allow-mass-delete", help="Continue even if most pages of a space would be removed.")
]
Full = Annotated[bool, typer.Option("--full", help="Read every page again, including unchanged ones.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show what a sync would change, and change nothing.")]


@app.command("folder")
def folder(
    context: typer.Context,
    path: Annotated[Path, typer.Argument(help="A folder with one JSON file per page.", metavar="PATH")],
    allow_mass_delete: AllowMassDelete = False,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Sync all spaces of a folder of documents."""
    order = SyncSpaces("folder", path=str(path), allow_mass_delete=allow_mass_delete)
    with _sync(load_command_settings(context, data_dir), order) as (synced, seconds):
        _report(synced.reports, seconds, as_json)


@app.command("confluence")
def confluence(
    context: typer.Context,
    keys: Annotated[list[str], typer.Argument(help="The spaces' keys, as in their addresses.", metavar="KEY…")],
    full: Full = False,
    dry_run: DryRun = False,
    allow_mass_delete: AllowMassDelete = False,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Sync spaces of the Confluence at WIKIWHY_CONFLUENCE_URL."""
    order = SyncSpaces("confluence", "", tuple(keys), full, dry_run, allow_mass_delete)
    with _sync(load_command_settings(context, data_dir), order) as (synced, seconds):
        _report(synced.reports, seconds, as_json, dry_run)


@app.command("due")
def due(context: typer.Context, as_json: AsJson = False, data_dir: DataDir = None) -> None:
    """Sync the Confluence spaces that are due by WIKIWHY_SYNC_SCHEDULE. Run it by cron or a timer."""
    with _sync(load_command_settings(context, data_dir), SyncSpaces("due")) as (synced, seconds):
        if synced.reports or as_json:
            _report(synced.reports, seconds, as_json)
        else:
            key, when = min(synced.next_due.items(), key=lambda item: item[1])
            then = format_value(describe_future(when, datetime.now(UTC)), "en")
            output.print(f"No space is due. The next one is {key}, {then}.", markup=False)


def _report(reports: Sequence[SpaceReport], seconds: float, as_json: bool, dry_run: bool = False) -> None:
    """Show the result, and exit with code 1 if something was not synced."""
    unread = list_errors(reports)
    if as_json:
        print_json(sync_json(reports, [failure for failure in unread if failure.space is None], seconds))
    elif listed := [report for report in reports if not report.unlisted]:
        output.print(_draw_reports(listed))
        output.print(_summarise(listed, seconds), markup=False)
    _show_problems(reports, unread)
    if dry_run:
        say("note:", "yellow", "this was a dry run: nothing was changed.")
    if unread or any(report.refusal for report in reports):
        raise typer.Exit(1)


@contextmanager
def _sync(settings: Settings, order: SyncSpaces) -> Iterator[tuple[SyncResult, float]]:
    """Sync; yield the result and the seconds. After the block, which shows them, clean the files."""
    with open_operations(settings) as operations:
        started = time.perf_counter()
        synced = run(sync_with_progress(operations, order), _INTERRUPTED)
        try:
            yield synced, time.perf_counter() - started
        finally:  # even if the block exits with code 1
            if not order.dry_run:
                clean_files(operations)


async def sync_with_progress(operations: Operations, order: SyncSpaces) -> SyncResult:
    """Sync, and show progress on standard error."""
    with _open_display() as display:
        return await operations.execute(order, display.on_event)


@contextmanager
def _open_display() -> Iterator[_Display]:
    """Show a line for the listing before the first progress, then a bar for each space."""
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        _Progress(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=errors, transient=True, disable=not errors.is_terminal) as display:
        yield _Display(display)


class _Display:
    """Shows the events of a sync."""

    def __init__(self, display: Progress) -> None:
        self._display = display
        self._listing = display.add_task("listing", total=None, traffic="")
        self._bars: dict[str, TaskID] = {}

    def on_event(self, event: Event) -> None:
        if isinstance(event, Traffic):
            self._display.update(self._listing, traffic=_describe_traffic(event).rstrip(", "))
        elif isinstance(event, timing.Progress):
            self._show_progress(event)

    def _show_progress(self, progress: timing.Progress) -> None:
        self._display.update(self._listing, visible=False)
        key, embedded = progress.stage, progress.detail["embedded"]
        if key not in self._bars:
            self._bars[key] = self._display.add_task(remove_controls(key), embedded=0)
        self._display.update(self._bars[key], completed=progress.done, total=progress.total, embedded=embedded)


class _Progress(ProgressColumn):
    """A column with pages and embedded texts; with requests while the number of pages is unknown."""

    max_refresh = 0.1

    def render(self, task: Task) -> Text:
        if task.total is None:
            return Text(task.fields.get("traffic", ""))
        done, total, embedded = int(task.completed), int(task.total), task.fields["embedded"]
        return Text(f"{done}/{total} pages, {embedded} texts embedded")


def _draw_reports(reports: Sequence[SpaceReport]) -> Table:
    """Return a table with one line per space. The columns ``restricted`` and ``failed`` are left out if all are 0."""
    counted = {
        "pages": [report.pages.seen for report in reports],
        "added": [report.pages.added for report in reports],
        "updated": [report.pages.updated for report in reports],
        "removed": [report.pages.removed for report in reports],
        "unchanged": [report.pages.unchanged for report in reports],
        "restricted": [report.pages.restricted for report in reports],
        "failed": [report.pages.failed for report in reports],
        "evidences": [sum(report.evidences.values()) for report in reports],
        "embedded": [report.embedded for report in reports],
    }
    for name in ("restricted", "failed"):
        if not any(counted[name]):
            del counted[name]
    key = max(len("space"), *(len(report.key) for report in reports)) if reports else 0
    fits = key + sum(2 + max(len(name), 3) for name in counted) <= output.width
    gap = 2 if fits else 1
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, gap, 0, 0))
    table.add_column("space", overflow="fold", min_width=len("space"))
    for name in counted:
        table.add_column(name, justify="right", no_wrap=True, min_width=len(name))
    for at, report in enumerate(reports):
        table.add_row(Text(remove_controls(report.key)), *(str(counts[at]) for counts in counted.values()))
    return table


def _summarise(reports: Sequence[SpaceReport], seconds: float) -> str:
    seen, embedded = sum(report.pages.seen for report in reports), sum(report.embedded for report in reports)
    traffic = sum((report.traffic for report in reports), Traffic())
    where = f"{count(seen, 'page')} in {count(len(reports), 'space')}"
    return f"{where}, {count(embedded, 'text')} embedded, {_describe_traffic(traffic)}{seconds:.1f} s"


def _describe_traffic(total: Traffic) -> str:
    """Return requests and waits as text, "" for a folder."""
    if not total.requests:
        return ""
    waited = f"{count(total.waits, 'wait')} of {total.seconds_waited:.1f} s in all, " if total.waits else ""
    return f"{count(total.requests, 'request')}, {waited}"


def _show_problems(reports: Sequence[SpaceReport], unread: Sequence[PageFailure]) -> None:
    for failure in unread:
        say("not read:", "red", f"{_name_failure(failure)}: {failure.cause}")
    if any(failure.space is None for failure in unread):
        say("note:", "yellow", "no page was removed, because a file that could not be read may be a known page.")
    for note in _list_notes(reports):
        say("note:", "yellow", note)
    for report in reports:
        if report.repaired:
            say("note:", "yellow", f"{report.repaired} index entries of space {report.key} were repaired.")
        if report.vanished:
            say("note:", "yellow", f"space {report.key} no longer exists, and was removed.")
        if not report.refusal and not report.vanished and not report.pages.seen:
            say("note:", "yellow", f"space {report.key} has no current page that the account may read.")
    for report in reports:
        if report.refusal:
            say("not synced:" if report.unlisted else "stopped:", "red", report.refusal)


def _list_notes(reports: Sequence[SpaceReport]) -> Iterator[str]:
    for error in dict.fromkeys(report.people.error for report in reports if report.people.error):
        yield f"people's names could not be updated, so the last known names are used: {error}"
    for error in dict.fromkeys(report.people.issues_error for report in reports if report.people.issues_error):
        yield f"issues could not be updated, so their last known summaries or their keys are shown: {error}"
    if macros := sorted({name for report in reports for name in report.unknown_macros}):
        yield f"unknown macros, of which only the body is read: {', '.join(map(remove_controls, macros))}"
    for report in reports:
        for warning in report.warnings:
            yield f"{_name_failure(warning)}: {warning.cause}"


def _name_failure(failure: PageFailure) -> str:
    return f"{failure.title} ({failure.page_id})" if failure.page_id else failure.title
